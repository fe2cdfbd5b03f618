//===- ElementEmitterTables.h - What an element emitter remembers ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_ELEMENTEMITTER_ELEMENTEMITTERTABLES_H
#define FUSER_LIB_CONVERSION_ELEMENTEMITTER_ELEMENTEMITTERTABLES_H

#include "fuser/Conversion/ElementEmitter.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

namespace fuser {

struct ElementEmitter::KeyInfo {
  static Key getEmptyKey() {
    return {DenseMapInfo<Value>::getEmptyKey(), {}, 0};
  }
  static Key getTombstoneKey() {
    return {DenseMapInfo<Value>::getTombstoneKey(), {}, 0};
  }
  static unsigned getHashValue(const Key &key) {
    return llvm::hash_combine(
        mlir::hash_value(key.tensor), key.width, key.dim,
        llvm::hash_combine_range(key.index.begin(), key.index.end()));
  }
  static bool isEqual(const Key &lhs, const Key &rhs) {
    return lhs.tensor == rhs.tensor && lhs.width == rhs.width &&
           lhs.dim == rhs.dim && lhs.index == rhs.index;
  }
};

/// What a request is made of.
struct ElementEmitter::Step {
  enum Kind {
    Nothing,     ///< There is nothing to read ahead.
    Same,        ///< The answer is that of the one part.
    Broadcast,   ///< The part is one element, which all lanes repeat.
    Concat,      ///< The parts lie side by side.
    Elementwise, ///< The parts are the operands' elements.
    Select,      ///< The one part where the condition holds, else the fill.
    Failed       ///< An error, which has been reported.
  };
  explicit Step(Kind kind) : kind(kind) {}

  Kind kind;
  SmallVector<Key, 2> parts;
  Value value;     ///< The answer, if it is known at once.
  Value condition; ///< Of a Select.

  static Step done(Value value) {
    Step step(value ? Nothing : Failed);
    step.value = value;
    return step;
  }
};

/// Ops are equal if they compute the same, wherever they come from.
struct SameComputation : public DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    if (lhs == rhs)
      return true;
    if (isSpecial(lhs) || isSpecial(rhs))
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
        OperationEquivalence::IgnoreLocations);
  }

private:
  static bool isSpecial(const Operation *op) {
    return op == getEmptyKey() || op == getTombstoneKey();
  }
};

/// What is visible in one block.
struct ElementEmitter::Tables {
  DenseMap<Key, Value, KeyInfo> elements;
  /// Requests of which all that can be read ahead has been read.
  llvm::DenseSet<Key, KeyInfo> readAhead;
  llvm::DenseSet<Operation *, SameComputation> indexOps;
};

/// Notes the ops that are inserted while a layout op maps an index.
class ElementEmitter::Recorder : public OpBuilder::Listener {
public:
  void start(OpBuilder &builder) {
    previous = builder.getListener();
    builder.setListener(this);
    inserted.clear();
  }
  SmallVector<Operation *> stop(OpBuilder &builder) {
    builder.setListener(previous);
    return std::move(inserted);
  }
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint from) override {
    inserted.push_back(op);
    if (previous)
      previous->notifyOperationInserted(op, from);
  }

  /// What is inserted while a Pause lives is not noted.
  class Pause {
  public:
    Pause(Recorder &recorder, OpBuilder &builder)
        : builder(builder), listener(builder.getListener()) {
      if (listener == &recorder)
        builder.setListener(recorder.previous);
    }
    ~Pause() { builder.setListener(listener); }

  private:
    OpBuilder &builder;
    OpBuilder::Listener *listener;
  };

private:
  OpBuilder::Listener *previous = nullptr;
  SmallVector<Operation *> inserted;
};

template <typename Fn>
auto ElementEmitter::withContext(Location loc, Fn fn) {
  // What `dim` and `scalar` emit belongs to them: they keep it for later.
  auto dimFn = [&](Value tensor, int64_t d) {
    Recorder::Pause pause(*recorder, builder);
    return dim(tensor, d);
  };
  auto scalarFn = [&](Value value) {
    Recorder::Pause pause(*recorder, builder);
    return scalar(value);
  };
  fusion::EmitContext ctx{builder, loc, dimFn, scalarFn};
  return fn(ctx);
}

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_ELEMENTEMITTER_ELEMENTEMITTERTABLES_H
