//===- StreamLoops.cpp - Chunks of buffers on streams of their own --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace fuser::host {
#define GEN_PASS_DEF_HOSTSTREAMLOOPSPASS
#include "fuser/Dialect/Host/Transforms/Passes.h.inc"
} // namespace fuser::host

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Marked buffers
//===----------------------------------------------------------------------===//

static StreamDimAttr getMark(Value buffer) {
  Operation *maker = buffer.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<AllocOp>(maker))
    return alloc.getStream().value_or(StreamDimAttr());
  if (auto output = dyn_cast_or_null<OutputOp>(maker))
    return output.getStream().value_or(StreamDimAttr());
  return {};
}

/// The size of a dimension of a buffer that the program makes.
static OpFoldResult getSize(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  Builder b(buffer.getContext());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  Operation *maker = buffer.getDefiningOp();
  ValueRange sizes = isa<AllocOp>(maker) ? cast<AllocOp>(maker).getSizes()
                                         : cast<OutputOp>(maker).getSizes();
  Value size = sizes[type.getDynamicDimIndex(dim)];
  // What is the same dimension of the same buffer is the same size.
  while (auto dimOp = size.getDefiningOp<memref::DimOp>()) {
    std::optional<int64_t> index = dimOp.getConstantIndex();
    Value source = dimOp.getSource();
    if (!index || !getMark(source))
      break;
    OpFoldResult of = getSize(source, *index);
    auto value = dyn_cast<Value>(of);
    if (!value)
      return of;
    size = value;
  }
  APInt constant;
  if (matchPattern(size, m_ConstantInt(&constant)))
    return b.getIndexAttr(constant.getSExtValue());
  return size;
}

//===----------------------------------------------------------------------===//
// Ops that go along
//===----------------------------------------------------------------------===//

namespace {
/// An op that can be computed chunk by chunk.
struct ChunkedOp {
  Operation *op;
  /// For each operand: the dimension whose chunks go along, or -1 for all of
  /// it. Operands that are no buffers have -1.
  SmallVector<int64_t> dims;
  /// The marked buffer whose chunks they are: what is written, or for
  /// reduce_scatter what is read.
  Value buffer;
};

/// What chunks a loop goes over.
struct Chunks {
  OpFoldResult size;
  int64_t count;
  bool operator==(const Chunks &other) const {
    return size == other.size && count == other.count;
  }
};

/// Neighbours that share a loop.
struct LoopGroup {
  Chunks chunks;
  SmallVector<ChunkedOp> ops;
  /// What they do with buffers.
  struct Access {
    Value root, buffer;
    int64_t dim;
    bool isWrite;
  };
  SmallVector<Access> accesses;
};
} // namespace

static Chunks getChunks(Value buffer) {
  StreamDimAttr mark = getMark(buffer);
  return {getSize(buffer, mark.getDim()), mark.getChunks()};
}

/// Why a communication cannot go along; empty if it can.
static std::string explainRefusal(CommunicationOpInterface op,
                                  StreamDimAttr mark) {
  TransferKind kind = op.getTransferKind();
  if (kind == TransferKind::AllReduce || kind == TransferKind::Broadcast)
    return "";
  bool hasParts =
      kind == TransferKind::AllGather || kind == TransferKind::ReduceScatter;
  if (!hasParts)
    return "a communication whose chunks are apart";
  if (kind == TransferKind::ReduceScatter) {
    // Each chunk is a reduce to all of it.
    auto type = cast<MemRefType>(op.getDestination()->get().getType());
    if (isContiguous(type, getPartsOrder(type.getRank(), 0)) != true)
      return "a result that the type shows to be row-major";
  }
  auto group = op.getGroup().getDefiningOp<GroupOp>();
  int64_t size = group ? group.getStaticSize() : ShapedType::kDynamic;
  if (mark.getDim() != op.getPartDim() || mark.getChunks() == 0 ||
      mark.getChunks() != size)
    return "as many chunks of dimension " + std::to_string(op.getPartDim()) +
           " as the group's lists have ranks";
  return "";
}

/// How an op whose buffer `buffer` is marked goes along.
static FailureOr<ChunkedOp> getChunkedOp(Operation *op, Value buffer) {
  StreamDimAttr mark = getMark(buffer);
  int64_t dim = mark.getDim();
  ChunkedOp result{op, {}, buffer};
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op)) {
    unsigned out = tensorOp.getOutOperand().getOperandNumber();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      bool isBuffer = isa<MemRefType>(operand.get().getType());
      result.dims.push_back(number == out ? dim
                            : isBuffer    ? tensorOp.getOperandDim(number, dim)
                                          : -1);
    }
    return result;
  }
  auto communication = cast<CommunicationOpInterface>(op);
  std::string expected = explainRefusal(communication, mark);
  if (isa<CoalesceOp>(op->getParentOp()))
    expected = "a communication outside of host.coalesce";
  if (!llvm::all_of(op->getUsers(), llvm::IsaPred<WaitOp>))
    expected = "a request that is only waited for";
  if (!expected.empty())
    return op->emitOpError("of a buffer with a stream dimension: expected ")
           << expected;
  TransferKind kind = communication.getTransferKind();
  for (OpOperand &operand : op->getOpOperands()) {
    bool isSource = &operand == communication.getSource();
    bool isWhole = !isa<MemRefType>(operand.get().getType()) ||
                   (kind == TransferKind::AllGather && isSource) ||
                   (kind == TransferKind::ReduceScatter && !isSource);
    result.dims.push_back(isWhole ? -1 : dim);
  }
  return result;
}

/// The marked buffer that makes an op one of a loop, if there is one. What is
/// written decides; of reduce_scatter, what is read.
static FailureOr<Value> findMarked(Operation *op) {
  Value operand;
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
    operand = tensorOp.getOutOperand().get();
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    operand = scatter.getSrc();
  else if (auto communication = dyn_cast<CommunicationOpInterface>(op))
    operand = communication.getDestination()
                  ? communication.getDestination()->get()
                  : Value();
  else if (auto call = dyn_cast<CallOp>(op)) {
    for (Value out : call.getOuts())
      if (getMark(getRootBuffer(out)))
        return op->emitOpError("expected an op that says how its operands go "
                               "along with a stream dimension of its result, "
                               "got a call");
    return Value();
  }
  if (!operand || !getMark(getRootBuffer(operand)))
    return Value();
  if (getMark(operand))
    return operand;
  InFlightDiagnostic diag = op->emitOpError(
      "expected the buffer with the stream dimension itself, got a view of it, "
      "which splits or merges the dimension, or is a part of it");
  diag.attachNote(getRootBuffer(operand).getLoc()) << "the buffer is made here";
  return diag;
}

static SmallVector<LoopGroup::Access> getAccesses(const ChunkedOp &op) {
  SmallVector<LoopGroup::Access> accesses;
  auto effects = cast<MemoryEffectOpInterface>(op.op);
  for (auto [operand, dim] : llvm::zip(op.op->getOperands(), op.dims))
    if (isa<MemRefType>(operand.getType()))
      accesses.push_back(
          {getRootBuffer(operand), operand, dim,
           effects.getEffectOnValue<MemoryEffects::Write>(operand)
               .has_value()});
  return accesses;
}

/// Whether an op can stand in the loop of those before it: what one writes, the
/// other touches only in the same chunk.
static bool canJoin(const LoopGroup &group, const ChunkedOp &op) {
  if (!(group.chunks == getChunks(op.buffer)))
    return false;
  for (const LoopGroup::Access &mine : getAccesses(op))
    for (const LoopGroup::Access &other : group.accesses) {
      bool isSame =
          mine.buffer == other.buffer && mine.dim == other.dim && mine.dim >= 0;
      if (mine.root == other.root && (mine.isWrite || other.isWrite) && !isSame)
        return false;
    }
  return true;
}

static void join(LoopGroup &group, const ChunkedOp &op) {
  group.chunks = getChunks(op.buffer);
  group.accesses.append(getAccesses(op));
  group.ops.push_back(op);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// Builds the loop of a group.
class LoopBuilder {
public:
  LoopBuilder(const LoopGroup &group, unsigned streams)
      : group(group), streams(streams), b(group.ops.back().op),
        loc(group.ops.front().op->getLoc()) {}

  /// Returns the stream that was current before.
  Value build();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// Stream `index` + 1.
  Value getStream(Value index);
  void enterStream(Value chunk);
  void buildLoop(ArrayRef<ChunkedOp> ops, bool waits);
  void buildChunk(ArrayRef<ChunkedOp> ops, Value chunk);
  Value getSlice(Value buffer, int64_t dim);
  void buildOp(const ChunkedOp &op, Value chunk, Value step);
  void buildExchange(AllGatherOp gather, Value part, Value chunk, Value step);

  const LoopGroup &group;
  unsigned streams;
  OpBuilder b;
  Location loc;
  Value size;   ///< Of the dimension.
  Value count;  ///< Of chunks.
  Value caller; ///< The stream that was current.
  /// If chunks are the ranks' parts and only gathered: this rank's number. Its
  /// own chunk comes first, which is there already.
  Value rank;
  Value offset, length; ///< Of the chunk.
  llvm::MapVector<std::pair<Value, int64_t>, Value> slices;
};
} // namespace

Value LoopBuilder::getStream(Value index) {
  return StreamOp::create(b, loc,
                          arith::AddIOp::create(b, loc, index, constant(1)));
}

void LoopBuilder::enterStream(Value chunk) {
  Value index = arith::RemUIOp::create(b, loc, chunk, constant(streams));
  SetStreamOp::create(b, loc, getStream(index));
}

/// The chunk of a buffer. One value for each buffer, so that an op in place
/// stays one.
Value LoopBuilder::getSlice(Value buffer, int64_t dim) {
  Value &slice = slices[{buffer, dim}];
  if (!slice)
    slice = SliceOp::create(b, loc, buffer, dim, offset, length);
  return slice;
}

/// In step `step` a rank gets the part of the rank that so many come after it,
/// and sends its own to the one that so many come before: all links are in use
/// at the same time, both ways.
void LoopBuilder::buildExchange(AllGatherOp gather, Value part, Value chunk,
                                Value step) {
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, step,
                                        constant(0));
  // A rank that no list holds has none.
  Value isRank = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rank,
                                       constant(0));
  Value isOwn = arith::AndIOp::create(b, loc, isFirst, isRank);
  auto branch = scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  CopyOp::create(b, loc, gather.getSrc(), part);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  Value ahead = arith::AddIOp::create(b, loc, rank, count);
  Value to = arith::RemUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, ahead, step), count);
  auto both = CoalesceOp::create(b, loc, RequestType::get(gather.getContext()));
  b.createBlock(&both.getBody());
  SendOp::create(b, loc, gather.getSrc(), to, gather.getGroup());
  RecvOp::create(b, loc, part, chunk, gather.getGroup());
}

void LoopBuilder::buildOp(const ChunkedOp &chunked, Value chunk, Value step) {
  SmallVector<Value> operands;
  for (auto [operand, dim] : llvm::zip(chunked.op->getOperands(), chunked.dims))
    operands.push_back(dim < 0 ? operand : getSlice(operand, dim));
  auto gather = dyn_cast<AllGatherOp>(chunked.op);
  if (gather && rank) {
    buildExchange(gather, operands[1], chunk, step);
  } else if (gather) {
    BroadcastOp::create(b, loc, operands[0], operands[1], chunk,
                        gather.getGroup());
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(chunked.op)) {
    ReduceOp::create(b, loc, scatter.getKind(), operands[0], operands[1], chunk,
                     scatter.getGroup());
  } else {
    b.clone(*chunked.op)->setOperands(operands);
  }
}

void LoopBuilder::buildChunk(ArrayRef<ChunkedOp> ops, Value step) {
  Value chunk = step;
  if (rank) {
    // Not negative, where this rank is in no list.
    Value number = arith::AddIOp::create(
        b, loc, arith::AddIOp::create(b, loc, rank, count), step);
    chunk = arith::RemUIOp::create(b, loc, number, count);
  }
  if (group.chunks.count == 0) {
    offset = chunk;
    length = constant(1);
  } else {
    Value count = constant(group.chunks.count);
    Value most = arith::CeilDivUIOp::create(b, loc, size, count);
    // The last chunks may be smaller, or empty.
    Value begin = arith::MulIOp::create(b, loc, chunk, most);
    offset = arith::MinUIOp::create(b, loc, begin, size);
    Value rest = arith::SubIOp::create(b, loc, size, offset);
    length = arith::MinUIOp::create(b, loc, rest, most);
  }
  slices.clear();
  for (const ChunkedOp &op : ops)
    buildOp(op, chunk, step);
}

/// A loop over the chunks; `waits`: each stream for the caller's.
void LoopBuilder::buildLoop(ArrayRef<ChunkedOp> ops, bool waits) {
  auto loop = scf::ForOp::create(b, loc, constant(0), count, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  enterStream(loop.getInductionVar());
  if (waits)
    SyncOp::create(b, loc, caller);
  buildChunk(ops, loop.getInductionVar());
}

Value LoopBuilder::build() {
  b.setInsertionPoint(group.ops.back().op);
  if (auto known = dyn_cast<Attribute>(group.chunks.size))
    size = constant(cast<IntegerAttr>(known).getInt());
  else
    size = cast<Value>(group.chunks.size);
  count = group.chunks.count ? constant(group.chunks.count) : size;
  caller = GetStreamOp::create(b, loc);
  // Communications that come first are enqueued for all chunks before anything
  // else: a kernel that fills the device would keep the next chunk's waiting.
  ArrayRef<ChunkedOp> ops(group.ops);
  ArrayRef<ChunkedOp> first = ops.take_while(
      [](const ChunkedOp &op) { return isa<CommunicationOpInterface>(op.op); });
  ArrayRef<ChunkedOp> rest = ops.drop_front(first.size());
  bool onlyGathers =
      first.size() == 1 && llvm::none_of(rest, [](const ChunkedOp &op) {
        return isa<CommunicationOpInterface>(op.op);
      });
  if (auto gather =
          onlyGathers ? dyn_cast<AllGatherOp>(first.front().op) : AllGatherOp())
    rank = RankOp::create(b, loc, gather.getGroup());
  if (!first.empty())
    buildLoop(first, /*waits=*/true);
  if (!rest.empty())
    buildLoop(rest, /*waits=*/first.empty());
  SetStreamOp::create(b, loc, caller);
  Value used = arith::MinUIOp::create(b, loc, count, constant(streams));
  auto meet = scf::ForOp::create(b, loc, constant(0), used, constant(1));
  b.setInsertionPointToStart(meet.getBody());
  SyncOp::create(b, loc, getStream(meet.getInductionVar()));
  return caller;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct StreamLoops
    : public fuser::host::impl::HostStreamLoopsPassBase<StreamLoops> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult collect(Block &block);
  void endGroup();
  std::optional<LoopGroup> open;
  SmallVector<LoopGroup> groups;
};
} // namespace

void StreamLoops::endGroup() {
  if (open)
    groups.push_back(std::move(*open));
  open.reset();
}

/// An op that does not come between neighbours: it has no effects but to make a
/// buffer, and goes before the loop.
static bool staysBefore(Operation *op) {
  return isa<AllocOp, OutputOp, WaitOp>(op) ||
         (isMemoryEffectFree(op) && op->getNumRegions() == 0);
}

LogicalResult StreamLoops::collect(Block &block) {
  for (Operation &op : block) {
    FailureOr<Value> marked = findMarked(&op);
    if (failed(marked))
      return failure();
    if (!*marked) {
      if (!staysBefore(&op))
        endGroup();
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(collect(nested)))
            return failure();
      if (op.getNumRegions())
        endGroup();
      continue;
    }
    FailureOr<ChunkedOp> chunked = getChunkedOp(&op, *marked);
    if (failed(chunked))
      return failure();
    if (open && !canJoin(*open, *chunked))
      endGroup();
    if (!open)
      open.emplace();
    join(*open, *chunked);
  }
  endGroup();
  return success();
}

/// Behind the loop all streams have met in the one that was current before it:
/// who waits for a communication waits for that. Before the loop no other
/// stream was current.
static void replaceWaits(Operation *communication, Value caller) {
  for (Operation *wait :
       llvm::make_early_inc_range(communication->getUsers())) {
    Operation *made = caller.getDefiningOp();
    bool isBefore =
        wait->getBlock() == made->getBlock() && wait->isBeforeInBlock(made);
    OpBuilder b(wait);
    if (!isBefore)
      SyncOp::create(b, wait->getLoc(), caller);
    wait->erase();
  }
}

void StreamLoops::runOnOperation() {
  func::FuncOp func = getOperation();
  groups.clear();
  for (Block &block : func.getBody())
    if (failed(collect(block)))
      return signalPassFailure();
  for (LoopGroup &group : groups) {
    Value caller = LoopBuilder(group, std::max(1u, unsigned(streams))).build();
    for (const ChunkedOp &chunked : llvm::reverse(group.ops)) {
      replaceWaits(chunked.op, caller);
      chunked.op->erase();
    }
    ++numLoops;
  }
  func.walk([](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      alloc.removeStreamAttr();
    if (auto output = dyn_cast<OutputOp>(op))
      output.removeStreamAttr();
  });
}
