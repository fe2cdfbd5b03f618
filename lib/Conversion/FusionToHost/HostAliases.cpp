//===- HostAliases.cpp - Results that live in inputs ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "fuser/Analysis/Accesses.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Support/FoldIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Reuse
//===----------------------------------------------------------------------===//

/// What the sizes are at run time, a check of the program says.
LogicalResult HostBuilder::verifyReusedSizes(OpOperand &returned,
                                             BlockArgument input) {
  Value result = returned.get();
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    SymbolicSize expected = symbols.getSize(input, dim);
    SymbolicSize got = symbols.getSize(result, dim);
    if (expected >= 0 && got >= 0 && expected != got)
      return mlir::emitError(result.getLoc())
             << "result " << returned.getOperandNumber()
             << " is written into the buffer of "
             << describeArgument(func, input.getArgNumber())
             << ": expected dimension " << dim << " to be " << expected
             << ", as the input's is, got " << got;
  }
  return success();
}

LogicalResult HostBuilder::verifyReuse(OpOperand &returned,
                                       BlockArgument input) {
  unsigned index = returned.getOperandNumber();
  auto emitError = [&](Location loc) {
    return mlir::emitError(loc)
           << "result " << index << " is written into the buffer of "
           << describeArgument(func, input.getArgNumber()) << ": ";
  };
  if (returned.get() == input)
    return success();
  auto segment = returned.get().getDefiningOp<SegmentOp>();
  if (!segment)
    return emitError(func.getLoc()) << "expected a result of a segment";
  if (input.getType() != returned.get().getType())
    return emitError(func.getLoc())
           << "expected the input's type, " << input.getType() << ", got "
           << returned.get().getType();
  if (failed(verifyReusedSizes(returned, input)))
    return failure();
  for (Operation *user : input.getUsers()) {
    bool isLater = segment->isBeforeInBlock(user) && !isa<func::ReturnOp>(user);
    if (!isLater)
      continue;
    InFlightDiagnostic diag =
        emitError(segment.getLoc())
        << "expected nothing to read the input afterwards";
    diag.attachNote(user->getLoc()) << "it is read here";
    return diag;
  }
  if (Operation *op = findReaderElsewhere(segment, input)) {
    InFlightDiagnostic diag =
        emitError(segment.getLoc())
        << "expected its segment to read the input at the same index only, "
           "since its elements are written in any order";
    diag.attachNote(op->getLoc()) << "it is read at another index here";
    return diag;
  }
  return success();
}

LogicalResult HostBuilder::verifyReuse() {
  DenseMap<Value, unsigned> writers;
  for (OpOperand &returned : getReturn()->getOpOperands()) {
    AliasAttr alias = getAlias(returned.getOperandNumber());
    if (!alias || alias.getKind() != AliasKind::Reuse)
      continue;
    BlockArgument input = func.getArgument(alias.getInput());
    auto [it, isNew] = writers.try_emplace(input, returned.getOperandNumber());
    if (!isNew)
      return func.emitOpError("result ")
             << returned.getOperandNumber() << ": expected "
             << describeArgument(func, input.getArgNumber())
             << " to be written once, but it is result " << it->second
             << " too";
    if (failed(verifyReuse(returned, input)))
      return failure();
  }
  for (OpOperand &returned : getReturn()->getOpOperands()) {
    AliasAttr alias = getAlias(returned.getOperandNumber());
    if (alias && alias.getKind() == AliasKind::Evaluate &&
        writers.contains(func.getArgument(alias.getInput())))
      return func.emitOpError("result ")
             << returned.getOperandNumber() << ": expected a view of an input "
             << "that stays as it is, but "
             << describeArgument(func, alias.getInput())
             << " is overwritten by result "
             << writers.lookup(func.getArgument(alias.getInput()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {

/// Follows the ops between an input and a view of it.
class ViewBuilder {
public:
  ViewBuilder(OpBuilder &builder, SizeMaterializer &sizes)
      : builder(builder), sizes(sizes) {}

  /// The whole of `input`, which lives in `buffer`.
  void start(Value input, Value buffer);
  /// Through `op`. False if the result is no view.
  bool apply(IndexMapOpInterface op);
  Value finish(Location loc, Value result, Value buffer);

private:
  void setDenseStrides(Value result);
  void applyMap(Location loc, ArrayRef<StridedIndex> map, int64_t rank);

  OpBuilder &builder;
  SizeMaterializer &sizes;
  host::StridedView view;
  /// All of the buffer, in row-major order.
  bool isDense = false;
};

} // namespace

void ViewBuilder::start(Value input, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  isDense = type.getLayout().isIdentity();
  view.offset = builder.getIndexAttr(0);
  if (isDense)
    return setDenseStrides(input);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, input.getLoc(), buffer);
  view.strides = metadata.getConstifiedMixedStrides();
}

void ViewBuilder::setDenseStrides(Value tensor) {
  Location loc = tensor.getLoc();
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  OpFoldResult stride = builder.getIndexAttr(1);
  view.strides.assign(rank, stride);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    view.strides[dim] = stride;
    if (dim > 0)
      stride = foldIndex<arith::MulIOp>(builder, loc, stride,
                                        sizes.get(builder, loc, tensor, dim));
  }
}

/// Strides are combined as coordinates are.
void ViewBuilder::applyMap(Location loc, ArrayRef<StridedIndex> map,
                           int64_t rank) {
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(0));
  auto add = [&](OpFoldResult &sum, OpFoldResult stride, OpFoldResult times) {
    sum = foldIndex<arith::AddIOp>(
        builder, loc, sum,
        foldIndex<arith::MulIOp>(builder, loc, stride, times));
  };
  for (auto [index, stride] : llvm::zip_equal(map, view.strides)) {
    add(view.offset, stride, index.offset);
    for (const StridedIndex::Term &term : index.terms)
      add(strides[term.dim], stride, term.step);
  }
  view.strides = std::move(strides);
}

bool ViewBuilder::apply(IndexMapOpInterface op) {
  Value result = op->getResult(0);
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  // Dense memory stays dense, whether or not the map is linear.
  if (isDense && op.keepsLinearOrder()) {
    setDenseStrides(result);
    return true;
  }
  isDense = false;
  auto map = sizes.withContext(builder, op.getLoc(), [&](EmitContext &ctx) {
    return op.getStridedMap(ctx, 0);
  });
  if (map)
    applyMap(op.getLoc(), *map, rank);
  return map.has_value();
}

Value ViewBuilder::finish(Location loc, Value result, Value buffer) {
  auto type = cast<RankedTensorType>(result.getType());
  view.shape = llvm::to_vector(type.getShape());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult size = builder.getIndexAttr(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      size = sizes.getValue(builder, loc, result, dim);
    view.sizes.push_back(size);
  }
  return view.create(builder, loc, buffer);
}

FailureOr<Value> HostBuilder::buildView(OpOperand &returned,
                                        BlockArgument input) {
  unsigned index = returned.getOperandNumber();
  Value buffer = mapping.lookup(input);
  SmallVector<IndexMapOpInterface> chain;
  Value value = returned.get();
  while (value != input) {
    auto op = value.getDefiningOp<IndexMapOpInterface>();
    if (!op || !getOnlySource(op)) {
      InFlightDiagnostic diag = mlir::emitError(value.getLoc())
                                << "result " << index << ": expected a view of "
                                << describeArgument(func, input.getArgNumber())
                                << " (its alias kind is evaluate), got ";
      if (Operation *other = value.getDefiningOp())
        diag << "the result of '" << other->getName() << "'";
      else
        diag << "a view of "
             << describeArgument(func,
                                 cast<BlockArgument>(value).getArgNumber());
      return diag;
    }
    chain.push_back(op);
    value = getOnlySource(op);
  }
  if (chain.empty())
    return buffer;
  ViewBuilder views(builder, sizes);
  views.start(input, buffer);
  for (IndexMapOpInterface op : llvm::reverse(chain))
    if (!views.apply(op))
      return op.emitOpError("result ")
             << index << ": expected a view of "
             << describeArgument(func, input.getArgNumber())
             << " (its alias kind is evaluate), but no strides give the result "
                "of this op";
  return views.finish(getReturn().getLoc(), returned.get(), buffer);
}

//===----------------------------------------------------------------------===//
// Required stride orders
//===----------------------------------------------------------------------===//

/// True if memory of `type` is known to have the stride order `order`, up to
/// dimensions of size 1.
static bool hasStrideOrder(MemRefType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> dims;
  llvm::copy_if(order, std::back_inserter(dims),
                [&](int64_t dim) { return type.getDimSize(dim) != 1; });
  if (type.getLayout().isIdentity())
    return llvm::is_sorted(dims);
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  for (auto [slow, fast] :
       llvm::zip(dims, ArrayRef(dims).drop_front(dims.empty() ? 0 : 1)))
    if (ShapedType::isDynamic(strides[slow]) ||
        ShapedType::isDynamic(strides[fast]) || strides[slow] < strides[fast])
      return false;
  return true;
}

/// A result that lives in an input has the strides that it has there.
LogicalResult HostBuilder::verifyStrideOrder(OpOperand &returned,
                                             BlockArgument input,
                                             Value buffer) {
  StringRef name = FusionDialect::getStrideOrderAttrName();
  unsigned index = returned.getOperandNumber();
  auto required = func.getResultAttrOfType<DenseI64ArrayAttr>(index, name);
  if (!required)
    return success();
  bool isInput = buffer == mapping.lookup(input);
  auto given =
      func.getArgAttrOfType<DenseI64ArrayAttr>(input.getArgNumber(), name);
  bool isKnown =
      isInput && given
          ? given == required
          : hasStrideOrder(cast<MemRefType>(buffer.getType()), required);
  if (isKnown)
    return success();
  return func.emitOpError("result ")
         << index << ": expected the required stride order ["
         << required.asArrayRef() << "], got " << (isInput ? "" : "a view of ")
         << describeArgument(func, input.getArgNumber())
         << ", which is not known to have it";
}
