//===- SizeClasses.h - What kernels would like to know of sizes -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a size that is open: whether it is a multiple of the lanes of a wide
// access, and a bound of the rows that registers keep. Which classes there are,
// and why: docs/rationale/variants.md.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_PIPELINES_SIZECLASSES_H
#define FUSER_LIB_PIPELINES_SIZECLASSES_H

#include "fuser/Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuser {

class SizeClasses {
public:
  /// Nothing is wanted.
  SizeClasses() = default;
  /// What kernels of `func`, a function on tensors, would make use of. Nothing
  /// if its schedules are decided.
  explicit SizeClasses(func::FuncOp func);

  /// Writes the classes of the sizes of a call on the arguments.
  void apply(func::FuncOp func, const CompileOptions &options) const;

  /// Says what is wanted in a variant of the function.
  void describe(fuser_rt::Variant &variant) const;

private:
  /// By input and dimension.
  std::vector<std::vector<fuser_rt::SizeSpec>> wanted;
};

} // namespace fuser

#endif // FUSER_LIB_PIPELINES_SIZECLASSES_H
