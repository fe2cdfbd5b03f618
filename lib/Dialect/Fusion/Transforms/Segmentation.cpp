//===- Segmentation.cpp - Cutting a program into segments -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are visited in program order. Each starts as a group of its own and tries
// to merge with the groups of its operands. What could not merge then may do so
// later (a slice is no result any more once its user is in the same group), so
// all edges that are left are tried again until nothing changes. Then groups
// that read the same tensor try to merge, so that it is read once.
//
// What is left between groups may be cheaper to compute again where it is read.
// Then its ops are marked (`fusion.forward`), and all starts again.
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/Transforms/Segmentation.h"
#include "ClusterGraph.h"
#include "SegmentOutliner.h"
#include "SegmentPreparation.h"
#include "fuser/Analysis/OpSummary.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Support/SchedulerNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_SEGMENTPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

/// Rounds of trying all edges again. Two or three change something.
static constexpr unsigned kMaxRounds = 16;
/// A reader of a tensor tries to merge with so many others, the last ones
/// before it that did not merge with each other.
static constexpr size_t kMaxSiblings = 4;
/// How often ops are marked, at most, and how many of them for one tensor.
static constexpr unsigned kMaxForwardRounds = 3;
static constexpr size_t kMaxForwardedOps = 8;

namespace {

using Node = ClusterGraph::Node;

/// What a group reads and writes. Counts are of ops, seen through forwarded
/// ones.
struct Boundary {
  /// Tensors from outside, whatever boundary they have passed, and how many
  /// ops of the group read them.
  DenseMap<Value, unsigned> inputs;
  /// Tensors of the group, and how many uses they have outside.
  DenseMap<Value, unsigned> results;
  /// Scalars from outside.
  llvm::SmallDenseSet<Value, 2> scalars;
  /// What it computes again.
  llvm::SmallDenseSet<Value, 2> copies;
};

class Partitioner {
public:
  Partitioner(func::FuncOp func, const SegmentationOptions &options,
              const PreparedFunction &prepared)
      : func(func), options(options), prepared(prepared), symbols(func),
        summarizer(symbols) {
    build();
  }

  void mergeGroups();
  /// Marks what should be computed again instead of read from another group;
  /// false if that is nothing.
  bool forwardAtCuts();
  void explain();
  /// Moves each group into a segment; returns their number.
  unsigned outline();

private:
  void build();
  Boundary getBoundary(Operation *op) const;
  void addNode(Operation *op);
  /// True if `op` stays as it is, alone.
  bool isBoundary(Operation *op) const {
    return op && (isBetweenSegments(op) || isa<SegmentOp>(op) ||
                  prepared.shapes.contains(op));
  }
  void addReadersBefore(Operation *writer);
  bool canMerge(Node node) const {
    return nodeOps[node] && !isBoundary(nodeOps[node]);
  }
  void removeBoundaries();
  MergeEdges getEdges(const Boundary &producer, const Boundary &consumer) const;
  Decision decide(Node producer, Node consumer, GroupSummary &merged) const;
  bool isKnownApart(Node producer, Node consumer) const;
  bool tryMerge(Node producer, Node consumer);
  bool mergeWithProducers(Node node);
  bool mergeWithSiblings(Node node, SmallVectorImpl<Node> &siblings);
  bool mergeReaders();
  bool isForwardable(Operation *op, Value tensor) const;
  bool collectCone(Value tensor, llvm::SmallSetVector<Operation *, 8> &cone,
                   llvm::SmallSetVector<Value, 4> &sources) const;
  bool mayJoinReaders(Value tensor, ArrayRef<Operation *> cone,
                      ArrayRef<Node> outside) const;
  bool forwardAt(Value tensor, Node producer, ArrayRef<Node> outside);
  /// For people; `remedy` may be empty.
  struct Why {
    std::string reason, remedy;
  };
  Why findReason(Node producer, Node consumer);
  const Why &getReason(Node producer, Node consumer);
  std::string getRemedy(Node producer, Node consumer,
                        const GroupSummary &merged,
                        const Decision &decision) const;
  void explain(Operation *op, Value source);

  func::FuncOp func;
  const SegmentationOptions &options;
  const PreparedFunction &prepared;
  ShapeSymbols symbols;
  OpSummarizer summarizer;
  ClusterGraph graph;
  /// Null: a node that only keeps what is before it from what is behind it.
  SmallVector<Operation *> nodeOps;
  DenseMap<Operation *, Node> nodeOf;
  DenseMap<Operation *, Node> overwriteOrder;
  /// The nodes that read each tensor, in program order.
  llvm::MapVector<Value, SmallVector<Node, 2>> readers;
  std::vector<GroupSummary> summaries;
  std::vector<Boundary> boundaries;
  /// How often a group has become larger.
  DenseMap<Node, unsigned> growths;
  /// Two groups that do not merge while they are what they are: how often both
  /// had become larger by then.
  DenseMap<std::pair<Node, Node>, unsigned> apart;
  /// Why two groups stayed apart, where that has been found out.
  DenseMap<std::pair<Node, Node>, Why> reasons;
};

} // namespace

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Of a group of one op, whose results nothing reads yet.
Boundary Partitioner::getBoundary(Operation *op) const {
  Boundary boundary;
  for (Value result : op->getResults())
    boundary.results[result] = 0;
  for (Value scalar : summarizer.getScalars(op))
    boundary.scalars.insert(scalar);
  for (Value copy : summarizer.getCopies(op))
    boundary.copies.insert(copy);
  for (Value source : summarizer.getSources(op))
    boundary.inputs[stripBoundaries(source)] = 1;
  return boundary;
}

void Partitioner::addNode(Operation *op) {
  Node node = graph.addNode();
  nodeOps.push_back(op);
  nodeOf[op] = node;
  summaries.push_back(summarizer.summarize(op));
  boundaries.push_back(getBoundary(op));
  for (Value source : summarizer.getSources(op)) {
    readers[source].push_back(node);
    auto producer = nodeOf.find(source.getDefiningOp());
    if (producer == nodeOf.end())
      continue;
    graph.addEdge(producer->second, node);
    boundaries[producer->second].results[source] += 1;
  }
}

/// Where `writer` copies what overwrites an input: all that read the input and
/// are not on the way to it come before, in other segments. What is computed in
/// place needs no such order: whatever reads the input is on the way.
void Partitioner::addReadersBefore(Operation *writer) {
  if (!prepared.copies.contains(writer))
    return;
  for (OpOperand &use : writer->getUses()) {
    if (!isa<func::ReturnOp>(use.getOwner()))
      continue;
    auto alias = func.getResultAttrOfType<AliasAttr>(
        use.getOperandNumber(), FusionDialect::getAliasAttrName());
    if (!alias || alias.getKind() != AliasKind::Reuse)
      continue;
    SmallVector<Node> readers;
    for (auto [node, boundary] : llvm::enumerate(boundaries))
      if (boundary.inputs.contains(func.getArgument(alias.getInput())))
        readers.push_back(node);
    if (readers.empty())
      continue;
    Node order = graph.addNode();
    nodeOps.push_back(nullptr);
    summaries.emplace_back();
    boundaries.emplace_back();
    for (Node reader : readers)
      graph.addEdge(reader, order);
    overwriteOrder[writer] = order;
  }
}

void Partitioner::build() {
  auto isTensorOp = [&](Operation &op) {
    return isa<TensorOpInterface>(op) && !prepared.views.contains(&op);
  };
  auto ops = func.getBody().front().without_terminator();
  for (Operation &op : ops)
    if (isTensorOp(op))
      summarizer.visit(&op);
  for (Operation &op : llvm::reverse(ops))
    if (isTensorOp(op))
      summarizer.visitUses(&op);
  for (Operation &op : ops) {
    if (!isTensorOp(op) || isForwarded(&op))
      continue;
    addReadersBefore(&op);
    addNode(&op);
    if (auto order = overwriteOrder.find(&op); order != overwriteOrder.end())
      graph.addEdge(order->second, nodeOf[&op]);
  }
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    if (auto it = nodeOf.find(value.getDefiningOp()); it != nodeOf.end())
      boundaries[it->second].results[value] += 1;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

using ValueSet = llvm::SmallDenseSet<Value, 2>;

static void forEachCommon(const ValueSet &a, const ValueSet &b,
                          function_ref<void(Value)> visit) {
  const ValueSet &small = a.size() < b.size() ? a : b;
  const ValueSet &large = a.size() < b.size() ? b : a;
  for (Value value : small)
    if (large.contains(value))
      visit(value);
}

/// Moves all values to `a`.
static void joinSets(ValueSet &a, ValueSet &b) {
  if (a.size() < b.size())
    std::swap(a, b);
  a.insert(b.begin(), b.end());
  b.clear();
}

MergeEdges Partitioner::getEdges(const Boundary &producer,
                                 const Boundary &consumer) const {
  MergeEdges edges;
  auto addResult = [&](Value value, unsigned uses, unsigned readers) {
    auto &list = uses == readers ? edges.absorbed : edges.forwarded;
    list.push_back(summarizer.getTensor(value));
  };
  // Of two maps the smaller one is walked.
  if (producer.results.size() < consumer.inputs.size()) {
    for (auto [value, uses] : producer.results)
      if (unsigned readers = consumer.inputs.lookup(value))
        addResult(value, uses, readers);
  } else {
    for (auto [value, readers] : consumer.inputs)
      if (auto it = producer.results.find(value); it != producer.results.end())
        addResult(value, it->second, readers);
  }
  const Boundary *small = &producer, *large = &consumer;
  if (small->inputs.size() > large->inputs.size())
    std::swap(small, large);
  for (auto [value, readers] : small->inputs)
    if (large->inputs.contains(value))
      edges.shared.push_back(summarizer.getTensor(value));
  forEachCommon(producer.scalars, consumer.scalars,
                [&](Value) { ++edges.numSharedScalars; });
  forEachCommon(producer.copies, consumer.copies, [&](Value value) {
    edges.sharedCopies.push_back(summarizer.getTensor(value));
  });
  return edges;
}

Decision Partitioner::decide(Node producer, Node consumer,
                             GroupSummary &merged) const {
  if (isa_and_nonnull<SegmentOp>(nodeOps[producer]) ||
      isa_and_nonnull<SegmentOp>(nodeOps[consumer]))
    return Decision::no("one of them is a segment already",
                        "write its ops without fusion.segment");
  if (!canMerge(producer) || !canMerge(consumer))
    return Decision::no("a boundary is between them",
                        "leave out the segment_set");
  MergeEdges edges = getEdges(boundaries[producer], boundaries[consumer]);
  merged = mergeSummaries(summaries[producer], summaries[consumer], edges);
  MergeCandidate candidate{summaries[producer], summaries[consumer], merged,
                           edges};
  if (options.may)
    if (Decision decision = options.may(candidate); !decision)
      return decision;
  return options.should ? options.should(candidate) : Decision::yes();
}

/// Moves all of `to` to `from`.
static void joinBoundaries(Boundary &from, Boundary &to) {
  // What is read inside is neither input nor, without other uses, result.
  auto settle = [&](Value value) {
    auto result = from.results.find(value);
    auto input = to.inputs.find(value);
    result->second -= input->second;
    to.inputs.erase(input);
    if (result->second == 0)
      from.results.erase(result);
  };
  SmallVector<Value> inner;
  if (from.results.size() < to.inputs.size()) {
    for (auto [value, uses] : from.results)
      if (to.inputs.contains(value))
        inner.push_back(value);
  } else {
    for (auto [value, readers] : to.inputs)
      if (from.results.contains(value))
        inner.push_back(value);
  }
  llvm::for_each(inner, settle);

  auto join = [](DenseMap<Value, unsigned> &a, DenseMap<Value, unsigned> &b) {
    if (a.size() < b.size())
      std::swap(a, b);
    for (auto [value, count] : b)
      a[value] += count;
    b.clear();
  };
  join(from.inputs, to.inputs);
  join(from.results, to.results);
  joinSets(from.scalars, to.scalars);
  joinSets(from.copies, to.copies);
}

/// Groups may have thousands of tensors in common, for each of which they are
/// tried.
bool Partitioner::isKnownApart(Node producer, Node consumer) const {
  auto found = apart.find({producer, consumer});
  return found != apart.end() &&
         found->second == growths.lookup(producer) + growths.lookup(consumer);
}

bool Partitioner::tryMerge(Node producer, Node consumer) {
  if (isKnownApart(producer, consumer))
    return false;
  GroupSummary merged;
  bool isWanted(decide(producer, consumer, merged));
  if (!isWanted || !graph.contract(producer, consumer)) {
    // A path stays, whatever merges on its way. What took too long may not.
    if (!isWanted ||
        graph.getObstacle(producer, consumer) == ClusterGraph::Obstacle::Path)
      apart[{producer, consumer}] =
          growths.lookup(producer) + growths.lookup(consumer);
    return false;
  }
  Node kept = graph.find(producer);
  ++growths[kept];
  joinBoundaries(boundaries[producer], boundaries[consumer]);
  if (kept != producer)
    std::swap(boundaries[producer], boundaries[consumer]);
  summaries[kept] = std::move(merged);
  return true;
}

bool Partitioner::mergeWithProducers(Node node) {
  bool changed = false;
  SmallVector<Node> producers = graph.getPredecessors(node);
  // The nearest first: a path through it leads from those before.
  for (Node producer : llvm::reverse(producers)) {
    producer = graph.find(producer);
    Node consumer = graph.find(node);
    if (producer != consumer && graph.hasEdge(producer, consumer))
      changed |= tryMerge(producer, consumer);
  }
  return changed;
}

/// `siblings` read a tensor that `node` reads, too, and have not merged with
/// each other. Leaves the group of `node` among them.
bool Partitioner::mergeWithSiblings(Node node,
                                    SmallVectorImpl<Node> &siblings) {
  bool changed = false;
  size_t first = siblings.size() - std::min(siblings.size(), kMaxSiblings);
  for (size_t i = siblings.size(); i-- > first;) {
    Node group = graph.find(node), sibling = graph.find(siblings[i]);
    bool isOne = group == sibling;
    if (!isOne && graph.isBefore(group, sibling))
      std::swap(group, sibling);
    if (!isOne && !tryMerge(sibling, group))
      continue;
    changed |= !isOne;
    siblings.erase(siblings.begin() + i);
  }
  siblings.push_back(graph.find(node));
  return changed;
}

/// Groups that read the same tensor.
bool Partitioner::mergeReaders() {
  bool changed = false;
  for (auto &[tensor, nodes] : readers) {
    SmallVector<Node> siblings;
    for (Node node : nodes)
      changed |= mergeWithSiblings(node, siblings);
  }
  return changed;
}

void Partitioner::mergeGroups() {
  for (Node node = 0; node < nodeOps.size(); ++node)
    mergeWithProducers(node);
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (Node node : graph.getOrder())
      if (graph.find(node) == node)
        changed |= mergeWithProducers(node);
    if (!changed && !mergeReaders())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Computing again
//===----------------------------------------------------------------------===//

/// Whether `op` may be copied to whatever reads `tensor`, which it leads to.
bool Partitioner::isForwardable(Operation *op, Value tensor) const {
  if (!op || isForwarded(op))
    return op;
  if (!isa<ElementwiseOpInterface>(op) || isBoundary(op) ||
      symbols.getShape(op->getResult(0)) != symbols.getShape(tensor))
    return false;
  // What these read has to be in memory: no segment computes it again for them.
  return llvm::none_of(op->getUsers(), [&](Operation *user) {
    return readsMemory(user) || prepared.shapes.contains(user);
  });
}

/// The ops that `tensor` is computed again with, and what they read. False if
/// they are too many, or read what is overwritten.
bool Partitioner::collectCone(Value tensor,
                              llvm::SmallSetVector<Operation *, 8> &cone,
                              llvm::SmallSetVector<Value, 4> &sources) const {
  cone.insert(tensor.getDefiningOp());
  for (size_t i = 0; i < cone.size(); ++i) {
    for (OpOperand *operand : getTensorOperands(cone[i])) {
      Value value = operand->get();
      if (!isForwardable(value.getDefiningOp(), tensor)) {
        sources.insert(value);
        if (prepared.overwritten.contains(value))
          return false;
      } else if (cone.insert(value.getDefiningOp()) &&
                 cone.size() > kMaxForwardedOps) {
        return false;
      }
    }
  }
  return true;
}

/// Whether each of the groups `outside` may be one kernel with the ops of
/// `cone`, in program order, which `tensor` is computed with.
bool Partitioner::mayJoinReaders(Value tensor, ArrayRef<Operation *> cone,
                                 ArrayRef<Node> outside) const {
  if (!options.may)
    return true;
  GroupSummary group;
  Boundary boundary;
  for (Operation *op : cone) {
    Boundary of = getBoundary(op);
    // Whoever reads a result is in the cone, or reads `tensor`.
    for (auto [value, count] : of.inputs)
      if (auto it = boundary.results.find(value); it != boundary.results.end())
        it->second = count;
    GroupSummary summary = summarizer.summarize(op);
    group = op == cone.front()
                ? std::move(summary)
                : mergeSummaries(group, summary, getEdges(boundary, of));
    joinBoundaries(boundary, of);
  }
  return llvm::all_of(outside, [&](Node reader) {
    boundary.results.clear();
    boundary.results[tensor] = boundaries[reader].inputs.lookup(tensor);
    MergeEdges edges = getEdges(boundary, boundaries[reader]);
    GroupSummary merged = mergeSummaries(group, summaries[reader], edges);
    return bool(options.may({group, summaries[reader], merged, edges}));
  });
}

/// `tensor` goes from the group `producer` to the groups `outside`.
bool Partitioner::forwardAt(Value tensor, Node producer,
                            ArrayRef<Node> outside) {
  llvm::SmallSetVector<Operation *, 8> cone;
  llvm::SmallSetVector<Value, 4> sources;
  if (!isForwardable(tensor.getDefiningOp(), tensor) ||
      !collectCone(tensor, cone, sources))
    return false;
  ForwardCandidate candidate;
  candidate.tensor = summarizer.getTensor(tensor);
  candidate.numReaders = outside.size();
  for (Operation *op : cone)
    if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
      candidate.elementCost += elementwise.getElementCost();
  const Boundary &from = boundaries[producer];
  for (Value source : sources) {
    EdgeTensor edge = summarizer.getTensor(source);
    auto it = nodeOf.find(source.getDefiningOp());
    bool isInner = it != nodeOf.end() && graph.find(it->second) == producer;
    if (isInner && !from.results.contains(source))
      candidate.writes.push_back(edge);
    for (Node reader : outside)
      if (!boundaries[reader].inputs.contains(source))
        candidate.reads.push_back(edge);
  }
  auto copied = llvm::to_vector(llvm::make_filter_range(
      llvm::reverse(cone), [](Operation *op) { return !isForwarded(op); }));
  llvm::sort(copied, [&](Operation *a, Operation *b) {
    return nodeOf.lookup(a) < nodeOf.lookup(b);
  });
  if (!options.forward(candidate) || !mayJoinReaders(tensor, copied, outside))
    return false;
  for (Operation *op : cone)
    op->setAttr(FusionDialect::getForwardAttrName(),
                UnitAttr::get(op->getContext()));
  return true;
}

bool Partitioner::forwardAtCuts() {
  bool changed = false;
  for (auto &[tensor, nodes] : readers) {
    auto it = nodeOf.find(tensor.getDefiningOp());
    if (!options.forward || it == nodeOf.end())
      continue;
    Node producer = graph.find(it->second);
    llvm::SmallSetVector<Node, 4> outside;
    for (Node node : nodes)
      if (graph.find(node) != producer)
        outside.insert(graph.find(node));
    // Across a boundary of the program's nothing is computed again.
    if (!outside.empty() &&
        llvm::all_of(outside, [&](Node node) { return canMerge(node); }))
      changed |= forwardAt(tensor, producer, outside.getArrayRef());
  }
  return changed;
}

/// What could be done about a decision on these two.
std::string Partitioner::getRemedy(Node producer, Node consumer,
                                   const GroupSummary &merged,
                                   const Decision &decision) const {
  if (!decision.getRemedy().empty() || !options.remedy)
    return decision.getRemedy().str();
  MergeEdges edges = getEdges(boundaries[producer], boundaries[consumer]);
  return options.remedy(
      {summaries[producer], summaries[consumer], merged, edges}, decision);
}

/// Why these two are not one segment.
Partitioner::Why Partitioner::findReason(Node producer, Node consumer) {
  GroupSummary merged;
  if (Decision decision = decide(producer, consumer, merged); !decision)
    return {decision.getReason().str(),
            getRemedy(producer, consumer, merged, decision)};
  switch (graph.getObstacle(producer, consumer)) {
  case ClusterGraph::Obstacle::Path:
    return {"one segment for both would depend on itself", ""};
  case ClusterGraph::Obstacle::Budget:
    return {"whether one segment for both would depend on itself takes too "
            "long to find out",
            ""};
  case ClusterGraph::Obstacle::None:
    break;
  }
  return {"the segments changed in every round of merging, and there was no "
          "other",
          ""};
}

const Partitioner::Why &Partitioner::getReason(Node producer, Node consumer) {
  auto [it, isNew] = reasons.try_emplace({producer, consumer});
  if (isNew)
    it->second = findReason(producer, consumer);
  return it->second;
}

/// A remark where `op` reads `source`, if that is in another segment. No op is
/// printed: that takes time for the whole program.
void Partitioner::explain(Operation *op, Value source) {
  auto it = nodeOf.find(source.getDefiningOp());
  if (it == nodeOf.end() || prepared.shapes.contains(it->first))
    return;
  Node producer = graph.find(it->second), consumer = graph.find(nodeOf[op]);
  if (producer == consumer)
    return;
  InFlightDiagnostic diag = emitRemark(op->getLoc());
  diag << "reads a tensor from another segment: ";
  auto copy = prepared.copies.find(op);
  if (copy == prepared.copies.end() || !copy->second) {
    const Why &why = getReason(producer, consumer);
    diag << why.reason;
    if (!why.remedy.empty())
      diag.attachNote() << "to change that: " << why.remedy;
  } else {
    diag << "it is copied into the input that it overwrites, since an op reads "
            "the input elsewhere than where this is computed";
    diag.attachNote(*copy->second) << "this op does";
  }
  if (Operation *origin = stripBoundaries(source).getDefiningOp())
    diag.attachNote(origin->getLoc())
        << "the tensor is a result of this '" << origin->getName() << "'";
}

void Partitioner::explain() {
  for (Operation *op : nodeOps)
    // Who reads behind a boundary says so.
    if (op && !isBetweenSegments(op) && !prepared.shapes.contains(op))
      for (Value source : summarizer.getSources(op))
        explain(op, source);
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

void Partitioner::removeBoundaries() {
  for (Operation *op : nodeOps) {
    if (!op || !isBetweenSegments(op))
      continue;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
}

unsigned Partitioner::outline() {
  llvm::MapVector<Node, SmallVector<Operation *>> groups;
  for (Node node : graph.getOrder())
    groups[node] = {};
  for (auto [node, op] : llvm::enumerate(nodeOps))
    if (op && !isBetweenSegments(op))
      groups[graph.find(node)].push_back(op);
  removeBoundaries();

  Operation *terminator = func.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  unsigned count = 0;
  for (auto &[node, ops] : groups) {
    if (ops.empty())
      continue;
    if (isBoundary(ops.front())) {
      ops.front()->moveBefore(terminator);
      continue;
    }
    SmallVector<Value> results;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (boundaries[node].results.lookup(result) != 0)
          results.push_back(result);
    std::string scheduler = options.scheduler
                                ? options.scheduler(summaries[node])
                                : schedulers::kGeneric.str();
    outlineSegment(builder, ops, results, scheduler);
    ++count;
  }
  return count;
}

/// What was forwarded is where it is used by now.
static void removeForwarded(func::FuncOp func) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isForwarded(&op) && op.use_empty())
      op.erase();
}

/// Whether all that comes into a function or leaves it is in buffers: what is
/// in it is none of this pass's business.
static bool isOnBuffers(func::FuncOp func) {
  auto types =
      llvm::concat<const Type>(func.getArgumentTypes(), func.getResultTypes());
  return llvm::any_of(types, llvm::IsaPred<MemRefType>) &&
         llvm::none_of(types, llvm::IsaPred<TensorType>);
}

static FailureOr<unsigned> segmentFunction(func::FuncOp func,
                                           const SegmentationOptions &options) {
  if (func.isExternal() || isOnBuffers(func))
    return 0;
  if (failed(verifyDecomposed(func)))
    return failure();
  FailureOr<PreparedFunction> prepared = prepareForSegmentation(func);
  if (failed(prepared))
    return failure();
  auto partitioner = std::make_unique<Partitioner>(func, options, *prepared);
  partitioner->mergeGroups();
  for (unsigned round = 0;
       round < kMaxForwardRounds && partitioner->forwardAtCuts(); ++round) {
    partitioner = std::make_unique<Partitioner>(func, options, *prepared);
    partitioner->mergeGroups();
  }
  if (options.explain)
    partitioner->explain();
  unsigned count = partitioner->outline();
  removeForwarded(func);
  if (!options.target.empty())
    func->setAttr(FusionDialect::getTargetAttrName(),
                  StringAttr::get(func.getContext(), options.target));
  return count;
}

LogicalResult fuser::fusion::segment(func::FuncOp func,
                                     const SegmentationOptions &options) {
  return segmentFunction(func, options);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct SegmentPass : public fuser::fusion::impl::SegmentPassBase<SegmentPass> {
  using Base::Base;
  SegmentPass(SegmentationPolicy policy, SegmentPassOptions options)
      : Base(std::move(options)), policy(std::move(policy)) {}
  SegmentPass(const SegmentPass &other) : Base(other), policy(other.policy) {}

  void runOnOperation() override {
    FailureOr<SegmentationOptions> options =
        policy ? policy(getOperation(), target) : SegmentationOptions();
    if (failed(options))
      return signalPassFailure();
    options->explain |= explain;
    FailureOr<unsigned> count = segmentFunction(getOperation(), *options);
    if (failed(count))
      return signalPassFailure();
    numSegments += *count;
  }

  SegmentationPolicy policy;
};

} // namespace

std::unique_ptr<Pass>
fuser::fusion::createSegmentPass(SegmentationPolicy policy, StringRef target) {
  SegmentPassOptions options;
  options.target = target.str();
  return std::make_unique<SegmentPass>(std::move(policy), std::move(options));
}

void fuser::fusion::registerFusionPasses(const SegmentationPolicy &policy) {
  registerPass([] { return createDecomposeComplexPass(); });
  registerPass([] { return createDecomposePackedPass(); });
  registerPass([] { return createDropHintsPass(); });
  registerPass([] { return createExpandContractionsPass(); });
  registerPass([] { return createForwardFactoriesPass(); });
  registerPass([] { return createInferAllocationOrderPass(); });
  registerPass([] { return createNormalizeCollectivesPass(); });
  registerPass([] { return createPartitionPass(); });
  registerPass([] { return createDecideExactnessPass(); });
  registerPass([] { return createRemoveEmptyPass(); });
  registerPass([] { return createSinkReshapesPass(); });
  registerPass([] { return createCollapseDimensionsPass(); });
  registerPass([policy] { return createSegmentPass(policy); });
}
