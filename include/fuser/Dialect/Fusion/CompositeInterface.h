//===- CompositeInterface.h - What ops by name become -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect has the text of ops by name; what they are made of, and so the
// types of their results, a frontend knows, which registers itself here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_COMPOSITEINTERFACE_H
#define FUSER_DIALECT_FUSION_COMPOSITEINTERFACE_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/IR/DialectInterface.h"

namespace fuser::fusion {

class CompositeInterface
    : public mlir::DialectInterface::Base<CompositeInterface> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompositeInterface)

  explicit CompositeInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The one that is registered; null if there is none.
  static const CompositeInterface *get(mlir::MLIRContext *context) {
    auto *dialect = context->getLoadedDialect<FusionDialect>();
    return dialect ? dialect->getRegisteredInterface<CompositeInterface>()
                   : nullptr;
  }

  /// Whether there is an op of this name.
  virtual bool contains(llvm::StringRef name) const = 0;

  /// The types of all results of an op of values of `types`, and of `numbers`
  /// at `positions` among all operands. Errors are at `loc`.
  virtual FailureOr<llvm::SmallVector<mlir::Type>>
  inferTypes(mlir::Location loc, mlir::StringAttr name,
             llvm::ArrayRef<mlir::Type> types,
             llvm::ArrayRef<int64_t> positions, mlir::ArrayAttr numbers,
             mlir::DictionaryAttr options) const = 0;
};

} // namespace fuser::fusion

#endif // FUSER_DIALECT_FUSION_COMPOSITEINTERFACE_H
