//===- SegmentPreparation.h - What comes before segmentation ---*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTPREPARATION_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTPREPARATION_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace fuser::fusion {

/// What is special in a prepared function.
struct PreparedFunction {
  /// The ops of views of inputs.
  llvm::DenseSet<Operation *> views;
  /// Reshapes that no segment computes: other shapes of memory, of results, or
  /// for what takes tensors as they lie.
  llvm::DenseSet<Operation *> shapes;
  /// The ops that write a result over an input (reuse) and come behind all that
  /// reads it: copies, with the location of an op because of which no kernel
  /// does so at once, or none if it is another input that is copied; and
  /// segments.
  llvm::DenseMap<Operation *, std::optional<Location>> copies;
  /// The inputs that results overwrite: when that is, follows from who reads
  /// them.
  llvm::DenseSet<Value> overwritten;
};

/// Brings a function into the form that segmentation wants:
///
/// * no dead ops, and nothing but ops of the dialect and size arithmetic;
/// * what returns a view of an input is apart from all else, and in the result;
/// * every other result is an op's, returned once, and not a boundary's;
/// * matrix products and communications read and write tensors that lie as they
///   are taken;
/// * size arithmetic comes first and depends on the function's arguments only;
/// * reshapes say which open sizes they keep.
///
/// Failure comes with a diagnostic.
FailureOr<PreparedFunction> prepareForSegmentation(mlir::func::FuncOp func);

/// Makes the tensors of contractions and communications lie as they are taken:
/// hints that are in the way go, and what the program requires to lie otherwise
/// is copied.
void layOutTakenTensors(mlir::func::FuncOp func);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_SEGMENTPREPARATION_H
