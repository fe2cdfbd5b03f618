//===- SizeClasses.cpp - What kernels would like to know of sizes ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeClasses.h"
#include "fuser/Analysis/GroupSummary.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Schedule/OrderHeuristic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace fuser;
using fuser_rt::SizeClass;
using fuser_rt::SizeSpec;
using fusion::FusionDialect;

namespace {
/// Bounds of a size, as SizeSpec has them.
struct WantedBound {
  int64_t most;
  int64_t least = SizeSpec().wantedLeast;
  bool knowsBeyond = false;
};
} // namespace

/// 16 bytes of two bytes each, and 32 of four, as an access beside these takes.
static constexpr int64_t kWantedDivisor = 8;

/// Of a factor of a size: 14 x 14 elements are a multiple of 4.
static constexpr int64_t kLeastDivisorOfFactors = 2;

/// What nobody's size is a multiple of but by chance.
static constexpr int64_t kLargestDivisor = 256;

/// Fewer leave lanes of a warp for rows; each power of two leaves others.
static constexpr WantedBound kFewColumns = {32, 1};

/// So few scans are shared by thread blocks, if they are longer than that
/// (schedule::prefersSplitScan).
static constexpr WantedBound kFewScans = {64}, kLongestScan = {1 << 15};

/// Positions in longer rows are words of 8 bytes.
static constexpr WantedBound kLongestSort = {schedule::kMaxNarrowLength};

/// Longer rows are in no registers, and shared by thread blocks.
static constexpr WantedBound kLongestRow = {1 << 18, SizeSpec().wantedLeast,
                                            /*knowsBeyond=*/true};

namespace {
/// What is wanted of symbols.
class WantedSizes {
public:
  explicit WantedSizes(func::FuncOp func);

  SizeSpec lookup(Value tensor, int64_t dim) const {
    return wanted.lookup(symbols.getSize(tensor, dim));
  }

private:
  void addTensor(Value tensor);
  void addReduction(fusion::ReductionOpInterface op);
  void addCollapsed(const fusion::RowStructure &rows);
  void addColumns(const fusion::RowStructure &rows);
  void addScan(fusion::ScanOpInterface op);
  void addSorted(fusion::FibreOpInterface op, unsigned operand);
  void addBound(ArrayRef<SymbolicSize> sizes, const WantedBound &bound);
  void addBoundsOfEach(ArrayRef<SymbolicSize> sizes, int64_t most);
  void addBoundOfFactors(Value scalar, int64_t most);
  void addDivisor(SymbolicSize size, int64_t divisor);
  void addDivisor(Value scalar, int64_t divisor);

  ShapeSymbols symbols;
  DenseMap<SymbolicSize, SizeSpec> wanted;
  /// What divisors and bounds have been asked of, so that a value that many use
  /// is looked at once.
  DenseSet<std::pair<Value, int64_t>> asked, bounded;
};
} // namespace

static bool isOpen(SymbolicSize size) { return size < 0; }

/// Whether all tensors are of one shape, so that rows do not matter, or all is
/// decided.
static bool isDecided(func::FuncOp func, const ShapeSymbols &symbols) {
  std::optional<SymbolicShape> shape;
  bool isFlat = true, hasSchedule = false;
  auto add = [&](Value value) {
    if (!fusion::isTensor(value))
      return;
    if (!shape)
      shape = symbols.getShape(value);
    isFlat &= symbols.getShape(value) == *shape;
  };
  func.walk([&](Operation *op) {
    if (auto segment = dyn_cast<fusion::SegmentOp>(op))
      hasSchedule |= segment.getScheduleAttr() != nullptr;
    isFlat &= !isa<fusion::IndexMapOpInterface, fusion::FibreOpInterface>(op);
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
  });
  return isFlat || hasSchedule;
}

WantedSizes::WantedSizes(func::FuncOp func) : symbols(func) {
  if (isDecided(func, symbols))
    return;
  func.walk([&](fusion::TensorOpInterface op) {
    for (Value operand : op->getOperands())
      if (fusion::isTensor(operand))
        addTensor(operand);
    for (Value result : op->getResults())
      addTensor(result);
    if (auto reduction = dyn_cast<fusion::ReductionOpInterface>(*op))
      addReduction(reduction);
    if (auto scan = dyn_cast<fusion::ScanOpInterface>(*op))
      addScan(scan);
    else if (isa<fusion::OrderOpInterface>(*op))
      addSorted(cast<fusion::FibreOpInterface>(*op), 0);
    else if (isa<fusion::ScatterOpInterface>(*op))
      addSorted(cast<fusion::FibreOpInterface>(*op), 1);
  });
}

void WantedSizes::addTensor(Value tensor) {
  SymbolicShape shape = symbols.getShape(tensor);
  if (!shape.empty())
    addDivisor(shape.back(), kWantedDivisor);
}

/// Of what is computed (half of a size) it is asked where that comes from.
void WantedSizes::addDivisor(SymbolicSize size, int64_t divisor) {
  if (size >= 0 || symbols.getFacts(size).divisor % divisor == 0)
    return;
  int64_t &all = wanted[size].wantedDivisor;
  if (all % divisor == 0)
    return;
  all = std::lcm(all, divisor);
  unsigned symbol = -1 - size;
  for (const SizeSource &source : symbols.getSources(symbol))
    if (source.kind == SizeSource::Kind::Scalar)
      addDivisor(source.value, divisor);
  for (unsigned dependency : symbols.getDependencies(symbol))
    addDivisor(symbols.getRepresentative(dependency), divisor);
}

void WantedSizes::addDivisor(Value scalar, int64_t divisor) {
  if (!asked.insert({scalar, divisor}).second)
    return;
  Operation *op = scalar.getDefiningOp();
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
    if (std::optional<int64_t> index = dim.getConstantIndex())
      addDivisor(symbols.getSize(dim.getSource(), *index), divisor);
  } else if (auto quotient = dyn_cast_or_null<arith::DivUIOp>(op)) {
    std::optional<int64_t> by = getConstantIntValue(quotient.getRhs());
    if (by && *by > 0 && divisor * *by <= kLargestDivisor)
      addDivisor(quotient.getLhs(), divisor * *by);
  } else if (auto product = dyn_cast_or_null<arith::MulIOp>(op)) {
    // Of `channels * height * width`, channels are multiples of most.
    addDivisor(product.getLhs(), divisor);
    addDivisor(product.getRhs(), std::min(divisor, kWantedDivisor));
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    for (Value part : op->getOperands())
      addDivisor(part, divisor);
  }
}

/// Of sizes of which one is open: a bound of their product.
void WantedSizes::addBound(ArrayRef<SymbolicSize> sizes,
                           const WantedBound &bound) {
  int64_t known = 1;
  std::optional<SymbolicSize> open;
  for (SymbolicSize size : sizes) {
    if (size < 0 && open)
      return;
    if (size < 0)
      open = size;
    else
      known *= size;
  }
  if (!open || known <= 0 || known > bound.most)
    return;
  SizeSpec &spec = wanted[*open];
  spec.wantedBound = std::max(spec.wantedBound, bound.most / known);
  spec.wantedLeast = std::min(spec.wantedLeast, bound.least);
  spec.wantsLowerBound |= bound.knowsBeyond;
}

/// A factor may be small where the product is not, as the channels of an image
/// are.
static WantedBound getBoundOfFactor(int64_t most) { return {most, 1}; }

/// Of sizes of which several are open a bound of the product follows from those
/// of each, which may be as large as what the others leave.
void WantedSizes::addBoundsOfEach(ArrayRef<SymbolicSize> sizes, int64_t most) {
  for (SymbolicSize size : sizes)
    if (!isOpen(size))
      most /= std::max<int64_t>(size, 1);
  for (SymbolicSize size : sizes)
    if (isOpen(size) && most > 0)
      addBound(size, getBoundOfFactor(most));
}

/// Of what is computed (`channels * height * width / 32`) a bound follows from
/// those of all factors, of which each may be as large as the product.
void WantedSizes::addBoundOfFactors(Value scalar, int64_t most) {
  if (!bounded.insert({scalar, most}).second || most < 1)
    return;
  Operation *op = scalar.getDefiningOp();
  std::optional<int64_t> by = op && op->getNumOperands() == 2
                                  ? getConstantIntValue(op->getOperand(1))
                                  : std::nullopt;
  int64_t whole = 0;
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    SymbolicSize size = index ? symbols.getSize(dim.getSource(), *index) : 0;
    if (size < 0)
      addBound(size, getBoundOfFactor(most));
  } else if (isa_and_nonnull<arith::DivUIOp>(op)) {
    if (by && *by > 0 && !llvm::MulOverflow(most, *by, whole))
      addBoundOfFactors(op->getOperand(0), whole);
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    if (by && *by > 0)
      return addBoundOfFactors(op->getOperand(0), most / *by);
    for (Value factor : op->getOperands())
      addBoundOfFactors(factor, most);
  }
}

void WantedSizes::addReduction(fusion::ReductionOpInterface op) {
  Value input = fusion::getTensorOperands(op)[0]->get();
  fusion::RowStructure rows{symbols.getShape(input),
                            SmallVector<int64_t, 2>(op.getReductionDims())};
  if (!rows.reducesTrailingDims()) {
    addCollapsed(rows);
    return addColumns(rows);
  }
  auto lengths = llvm::map_to_vector(
      rows.reducedDims, [&](int64_t dim) { return rows.shape[dim]; });
  bool hasRows = lengths.size() < rows.shape.size();
  if (hasRows && llvm::count_if(lengths, isOpen) > 1) {
    addCollapsed(rows);
    return addBoundsOfEach(lengths, kLongestRow.most);
  }
  addBound(lengths, kLongestRow);
  // One row of everything is long, and its factors are sizes of anything.
  if (lengths.size() != 1 || !hasRows || !isOpen(lengths.front()))
    return;
  for (const SizeSource &source : symbols.getSources(-1 - lengths.front()))
    if (source.kind == SizeSource::Kind::Scalar)
      addBoundOfFactors(source.value, kLongestRow.most);
}

/// Of the last dimensions, which are reduced with others before them: they
/// become one (fusion-collapse-dimensions), so that each is a factor.
void WantedSizes::addCollapsed(const fusion::RowStructure &rows) {
  for (int64_t dim = int64_t(rows.shape.size()) - 1;
       llvm::is_contained(rows.reducedDims, dim); --dim)
    if (SymbolicSize size = rows.shape[dim]; size < 0) {
      addDivisor(size, kWantedDivisor);
      wanted[size].wantedLeastDivisor = kLeastDivisorOfFactors;
    }
}

/// Whether there are fewer columns than lanes.
void WantedSizes::addColumns(const fusion::RowStructure &rows) {
  if (!rows.reducedDims.empty())
    addBound(ArrayRef(rows.shape).drop_front(rows.reducedDims.back() + 1),
             kFewColumns);
}

/// Of rows, how many there are, and how long they are.
void WantedSizes::addScan(fusion::ScanOpInterface op) {
  SymbolicShape shape = symbols.getShape(op->getResult(0));
  if (op.getFibreDim() + 1 != int64_t(shape.size()))
    return addColumns({shape, {op.getFibreDim()}});
  addBound(ArrayRef(shape).drop_back(), kFewScans);
  addBound(shape.back(), kLongestScan);
}

/// How many elements are sorted: of a scatter its indices are. Along another
/// dimension than the last one it makes no difference.
void WantedSizes::addSorted(fusion::FibreOpInterface op, unsigned operand) {
  SymbolicShape shape =
      symbols.getShape(fusion::getTensorOperands(op)[operand]->get());
  int64_t dim = op.getOperandFibreDim(operand);
  if (dim + 1 == int64_t(shape.size()))
    addBound(shape[dim], kLongestSort);
}

SizeClasses::SizeClasses(func::FuncOp func) {
  WantedSizes sizes(func);
  for (BlockArgument arg : func.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type)
      continue;
    auto &specs = wanted.emplace_back();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      specs.push_back(sizes.lookup(arg, dim));
  }
}

void SizeClasses::apply(func::FuncOp func,
                        const CompileOptions &options) const {
  ArrayRef<InputClass> inputs = options.inputs;
  Builder b(func.getContext());
  size_t number = 0;
  for (BlockArgument arg : func.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type)
      continue;
    size_t input = number++;
    if (input >= wanted.size() || input >= inputs.size() ||
        int64_t(inputs[input].sizes.size()) != type.getRank())
      continue;
    SmallVector<int64_t> divisors, bounds, lowerBounds;
    for (auto [dim, size] : llvm::enumerate(inputs[input].sizes)) {
      SizeClass known = type.isDynamicDim(dim)
                            ? classifySize(wanted[input][dim], size)
                            : SizeClass();
      // Callers have bytes, of two columns each.
      bool isBytes = isPackedElement(type.getElementType()) &&
                     int64_t(dim) == type.getRank() - 1;
      divisors.push_back(isBytes ? 2 * known.divisor : known.divisor);
      bounds.push_back(isBytes && known.bound >= 0 ? 2 * known.bound
                                                   : known.bound);
      bool isCounted = options.lowerBounds || known.bound < 0;
      int64_t least = isCounted ? known.lowerBound : 0;
      lowerBounds.push_back(isBytes ? 2 * least : least);
    }
    auto set = [&](StringRef name, ArrayRef<int64_t> numbers, int64_t none) {
      if (llvm::any_of(numbers, [&](int64_t number) { return number != none; }))
        func.setArgAttr(arg.getArgNumber(), name,
                        b.getDenseI64ArrayAttr(numbers));
    };
    set(FusionDialect::getClassDivisorsAttrName(), divisors, 1);
    set(FusionDialect::getClassBoundsAttrName(), bounds, -1);
    set(FusionDialect::getClassLowerBoundsAttrName(), lowerBounds, 0);
  }
}

void SizeClasses::describe(fuser_rt::Variant &variant) const {
  for (auto [specs, input] : llvm::zip(wanted, variant.inputs))
    for (auto [spec, size] : llvm::zip(specs, input.dims)) {
      if (size >= 0 || (spec.wantedDivisor == 1 && spec.wantedBound < 0))
        continue;
      uint32_t symbol = -1 - size;
      auto found = llvm::find_if(variant.sizes, [&](const SizeSpec &other) {
        return other.symbol == symbol;
      });
      if (found == variant.sizes.end())
        found = variant.sizes.insert(found, SizeSpec{symbol});
      found->wantedDivisor = spec.wantedDivisor;
      found->wantedBound = spec.wantedBound;
      found->wantedLeast = spec.wantedLeast;
      found->wantedLeastDivisor = spec.wantedLeastDivisor;
      found->wantsLowerBound = spec.wantsLowerBound;
    }
}
