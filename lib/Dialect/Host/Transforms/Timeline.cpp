//===- Timeline.cpp - What a program does on each stream ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/Transforms/Timeline.h"
#include "TimelineStreams.h"
#include "TimelineValues.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace fuser;
using namespace fuser::host;

using Entry = Timeline::Entry;
using Entries = std::vector<Entry>;
using Kind = Timeline::Kind;

/// Steps of nested loops, all together, that are shown one by one.
static constexpr uint64_t kMaxSteps = 256;

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
/// Goes through a program in order, with the state of its streams.
class TimelineBuilder {
public:
  TimelineBuilder(func::FuncOp program, unsigned unroll)
      : unroll(unroll), values(program) {}

  LogicalResult build(func::FuncOp program, Timeline &timeline);

private:
  LogicalResult visit(Region &region, Entries &out);
  LogicalResult visit(Operation *op, Entries &out);
  bool visitStreamOp(Operation *op, Entries &out);
  void visitWork(Operation *op, Entries &out);
  void visitReturn(func::ReturnOp op, Entries &out);
  LogicalResult visitFor(scf::ForOp loop, Entries &out);
  LogicalResult visitSteps(scf::ForOp loop, uint64_t count, Entries &out);
  LogicalResult visitIf(scf::IfOp branch, Entries &out);
  LogicalResult visitOther(Operation *op, Entries &out);
  LogicalResult visitFrame(const std::string &text, ArrayRef<Region *> regions,
                           Entries &out);
  LogicalResult visitLoop(const std::string &text, ArrayRef<Region *> regions,
                          Entries &out);
  LogicalResult
  visitBranches(ArrayRef<std::pair<std::string, Region *>> branches,
                Entries &out);

  /// Adds an entry of the current stream, which has no step yet.
  Entry &add(Kind kind, const std::string &text, Entries &out);
  void addWaits(Entries &out);
  void bind(ValueRange targets, ValueRange sources);
  void forget(ValueRange changed);
  StreamRef getStream(Value stream);
  std::optional<uint64_t> countSteps(scf::ForOp loop);
  void setInductionVar(scf::ForOp loop);

  unsigned unroll;
  /// Of the loops around, which are shown step by step.
  uint64_t stepsAround = 1;
  TimelineValues values;
  TimelineStreams streams;
  /// Of values that are streams, and of communications the one they went to.
  llvm::DenseMap<Value, StreamRef> refs;
  /// The steps of loops that one is in: "%i = 2".
  SmallVector<std::string> iterations;
};
} // namespace

Entry &TimelineBuilder::add(Kind kind, const std::string &text, Entries &out) {
  out.push_back(
      {kind, text, llvm::join(iterations, ", "), streams.getCurrent().row});
  return out.back();
}

/// Waits that no work has come after.
void TimelineBuilder::addWaits(Entries &out) {
  for (unsigned row = 0; row < streams.size(); ++row) {
    Entry entry{Kind::Note, "wait", "", row};
    if (streams.takeWaits(entry))
      out.push_back(std::move(entry));
  }
}

/// The stream of a value; one that a branch or the like gives is one of its
/// own.
StreamRef TimelineBuilder::getStream(Value stream) {
  auto found = refs.find(stream);
  if (found != refs.end())
    return found->second;
  return streams.find({values.getName(stream), 1, 0, stream});
}

void TimelineBuilder::bind(ValueRange targets, ValueRange sources) {
  values.bind(targets, sources);
  SmallVector<std::optional<StreamRef>> found;
  for (Value source : sources) {
    auto it = refs.find(source);
    found.push_back(it == refs.end() ? std::nullopt
                                     : std::optional<StreamRef>(it->second));
  }
  for (auto [target, ref] : llvm::zip(targets, found))
    if (ref)
      refs[target] = *ref;
    else
      refs.erase(target);
}

void TimelineBuilder::forget(ValueRange changed) {
  values.forget(changed);
  for (Value value : changed)
    refs.erase(value);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The row of stream `number`.
static Row getRow(TimelineValues &values, Value number) {
  auto [range, isFromLoops] = values.getNumber(number);
  int64_t low = range.smin().getSExtValue();
  int64_t high = range.smax().getSExtValue();
  if (low == high)
    return {low == 0 ? "caller" : std::to_string(low), low, high, number};
  Row row{values.getExpression(number, /*isAtom=*/true), low, high, number};
  if (!isFromLoops)
    std::tie(row.low, row.high) = std::make_pair(1, 0);
  else if (row.isFew())
    row.label = std::to_string(low) + ".." + std::to_string(high);
  return row;
}

/// What changes streams and takes no place in the timeline.
bool TimelineBuilder::visitStreamOp(Operation *op, Entries &out) {
  auto wait = [&](const StreamRef &ref) {
    if (!streams.wait(ref))
      streams.attach(
          add(Kind::Note, "wait for " + streams.describe(ref.row), out),
          /*isBehind=*/false);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](StreamOp stream) {
        refs[stream] = streams.find(getRow(values, stream.getIndex()));
        return true;
      })
      .Case([&](GetStreamOp stream) {
        refs[stream] = streams.getCurrent();
        return true;
      })
      .Case([&](SetStreamOp set) {
        streams.setCurrent(getStream(set.getStream()));
        return true;
      })
      .Case([&](SyncOp sync) {
        wait(getStream(sync.getStream()));
        return true;
      })
      .Case([&](WaitOp op) {
        auto found = refs.find(op.getRequest());
        if (found == refs.end())
          streams.attach(
              add(Kind::Note, "wait " + values.getName(op.getRequest()), out),
              /*isBehind=*/false);
        else
          wait(found->second);
        return true;
      })
      .Case<CheckOp, DeclareOp, AliasOp>([](Operation *) { return true; })
      .Default(false);
}

void TimelineBuilder::visitWork(Operation *op, Entries &out) {
  bool takesNoStep =
      isa<AllocOp, DeallocOp, OutputOp, OutputViewOp, WorkspaceOp, GroupOp>(op);
  Entry &entry =
      add(takesNoStep ? Kind::Note : Kind::Work, values.describe(op), out);
  entry.isCommunication = isa<CoalesceOp, CommunicationOpInterface>(op);
  if (takesNoStep)
    streams.attach(entry, /*isBehind=*/isa<DeallocOp>(op));
  else
    streams.enqueue(entry);
  for (Value result : op->getResults())
    if (isa<RequestType>(result.getType()))
      refs[result] = streams.getCurrent();
}

/// The end: the caller's stream goes on, and knows of no other.
void TimelineBuilder::visitReturn(func::ReturnOp op, Entries &out) {
  streams.setCurrent({0, Value()});
  SmallVector<std::string> buffers;
  for (Value value : op.getOperands())
    buffers.push_back(values.getBuffer(value));
  std::string text = "return";
  if (!buffers.empty())
    text += " " + llvm::join(buffers, ", ");
  SmallVector<std::string> left;
  for (const Timeline::Point &point : streams.getUnawaited())
    left.push_back(streams.getLabel(point.stream) + ":" +
                   std::to_string(point.step));
  if (!left.empty())
    text += ", not waiting for " + llvm::join(left, ", ");
  streams.enqueue(add(Kind::Note, text, out));
  addWaits(out);
}

LogicalResult TimelineBuilder::visit(Operation *op, Entries &out) {
  forget(op->getResults());
  values.infer(op);
  if (visitStreamOp(op, out))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop, out);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch, out);
  if (op->getNumRegions() > 0 && !isa<CoalesceOp>(op))
    return visitOther(op, out);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    visitReturn(end, out);
  else if (isa<CoalesceOp, CommunicationOpInterface>(op) ||
           (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>()))
    visitWork(op, out);
  return success();
}

LogicalResult TimelineBuilder::visit(Region &region, Entries &out) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return emitError(region.getParentOp()->getLoc(),
                     "expected structured control flow (scf), got several "
                     "blocks: print the timeline before they are made");
  for (Operation &op : region.front())
    if (failed(visit(&op, out)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// How often the body runs, if that is known.
std::optional<uint64_t> TimelineBuilder::countSteps(scf::ForOp loop) {
  std::optional<int64_t> lower = values.getConstant(loop.getLowerBound());
  std::optional<int64_t> upper = values.getConstant(loop.getUpperBound());
  std::optional<int64_t> step = values.getConstant(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  bool isEmpty = loop.getUnsignedCmp() ? uint64_t(*upper) <= uint64_t(*lower)
                                       : *upper <= *lower;
  if (isEmpty)
    return 0;
  return llvm::divideCeil(uint64_t(*upper) - uint64_t(*lower), uint64_t(*step));
}

/// The induction variable goes from the lower bound to below the upper one.
void TimelineBuilder::setInductionVar(scf::ForOp loop) {
  auto [lower, isFromLoops] = values.getNumber(loop.getLowerBound());
  auto [upper, unused] = values.getNumber(loop.getUpperBound());
  bool isSigned = !loop.getUnsignedCmp();
  APInt low = isSigned ? lower.smin() : lower.umin();
  APInt end = isSigned ? upper.smax() : upper.umax();
  bool isEmpty = isSigned ? end.sle(low) : end.ule(low);
  APInt high = isEmpty ? low : end - 1;
  values.set(loop.getInductionVar(),
             {ConstantIntRanges::range(low, high, isSigned), isFromLoops});
}

LogicalResult TimelineBuilder::visitSteps(scf::ForOp loop, uint64_t count,
                                          Entries &out) {
  int64_t lower = *values.getConstant(loop.getLowerBound());
  int64_t step = count ? *values.getConstant(loop.getStep()) : 0;
  Value variable = loop.getInductionVar();
  unsigned width = ConstantIntRanges::getStorageBitwidth(variable.getType());
  SmallVector<Value> carried(loop.getInitArgs());
  for (uint64_t i = 0; i < count; ++i) {
    int64_t number = lower + int64_t(i) * step;
    APInt bits(width, uint64_t(number), /*isSigned=*/true,
               /*implicitTrunc=*/true);
    values.set(variable, {ConstantIntRanges::constant(bits), true});
    bind(loop.getRegionIterArgs(), carried);
    iterations.push_back(values.getName(variable) + " = " +
                         std::to_string(number));
    if (failed(visit(loop.getRegion(), out)))
      return failure();
    iterations.pop_back();
    carried = llvm::to_vector(loop.getYieldedValues());
  }
  bind(loop.getResults(), carried);
  return success();
}

LogicalResult TimelineBuilder::visitFor(scf::ForOp loop, Entries &out) {
  std::optional<uint64_t> count = countSteps(loop);
  // Nests would grow with the product of their steps.
  if (count && *count <= unroll && *count * stepsAround <= kMaxSteps) {
    llvm::SaveAndRestore<uint64_t> around(
        stepsAround, stepsAround * std::max<uint64_t>(1, *count));
    return visitSteps(loop, *count, out);
  }
  setInductionVar(loop);
  forget(loop.getRegionIterArgs());
  std::string text = "for " + values.getName(loop.getInductionVar()) + " = " +
                     values.getExpression(loop.getLowerBound()) + " to " +
                     values.getExpression(loop.getUpperBound());
  if (values.getConstant(loop.getStep()) != 1)
    text += " step " + values.getExpression(loop.getStep());
  if (count)
    text += ", " + std::to_string(*count) + " times";
  return count ? visitFrame(text, {&loop.getRegion()}, out)
               : visitLoop(text, {&loop.getRegion()}, out);
}

LogicalResult TimelineBuilder::visitLoop(const std::string &text,
                                         ArrayRef<Region *> regions,
                                         Entries &out) {
  StreamRef before = streams.getCurrent();
  if (failed(visitFrame(text, regions, out)))
    return failure();
  // The body may not run at all.
  streams.setCurrent(streams.either(before, streams.getCurrent()));
  return success();
}

LogicalResult TimelineBuilder::visitFrame(const std::string &text,
                                          ArrayRef<Region *> regions,
                                          Entries &out) {
  // What is waited for before the frame does not depend on it.
  addWaits(out);
  Entry frame{Kind::Frame, text, llvm::join(iterations, ", ")};
  SmallVector<std::string> outside;
  std::swap(outside, iterations);
  for (Region *region : regions)
    if (failed(visit(*region, frame.entries)))
      return failure();
  addWaits(frame.entries);
  std::swap(outside, iterations);
  for (const Entry &entry : frame.entries)
    if (frame.step == 0 || entry.step < frame.step) {
      frame.step = entry.step;
      frame.stream = entry.stream;
    }
  if (!frame.entries.empty())
    out.push_back(std::move(frame));
  return success();
}

/// Each begins as the others do; behind them stands what all have in common.
LogicalResult TimelineBuilder::visitBranches(
    ArrayRef<std::pair<std::string, Region *>> branches, Entries &out) {
  addWaits(out);
  TimelineStreams before = streams;
  std::optional<TimelineStreams> after;
  for (const auto &[text, region] : branches) {
    streams.restart(before);
    if (failed(visitFrame(text, {region}, out)))
      return failure();
    if (after)
      streams.join(*after);
    after = streams;
  }
  return success();
}

LogicalResult TimelineBuilder::visitIf(scf::IfOp branch, Entries &out) {
  Value condition = branch.getCondition();
  if (std::optional<int64_t> known = values.getConstant(condition)) {
    Region &taken = *known ? branch.getThenRegion() : branch.getElseRegion();
    if (failed(visit(taken, out)))
      return failure();
    if (!taken.empty())
      bind(branch.getResults(), taken.front().getTerminator()->getOperands());
    return success();
  }
  std::string text = values.getExpression(condition);
  std::string isNot = "if not " + values.getExpression(condition, true);
  return visitBranches({{"if " + text, &branch.getThenRegion()},
                        {isNot, &branch.getElseRegion()}},
                       out);
}

/// Loops of other kinds, with all of their body once, and branches of more
/// ways.
LogicalResult TimelineBuilder::visitOther(Operation *op, Entries &out) {
  std::string name = op->getName().stripDialect().str();
  for (Region &region : op->getRegions())
    values.forget(region.getArguments());
  if (isa<LoopLikeOpInterface>(op) || op->getNumRegions() == 1)
    return visitFrame(
        name,
        llvm::map_to_vector(op->getRegions(), [](Region &r) { return &r; }),
        out);
  // Other ops with regions run one of them.
  SmallVector<std::pair<std::string, Region *>> branches;
  for (auto [i, region] : llvm::enumerate(op->getRegions()))
    branches.emplace_back(name + ", region " + std::to_string(i), &region);
  return visitBranches(branches, out);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Between frames in the order of steps. A frame stays where it is, so that
/// what a stream does stays in order.
static void sortBySteps(Entries &entries) {
  // The number of frames before it, the step, the place.
  SmallVector<std::tuple<size_t, unsigned, size_t>> keys;
  size_t numFrames = 0;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    bool isFrame = entry.kind == Kind::Frame;
    numFrames += isFrame;
    keys.emplace_back(numFrames, isFrame ? 0 : entry.step, i);
    sortBySteps(entry.entries);
  }
  llvm::sort(keys);
  Entries sorted;
  for (const auto &key : keys)
    sorted.push_back(std::move(entries[std::get<2>(key)]));
  entries = std::move(sorted);
}

/// Puts `places[i]` in place of row `i`.
static void renumber(Entries &entries, ArrayRef<unsigned> places) {
  for (Entry &entry : entries) {
    entry.stream = places[entry.stream];
    for (Timeline::Point &point : entry.waits)
      point.stream = places[point.stream];
    llvm::sort(entry.waits, [](const auto &a, const auto &b) {
      return a.stream < b.stream;
    });
    renumber(entry.entries, places);
  }
}

static void markUsed(const Entries &entries, llvm::BitVector &used) {
  for (const Entry &entry : entries) {
    used.set(entry.stream);
    for (const Timeline::Point &point : entry.waits)
      used.set(point.stream);
    markUsed(entry.entries, used);
  }
}

LogicalResult TimelineBuilder::build(func::FuncOp program, Timeline &timeline) {
  timeline.program = describeSymbol(program.getSymNameAttr());
  if (failed(visit(program.getBody(), timeline.entries)))
    return failure();
  sortBySteps(timeline.entries);
  llvm::BitVector used(streams.size());
  used.set(0);
  markUsed(timeline.entries, used);
  SmallVector<unsigned> places(streams.size());
  for (unsigned row : streams.getOrder()) {
    if (!used[row])
      continue;
    places[row] = timeline.streams.size();
    timeline.streams.push_back(streams.getLabel(row));
  }
  renumber(timeline.entries, places);
  return success();
}

FailureOr<Timeline> host::buildTimeline(func::FuncOp program, unsigned unroll) {
  Timeline timeline;
  if (failed(TimelineBuilder(program, unroll).build(program, timeline)))
    return failure();
  return timeline;
}
