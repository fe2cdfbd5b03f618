//===- RowSteps.h - From row to row ----------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows are reduced, too, a block goes through those of its chains
// (RowChains.h). Of a row it
//
//   reads      a step or more ahead (ReadAhead.h)
//   reduces    what all its threads have (RowReductions.h)
//   finishes   writes what is made of the row, and adds it to the columns
//
// one after the other, or, where shared memory has places for three rows or
// more, with a row between the last two: what threads have of the next row is
// on its way to the others while a row is finished, so that nobody waits for it
// with nothing to do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWSTEPS_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWSTEPS_H

#include "../ReadAhead.h"
#include "../Reduction/RowReductions.h"
#include "RowChains.h"

namespace fuser {

class RowSteps {
public:
  /// Writes what is made of a piece of a row, and adds it to what columns hold.
  using FinishFn =
      llvm::function_ref<void(const Piece &piece, HeldColumns &held)>;

  RowSteps(SegmentKernel &kernel, const OuterProgram &program, RowChains chains,
           TileIndex &index, ReductionWalk &walk, ReadAhead &ahead);

  /// `pieces` are those of the first row; `held` is neutral, and then what all
  /// rows add.
  void emit(ArrayRef<Piece> pieces, const Combiner &combiner, HeldColumns &held,
            FinishFn finish);

  /// What is made of rows without elements.
  void emitEmpty(ArrayRef<Piece> pieces);

  /// Bytes of it, beside those of the rows.
  int64_t getSharedBytes() const { return chains.getSharedBytes(); }

private:
  using Rows = SmallVector<Value>;

  Rows emitFirstRows(int64_t ahead);
  SmallVector<Piece> movePieces(Value row) {
    return index.movePieces(pieces, kRows, row);
  }
  void emitCopies(Value step, Value row);
  SmallVector<Value> emitFirstReads(Value row);
  SmallVector<Value> emitEither(ArrayRef<Type> types, Value condition,
                                ElementEmitter::BlockFn then);
  void emitResults(const Piece &piece);
  void emitFinish(ArrayRef<Piece> current, HeldColumns &held);
  void emitInTurn(HeldColumns &held);
  void emitFinishBefore(Value step, Value row, ValueRange read,
                        ValueRange reduced, HeldColumns &held);
  void emitOverlapped(HeldColumns &held);
  Value getConstant(int64_t value) { return elements.getIndex(loc, value); }

  SegmentKernel &kernel;
  const OuterProgram &program;
  TileIndex &index;
  ReductionWalk &walk;
  ReadAhead &ahead;
  OpBuilder &b;
  Location loc;
  ElementEmitter &elements;
  RowReductions reductions;
  RowChains chains;
  /// What is being emitted: the pieces of the first row, and what is done with
  /// those of each row.
  ArrayRef<Piece> pieces;
  const Combiner *combiner = nullptr;
  FinishFn finish;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_OUTER_ROWSTEPS_H
