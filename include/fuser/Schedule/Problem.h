//===- Problem.h - What heuristics know of a segment -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heuristics are pure functions from a problem and a target to a schedule:
// plain structs, no IR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SCHEDULE_PROBLEM_H
#define FUSER_SCHEDULE_PROBLEM_H

#include "fuser/Support/Decision.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace fuser::schedule {

/// A size that is only known at run time.
constexpr int64_t kUnknown = -1;

/// A segment without reductions whose results all have one shape.
struct PointwiseProblem {
  llvm::SmallVector<int64_t, 4> shape;
  /// What the last size is a multiple of: itself where it is known.
  int64_t lastDivisor = 1;
  /// Its dimensions from slowest to fastest in the memory of the first result.
  llvm::SmallVector<int64_t, 4> order;
  /// All tensors have the same elements in the same dense order, and nothing
  /// asks for the index.
  bool isFlat = false;
  /// The most neighbours in the last dimension that stay neighbours in all
  /// tensors: a power of two.
  int64_t contiguousWidth = 1;
  /// Bytes of an element in memory, over the tensors that are as large as the
  /// shape.
  int64_t narrowestBytes = 4;
  int64_t widestBytes = 4;
  /// Tensors that are read for each element of the shape.
  int64_t numReads = 1;
  /// Bytes of an element of those whose neighbours lie along the last
  /// dimension and that are the same for all of the first `numRowDims` of
  /// `order` (such as a bias), and of the others.
  int64_t numRowDims = 0;
  int64_t columnBytes = 0;
  int64_t otherBytes = 0;
  /// Instructions for an element, roughly.
  int64_t operations = 1;
};

/// A segment without reductions, and how its tensors lie in memory.
struct TransposeProblem {
  PointwiseProblem pointwise;
  /// What each size is a multiple of: itself where it is known.
  llvm::SmallVector<int64_t, 4> divisors;
  /// A result, or a read of an operand at coordinates of the results as they
  /// are, and zeros. An operand that is read at several indices has several.
  struct Access {
    bool isResult = false;
    int64_t number = 0; ///< Of the operand or the result.
    /// The dimension of the results along which neighbours lie in memory; -1:
    /// along none.
    int64_t dim = -1;
    /// All dimensions of the results that the index depends on, from slowest to
    /// fastest in memory.
    llvm::SmallVector<int64_t, 4> dims;
    int64_t bytes = 4; ///< Of an element in memory.
  };
  /// Of all results; of the operands no reads elsewhere, such as by way of a
  /// `cat`.
  llvm::SmallVector<Access, 4> accesses;
};

/// A segment with reductions over dimensions of one shape, the last one among
/// them: rows of columns.
struct RowProblem {
  llvm::SmallVector<int64_t, 4> rowDims, columnDims;
  int64_t columns = kUnknown;
  /// There are at most so many: a schedule is for these.
  int64_t maxColumns = kUnknown;
  /// The size of the last dimension: neighbours in memory.
  int64_t lastDim = kUnknown;
  /// What it is a multiple of: itself where it is known.
  int64_t lastDivisor = 1;
  /// The most neighbours in a row that stay neighbours in all tensors: a power
  /// of two.
  int64_t contiguousWidth = 1;
  /// Bytes of an element in memory, over the tensors that are as large as a
  /// row.
  int64_t narrowestBytes = 4;
  int64_t widestBytes = 4;
  /// Bytes of an element of all that is read of a row, of what of it can be
  /// copied to shared memory (an index made of the row's), and of what is read
  /// once for all rows.
  int64_t readBytes = 4;
  int64_t copiedBytes = 4;
  int64_t columnBytes = 0;
  /// Registers (of 32 bits) that hold what must be kept of a column while a row
  /// is reduced.
  int64_t liveRegisters = 1;
  /// Of the accumulators of all reductions together.
  int64_t sumRegisters = 1;
  /// Instructions for an element, roughly, and of those what is computed again
  /// where nothing but inputs is kept from one reduction to what is behind it.
  double operations = 1;
  double repeatedOperations = 1;
  /// Results are as large as a row, too.
  bool hasFullResults = false;

  /// What is not copied is read again after each reduction.
  bool isCopied() const { return copiedBytes >= readBytes; }
};

/// A segment with reductions that leave the last dimension: columns of rows.
struct OuterProblem {
  /// The kept dimensions before the last one that is reduced, and behind it.
  llvm::SmallVector<int64_t, 4> outerDims, reducedDims, columnDims;
  int64_t outer = kUnknown; ///< Elements of each.
  int64_t rows = kUnknown;
  int64_t columns = kUnknown;
  int64_t maxColumns = kUnknown; ///< There are at most so many.
  /// The size of the last dimension: neighbours in memory.
  int64_t lastDim = kUnknown;
  /// What it is a multiple of: itself where it is known.
  int64_t lastDivisor = 1;
  /// The most neighbours in the last dimension that stay neighbours in all
  /// tensors: a power of two.
  int64_t contiguousWidth = 1;
  /// Bytes of an element in memory, of the narrowest tensor, and of all that
  /// are as large as the space together.
  int64_t narrowestBytes = 4;
  int64_t totalBytes = 4;
  /// Results are as large as the space, too.
  bool hasFullResults = false;
  /// Registers of 32 bits that the accumulators of all reductions take.
  int64_t accumulatorRegisters = 1;
};

/// A segment that reduces rows, the trailing dimensions of one shape, and
/// columns, all the others: both in one walk over the rows.
struct InnerOuterProblem {
  RowProblem row;
  int64_t rows = kUnknown;
  /// Registers of 32 bits for an element of what is read once for all rows.
  int64_t columnRegisters = 0;
  /// The sums of a column, and their registers: one of f64 has two.
  int64_t accumulators = 1;
  int64_t accumulatorRegisters = 1;
};

/// A segment with scans along one dimension of one shape.
struct ScanProblem {
  int64_t dim = 0;
  int64_t maxLength = kUnknown; ///< Of the dimension, at most.
  /// The dimensions before it and behind it.
  llvm::SmallVector<int64_t, 4> outerDims, columnDims;
  int64_t outer = kUnknown; ///< Elements of each.
  /// There are at most so many scans, of rows and columns.
  int64_t maxScans = kUnknown;
  int64_t columns = kUnknown;
  int64_t maxColumns = kUnknown;
  int64_t numScans = 1; ///< Of each row or column.
  bool isOfIntegers = false;
  /// Elements of a leaf of the scans (SumOrder.h): all have the same.
  int64_t leaf = 1;
  /// The most neighbours in the last dimension that stay neighbours in all
  /// tensors: a power of two.
  int64_t contiguousWidth = 1;
  /// What the size of the last dimension is a multiple of: itself where it is
  /// known.
  int64_t lastDivisor = 1;
  /// Bytes of an element in memory, of the narrowest and the widest tensor.
  int64_t narrowestBytes = 4;
  int64_t widestBytes = 4;
  /// Registers (of 32 bits) that hold what must be kept of an element while its
  /// row is scanned.
  int64_t liveRegisters = 1;
};

/// The elements of rows in order, or the first of them.
struct OrderProblem {
  int64_t dim = 0; ///< That is sorted.
  bool isLast = false;
  llvm::SmallVector<int64_t, 4> rowDims; ///< The others.
  int64_t rows = kUnknown;
  /// A row has at least so many elements.
  int64_t minLength = 0;
  /// A row has at most so many.
  int64_t maxLength = kUnknown;
  /// A row of the result has so many.
  int64_t resultLength = kUnknown;
  int64_t elementBytes = 8; ///< Of what is sorted.
};

/// Any segment, and how its reductions are related.
struct GenericProblem {
  /// Elements of the largest result, if known.
  int64_t elements = kUnknown;
  bool hasReduction = false;
  /// How many elements the largest reduction takes for each of its results.
  int64_t reducedElements = kUnknown;
  /// At least how many.
  int64_t minReduced = 0;
  /// All results have an element for each reduction of the one space.
  bool hasOneResultEach = false;
  /// Whether that one reduces the last dimension: neighbours in memory; and
  /// whether it reduces none but the last ones: rows.
  bool reducesNeighbours = false, reducesRows = false;
  /// All reductions reduce the same dimensions of one shape.
  bool hasOneSpace = false;
  /// A reduction is made of another one.
  bool hasDependentReductions = false;
  /// A thread has a fibre.
  bool hasFibres = false;
};

} // namespace fuser::schedule

#endif // FUSER_SCHEDULE_PROBLEM_H
