//===- ElementEmitter.h - Elements of fused tensors as IR -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where ops of the fusion dialect become arithmetic. Asked for
// the elements of a tensor at an index, it walks the ops that define the tensor
// back to tensors that are *bound*: the inputs of the segment, which it reads,
// and tensors that the kernel emitter has computed before (a row's sum).
// Nothing is materialised on the way; layout ops (broadcast, permute, reshape,
// slice, cat) only change the index.
//
// Values. Elements are carried in their compute type (f32 for f16 and bf16,
// else the element type; i1 as i1), always already rounded to the element type
// of their tensor, as scalars or as 1-D vectors of `width` neighbours in the
// tensor's last dimension.
//
// Width. A request has a width: the result is the `width` elements from the
// index on, neighbours in the last dimension or in another one. That coordinate
// is a multiple of the width, as `getContiguousWidth` of index maps supposes;
// if it need not be (`isAnywhere`), nothing follows from sizes of parts.
// A permutation goes on along the dimension of its operand. Where a layout op
// scatters neighbours (a slice that starts off the vector grid), or a tensor
// has none in that dimension, the emitter falls back to narrower pieces, down
// to one element, and collects the lanes; the rest of the fusion stays wide.
// Where vectors may start anywhere, the kernel looks first whether the
// neighbours are together.
// Elements that are all the same (a broadcast of the last dimension, `full`,
// and what is computed of such alone) are computed once and then broadcast.
//
// Index values. Two indices are equal if their values are the same SSA values.
// The index arithmetic that layout ops emit is therefore folded and
// deduplicated as it comes.
//
// Reuse. Elements are memoised by (tensor, index, width) in the block where
// they were emitted, so a tensor used twice is read once, and an input that was
// read before a reduction stays in registers after it. `Scope` opens a nested
// block (a loop body, a branch): what is emitted in it is forgotten at its end.
//
// Branches. A `cat` of operands that read the same tensors alike, at other
// indices, becomes one read at the index that counts and selects; any other
// one becomes branches. Where an element may be none of the operand's (`pad`,
// `take`) and that costs little, one is read in any case, and selected.
//
// Depth. The walk keeps its own stack, so that a chain of 10,000 ops is as good
// as one of ten; only branches, the indices of a `take`, and reductions that
// are not bound recurse.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_ELEMENTEMITTER_H
#define FUSER_CONVERSION_ELEMENTEMITTER_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/ElementStorage.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <optional>

namespace fuser {

/// Converts between what memory holds and what is computed with (scalars or
/// vectors).
Value emitToCompute(OpBuilder &b, Location loc, Value stored, Type elementType);
Value emitToStorage(OpBuilder &b, Location loc, Value computed,
                    Type elementType);

/// `element`, or a vector of `width` of them.
Type getWideType(Type element, int64_t width);

/// One vector of equally wide pieces (scalars or vectors), and a piece of a
/// vector (a scalar if `width` is 1).
Value emitConcat(OpBuilder &b, Location loc, ArrayRef<Value> pieces);
Value emitPiece(OpBuilder &b, Location loc, Value vector, int64_t offset,
                int64_t width);
/// A scalar in each of `width` lanes, and how many lanes a value has.
Value emitRepeated(OpBuilder &b, Location loc, Value scalar, int64_t width);
int64_t getWidth(Value value);
/// The value as one of a type of as many bits.
Value emitBitcast(OpBuilder &b, Location loc, Type type, Value value);

/// The index of a reduction's operand for that of its result: null at the
/// dimensions that are reduced.
SmallVector<Value> getReducedIndex(fusion::ReductionOpInterface op,
                                   ValueRange resultIndex);

/// Whatever the rank is.
constexpr int64_t kLastDim = -1;

/// The dimension of its source in which those elements are neighbours, in the
/// same order, that are neighbours of the result in `dim`; -1 if they are one
/// element. Nothing if there are several sources, or that is not known.
std::optional<int64_t> getNeighbourDim(fusion::IndexMapOpInterface op,
                                       int64_t dim);

/// Of each dimension of the result that of its only source which it is, if `op`
/// does no more than change their order; else empty, as where they keep it.
SmallVector<int64_t> getPermutation(fusion::IndexMapOpInterface op);

class ElementEmitter {
public:
  /// Reads `width` neighbours of a bound tensor at `index`, in compute type.
  /// Width 1 gives a scalar.
  using LoadFn = std::function<Value(OpBuilder &b, Location loc,
                                     ValueRange index, int64_t width)>;
  /// The same along dimension `dim`, which is not the last one; null if that
  /// takes more than one access.
  using AcrossFn =
      std::function<Value(OpBuilder &b, Location loc, ValueRange index,
                          int64_t width, int64_t dim)>;
  using DimFn = std::function<OpFoldResult(Value tensor, int64_t dim)>;
  using ScalarFn = std::function<Value(Value scalar)>;
  /// What IndexMapOpInterface::getContiguousWidth gives.
  using WidthFn =
      std::function<int64_t(fusion::IndexMapOpInterface map, int64_t width)>;

  /// `dim` and `scalar` must give values that are visible wherever elements are
  /// emitted.
  ElementEmitter(OpBuilder &builder, DimFn dim, ScalarFn scalar);
  ~ElementEmitter();

  /// A reduction that is not bound, asked for at one index of its result.
  struct ReductionRequest {
    fusion::ReductionOpInterface op;
    Value operand;
    SmallVector<int64_t> dims; ///< That are reduced.
    SmallVector<Type> types;   ///< Of the accumulators.
    SmallVector<Value> neutral;
    /// Into the operand; null at the reduced dimensions.
    SmallVector<Value> index;
    /// It is neither in a branch nor in another reduction: all threads come to
    /// it.
    bool isOutermost;
  };
  /// Emits the accumulators over all elements.
  using ReduceFn = std::function<SmallVector<Value>(ReductionRequest &request)>;

  /// What is asked of `op`, at `index` of its operand.
  ReductionRequest makeReductionRequest(Location loc,
                                        fusion::ReductionOpInterface op,
                                        SmallVector<Value> index);

  /// From now on `width` says what index maps keep together, instead of the
  /// static sizes.
  void setContiguousWidth(WidthFn width) { contiguousWidth = std::move(width); }

  /// From now on elements of factories are emitted as vectors, which suits
  /// targets whose vectors are registers, instead of one by one.
  void setVectorFactories() { hasVectorFactories = true; }

  /// From now on kernels look whether neighbours lie side by side in a source,
  /// where sizes do not say it, and read a vector if they do: for targets whose
  /// vectors may start anywhere.
  void setRunTimeWidths() { hasRunTimeWidths = true; }

  /// From now on `reduce` emits the reductions that are not bound.
  void setReducer(ReduceFn reduce) { reducer = std::move(reduce); }

  /// From now on elements of `tensor` come from `load` instead of from its
  /// defining op, and neighbours along other dimensions from `across`, if it
  /// gives them. Without `load` they are not to be read yet: prefetch stops
  /// there.
  void bind(Value tensor, LoadFn load, AcrossFn across = {});

  /// The element(s) of `tensor` at `index` (one `index` value a dimension),
  /// neighbours along `dim` (kLastDim: the last one). Reductions that are not
  /// bound become what the reducer makes of them. After an error, such as an op
  /// of no known family, poison.
  Value emit(Location loc, Value tensor, ValueRange index, int64_t width = 1,
             int64_t dim = kLastDim);

  /// There was an error, which has been reported: what is emitted means
  /// nothing.
  bool hasFailed() const { return sawError; }

  /// Emits what `emit` will read from bound tensors, and nothing that is
  /// computed with it, so that many reads are under way before the first is
  /// used. Stops at reductions that are not bound.
  void prefetch(Location loc, Value tensor, ValueRange index, int64_t width = 1,
                int64_t dim = kLastDim);

  /// The constant, or the sum: the same value whenever it is asked for in one
  /// block.
  Value getIndex(Location loc, int64_t value);
  Value addIndex(Location loc, Value index, int64_t offset);

  /// The element of the reduction's result, rounded, from the accumulators of
  /// all `count` elements.
  Value emitReductionResult(Location loc, fusion::ReductionOpInterface op,
                            ValueRange accumulators, Value count);

  /// Neighbouring positions of the last dimension at which each of some ops of
  /// several sources has the elements of one of them.
  struct Part {
    struct Source {
      unsigned operand;
      int64_t first; ///< Which of its elements comes first.
    };
    int64_t begin = 0, size = 0;
    DenseMap<Operation *, Source> sources;
  };
  /// From now on all elements that are asked for are in `part`, if it is not
  /// null. Vectors begin at a multiple of their width, counted from the begin
  /// of the part. Of ops with a source there only these elements are asked for.
  void setPart(const Part *part) { this->part = part; }

  /// A nested block: what is memoised while a Scope lives is forgotten when it
  /// dies. The builder's insertion point is the caller's to move.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter);
    ~Scope();

  private:
    ElementEmitter &emitter;
  };

  /// What a block gives.
  using BlockFn = llvm::function_ref<SmallVector<Value>()>;
  using LoopFn = llvm::function_ref<SmallVector<Value>(Value position,
                                                       ValueRange carried)>;
  /// A loop from `begin` on, below `end`, that carries values: `body` gives the
  /// next ones.
  SmallVector<Value> emitLoop(Location loc, Value begin, Value end, Value step,
                              ValueRange init, LoopFn body);
  /// One of two branches, which give values of `types`.
  SmallVector<Value> emitEither(Location loc, TypeRange types, Value condition,
                                BlockFn then, BlockFn otherwise);
  /// The same without values; `then` at once if there is no condition.
  void emitEither(Location loc, Value condition,
                  llvm::function_ref<void()> then,
                  llvm::function_ref<void()> otherwise);

  OpBuilder &getBuilder() { return builder; }

private:
  /// A request: `width` elements of `tensor` from `index` on, along `dim`.
  struct Key {
    Value tensor;
    SmallVector<Value, 4> index;
    int64_t width = 1;
    int64_t dim = kLastDim; ///< Of one element, and of neighbours there, this.
    /// The coordinate along `dim` need not be a multiple of the width.
    bool isAnywhere = false;

    Value &along() { return dim == kLastDim ? index.back() : index[dim]; }
  };
  struct Source;
  struct Bound {
    LoadFn load;
    AcrossFn across;
  };
  struct KeyInfo;
  struct Step;
  struct Tables;
  class Recorder;

  bool hasVectorFactories = false;
  bool hasRunTimeWidths = false;

  bool run(Location loc, const Key &root, bool readsOnly);
  static Key makeKey(Value tensor, ValueRange index, int64_t width,
                     int64_t dim);
  Step expand(Location loc, const Key &key, bool readsOnly);
  Step expandBound(Location loc, const Key &key, const Bound &tensor,
                   bool readsOnly);
  Step expandIndexMap(Location loc, const Key &key, bool readsOnly);
  Step expandSource(Location loc, const Key &key, bool readsOnly);
  std::optional<Step> expandClamped(Location loc, const Key &key,
                                    const fusion::MappedIndex &mapped);
  Step expandPermuted(Location loc, const Key &key, ArrayRef<int64_t> dims);
  Step expandPart(Location loc, const Key &key, const Part::Source &source);
  std::optional<Step> expandAlong(Location loc, const Key &key);
  Step splitRequest(Location loc, const Key &key, int64_t width);
  Value finish(Location loc, const Key &key, const Step &step);
  Value finishElementwise(Location loc, const Key &key, const Step &step);
  Value emitBranches(Location loc, const Key &key, unsigned operand);
  Value emitSelected(Location loc, const Key &key);
  Value emit(Location loc, const Key &key);
  int64_t getKnownWidth(const Key &key);
  bool mayLieTogether(const Key &key);
  Value emitIfTogether(Location loc, const Key &key, int64_t width);
  Value emitTogether(Location loc, const Key &key, unsigned operand);
  Value emitEitherSource(Location loc, const Key &key, Value condition,
                         llvm::function_ref<Value()> then,
                         llvm::function_ref<Value()> otherwise);
  SmallVector<Source, 0> getAlikeSources(Location loc, const Key &key);
  bool collectReads(Location loc, const Key &root,
                    SmallVectorImpl<Key> &leaves);
  Value emitFill(Location loc, const Key &key);
  Value emitFactory(Location loc, const Key &key);
  /// The same as a vector, of elements of `type`.
  Value emitFactoryVector(Location loc, Key key, Type type);
  Value emitReduction(Location loc, const Key &key);

  fusion::MappedIndex mapIndex(Location loc, Operation *op, unsigned operand,
                               ValueRange resultIndex);
  SmallVector<Value> emitSelectors(Location loc, Operation *op,
                                   ValueRange resultIndex);
  Value simplify(Operation *op);
  Value deduplicate(Operation *op);
  bool hasUnboundReduction(Value tensor);
  Value lookup(const Key &key) const;
  bool markReadAhead(const Key &key);

  template <typename Fn>
  auto withContext(Location loc, Fn fn);

  OpBuilder &builder;
  DimFn dim;
  ScalarFn scalar;
  WidthFn contiguousWidth;
  ReduceFn reducer;
  /// How many branches and reductions the builder is in.
  unsigned nesting = 0;
  /// Of the vector that a kernel looks for here, if it does: that it has found
  /// it, in the block that the builder is in; a null value says surely.
  Value *found = nullptr;
  const Part *part = nullptr;
  /// All reads of what is being emitted are done.
  bool hasRead = false;
  bool sawError = false;
  DenseMap<Value, Bound> bound;
  DenseMap<Value, bool> unboundReductions;
  SmallVector<std::unique_ptr<Tables>, 2> scopes;
  std::unique_ptr<Recorder> recorder;
};

} // namespace fuser

#endif // FUSER_CONVERSION_ELEMENTEMITTER_H
