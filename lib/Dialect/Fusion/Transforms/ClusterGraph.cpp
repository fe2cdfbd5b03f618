//===- ClusterGraph.cpp - An acyclic graph whose nodes merge --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterGraph.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace fuser::fusion;

/// How many edges a search for a path may follow. Programs stay far below it;
/// it bounds what a contraction costs in those made to be slow.
static constexpr unsigned kSearchBudget = 20000;

ClusterGraph::Node ClusterGraph::addNode() {
  Node node = entries.size();
  entries.push_back({node, static_cast<unsigned>(atPosition.size()), {}, {}});
  atPosition.push_back(node);
  return node;
}

void ClusterGraph::addEdge(Node from, Node to) {
  from = find(from);
  to = find(to);
  assert(entries[from].position < entries[to].position &&
         "edges follow the order");
  entries[from].successors.insert(to);
  entries[to].predecessors.insert(from);
}

ClusterGraph::Node ClusterGraph::find(Node node) const {
  while (entries[node].parent != node) {
    entries[node].parent = entries[entries[node].parent].parent;
    node = entries[node].parent;
  }
  return node;
}

/// Neighbours that have merged since are replaced by what they are part of.
void ClusterGraph::canonicalize(Node node, NodeSet &nodes) {
  if (llvm::all_of(nodes, [&](Node other) { return find(other) == other; }))
    return;
  NodeSet fresh;
  for (Node other : nodes)
    if (Node found = find(other); found != node)
      fresh.insert(found);
  nodes = std::move(fresh);
}

bool ClusterGraph::hasEdge(Node from, Node to) const {
  from = find(from);
  to = find(to);
  return llvm::any_of(entries[to].predecessors,
                      [&](Node node) { return find(node) == from; });
}

llvm::SmallVector<ClusterGraph::Node> ClusterGraph::getPredecessors(Node node) {
  node = find(node);
  canonicalize(node, entries[node].predecessors);
  llvm::SmallVector<Node> result =
      llvm::to_vector(entries[node].predecessors.getArrayRef());
  llvm::sort(result, [&](Node a, Node b) {
    return entries[a].position < entries[b].position;
  });
  return result;
}

/// Nodes other than `to` that can be reached from `from` and come before `to`
/// in the order; a path if `to` can be reached from one of them.
ClusterGraph::Obstacle
ClusterGraph::collectForward(Node from, Node to,
                             llvm::SmallVectorImpl<Node> &found) {
  unsigned budget = kSearchBudget;
  llvm::SmallDenseSet<Node, 16> seen;
  llvm::SmallVector<Node> work{from};
  while (!work.empty()) {
    Node node = work.pop_back_val();
    canonicalize(node, entries[node].successors);
    for (Node next : entries[node].successors) {
      if (budget-- == 0)
        return Obstacle::Budget;
      if (next == to) {
        if (node != from)
          return Obstacle::Path;
        continue;
      }
      if (entries[next].position > entries[to].position ||
          !seen.insert(next).second)
        continue;
      found.push_back(next);
      work.push_back(next);
    }
  }
  return Obstacle::None;
}

/// Nodes other than `from` that reach `to` and come after `from` in the order.
ClusterGraph::Obstacle
ClusterGraph::collectBackward(Node from, Node to,
                              llvm::SmallVectorImpl<Node> &found) {
  unsigned budget = kSearchBudget;
  llvm::SmallDenseSet<Node, 16> seen;
  llvm::SmallVector<Node> work{to};
  while (!work.empty()) {
    Node node = work.pop_back_val();
    canonicalize(node, entries[node].predecessors);
    for (Node next : entries[node].predecessors) {
      if (budget-- == 0)
        return Obstacle::Budget;
      if (next == from || entries[next].position < entries[from].position ||
          !seen.insert(next).second)
        continue;
      found.push_back(next);
      work.push_back(next);
    }
  }
  return Obstacle::None;
}

/// Gives the places that these nodes have to: `before`, then the two, then
/// `after`.
void ClusterGraph::reorder(Node from, Node to,
                           llvm::SmallVectorImpl<Node> &before,
                           llvm::SmallVectorImpl<Node> &after) {
  auto byPosition = [&](Node a, Node b) {
    return entries[a].position < entries[b].position;
  };
  llvm::sort(before, byPosition);
  llvm::sort(after, byPosition);
  llvm::SmallVector<Node> nodes(before.begin(), before.end());
  nodes.push_back(from);
  nodes.push_back(to);
  nodes.append(after.begin(), after.end());
  llvm::SmallVector<unsigned> positions;
  for (Node node : nodes)
    positions.push_back(entries[node].position);
  llvm::sort(positions);
  for (auto [node, position] : llvm::zip_equal(nodes, positions)) {
    entries[node].position = position;
    atPosition[position] = node;
  }
}

void ClusterGraph::join(Node kept, Node gone) {
  entries[gone].parent = kept;
  for (auto list : {&Entry::successors, &Entry::predecessors}) {
    NodeSet &a = entries[kept].*list;
    NodeSet &b = entries[gone].*list;
    if (a.size() < b.size())
      std::swap(a, b);
    a.insert_range(b);
    a.remove(kept);
    a.remove(gone);
    b.clear();
  }
}

/// True if `from` is the only predecessor of `to` that does not come before it.
bool ClusterGraph::isNextAfter(Node from, Node to) {
  canonicalize(to, entries[to].predecessors);
  return llvm::all_of(entries[to].predecessors, [&](Node node) {
    return entries[node].position <= entries[from].position;
  });
}

/// What has to come before the two, and what behind them; the former is left
/// out where there is nothing of the latter.
ClusterGraph::Obstacle
ClusterGraph::collectBetween(Node from, Node to,
                             llvm::SmallVectorImpl<Node> &before,
                             llvm::SmallVectorImpl<Node> &after) {
  Obstacle obstacle = collectForward(from, to, after);
  if (obstacle != Obstacle::None || after.empty())
    return obstacle;
  return collectBackward(from, to, before);
}

ClusterGraph::Obstacle ClusterGraph::getObstacle(Node from, Node to) {
  from = find(from);
  to = find(to);
  llvm::SmallVector<Node> before, after;
  return isNextAfter(from, to) ? Obstacle::None
                               : collectBetween(from, to, before, after);
}

bool ClusterGraph::contract(Node from, Node to) {
  from = find(from);
  to = find(to);
  unsigned position = entries[to].position;
  if (isNextAfter(from, to)) {
    // No path, however many ways lead away from `from`; and its place is right
    // for both.
    position = entries[from].position;
  } else {
    llvm::SmallVector<Node> before, after;
    if (collectBetween(from, to, before, after) != Obstacle::None)
      return false;
    // With nothing to move behind, the later place is right for both.
    if (!after.empty()) {
      reorder(from, to, before, after);
      position = entries[to].position;
    }
  }
  // The larger one keeps its name: its neighbours are not touched.
  size_t fromSize =
      entries[from].successors.size() + entries[from].predecessors.size();
  size_t toSize =
      entries[to].successors.size() + entries[to].predecessors.size();
  Node kept = fromSize >= toSize ? from : to;
  Node gone = kept == from ? to : from;
  join(kept, gone);
  entries[kept].position = position;
  atPosition[position] = kept;
  return true;
}

llvm::SmallVector<ClusterGraph::Node> ClusterGraph::getOrder() const {
  llvm::SmallVector<Node> order;
  for (auto [position, node] : llvm::enumerate(atPosition))
    if (find(node) == node && entries[node].position == position)
      order.push_back(node);
  return order;
}
