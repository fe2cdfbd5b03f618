//===- ReadAhead.cpp - Elements that are read before their step -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadAhead.h"
#include "GpuKernel.h"
#include "mlir/IR/Matchers.h"
#include <set>

using namespace fuser;

ReadAhead::ReadAhead(SegmentKernel &kernel, ArrayRef<Access> starts,
                     const TileSpace &space, int64_t movingAxis)
    : kernel(kernel), rank(space.rank), movingAxis(movingAxis) {
  for (const TileSpace::Axis &axis : space.axes)
    axes.push_back(axis.dims);
  llvm::SmallSetVector<unsigned, 4> operands;
  for (const PlainRead &read : getPlainReads(starts)) {
    bool isKnown = llvm::any_of(reads, [&](const PlainRead &other) {
      return other.operand == read.operand && other.map == read.map;
    });
    // Of a start that is smaller than the space.
    if (isKnown || int64_t(read.map.getNumDims()) != rank)
      continue;
    reads.push_back(read);
    operands.insert(read.operand);
  }
  for (unsigned operand : operands)
    kernel.getElements().bind(
        kernel.segment.getBody().getArgument(operand),
        [this, operand](OpBuilder &b, Location loc, ValueRange index,
                        int64_t width) {
          Type type = this->kernel.getOperandAccess(operand).getElementType();
          return emitToCompute(b, loc, emitRead(operand, index, width), type,
                               Precision::Native);
        });
}

bool ReadAhead::dependsOn(const PlainRead &read, int64_t axis) const {
  return llvm::any_of(
      axes[axis], [&](int64_t dim) { return read.map.isFunctionOfDim(dim); });
}

/// How many neighbours are asked for: all of a piece, or the one that all of it
/// repeat. Nothing if they are no neighbours in the tensor.
std::optional<int64_t> ReadAhead::getWidth(const PlainRead &read,
                                           const Piece &piece) const {
  if (!read.map.isFunctionOfDim(rank - 1) || piece.width == 1)
    return 1;
  auto last = dyn_cast<AffineDimExpr>(read.map.getResults().back());
  if (last && int64_t(last.getPosition()) == rank - 1)
    return piece.width;
  return std::nullopt;
}

SmallVector<Value> ReadAhead::getIndex(const PlainRead &read,
                                       const Piece &piece) {
  SmallVector<Value> index;
  for (AffineExpr expr : read.map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    index.push_back(
        dim ? piece.index[dim.getPosition()]
            : kernel.getElements().getIndex(kernel.segment.getLoc(), 0));
  }
  return index;
}

/// Each read once, without its value: in the same order whatever the indices
/// are.
void ReadAhead::forReads(
    ArrayRef<Piece> pieces, bool areMoving,
    llvm::function_ref<void(Known read, const Piece &piece)> body) {
  for (const PlainRead &read : reads) {
    std::set<SmallVector<int64_t>> seen;
    for (const Piece &piece : pieces) {
      std::optional<int64_t> width = getWidth(read, piece);
      if (dependsOn(read, movingAxis) != areMoving || !width)
        continue;
      SmallVector<int64_t> place;
      for (auto [axis, offset] : llvm::enumerate(piece.offsets))
        place.push_back(dependsOn(read, axis) ? offset : 0);
      if (seen.insert(place).second)
        body({read.operand, getIndex(read, piece), *width, nullptr}, piece);
    }
  }
}

void ReadAhead::emitFixed(ArrayRef<Piece> pieces) {
  Location loc = kernel.segment.getLoc();
  forReads(pieces, /*areMoving=*/false, [&](Known read, const Piece &piece) {
    Value inside;
    for (auto [axis, valid] : llvm::enumerate(piece.valid))
      if (int64_t(axis) != movingAxis)
        inside = emitAnd(kernel.builder, loc, inside, valid);
    kernel.setReadCondition(inside);
    read.value = kernel.loadOperand(loc, read.operand, read.index, read.width);
    fixed.push_back(std::move(read));
  });
  kernel.setReadCondition({});
}

SmallVector<Value> ReadAhead::emitStep(ArrayRef<Piece> pieces) {
  Location loc = kernel.segment.getLoc();
  SmallVector<Value> values;
  forReads(pieces, /*areMoving=*/true,
           [&](const Known &read, const Piece &piece) {
             kernel.setReadCondition(piece.inside);
             values.push_back(
                 kernel.loadOperand(loc, read.operand, read.index, read.width));
           });
  kernel.setReadCondition({});
  return values;
}

SmallVector<Type> ReadAhead::getStepTypes(ArrayRef<Piece> pieces) {
  SmallVector<Type> types;
  forReads(pieces, /*areMoving=*/true, [&](const Known &read, const Piece &) {
    Type type = kernel.getOperandAccess(read.operand).getElementType();
    types.push_back(getWideType(getStorageType(type), read.width));
  });
  return types;
}

void ReadAhead::setStep(ArrayRef<Piece> pieces, ValueRange values) {
  step.clear();
  forReads(pieces, /*areMoving=*/true, [&](Known read, const Piece &) {
    read.value = values[step.size()];
    step.push_back(std::move(read));
  });
}

/// In storage type.
Value ReadAhead::emitRead(unsigned operand, ValueRange index, int64_t width) {
  auto isAsked = [&](const Known &read) {
    return read.operand == operand && read.width == width &&
           llvm::all_of(llvm::zip(read.index, index), [](auto both) {
             auto [known, asked] = both;
             return known == asked || (matchPattern(known, m_Zero()) &&
                                       matchPattern(asked, m_Zero()));
           });
  };
  for (ArrayRef<Known> list : {ArrayRef(step), ArrayRef(fixed)})
    if (const Known *read = llvm::find_if(list, isAsked); read != list.end())
      return read->value;
  return kernel.loadOperand(kernel.segment.getLoc(), operand, index, width);
}
