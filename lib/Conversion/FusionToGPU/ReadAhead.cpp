//===- ReadAhead.cpp - Elements that are read before their step -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadAhead.h"
#include "GpuKernel.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include <set>

using namespace fuser;

/// Of a thread, at once.
static constexpr int64_t kMaxCopyBytes = 16;

ReadAhead::ReadAhead(SegmentKernel &kernel, ArrayRef<Value> tensors,
                     TileIndex &tiles, int64_t movingAxis,
                     const schedule::TileSchedule &schedule)
    : kernel(kernel), tiles(tiles), b(kernel.builder),
      loc(kernel.segment.getLoc()), schedule(schedule),
      rank(tiles.getSpace().rank), movingAxis(movingAxis) {
  for (const TileSpace::Axis &axis : tiles.getSpace().axes)
    axes.push_back(axis.dims);
  auto starts = llvm::map_to_vector(tensors, [](Value tensor) {
    return Access(tensor, getIdentityMap(tensor));
  });
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
    index.push_back(dim ? piece.index[dim.getPosition()]
                        : kernel.getElements().getIndex(loc, 0));
  }
  return index;
}

/// Each read once, without its value: in the same order whatever the indices
/// are. Returns the bytes of those that are copied.
int64_t ReadAhead::forReads(
    ArrayRef<Piece> pieces, bool areMoving,
    llvm::function_ref<void(Known read, const Piece &piece)> body) {
  int64_t bytes = 0;
  for (const PlainRead &read : reads) {
    std::set<SmallVector<int64_t>> seen;
    for (const Piece &piece : pieces) {
      std::optional<int64_t> width = getWidth(read, piece);
      if (dependsOn(read, movingAxis) != areMoving || !width)
        continue;
      SmallVector<int64_t> place;
      for (auto [axis, offset] : llvm::enumerate(piece.offsets))
        place.push_back(dependsOn(read, axis) ? offset : 0);
      if (!seen.insert(place).second)
        continue;
      bool isShared = isCopied(read, *width);
      body({read.operand, getIndex(read, piece), *width, nullptr, isShared,
            bytes, !areMoving},
           piece);
      if (isShared)
        bytes += llvm::alignTo(
            schedule.layout.getThreads() * *width *
                getStorageBytes(
                    kernel.getOperandAccess(read.operand).getElementType()),
            kMaxCopyBytes);
    }
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Whether the read is one of neighbours of a row that asynchronous copies
/// take: what the kernel writes to may have changed by the time they read it,
/// and no row ends between them.
bool ReadAhead::isCopied(const PlainRead &read, int64_t width) const {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  int64_t bytes =
      access.getPieceWidth(width) * getStorageBytes(access.getElementType());
  return schedule.stages > 0 && dependsOn(read, int64_t(axes.size()) - 1) &&
         tiles.getSpace().lastDivisor % width == 0 &&
         !kernel.isOperandWritten(read.operand) && access.isContiguous() &&
         bytes >= 4 && bytes <= kMaxCopyBytes;
}

/// One view for each type of elements.
void ReadAhead::createMemory(ArrayRef<Piece> pieces) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto getType = [&](ArrayRef<int64_t> shape, Type element) {
    return MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  };
  Value all;
  for (bool areMoving : {true, false}) {
    int64_t first = sharedBytes, stages = areMoving ? schedule.stages : 1;
    llvm::SetVector<Type> types;
    int64_t bytes = forReads(pieces, areMoving, [&](const Known &read, auto &) {
      if (read.isCopied)
        types.insert(kernel.getOperandAccess(read.operand).getElementType());
    });
    sharedBytes += stages * bytes;
    if (!all && bytes != 0) {
      all = gpu::DynamicSharedMemoryOp::create(
          b, loc, getType({ShapedType::kDynamic}, b.getI8Type()));
      thread = emitThread(b, loc);
    }
    for (Type type : types) {
      Value view = memref::ViewOp::create(
          b, loc,
          getType({stages, bytes / getStorageBytes(type)},
                  getStorageType(type)),
          all, arith::ConstantIndexOp::create(b, loc, first), ValueRange());
      memory[{type.getAsOpaquePointer(), !areMoving}] =
          TensorAccess(view, type, kMaxCopyBytes);
    }
  }
}

Value ReadAhead::emitStage(Value number) {
  if (schedule.stages == 1)
    return kernel.getElements().getIndex(loc, 0);
  Value narrow = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), number);
  Value stage = arith::RemUIOp::create(
      b, loc, narrow,
      arith::ConstantIntOp::create(b, loc, schedule.stages, 32));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), stage);
}

/// Accesses of a thread: so far behind its first element, and where. Those of
/// all threads lie side by side.
void ReadAhead::forParts(
    const Known &read,
    llvm::function_ref<void(const TensorAccess &, int64_t, Value)> body) {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  Type type = access.getElementType();
  int64_t width = access.getPieceWidth(read.width),
          threads = schedule.layout.getThreads();
  Value own = arith::MulIOp::create(b, loc, thread,
                                    kernel.getElements().getIndex(loc, width));
  for (int64_t offset = 0; offset < read.width; offset += width)
    body(memory.at({type.getAsOpaquePointer(), read.isFixed}), offset,
         kernel.getElements().addIndex(
             loc, own, read.place / getStorageBytes(type) + offset * threads));
}

void ReadAhead::emitCopy(const Known &read, Value stage, Value condition) {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  forParts(read, [&](const TensorAccess &memory, int64_t offset, Value place) {
    SmallVector<Value> from = read.index;
    from.back() = kernel.getElements().addIndex(loc, from.back(), offset);
    kernel::CopyAsyncOp::create(
        b, loc, access.getMemRef(), from, memory.getMemRef(), {stage, place},
        int32_t(access.getPieceWidth(read.width)), condition);
  });
}

/// In storage type.
Value ReadAhead::emitCopied(const Known &read) {
  int64_t width =
      kernel.getOperandAccess(read.operand).getPieceWidth(read.width);
  Value at = read.isFixed ? kernel.getElements().getIndex(loc, 0) : stage;
  SmallVector<Value> parts;
  forParts(read, [&](const TensorAccess &memory, int64_t, Value place) {
    parts.push_back(memory.load(b, loc, {at, place}, width));
  });
  return emitConcat(b, loc, parts);
}

void ReadAhead::emitCopies(ArrayRef<Piece> pieces, Value number,
                           Value condition) {
  if (!hasCopies())
    return;
  Value place = emitStage(number);
  forReads(pieces, /*areMoving=*/true,
           [&](const Known &read, const Piece &piece) {
             if (read.isCopied)
               emitCopy(read, place, emitAnd(b, loc, condition, piece.inside));
           });
  kernel::CopyAsyncCommitOp::create(b, loc);
}

void ReadAhead::emitWait(int64_t later) {
  if (hasCopies())
    kernel::CopyAsyncWaitOp::create(b, loc, int32_t(later));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

void ReadAhead::emitFixed(ArrayRef<Piece> pieces) {
  createMemory(pieces);
  forReads(pieces, /*areMoving=*/false, [&](Known read, const Piece &piece) {
    Value inside;
    for (auto [axis, valid] : llvm::enumerate(piece.valid))
      if (int64_t(axis) != movingAxis)
        inside = emitAnd(b, loc, inside, valid);
    if (read.isCopied) {
      emitCopy(read, kernel.getElements().getIndex(loc, 0), inside);
    } else {
      kernel.setReadCondition(inside, tiles.emitCutCount(piece, piece.index));
      read.value =
          kernel.loadOperand(loc, read.operand, read.index, read.width);
    }
    fixed.push_back(std::move(read));
  });
  kernel.setReadCondition({});
}

SmallVector<Value> ReadAhead::emitStep(ArrayRef<Piece> pieces) {
  SmallVector<Value> values;
  forReads(pieces, /*areMoving=*/true,
           [&](const Known &read, const Piece &piece) {
             if (read.isCopied)
               return;
             tiles.enter(piece);
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
    if (!read.isCopied)
      types.push_back(getWideType(getStorageType(type), read.width));
  });
  return types;
}

void ReadAhead::setStep(ArrayRef<Piece> pieces, ValueRange values,
                        Value number) {
  if (hasCopies())
    stage = emitStage(number);
  step.clear();
  forReads(pieces, /*areMoving=*/true, [&](Known read, const Piece &) {
    if (!read.isCopied) {
      read.value = values.front();
      values = values.drop_front();
    }
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
      return read->isCopied ? emitCopied(*read) : read->value;
  return kernel.loadOperand(loc, operand, index, width);
}
