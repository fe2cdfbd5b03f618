//===- LenientOps.h - Ops by name, with broadcasting and promotion --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion dialect is strict; frontends are not. Here an op is asked for by
// name, with any operands that PyTorch would take, and becomes ops of the
// dialect: element types are promoted and shapes broadcast as PyTorch does it,
// types of results follow, and what is no op of the dialect but follows from
// some (`clamp`, `var`, `layer_norm`) is composed. Every frontend calls this,
// so that no frontend has a rule of its own.
//
// Operands are tensors and scalars of the element types of the dialect. A
// scalar is to promotion what a Python number is to PyTorch: of a float and a
// tensor of floats the result has the tensor's type. Sizes and bounds are
// integers in attributes; kDynamic there stands for the next of the last
// operands, an integer scalar.
//
// Each op rounds to its result's element type: nothing computes f16 or bf16 in
// excess precision unless the program casts, but for functions that are made of
// several ops (`var`, `layer_norm`), which compute in f32 and round each result
// once. Tensors of 8-bit floats are not promoted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FRONTEND_LENIENTOPS_H
#define FUSER_FRONTEND_LENIENTOPS_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace fuser::frontend {

struct OpRequest {
  llvm::StringRef name;
  llvm::ArrayRef<mlir::Value> operands;
  mlir::DictionaryAttr attributes;
  /// Errors list the op's operands, with the flags that say which there are.
  bool listsOperands = true;
};

/// What an op asks of a function's argument whose type leaves a size open: the
/// program has a meaning only if the size is this one.
struct SizeDemand {
  mlir::BlockArgument argument;
  int64_t dim;
  int64_t size;
  /// What else may be meant, behind what is said of it; or empty.
  std::string advice = {};
  /// Whether an operand is what a reduction has left, and lies otherwise there
  /// than if it had kept its dimensions.
  bool isOfReduction = false;
};

/// What the sizes of tensors are, where the last op stands, so that they are
/// looked for once.
using KnownSizes =
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::OpFoldResult>;

/// Emits an op where `builder` stands, at the end of a block. On failure there
/// are diagnostics, and maybe ops without uses; or there is a `demand`, and no
/// diagnostic: with an argument of that size the op can be emitted. `sizes`, if
/// there are, have to be of values that dominate the op; on failure they are of
/// no use any more.
FailureOr<llvm::SmallVector<mlir::Value>>
emitOp(mlir::OpBuilder &builder, mlir::Location loc, const OpRequest &request,
       std::optional<SizeDemand> &demand, KnownSizes *sizes = nullptr);

/// The names that emitOp knows, in alphabetic order.
llvm::SmallVector<llvm::StringRef> getOpNames();
bool isOpName(llvm::StringRef name);
/// Those of them that are ops of the dialect, element by element, of so many
/// operands, 1 or 2, without attributes: their records are all that says so.
llvm::SmallVector<llvm::StringRef> getElementwiseNames(unsigned numOperands);

/// What a library calls an op that has another name here.
struct OtherName {
  llvm::StringLiteral library; ///< "array_api", "numpy", "torch" or "nvfuser".
  unsigned numOperands;        ///< Of an op element by element, else 0.
  llvm::StringLiteral other, own;
};
/// All of them; frontends with names of their own have these from here.
llvm::ArrayRef<OtherName> getOtherNames();
/// The name here of what any library calls so; empty if none has another one.
llvm::StringRef findOwnName(llvm::StringRef other);

/// Lets text have ops of these names with results whose types follow
/// (fusion::CompositeInterface).
void registerComposites(mlir::DialectRegistry &registry);

/// One of two tensors whose shapes do not broadcast.
struct MisfitShape {
  mlir::RankedTensorType type;
  bool mayBeReduced; ///< A reduction, which could keep dimensions, may make it.
};
/// What an error of two shapes ends with: the one that the tensor of fewer
/// dimensions could have, and how a reduction leaves it: "'tensor<4x1xf32>'
/// would broadcast, as ...". Empty if there is none.
std::string suggestShape(MisfitShape lhs, MisfitShape rhs);

/// The element type that PyTorch computes an op of these operands in.
mlir::Type promoteOperands(llvm::ArrayRef<mlir::Value> operands);

/// An element type of the dialect by its name in text ("f32", "i1"); null for
/// any other name.
mlir::Type parseElementType(mlir::MLIRContext *context, llvm::StringRef name);
/// The reverse: text that lives as long as the process.
llvm::StringRef getElementTypeName(mlir::Type type);

} // namespace fuser::frontend

#endif // FUSER_FRONTEND_LENIENTOPS_H
