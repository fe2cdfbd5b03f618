//===- ClusterGraph.h - An acyclic graph whose nodes merge -----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directed acyclic graph in which nodes are contracted one edge at a time. It
// keeps a topological order of what is left, as in "A Dynamic Topological Sort
// Algorithm for Directed Acyclic Graphs" (Pearce and Kelly): a question about
// paths from one node to another looks only at nodes between them in that
// order, and so does a contraction.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_TRANSFORMS_CLUSTERGRAPH_H
#define FUSER_LIB_DIALECT_FUSION_TRANSFORMS_CLUSTERGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace fuser::fusion {

class ClusterGraph {
public:
  using Node = unsigned;

  /// A new node, last in the order.
  Node addNode();
  /// The edge from `from` to `to`, which is later in the order.
  void addEdge(Node from, Node to);

  /// The node that `node` is part of by now.
  Node find(Node node) const;
  bool hasEdge(Node from, Node to) const;
  /// Whether `a` is before `b` in the order.
  bool isBefore(Node a, Node b) const {
    return entries[find(a)].position < entries[find(b)].position;
  }
  /// Nodes with an edge to `node`, from the first to the last in the order.
  llvm::SmallVector<Node> getPredecessors(Node node);

  /// Why an edge is not contracted: a path through a third node leads from one
  /// end to the other, so that the new node would be on a cycle; or that takes
  /// too long to find out, which keeps the total cost near-linear.
  enum class Obstacle { None, Path, Budget };
  Obstacle getObstacle(Node from, Node to);

  /// Makes one node of both ends of an edge, or of two nodes without one, of
  /// which `from` is before `to`. Returns false, and changes nothing, if there
  /// is an obstacle.
  bool contract(Node from, Node to);

  /// All nodes that are left, in a topological order.
  llvm::SmallVector<Node> getOrder() const;

private:
  using NodeSet = llvm::SetVector<Node, llvm::SmallVector<Node, 4>,
                                  llvm::DenseSet<Node>, 8>;
  struct Entry {
    Node parent;
    unsigned position;
    NodeSet successors, predecessors;
  };

  void canonicalize(Node node, NodeSet &nodes);
  bool isNextAfter(Node from, Node to);
  Obstacle collectForward(Node from, Node to,
                          llvm::SmallVectorImpl<Node> &found);
  Obstacle collectBackward(Node from, Node to,
                           llvm::SmallVectorImpl<Node> &found);
  Obstacle collectBetween(Node from, Node to,
                          llvm::SmallVectorImpl<Node> &before,
                          llvm::SmallVectorImpl<Node> &after);
  void reorder(Node from, Node to, llvm::SmallVectorImpl<Node> &before,
               llvm::SmallVectorImpl<Node> &after);
  void join(Node kept, Node gone);

  mutable std::vector<Entry> entries;
  /// The node at each position (stale where it has been merged).
  std::vector<Node> atPosition;
};

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_TRANSFORMS_CLUSTERGRAPH_H
