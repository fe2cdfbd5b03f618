//===- ShapeSymbols.cpp - Which sizes of a function are equal -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ShapeSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

static bool isSymbol(SymbolicSize size) { return size < 0; }
static unsigned getSymbol(SymbolicSize size) { return -1 - size; }
static SymbolicSize getSizeOf(unsigned symbol) {
  return -1 - static_cast<SymbolicSize>(symbol);
}

static RankedTensorType getTensor(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Of a number that is known, which may be negative.
static SizeFacts getFactsOf(int64_t number) {
  if (number == std::numeric_limits<int64_t>::min())
    return {1, number, number};
  return {std::abs(number), number, number};
}

SizeFacts SizeFacts::meet(const SizeFacts &other) const {
  SizeFacts both = *this;
  int64_t common = std::gcd(divisor, other.divisor), product;
  // A static size of 0 is a multiple of anything.
  if (common == 0 ||
      llvm::MulOverflow(divisor / common, other.divisor, product))
    both.divisor = std::max(divisor, other.divisor);
  else
    both.divisor = product;
  if (other.bound)
    both.bound = std::min(bound.value_or(*other.bound), *other.bound);
  both.lowerBound = std::max(lowerBound, other.lowerBound);
  return both;
}

using LeafFacts = llvm::function_ref<std::optional<SizeFacts>(Value)>;

/// The lower bound of what may be negative.
static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();

/// Of an index, which is a size only where an op takes it for one.
static SizeFacts getFactsOfIndex() {
  SizeFacts facts;
  facts.lowerBound = kUnbounded;
  return facts;
}

/// The facts of a sum, a product or a quotient. Checks of the program see to it
/// that nothing wraps. Parts of a sum may be negative.
static SizeFacts combineFacts(Operation *op, SizeFacts a, SizeFacts b) {
  SizeFacts result = getFactsOfIndex();
  bool isBounded = a.bound && b.bound;
  int64_t number = 0;
  if (isa<arith::AddIOp>(op)) {
    result.divisor = std::gcd(a.divisor, b.divisor);
    if (isBounded && !llvm::AddOverflow(*a.bound, *b.bound, number))
      result.bound = number;
    if (!llvm::AddOverflow(a.lowerBound, b.lowerBound, number))
      result.lowerBound = number;
    return result;
  }
  bool isConstantDivisor = b.divisor > 0 && b.bound == b.divisor;
  if (isa<arith::MulIOp>(op) &&
      !llvm::MulOverflow(a.divisor, b.divisor, number))
    result.divisor = number;
  else if (isa<arith::DivUIOp>(op) && isConstantDivisor &&
           a.divisor % b.divisor == 0)
    result.divisor = a.divisor / b.divisor;
  if (a.lowerBound < 0 || b.lowerBound < 0)
    return result;
  if (isa<arith::MulIOp>(op)) {
    if (isBounded && !llvm::MulOverflow(*a.bound, *b.bound, number))
      result.bound = number;
    if (!llvm::MulOverflow(a.lowerBound, b.lowerBound, number))
      result.lowerBound = number;
  } else if (isConstantDivisor) {
    if (a.bound)
      result.bound = *a.bound / b.divisor;
    result.lowerBound = a.lowerBound / b.divisor;
  }
  return result;
}

/// Of what ops of `arith` compute from sizes, whose facts `leaves` has. A value
/// that many use is looked at once: `known` has those.
static SizeFacts computeFacts(Value value, LeafFacts leaves,
                              DenseMap<Value, SizeFacts> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  SizeFacts facts = getFactsOfIndex();
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> constant = getConstantIntValue(value);
  if (std::optional<SizeFacts> leaf = leaves(value)) {
    facts = *leaf;
  } else if (constant) {
    facts = getFactsOf(*constant);
  } else if (isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivUIOp>(
                 op)) {
    SizeFacts a = computeFacts(op->getOperand(0), leaves, known);
    SizeFacts b = computeFacts(op->getOperand(1), leaves, known);
    facts = combineFacts(op, a, b);
  }
  return known[value] = facts;
}

static SizeFacts computeFacts(Value value, LeafFacts leaves) {
  DenseMap<Value, SizeFacts> known;
  return computeFacts(value, leaves, known);
}

//===----------------------------------------------------------------------===//
// Sets of equal sizes
//===----------------------------------------------------------------------===//

unsigned ShapeSymbols::find(unsigned symbol) const {
  while (symbols[symbol].parent != symbol) {
    symbols[symbol].parent = symbols[symbols[symbol].parent].parent;
    symbol = symbols[symbol].parent;
  }
  return symbol;
}

SymbolicSize ShapeSymbols::canonical(SymbolicSize size) const {
  if (!isSymbol(size))
    return size;
  unsigned root = find(getSymbol(size));
  return symbols[root].size ? *symbols[root].size : getSizeOf(root);
}

/// The first source of `root` joins others. Each one behind it had its own
/// reason before, and is compared when those before it have passed.
void ShapeSymbols::noteUser(unsigned root) {
  SizeSource &first = symbols[root].sources.front();
  if (!first.user)
    first.user = current;
}

void ShapeSymbols::setSize(unsigned root, int64_t size) {
  noteUser(root);
  std::optional<int64_t> &own = symbols[root].size;
  if (own && *own != size)
    conflicts.push_back({current, *own, size, symbols[root].sources.front()});
  else
    own = size;
}

void ShapeSymbols::unify(SymbolicSize a, SymbolicSize b) {
  if (!isSymbol(a))
    std::swap(a, b);
  if (!isSymbol(a)) {
    if (a != b)
      conflicts.push_back({current, a, b, std::nullopt});
    return;
  }
  unsigned first = find(getSymbol(a));
  if (!isSymbol(b))
    return setSize(first, b);
  unsigned second = find(getSymbol(b));
  if (first == second)
    return;
  // The older one stays, so that numbers follow the program.
  if (second < first)
    std::swap(first, second);
  symbols[second].parent = first;
  symbols[first].required =
      symbols[first].required.meet(symbols[second].required);
  symbols[first].stated = symbols[first].stated.meet(symbols[second].stated);
  symbols[first].facts = symbols[first].facts.meet(symbols[second].facts);
  noteUser(second);
  if (symbols[second].size)
    setSize(first, *symbols[second].size);
  llvm::append_range(symbols[first].sources, symbols[second].sources);
  symbols[second].sources.truncate(1);
}

SymbolicSize ShapeSymbols::addSymbol(SizeSource source,
                                     ArrayRef<unsigned> dependencies) {
  unsigned symbol = symbols.size();
  symbols.push_back({symbol,
                     std::nullopt,
                     {source},
                     llvm::to_vector<0>(dependencies),
                     {},
                     {},
                     {}});
  return getSizeOf(symbol);
}

SymbolicSize ShapeSymbols::getScalar(Value value) {
  value = getOuterScalar(value);
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    if (*constant >= 0)
      return *constant;
  auto found = scalars.find(value);
  if (found != scalars.end())
    return found->second;
  SizeFacts facts = getScalarFacts(value);
  SymbolicSize added = addSymbol({SizeSource::Kind::Scalar, value, 0});
  symbols[getSymbol(added)].facts = facts;
  return scalars[value] = added;
}

SizeFacts ShapeSymbols::getScalarFacts(Value scalar) const {
  return computeFacts(getOuterScalar(scalar),
                      [&](Value leaf) -> std::optional<SizeFacts> {
                        Value own = getOuterScalar(leaf);
                        if (auto it = scalars.find(own); it != scalars.end())
                          return getOwnFacts(it->second);
                        if (own != leaf)
                          return getScalarFacts(own);
                        return std::nullopt;
                      });
}

void ShapeSymbols::setShape(Value tensor, SymbolicShape shape) {
  shapes.try_emplace(tensor, std::move(shape));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

ShapeSymbols::ShapeSymbols(func::FuncOp func) {
  if (func.isExternal())
    return;
  Block &body = func.getBody().front();
  for (BlockArgument arg : body.getArguments())
    if (getTensor(arg))
      addArgument(func, arg);
  visitBlock(body);
}

void ShapeSymbols::addArgument(func::FuncOp func, BlockArgument arg) {
  auto getNumber = [&](StringRef name, int64_t dim) {
    auto numbers =
        func.getArgAttrOfType<DenseI64ArrayAttr>(arg.getArgNumber(), name);
    return numbers ? numbers[dim] : -1;
  };
  auto read = [&](StringRef divisors, StringRef bounds, int64_t dim) {
    SizeFacts facts;
    facts.divisor = std::max<int64_t>(getNumber(divisors, dim), 1);
    if (int64_t bound = getNumber(bounds, dim); bound >= 0)
      facts.bound = bound;
    return facts;
  };
  SymbolicShape shape(getTensor(arg).getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    size =
        addSymbol({SizeSource::Kind::Argument, arg, static_cast<int64_t>(dim)});
    Symbol &symbol = symbols[getSymbol(size)];
    symbol.required = read(FusionDialect::getDivisorsAttrName(),
                           FusionDialect::getBoundsAttrName(), dim);
    symbol.stated = symbol.required.meet(
        read(FusionDialect::getClassDivisorsAttrName(),
             FusionDialect::getClassBoundsAttrName(), dim));
    symbol.stated.lowerBound = std::max<int64_t>(
        getNumber(FusionDialect::getClassLowerBoundsAttrName(), dim), 0);
    symbol.facts = symbol.stated;
  }
  setShape(arg, std::move(shape));
}

void ShapeSymbols::visitBlock(Block &block) {
  for (Operation &op : block)
    visitOp(&op);
}

void ShapeSymbols::visitOp(Operation *op) {
  current = op;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = getTensor(dim.getSource());
    if (index && type && *index >= 0 && *index < type.getRank())
      scalars.try_emplace(dim.getResult(), getOwnSize(dim.getSource(), *index));
    return;
  }
  if (auto segment = dyn_cast<SegmentOp>(op))
    return visitSegment(segment);
  if (isa<ElementwiseOpInterface>(op))
    return visitElementwise(op);
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return visitReduction(reduction);
  if (auto contraction = dyn_cast<ContractionOpInterface>(op))
    unifyRoles(contraction);
  if (auto map = dyn_cast<IndexMapOpInterface>(op))
    unifyEqualDims(map);
  if (auto fibres = dyn_cast<FibreOpInterface>(op))
    unifyEqualDims(fibres);
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
    return visitByReification(tensorOp);
}

void ShapeSymbols::visitSegment(SegmentOp segment) {
  Block &body = segment.getBody().front();
  for (auto [operand, arg] :
       llvm::zip_equal(segment.getInputs(), body.getArguments())) {
    if (getTensor(operand))
      setShape(arg, getOwnShape(operand));
    else
      outer.try_emplace(arg, operand);
  }
  visitBlock(body);
  for (auto [result, inner] :
       llvm::zip_equal(segment.getResults(), body.back().getOperands()))
    setShape(result, getOwnShape(inner));
}

void ShapeSymbols::visitElementwise(Operation *op) {
  Value result = op->getResult(0);
  RankedTensorType type = getTensor(result);
  SymbolicShape shape(type.getShape());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool known = !type.isDynamicDim(dim);
    for (OpOperand *operand : getTensorOperands(op)) {
      SymbolicSize size = getOwnSize(operand->get(), dim);
      if (known)
        unify(size, shape[dim]);
      else
        shape[dim] = size;
      known = true;
    }
  }
  setShape(result, std::move(shape));
}

void ShapeSymbols::visitReduction(ReductionOpInterface op) {
  Value input = getTensorOperands(op)[0]->get();
  SmallVector<int64_t> reduced = op.getReductionDims();
  SymbolicShape shape;
  for (int64_t dim = 0, rank = getTensor(input).getRank(); dim < rank; ++dim) {
    if (!llvm::is_contained(reduced, dim))
      shape.push_back(getOwnSize(input, dim));
    else if (op.getKeepsDims())
      shape.push_back(1);
  }
  setShape(op->getResult(0), std::move(shape));
}

/// Dimensions of one role have the same sizes in both operands and, where its
/// type knows them, in the result.
void ShapeSymbols::unifyRoles(ContractionOpInterface op) {
  RankedTensorType result = getTensor(op->getResult(0));
  forEachSharedDim(op, [&](unsigned a, int64_t dimA, unsigned b, int64_t dimB) {
    SymbolicSize size = getOwnSize(op.getContractedTensor(a), dimA);
    if (b != 2)
      unify(size, getOwnSize(op.getContractedTensor(b), dimB));
    else if (!result.isDynamicDim(dimB))
      unify(size, result.getDimSize(dimB));
  });
}

template <typename OpT>
void ShapeSymbols::unifyEqualDims(OpT op) {
  SmallVector<OpOperand *> tensors = getTensorOperands(op);
  for (const EqualDims &equal : op.getEqualDims())
    unify(getOwnSize(tensors[equal.operand]->get(), equal.dim),
          getOwnSize(tensors[equal.otherOperand]->get(), equal.otherDim));
}

/// The size that an op gives as `reified`, from those that were `asked`.
SymbolicSize
ShapeSymbols::addReified(const SizeSource &source, OpFoldResult reified,
                         const DenseMap<Value, SymbolicSize> &standIns,
                         ArrayRef<unsigned> asked) {
  std::optional<int64_t> constant = getConstantIntValue(reified);
  if (constant && *constant >= 0)
    return *constant;
  if (constant) {
    negatives.push_back({cast<OpResult>(source.value), source.dim, *constant});
    return addSymbol(source, asked);
  }
  Value value = cast<Value>(reified);
  if (auto standIn = standIns.find(value); standIn != standIns.end())
    return standIn->second;
  SymbolicSize size = addSymbol(source, asked);
  symbols[getSymbol(size)].facts =
      computeFacts(value, [&](Value leaf) -> std::optional<SizeFacts> {
        auto standIn = standIns.find(leaf);
        if (standIn == standIns.end())
          return std::nullopt;
        return getOwnFacts(standIn->second);
      });
  return size;
}

/// Asks the op for its sizes, with stand-ins for the sizes and scalars that it
/// computes them from: an answer that is a stand-in is that size.
void ShapeSymbols::visitByReification(TensorOpInterface op) {
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  Location loc = op.getLoc();
  DenseMap<Value, SymbolicSize> standIns;
  SmallVector<unsigned> asked;
  auto getStandIn = [&](SymbolicSize size) -> Value {
    asked.push_back(getSymbol(size));
    Value value = scratch.addArgument(builder.getIndexType(), loc);
    standIns.try_emplace(value, size);
    return value;
  };
  auto getDim = [&](Value tensor, int64_t dim) -> OpFoldResult {
    SymbolicSize size = getSize(tensor, dim);
    if (!isSymbol(size))
      return builder.getIndexAttr(size);
    return getStandIn(getOwnSize(tensor, dim));
  };
  auto getScalarValue = [&](Value value) -> Value {
    Value source = getOuterScalar(value);
    Attribute constant;
    if (matchPattern(source, m_Constant(&constant)))
      return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(constant));
    if (!source.getType().isIndex())
      return scratch.addArgument(source.getType(), loc);
    SymbolicSize size = getScalar(source);
    if (!isSymbol(canonical(size)))
      return arith::ConstantIndexOp::create(builder, loc, canonical(size));
    return getStandIn(size);
  };
  EmitContext ctx{builder, loc, getDim, getScalarValue};

  for (OpResult result : op->getOpResults()) {
    RankedTensorType type = getTensor(result);
    if (!type)
      continue;
    SymbolicShape shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      asked.clear();
      OpFoldResult reified = op.reifyDim(ctx, result.getResultNumber(), dim);
      SizeSource source{SizeSource::Kind::Computed, result,
                        static_cast<int64_t>(dim)};
      size = addReified(source, reified, standIns, asked);
    }
    setShape(result, std::move(shape));
  }
  // Later ops use earlier ones.
  while (!scratch.empty())
    scratch.back().erase();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

SymbolicSize ShapeSymbols::getSize(Value tensor, int64_t dim) const {
  return canonical(getOwnSize(tensor, dim));
}

SymbolicSize ShapeSymbols::getOwnSize(Value tensor, int64_t dim) const {
  auto it = shapes.find(tensor);
  if (it != shapes.end())
    return it->second[dim];
  // A tensor of an op that is not of the dialect: what its type says.
  int64_t size = getTensor(tensor).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return size;
  auto *self = const_cast<ShapeSymbols *>(this);
  SymbolicShape shape(getTensor(tensor).getShape());
  for (auto [index, extent] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(extent))
      extent = self->addSymbol(
          {SizeSource::Kind::Computed, tensor, static_cast<int64_t>(index)});
  self->setShape(tensor, shape);
  return shape[dim];
}

SymbolicShape ShapeSymbols::getOwnShape(Value tensor) const {
  SymbolicShape shape;
  for (int64_t dim = 0, rank = getTensor(tensor).getRank(); dim < rank; ++dim)
    shape.push_back(getOwnSize(tensor, dim));
  return shape;
}

SymbolicShape ShapeSymbols::getShape(Value tensor) const {
  SymbolicShape shape = getOwnShape(tensor);
  for (SymbolicSize &size : shape)
    size = canonical(size);
  return shape;
}

ArrayRef<SizeSource> ShapeSymbols::getSources(unsigned symbol) const {
  return symbols[find(symbol)].sources;
}

ArrayRef<unsigned> ShapeSymbols::getDependencies(unsigned symbol) const {
  return symbols[find(symbol)].dependencies;
}

bool ShapeSymbols::isRepresentative(unsigned symbol) const {
  return find(symbol) == symbol;
}

std::optional<int64_t> ShapeSymbols::getStaticSize(unsigned symbol) const {
  return symbols[find(symbol)].size;
}

SizeFacts ShapeSymbols::getOwnFacts(SymbolicSize size) const {
  size = canonical(size);
  return isSymbol(size) ? symbols[getSymbol(size)].facts : getFactsOf(size);
}

SizeFacts ShapeSymbols::getFacts(SymbolicSize size) const {
  SizeFacts facts = getOwnFacts(size);
  facts.lowerBound = std::max<int64_t>(facts.lowerBound, 0);
  if (facts.bound)
    facts.bound = std::max<int64_t>(*facts.bound, 0);
  return facts;
}

SmallVector<SizeFacts> ShapeSymbols::getFacts(Value tensor) const {
  return llvm::map_to_vector(getShape(tensor),
                             [&](SymbolicSize size) { return getFacts(size); });
}

SmallVector<int64_t> ShapeSymbols::getDivisors(Value tensor) const {
  return llvm::map_to_vector(getShape(tensor), [&](SymbolicSize size) {
    return getFacts(size).divisor;
  });
}

SizeFacts ShapeSymbols::getRequiredFacts(unsigned symbol) const {
  return symbols[find(symbol)].required;
}

SizeFacts ShapeSymbols::getStatedFacts(unsigned symbol) const {
  return symbols[find(symbol)].stated;
}

Value ShapeSymbols::getOuterScalar(Value scalar) const {
  for (auto it = outer.find(scalar); it != outer.end(); it = outer.find(scalar))
    scalar = it->second;
  return scalar;
}
