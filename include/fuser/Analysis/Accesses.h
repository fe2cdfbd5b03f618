//===- Accesses.h - Which elements an element is made of ------ -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an element of a tensor comes from, op by op: element-wise ops look at
// the same index, index maps elsewhere. The one walk for layouts, rows and
// transposes, and what is asked of the indices that it finds.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_ACCESSES_H
#define FUSER_ANALYSIS_ACCESSES_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <utility>

namespace fuser {
namespace fusion {
class SegmentOp;
} // namespace fusion

class ShapeSymbols;

/// An element of a tensor: its index as a function of whatever the caller has
/// in mind; null where that is not affine.
using Access = std::pair<Value, AffineMap>;

/// Calls `visit` with each of `starts`, and with what these elements are
/// computed from by element-wise ops and index maps. Each access is visited
/// once, the last start and operand first. What is behind one is followed if
/// `visit` returns true.
void walkAccesses(llvm::ArrayRef<Access> starts,
                  llvm::function_ref<bool(Value, AffineMap)> visit);

/// The index of each element of `tensor` itself.
AffineMap getIdentityMap(Value tensor);

/// `map`, from an index in a tensor of `shape`, with 0 for the coordinates of
/// dimensions of size 1: there is no other.
AffineMap dropUnitDims(AffineMap map, llvm::ArrayRef<int64_t> shape);

/// True if a tensor of shape `to` repeats elements of one of shape `from` in
/// their order, and takes each: no place of it looks elsewhere than a neighbour
/// does. False if the map is null.
bool isBroadcast(AffineMap map, llvm::ArrayRef<int64_t> from,
                 llvm::ArrayRef<int64_t> to);

/// Whether elements of `op` are made of the same elements of this tensor
/// operand (counting tensor operands only).
bool readsSameElement(Operation *op, unsigned operand,
                      const ShapeSymbols &symbols);

/// An op that reads one of `tensors`, or what element-wise ops make of them, at
/// another index than that of its result, or for which `isOther` says so; null
/// if there is none. Calls `isOther` with each tensor and reader.
Operation *findReaderElsewhere(
    llvm::ArrayRef<Value> tensors,
    llvm::function_ref<bool(Value, Operation *)> isOther = nullptr);

/// The same of the ops in `segment` and its operand `input`.
Operation *findReaderElsewhere(fusion::SegmentOp segment, Value input);

} // namespace fuser

#endif // FUSER_ANALYSIS_ACCESSES_H
