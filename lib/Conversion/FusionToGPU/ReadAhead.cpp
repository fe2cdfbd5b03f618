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

using schedule::kLeastCopyBytes;
using schedule::kMostCopyBytes;

/// Fewer lanes copy too much that is no element of theirs: a word for all of
/// them.
static constexpr int64_t kLeastLanes = 8;

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
    // What has fewer dimensions than the space is read where it is used.
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
          return emitToCompute(b, loc, emitRead(operand, index, width), type);
        });
}

bool ReadAhead::dependsOn(const PlainRead &read, int64_t axis) const {
  return llvm::any_of(
      axes[axis], [&](int64_t dim) { return read.map.isFunctionOfDim(dim); });
}

/// The width of a piece's read: the piece's, or 1 if all of its elements read
/// the same one. Nothing if they are not contiguous in the tensor.
std::optional<int64_t> ReadAhead::getWidth(const PlainRead &read,
                                           const Piece &piece) const {
  if (!read.map.isFunctionOfDim(rank - 1) || piece.width == 1)
    return 1;
  auto last = dyn_cast<AffineDimExpr>(read.map.getResults().back());
  if (last && int64_t(last.getPosition()) == rank - 1)
    return piece.width;
  return std::nullopt;
}

/// Maps a point of the space to the index that is read.
SmallVector<Value> ReadAhead::getIndex(const PlainRead &read,
                                       ArrayRef<Value> point) {
  SmallVector<Value> index;
  for (AffineExpr expr : read.map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    index.push_back(dim ? point[dim.getPosition()]
                        : kernel.getElements().getIndex(loc, 0));
  }
  return index;
}

/// Calls `body` once for each distinct read of the pieces, in an order that
/// does not depend on their indices. Returns the bytes of the reads that are
/// copied.
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
      Known known{read.operand, getIndex(read, piece.index),
                  getIndex(read, piece.place), *width};
      known.way = getWay(read, piece, *width);
      known.place = bytes;
      known.isFixed = !areMoving;
      known.lanes = tiles.countNeighbourLanes(piece);
      if (known.way != Way::Registers)
        bytes += countBytes(known);
      body(std::move(known), piece);
    }
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Asynchronous copies take neighbours of a row: what the kernel writes to may
/// have changed by the time they read it. Where a row ends between neighbours,
/// or they begin anywhere, lanes help each other.
ReadAhead::Way ReadAhead::getWay(const PlainRead &read, const Piece &piece,
                                 int64_t width) const {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  if (schedule.stages == 0 || !dependsOn(read, int64_t(axes.size()) - 1) ||
      kernel.isOperandWritten(read.operand) || !access.isContiguous())
    return Way::Registers;
  auto isCopy = [&](int64_t elements) {
    int64_t bytes = elements * getStorageBytes(access.getElementType());
    return bytes >= kLeastCopyBytes && bytes <= kMostCopyBytes;
  };
  if (tiles.getSpace().lastDivisor % width == 0 &&
      isCopy(access.getPieceWidth(width)))
    return Way::Copied;
  if (isCopy(width) && width == piece.width &&
      tiles.countNeighbourLanes(piece) >= kLeastLanes)
    return Way::Together;
  return Way::Registers;
}

/// The bytes of shared memory that a read takes for all threads.
int64_t ReadAhead::countBytes(const Known &read) const {
  Type type = kernel.getOperandAccess(read.operand).getElementType();
  int64_t threads = schedule.layout.getThreads();
  int64_t bytes = threads * read.width * getStorageBytes(type);
  if (read.way == Way::Together)
    bytes += threads / read.lanes * kMostCopyBytes;
  return llvm::alignTo(bytes, kMostCopyBytes);
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
      copiesTogether |= read.way == Way::Together;
      if (read.way != Way::Registers)
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
          TensorAccess(view, type, kMostCopyBytes);
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

/// Calls `body` for each access of a thread to what it has copied, with its
/// distance from the first element and its place. Threads lie side by side.
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

/// The alignment of every vector that is read, in bytes.
int64_t ReadAhead::getAlignment(const Known &read) const {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  return access.getPieceWidth(read.width) *
         getStorageBytes(access.getElementType());
}

/// Where the part of lanes that copy together begins; each ends with a spare
/// word.
Value ReadAhead::emitPlaceTogether(const Known &read) {
  ElementEmitter &elements = kernel.getElements();
  int64_t bytes =
      getStorageBytes(kernel.getOperandAccess(read.operand).getElementType());
  auto times = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(b, loc, value, elements.getIndex(loc, factor));
  };
  Value group = arith::DivUIOp::create(b, loc, thread,
                                       elements.getIndex(loc, read.lanes));
  Value place = arith::AddIOp::create(b, loc, times(thread, read.width),
                                      times(group, kMostCopyBytes / bytes));
  return elements.addIndex(loc, place, read.place / bytes);
}

/// Whether there is what is read of `piece`; null: there is. Lanes that copy
/// together count to the end of the row.
Value ReadAhead::emitInside(const Known &read, const Piece &piece) {
  Value inside;
  for (auto [number, valid] : llvm::enumerate(piece.valid)) {
    auto axis = static_cast<int64_t>(number);
    bool isLast = axis + 1 == int64_t(piece.valid.size());
    if ((!read.isFixed || axis != movingAxis) &&
        (read.way != Way::Together || !isLast))
      inside = emitAnd(b, loc, inside, valid);
  }
  return inside;
}

void ReadAhead::emitCopy(const Known &read, const Piece &piece, Value stage,
                         Value condition) {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  condition = emitAnd(b, loc, condition, emitInside(read, piece));
  if (read.way == Way::Together) {
    const TensorAccess &shared =
        memory.at({access.getElementType().getAsOpaquePointer(), read.isFixed});
    kernel::CopyAsyncNeighboursOp::create(
        b, loc, access.getMemRef(), read.source, shared.getMemRef(),
        ValueRange{stage, emitPlaceTogether(read)}, int32_t(read.width),
        tiles.emitLeft(piece), condition, getAlignment(read), read.lanes);
    return;
  }
  forParts(read, [&](const TensorAccess &memory, int64_t offset, Value place) {
    SmallVector<Value> from = read.index;
    from.back() = kernel.getElements().addIndex(loc, from.back(), offset);
    kernel::CopyAsyncOp::create(
        b, loc, access.getMemRef(), from, memory.getMemRef(), {stage, place},
        int32_t(access.getPieceWidth(read.width)), condition);
  });
}

/// What was copied, in its storage type.
Value ReadAhead::emitCopied(const Known &read) {
  const TensorAccess &access = kernel.getOperandAccess(read.operand);
  Value at = read.isFixed ? kernel.getElements().getIndex(loc, 0) : stage;
  if (read.way == Way::Together) {
    const TensorAccess &shared =
        memory.at({access.getElementType().getAsOpaquePointer(), read.isFixed});
    Type element = getStorageType(access.getElementType());
    return kernel::LoadCopiedOp::create(
        b, loc, VectorType::get({read.width}, element), shared.getMemRef(),
        ValueRange{at, emitPlaceTogether(read)}, access.getMemRef(),
        read.source, getAlignment(read));
  }
  SmallVector<Value> parts;
  forParts(read, [&](const TensorAccess &memory, int64_t, Value place) {
    parts.push_back(
        memory.load(b, loc, {at, place}, access.getPieceWidth(read.width)));
  });
  return emitConcat(b, loc, parts);
}

/// What lanes have copied together is turned to its place once, and only where
/// there is something of the row: warps beyond its end have less to do.
Value ReadAhead::emitTurned(const Known &read, const Piece &piece) {
  Value isThere = piece.valid.back();
  if (!isThere)
    return emitCopied(read);
  Type type = VectorType::get(
      {read.width},
      getStorageType(kernel.getOperandAccess(read.operand).getElementType()));
  return kernel.getElements()
      .emitEither(
          loc, type, isThere,
          [&] { return SmallVector<Value>{emitCopied(read)}; },
          [&] {
            return SmallVector<Value>{
                arith::ConstantOp::create(b, loc, b.getZeroAttr(type))};
          })
      .front();
}

/// Lanes that read what others have copied, and copy over it, wait for them.
void ReadAhead::emitMeeting() {
  if (copiesTogether)
    kernel::SyncWarpOp::create(b, loc);
}

void ReadAhead::emitCopies(ArrayRef<Piece> pieces, Value number,
                           Value condition) {
  if (!hasCopies())
    return;
  Value place = emitStage(number);
  emitMeeting();
  forReads(pieces, /*areMoving=*/true,
           [&](const Known &read, const Piece &piece) {
             if (read.way != Way::Registers)
               emitCopy(read, piece, place, condition);
           });
  kernel::CopyAsyncCommitOp::create(b, loc);
}

void ReadAhead::emitWait(int64_t later) {
  if (!hasCopies())
    return;
  kernel::CopyAsyncWaitOp::create(b, loc, int32_t(later));
  emitMeeting();
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

void ReadAhead::keepOrder(ArrayRef<Piece> pieces) {
  forReads(pieces, /*areMoving=*/true, [&](const Known &read, const Piece &) {
    if (read.way == Way::Registers)
      keepReadsInOrder(kernel.getOperandAccess(read.operand).getMemRef());
  });
}

void ReadAhead::emitFixed(ArrayRef<Piece> pieces) {
  createMemory(pieces);
  forReads(pieces, /*areMoving=*/false, [&](Known read, const Piece &piece) {
    if (read.way != Way::Registers) {
      emitCopy(read, piece, kernel.getElements().getIndex(loc, 0),
               /*condition=*/{});
    } else {
      kernel.setReadCondition(emitInside(read, piece),
                              tiles.emitCutCount(piece, piece.index));
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
             if (read.way != Way::Registers)
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
    if (read.way == Way::Registers)
      types.push_back(getWideType(getStorageType(type), read.width));
  });
  return types;
}

void ReadAhead::setStep(ArrayRef<Piece> pieces, ValueRange values,
                        Value number) {
  if (hasCopies())
    stage = emitStage(number);
  step.clear();
  forReads(pieces, /*areMoving=*/true, [&](Known read, const Piece &piece) {
    if (read.way == Way::Registers) {
      read.value = values.front();
      values = values.drop_front();
    } else if (read.way == Way::Together) {
      read.value = emitTurned(read, piece);
    }
    step.push_back(std::move(read));
  });
}

/// The value of a read that is known, in its storage type; else null.
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
      return read->value ? read->value : emitCopied(*read);
  return kernel.loadOperand(loc, operand, index, width);
}
