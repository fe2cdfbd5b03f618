//===- ShapeSymbols.h - Which sizes of a function are equal ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One analysis of the sizes of all tensors of a function. Each dimension is a
// static size or a symbol; dimensions that the program needs to be equal (two
// tensors are added) have the same symbol. A symbol has one or more *sources*:
// the sizes of inputs, scalars of the program, sizes that an op computes. They
// are equal in a call that has a meaning; who runs the program checks it.
//
// Only family interfaces are asked, so a new op of a known family is
// understood.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_SHAPESYMBOLS_H
#define FUSER_ANALYSIS_SHAPESYMBOLS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace fuser {

/// A size: static (>= 0), or -1-s for symbol s.
using SymbolicSize = int64_t;
using SymbolicShape = llvm::SmallVector<SymbolicSize, 4>;

/// Where the size that a symbol stands for comes from.
struct SizeSource {
  enum class Kind {
    Argument, ///< Dimension `dim` of `value`, an argument of the function.
    Scalar,   ///< `value`, an index of the program.
    Computed  ///< Dimension `dim` of `value`, the result of an op that computes
              ///< it from other sizes.
  };
  Kind kind;
  mlir::Value value;
  int64_t dim = 0;
  /// The op that needs it to be equal to a source before it, or to a static
  /// size; null if none does.
  mlir::Operation *user = nullptr;
};

/// Two sizes that an op, and what is before it, ask of one: no call has a
/// meaning.
struct SizeConflict {
  mlir::Operation *op;
  int64_t size, other;
  /// One that was to have both; null if there is none but what ops compute.
  std::optional<SizeSource> source;
};

/// A dimension of a result whose size is a negative constant: no call has a
/// meaning.
struct NegativeSize {
  mlir::OpResult result;
  int64_t dim, size;
};

/// What is known of a size in every call that has a meaning.
struct SizeFacts {
  int64_t divisor = 1;          ///< It is a multiple of it.
  std::optional<int64_t> bound; ///< It is at most so large.
  int64_t lowerBound = 0;       ///< It is at least so large; of an index,
                                ///< perhaps negative.

  /// Of a size that both are said of.
  SizeFacts meet(const SizeFacts &other) const;
};

class ShapeSymbols {
public:
  /// Analyses the body of `func`, which is one block. Nothing is changed.
  explicit ShapeSymbols(mlir::func::FuncOp func);

  SymbolicSize getSize(mlir::Value tensor, int64_t dim) const;
  SymbolicShape getShape(mlir::Value tensor) const;
  /// As the op gives it, whatever it was found equal to: a static size, or a
  /// symbol that need not stand for itself.
  SymbolicSize getOwnSize(mlir::Value tensor, int64_t dim) const;

  /// All sources whose sizes must be equal to that of `symbol` (to its static
  /// size, if it has one), in program order.
  llvm::ArrayRef<SizeSource> getSources(unsigned symbol) const;

  /// The one source that `symbol` itself has.
  const SizeSource &getOwnSource(unsigned symbol) const {
    return symbols[symbol].sources.front();
  }

  /// The symbols that the first source of `symbol` is computed from.
  llvm::ArrayRef<unsigned> getDependencies(unsigned symbol) const;

  /// In program order.
  llvm::ArrayRef<SizeConflict> getConflicts() const { return conflicts; }
  llvm::ArrayRef<NegativeSize> getNegativeSizes() const { return negatives; }

  /// Symbols have numbers below this.
  unsigned getNumSymbols() const { return symbols.size(); }
  /// What `symbol` is equal to: a static size, or the one symbol that stands
  /// for all that are equal.
  SymbolicSize getRepresentative(unsigned symbol) const {
    return canonical(-1 - static_cast<SymbolicSize>(symbol));
  }
  /// True if `symbol` stands for itself: each set of equal symbols has one.
  bool isRepresentative(unsigned symbol) const;
  /// The static size of `symbol`, or std::nullopt.
  std::optional<int64_t> getStaticSize(unsigned symbol) const;

  /// Of a static size: itself. Of a symbol: what the function's arguments say
  /// of all that is equal to it (`fusion.divisors`, `fusion.bounds`, and those
  /// of the variant), or what it is computed from.
  SizeFacts getFacts(SymbolicSize size) const;
  SizeFacts getFacts(mlir::Value tensor, int64_t dim) const {
    return getFacts(getSize(tensor, dim));
  }
  /// Of each dimension of `tensor`.
  llvm::SmallVector<SizeFacts> getFacts(mlir::Value tensor) const;
  /// What the sizes of `tensor` are multiples of: themselves where they are
  /// known.
  llvm::SmallVector<int64_t> getDivisors(mlir::Value tensor) const;
  /// Of an index of the program, or of a segment, which may be negative.
  SizeFacts getScalarFacts(mlir::Value scalar) const;
  /// Calls `fn` with what ops ask of sizes where nothing is emitted.
  template <typename Fn>
  auto withDivisors(Fn fn) const {
    auto dim = [this](mlir::Value tensor, int64_t d) {
      return getFacts(tensor, d).divisor;
    };
    auto scalar = [this](mlir::Value value) {
      return getScalarFacts(value).divisor;
    };
    return fn(fusion::SizeDivisors{dim, scalar});
  }
  /// What the program itself says of them, not the variant.
  SizeFacts getRequiredFacts(unsigned symbol) const;
  /// What the program and the variant say of arguments that have this size:
  /// without what follows from sizes that they are compared with.
  SizeFacts getStatedFacts(unsigned symbol) const;

  /// The scalar of the function (outside of all segments) that a scalar inside
  /// of a segment is; others are themselves.
  mlir::Value getOuterScalar(mlir::Value scalar) const;

private:
  struct Symbol {
    unsigned parent;
    std::optional<int64_t> size;
    /// Its own, then those of the symbols that it stands for.
    llvm::SmallVector<SizeSource, 1> sources;
    llvm::SmallVector<unsigned, 0> dependencies;
    SizeFacts required, stated, facts;
  };

  unsigned find(unsigned symbol) const;
  SymbolicSize canonical(SymbolicSize size) const;
  SymbolicShape getOwnShape(mlir::Value tensor) const;
  /// Of what may be no size, but a negative index.
  SizeFacts getOwnFacts(SymbolicSize size) const;
  void unify(SymbolicSize a, SymbolicSize b);
  void setSize(unsigned root, int64_t size);
  void noteUser(unsigned root);
  SymbolicSize addSymbol(SizeSource source,
                         llvm::ArrayRef<unsigned> dependencies = {});
  SymbolicSize getScalar(mlir::Value scalar);
  void addArgument(mlir::func::FuncOp func, mlir::BlockArgument arg);
  void setShape(mlir::Value tensor, SymbolicShape shape);

  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void visitSegment(fusion::SegmentOp segment);
  void visitElementwise(mlir::Operation *op);
  void visitReduction(fusion::ReductionOpInterface op);
  void unifyRoles(fusion::ContractionOpInterface op);
  template <typename OpT>
  void unifyEqualDims(OpT op);
  void visitByReification(fusion::TensorOpInterface op);
  SymbolicSize
  addReified(const SizeSource &source, mlir::OpFoldResult reified,
             const llvm::DenseMap<mlir::Value, SymbolicSize> &standIns,
             llvm::ArrayRef<unsigned> asked);

  mutable std::vector<Symbol> symbols;
  std::vector<SizeConflict> conflicts;
  std::vector<NegativeSize> negatives;
  /// The op that is looked at.
  mlir::Operation *current = nullptr;
  llvm::DenseMap<mlir::Value, SymbolicShape> shapes;
  llvm::DenseMap<mlir::Value, SymbolicSize> scalars;
  llvm::DenseMap<mlir::Value, mlir::Value> outer;
};

/// Makes the sizes of tensors as values, each once, from the sizes of the
/// function's arguments and its scalars.
class SizeMaterializer {
public:
  /// The size of dimension `dim` of an argument of the function.
  using ArgumentFn = std::function<mlir::Value(mlir::OpBuilder &,
                                               mlir::BlockArgument, int64_t)>;
  /// The value that stands for a scalar of the function.
  using ScalarFn = std::function<mlir::Value(mlir::Value)>;

  SizeMaterializer(const ShapeSymbols &symbols, ArgumentFn argument,
                   ScalarFn scalar)
      : symbols(symbols), argument(std::move(argument)),
        scalar(std::move(scalar)) {}
  /// In the function itself: `tensor.dim` of its arguments, and its scalars.
  explicit SizeMaterializer(const ShapeSymbols &symbols);

  /// Inserted at `builder`, unless it was made before.
  mlir::OpFoldResult get(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, int64_t dim);
  mlir::OpFoldResult get(mlir::OpBuilder &builder, mlir::Location loc,
                         SymbolicSize size);
  /// The size that `source` gives, whatever it should be equal to.
  mlir::OpFoldResult get(mlir::OpBuilder &builder, mlir::Location loc,
                         const SizeSource &source);
  /// What `tensor` has, whatever that should be equal to.
  mlir::OpFoldResult getOwn(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value tensor, int64_t dim);
  /// What get() gives as a value.
  mlir::Value getValue(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, int64_t dim);
  /// The value that stands for a scalar, which may be inside of a segment.
  mlir::Value getScalar(mlir::OpBuilder &builder, mlir::Value inner);
  /// Calls `fn` with what ops ask when they emit.
  template <typename Fn>
  auto withContext(mlir::OpBuilder &builder, mlir::Location loc, Fn fn) {
    auto dim = [&](mlir::Value tensor, int64_t d) {
      return get(builder, loc, tensor, d);
    };
    auto scalar = [&](mlir::Value inner) { return getScalar(builder, inner); };
    fusion::EmitContext ctx{builder, loc, dim, scalar};
    return fn(ctx);
  }

private:
  mlir::OpFoldResult make(mlir::OpBuilder &builder, mlir::Location loc,
                          unsigned symbol);

  const ShapeSymbols &symbols;
  ArgumentFn argument;
  ScalarFn scalar;
  /// The sizes of representatives, and of symbols by their own sources.
  llvm::DenseMap<unsigned, mlir::OpFoldResult> made, madeOwn;
};

} // namespace fuser

#endif // FUSER_ANALYSIS_SHAPESYMBOLS_H
