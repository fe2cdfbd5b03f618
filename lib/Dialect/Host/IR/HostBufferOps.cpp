//===- HostBufferOps.cpp - Buffers, names and views -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// alloc_c1, alloc_c2, alloc_c3, alloc_c4 and output_c1, output_c2, output_c3,
/// output_c4: the type is that of a new buffer, dense in the stride order.
static LogicalResult
verifyNewBuffer(Operation *op, MemRefType type, size_t numSizes,
                std::optional<ArrayRef<int64_t>> strideOrder) {
  if (numSizes != type.getNumDynamicDims()) // c1
    return op->emitOpError("expected ")
           << type.getNumDynamicDims()
           << " sizes, one for each dynamic dimension of " << type << ", got "
           << numSizes;

  ArrayRef<int64_t> order = strideOrder.value_or(ArrayRef<int64_t>());
  if (strideOrder) { // c2
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
      return op->emitOpError(
                 "expected stride_order to be a permutation of the ")
             << type.getRank() << " dimensions of " << type << ", got ["
             << order << "]";
  }

  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> dense = getDenseStrides(type.getShape(), order);
  for (auto [dim, stride] : llvm::enumerate(strides)) { // c3
    if (ShapedType::isDynamic(stride) || stride == dense[dim])
      continue;
    InFlightDiagnostic diag = op->emitOpError("expected stride ");
    diag << dim << " of " << type << " to be ";
    if (ShapedType::isDynamic(dense[dim]))
      diag << "dynamic, since it depends on dynamic sizes";
    else
      diag << dense[dim] << " or dynamic";
    return diag << " (from "
                << (strideOrder ? "stride_order" : "row-major order")
                << "), got " << stride;
  }
  if (offset != 0) // c4
    return op->emitOpError("expected a new buffer to have offset 0, got ")
           << type;
  return success();
}

/// The host program around `op`, or null.
static FunctionOpInterface getProgram(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  return func && func->hasAttr(kProgramAttrName) ? func : nullptr;
}

/// output_c5, output_view_c1.
static LogicalResult verifyOutputIndex(Operation *op, int64_t index,
                                       MemRefType type) {
  FunctionOpInterface program = getProgram(op);
  if (!program)
    return success();
  int64_t numResults = program.getNumResults();
  if (index < 0 || index >= numResults) {
    InFlightDiagnostic diag = op->emitOpError("expected the number of one of ")
                              << numResults << " results of the program, got "
                              << index;
    diag.attachNote(program.getLoc()) << "the program is here";
    return diag;
  }
  auto result = dyn_cast<MemRefType>(program.getResultTypes()[index]);
  if (result && (result.getRank() != type.getRank() ||
                 result.getElementType() != type.getElementType())) {
    InFlightDiagnostic diag =
        op->emitOpError("expected rank and element type of result ")
        << index << ", " << result << ", got " << type;
    diag.attachNote(program.getLoc()) << "the program is here";
    return diag;
  }
  return success();
}

/// True if two sizes (or strides) are equal as far as they are static.
static bool areCompatible(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::all_of_zip(a, b, [](int64_t x, int64_t y) {
    return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// alloc_c5
template <typename OpTy>
static LogicalResult verifyStream(OpTy op) {
  std::optional<StreamDimAttr> stream = op.getStream();
  if (!stream)
    return success();
  if (stream->getDim() < 0 || stream->getDim() >= op.getType().getRank())
    return op.emitOpError("expected stream to name a dimension of ")
           << op.getType() << ", got " << stream->getDim();
  if (stream->getChunks() < 0)
    return op.emitOpError("expected a number of chunks, got ")
           << stream->getChunks();
  return success();
}

LogicalResult AllocOp::verify() {
  if (failed(verifyStream(*this)))
    return failure();
  return verifyNewBuffer(*this, getType(), getSizes().size(), getStrideOrder());
}

// workspace_c1, workspace_c2, workspace_c3
LogicalResult WorkspaceOp::verify() {
  if (static_cast<int32_t>(getNumber()) < 0)
    return emitOpError("expected a number of at least 0, got ")
           << static_cast<int32_t>(getNumber());
  return verifyNewBuffer(*this, getType(), getSizes().size(), std::nullopt);
}

// dealloc_c1
LogicalResult DeallocOp::verify() {
  if (auto arg = dyn_cast<BlockArgument>(getBuffer())) {
    auto func = dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
    if (func && arg.getOwner()->isEntryBlock()) {
      InFlightDiagnostic diag = emitOpError(
          "expected a buffer of the program, got an input, which is the "
          "caller's");
      diag.attachNote(arg.getLoc()) << "the input is here";
      return diag;
    }
  }
  if (auto output = getBuffer().getDefiningOp<OutputOp>()) {
    InFlightDiagnostic diag = emitOpError(
        "expected a buffer of the program, got an output, which is the "
        "caller's");
    diag.attachNote(output.getLoc()) << "the output is here";
    return diag;
  }
  if (auto workspace = getBuffer().getDefiningOp<WorkspaceOp>()) {
    InFlightDiagnostic diag = emitOpError(
        "expected a buffer of one call, got a workspace, which the program "
        "keeps");
    diag.attachNote(workspace.getLoc()) << "the workspace is here";
    return diag;
  }
  return success();
}

LogicalResult OutputOp::verify() {
  if (failed(verifyStream(*this)) ||
      failed(verifyNewBuffer(*this, getType(), getSizes().size(),
                             getStrideOrder())))
    return failure();
  return verifyOutputIndex(*this, getIndex(), getType());
}

LogicalResult OutputViewOp::verify() {
  MemRefType type = getView().getType();
  if (failed(verifyOutputIndex(*this, getIndex(), type)))
    return failure();
  FunctionOpInterface program = getProgram(*this);
  if (!program || !getInput())
    return success();
  // output_view_c2
  int64_t numInputs =
      llvm::count_if(program.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  int64_t input = *getInput();
  if (input >= 0 && input < numInputs)
    return success();
  InFlightDiagnostic diag = emitOpError("expected the number of one of ")
                            << numInputs
                            << " memref arguments of the program as input, got "
                            << input;
  diag.attachNote(program.getLoc()) << "the program is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// True if `a` comes before `b` in the function; ops in nested regions count
/// where their parent op in the common block is.
static bool isBefore(Operation *a, Operation *b) {
  for (Operation *x = a; x; x = x->getParentOp())
    if (Operation *y =
            x->getBlock() ? x->getBlock()->findAncestorOpInBlock(*b) : nullptr)
      return x != y && x->isBeforeInBlock(y);
  return false;
}

// declare_c1
LogicalResult DeclareOp::verify() {
  AliasOp first, second;
  for (OpOperand &use : getBuffer().getUses()) {
    auto alias = dyn_cast<AliasOp>(use.getOwner());
    if (!alias || use.getOperandNumber() != 0)
      continue;
    if (!first || isBefore(alias, first))
      std::swap(first, alias);
    if (alias && (!second || isBefore(alias, second)))
      second = alias;
  }
  if (!second)
    return success();
  InFlightDiagnostic diag =
      second.emitOpError("expected one alias for the name '")
      << getName() << "', got a second one";
  diag.attachNote(first.getLoc()) << "the name was aliased here";
  diag.attachNote(getLoc()) << "the name was declared here";
  return diag;
}

LogicalResult AliasOp::verify() {
  // alias_c1
  if (!getName().getDefiningOp<DeclareOp>()) {
    auto arg = dyn_cast<BlockArgument>(getName());
    bool isInput =
        arg &&
        isa_and_nonnull<FunctionOpInterface>(arg.getOwner()->getParentOp()) &&
        arg.getOwner()->isEntryBlock();
    InFlightDiagnostic diag =
        emitOpError("expected a name of host.declare to alias, got ")
        << (isInput ? "an input, which is a buffer already"
                    : "a buffer that exists already");
    diag.attachNote(getName().getLoc())
        << (isInput ? "the input is here" : "the buffer is here");
    return diag;
  }
  // alias_c2
  MemRefType name = getName().getType(), buffer = getBuffer().getType();
  if (name.getRank() == buffer.getRank() &&
      name.getElementType() == buffer.getElementType() &&
      name.getMemorySpace() == buffer.getMemorySpace()) {
    auto [nameStrides, nameOffset] = name.getStridesAndOffset();
    auto [bufferStrides, bufferOffset] = buffer.getStridesAndOffset();
    if (areCompatible(name.getShape(), buffer.getShape()) &&
        areCompatible(nameStrides, bufferStrides) &&
        areCompatible(nameOffset, bufferOffset))
      return success();
  }
  InFlightDiagnostic diag =
      emitOpError("expected a buffer whose type fits the name's, ")
      << name << ", got " << buffer;
  diag.attachNote(getName().getLoc()) << "the name was declared here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value SelectOp::getViewSource() { return getBuffer(); }
Value SliceOp::getViewSource() { return getBuffer(); }
Value RebaseOp::getViewSource() { return getBuffer(); }

/// select_c1, slice_c1.
static LogicalResult checkDim(std::optional<Location> loc, StringRef name,
                              MemRefType type, int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return emitOptionalError(loc, "'", name, "' op expected a dimension of ",
                           type, ", got ", dim);
}

// select_c2
LogicalResult SelectOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto type = dyn_cast<MemRefType>(adaptor.getBuffer().getType());
  if (!type || !type.isStrided())
    return emitOptionalError(loc, "'host.select' op expected a strided memref");
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, getOperationName(), type, dim)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  shape.erase(shape.begin() + dim);
  strides.erase(strides.begin() + dim);
  auto layout = StridedLayoutAttr::get(context, ShapedType::kDynamic, strides);
  inferred.push_back(MemRefType::get(shape, type.getElementType(), layout,
                                     type.getMemorySpace()));
  return success();
}

// slice_c2
LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = dyn_cast<MemRefType>(adaptor.getBuffer().getType());
  if (!type || !type.isStrided())
    return emitOptionalError(loc, "'host.slice' op expected a strided memref");
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, getOperationName(), type, dim)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(context, ShapedType::kDynamic,
                                       type.getStridesAndOffset().first);
  inferred.push_back(MemRefType::get(shape, type.getElementType(), layout,
                                     type.getMemorySpace()));
  return success();
}

LogicalResult RebaseOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto type = dyn_cast<MemRefType>(adaptor.getBuffer().getType());
  if (!type || !type.isStrided())
    return emitOptionalError(loc, "'host.rebase' op expected a strided memref");
  auto layout = StridedLayoutAttr::get(context, /*offset=*/0,
                                       type.getStridesAndOffset().first);
  inferred.push_back(MemRefType::get(type.getShape(), type.getElementType(),
                                     layout, type.getMemorySpace()));
  return success();
}
