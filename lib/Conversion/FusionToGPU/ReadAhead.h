//===- ReadAhead.h - Elements that are read before their step --*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that go through rows step by step read
//
//   once             what is the same for all rows (the weights of a norm)
//   some steps ahead what is not, so that it is under way while the rows of the
//                    steps before are computed with
//
// as it lies in memory, packed: in registers, one step ahead, or, with `stages`
// of the schedule, in shared memory, where a step has one of so many places. A
// thread copies what it reads itself, so that there is no barrier, and reads it
// again wherever it is used, so that nothing is kept of it in registers. Of
// rows that begin or end anywhere lanes of a warp copy whole words together,
// and only they wait for each other. What is not a plain read
// (SegmentAnalysis.h) is read where it is used.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H

#include "TileIndex.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include <map>

namespace fuser {

class ReadAhead {
public:
  /// Of what `tensors` are made of, at indices in a space where steps differ in
  /// the coordinates of `movingAxis`. Binds the operands.
  ReadAhead(SegmentKernel &kernel, ArrayRef<Value> tensors, TileIndex &tiles,
            int64_t movingAxis, const schedule::TileSchedule &schedule);

  /// Reads what is the same for all steps.
  void emitFixed(ArrayRef<Piece> pieces);

  /// Behind emitFixed: reads to registers stay before the barriers that follow
  /// them.
  void keepOrder(ArrayRef<Piece> pieces);
  /// Behind emitFixed: whether anything goes to shared memory, and how many
  /// bytes of it there are.
  bool hasCopies() const { return sharedBytes != 0; }
  int64_t getSharedBytes() const { return sharedBytes; }
  /// Starts to copy what the step of this number, of which these are the
  /// pieces, reads; nothing where `condition` (null: true) does not hold. Steps
  /// follow each other.
  void emitCopies(ArrayRef<Piece> pieces, Value number, Value condition);
  /// Waits for what emitCopies started, but for the last so many steps.
  void emitWait(int64_t later);

  /// What a step reads of these pieces to registers, in storage types.
  SmallVector<Value> emitStep(ArrayRef<Piece> pieces);
  /// Their types.
  SmallVector<Type> getStepTypes(ArrayRef<Piece> pieces);
  /// From now on what these pieces read is known: to be `values`, or what was
  /// copied for the step of this number, which has been waited for.
  void setStep(ArrayRef<Piece> pieces, ValueRange values, Value number);

private:
  /// How elements come to their thread.
  enum class Way {
    Registers,
    Copied,  ///< By the thread, to shared memory.
    Together ///< By neighbouring lanes, the same (kernel.load_copied).
  };

  struct Known {
    unsigned operand;
    SmallVector<Value> index;
    /// The same by Piece::place, where rows may be cut.
    SmallVector<Value> source;
    int64_t width;
    Value value = {}; ///< In storage type; null if it was copied:
    Way way = Way::Registers;
    int64_t place = 0; ///< In its stage, in bytes.
    bool isFixed = false;
    int64_t lanes = 1; ///< That copy together.
  };

  bool dependsOn(const PlainRead &read, int64_t axis) const;
  std::optional<int64_t> getWidth(const PlainRead &read,
                                  const Piece &piece) const;
  SmallVector<Value> getIndex(const PlainRead &read, ArrayRef<Value> point);
  int64_t
  forReads(ArrayRef<Piece> pieces, bool areMoving,
           llvm::function_ref<void(Known read, const Piece &piece)> body);
  Way getWay(const PlainRead &read, const Piece &piece, int64_t width) const;
  int64_t countBytes(const Known &read) const;
  int64_t getAlignment(const Known &read) const;
  void createMemory(ArrayRef<Piece> pieces);
  Value emitStage(Value number);
  Value emitInside(const Known &read, const Piece &piece);
  Value emitPlaceTogether(const Known &read);
  void emitCopy(const Known &read, const Piece &piece, Value stage,
                Value condition);
  Value emitTurned(const Known &read, const Piece &piece);
  void emitMeeting();
  void forParts(const Known &read,
                llvm::function_ref<void(const TensorAccess &memory,
                                        int64_t offset, Value place)>
                    body);
  Value emitCopied(const Known &read);
  Value emitRead(unsigned operand, ValueRange index, int64_t width);

  SegmentKernel &kernel;
  TileIndex &tiles;
  OpBuilder &b;
  Location loc;
  const schedule::TileSchedule &schedule;
  SmallVector<PlainRead> reads;
  SmallVector<SmallVector<int64_t>> axes; ///< Their dimensions.
  int64_t rank;
  int64_t movingAxis;
  SmallVector<Known> fixed, step;
  /// Of elements of each type: [stage, place], of steps and, with one stage, of
  /// what is the same for all.
  std::map<std::pair<const void *, bool>, TensorAccess> memory;
  int64_t sharedBytes = 0;
  bool copiesTogether = false;
  Value thread, stage; ///< Of the step that is known.
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H
