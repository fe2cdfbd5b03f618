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
//   a step ahead     what is not, so that it is under way while the rows of the
//                    step before are computed with
//
// as it lies in memory, packed. What is not a plain read (SegmentAnalysis.h) is
// read where it is used.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H
#define FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H

#include "TileIndex.h"
#include "fuser/Conversion/SegmentAnalysis.h"

namespace fuser {

class ReadAhead {
public:
  /// Of what `starts` are made of, at indices in a space where steps differ in
  /// the coordinates of `movingAxis`. Binds the operands.
  ReadAhead(SegmentKernel &kernel, ArrayRef<Access> starts,
            const TileSpace &space, int64_t movingAxis);

  /// Reads what is the same for all steps.
  void emitFixed(ArrayRef<Piece> pieces);

  /// What a step reads of these pieces, in storage types.
  SmallVector<Value> emitStep(ArrayRef<Piece> pieces);
  /// Their types.
  SmallVector<Type> getStepTypes(ArrayRef<Piece> pieces);
  /// From now on what these pieces read is known to be `values`.
  void setStep(ArrayRef<Piece> pieces, ValueRange values);

private:
  struct Known {
    unsigned operand;
    SmallVector<Value> index;
    int64_t width;
    Value value; ///< In storage type.
  };

  bool dependsOn(const PlainRead &read, int64_t axis) const;
  std::optional<int64_t> getWidth(const PlainRead &read,
                                  const Piece &piece) const;
  SmallVector<Value> getIndex(const PlainRead &read, const Piece &piece);
  void forReads(ArrayRef<Piece> pieces, bool areMoving,
                llvm::function_ref<void(Known read, const Piece &piece)> body);
  Value emitRead(unsigned operand, ValueRange index, int64_t width);

  SegmentKernel &kernel;
  SmallVector<PlainRead> reads;
  SmallVector<SmallVector<int64_t>> axes; ///< Their dimensions.
  int64_t rank;
  int64_t movingAxis;
  SmallVector<Known> fixed, step;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOGPU_READAHEAD_H
