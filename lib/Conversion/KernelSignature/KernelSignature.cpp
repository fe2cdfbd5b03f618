//===- KernelSignature.cpp - What a kernel takes at run time --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/KernelSignature.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"

namespace fuser {

using host::ParamAttr;
using host::ParamKind;

static void setKernelParams(Operation *kernel, ArrayRef<ParamAttr> params) {
  kernel->setAttr(
      host::kParamsAttrName,
      ArrayAttr::get(kernel->getContext(), SmallVector<Attribute>(params)));
}

//===----------------------------------------------------------------------===//
// Before the lowering
//===----------------------------------------------------------------------===//

/// kernel_r4: whether a bare pointer, sizes and strides can stand for argument
/// `index`, a memref of `type`.
static LogicalResult verifyMemRefArgument(FunctionOpInterface kernel,
                                          unsigned index, BaseMemRefType type) {
  auto emitError = [&](StringRef expected) -> LogicalResult {
    return kernel.emitError()
           << "argument #" << index << " of kernel '" << kernel.getName()
           << "': expected " << expected << ", got " << type;
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return emitError("a ranked memref");
  if (memref.getMemorySpace())
    return emitError("a memref in the default memory space");
  if (memref.getElementType().isInteger(1))
    return emitError("elements that memory can hold (i8 for i1)");
  if (!memref.getElementType().isIntOrFloat() ||
      !LLVM::isCompatibleType(memref.getElementType()))
    return emitError("integer or floating-point elements");
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return emitError("a strided layout");
  if (offset != 0)
    return emitError("a memref that begins at its base pointer (offset 0)");
  return success();
}

/// The parameters of one memref argument: its pointer, then its dynamic sizes,
/// then its dynamic strides.
static void appendMemRefParams(unsigned argument, MemRefType type,
                               SmallVectorImpl<ParamAttr> &params) {
  MLIRContext *context = type.getContext();
  params.push_back(ParamAttr::get(context, ParamKind::Pointer, argument));
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      params.push_back(ParamAttr::get(context, ParamKind::Size, argument, dim));
  for (auto [dim, stride] : llvm::enumerate(type.getStridesAndOffset().first))
    if (ShapedType::isDynamic(stride))
      params.push_back(
          ParamAttr::get(context, ParamKind::Stride, argument, dim));
}

FailureOr<SmallVector<ParamAttr>> getAllKernelParams(FunctionOpInterface kernel,
                                                     unsigned numHidden) {
  if (kernel.getNumResults() != 0)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "': expected no results, got "
           << kernel.getNumResults();
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (types.size() < numHidden)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "': expected at least "
           << numHidden << " arguments, got " << types.size();
  SmallVector<ParamAttr> params;
  for (auto [index, type] : llvm::enumerate(types.drop_back(numHidden))) {
    if (auto memref = dyn_cast<BaseMemRefType>(type)) {
      if (failed(verifyMemRefArgument(kernel, index, memref)))
        return failure();
      appendMemRefParams(index, cast<MemRefType>(memref), params);
      continue;
    }
    if (!type.isIndex() && !type.isIntOrFloat())
      return kernel.emitError()
             << "argument #" << index << " of kernel '" << kernel.getName()
             << "': expected a memref or a scalar, got " << type;
    params.push_back(
        ParamAttr::get(kernel.getContext(), ParamKind::Scalar, index));
  }
  return params;
}

/// The LLVM attributes of the pointer that stands for argument `index`.
static DictionaryAttr getPointerAttrs(FunctionOpInterface kernel,
                                      unsigned index, MemRefType type) {
  Builder builder(kernel.getContext());
  uint64_t alignment =
      llvm::divideCeil(type.getElementTypeBitWidth(), 8); // the element's size
  if (auto attr =
          kernel.getArgAttrOfType<IntegerAttr>(index, kAlignmentAttrName))
    alignment = std::max<uint64_t>(alignment, attr.getInt());
  SmallVector<NamedAttribute> attrs;
  attrs.push_back(builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                                       builder.getI64IntegerAttr(alignment)));
  if (kernel.getArgAttr(index, kNoAliasAttrName))
    attrs.push_back(builder.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
  return builder.getDictionaryAttr(attrs);
}

namespace {
/// Rewrites the arguments of one kernel. New arguments are put behind all old
/// ones, so that these keep their numbers until they are erased together.
class SignatureRewriter {
public:
  SignatureRewriter(FunctionOpInterface kernel,
                    const KernelSignatureOptions &options)
      : kernel(kernel), options(options),
        builder(OpBuilder::atBlockBegin(&kernel.getFunctionBody().front())),
        converter(kernel.getContext()),
        numOld(kernel.getNumArguments() - options.numHidden) {}

  LogicalResult rewrite(ArrayRef<ParamAttr> params);

private:
  LogicalResult insertArgument(ParamAttr param);
  Value getParamValue(unsigned param);
  Value buildMemRef(MemRefType type, ArrayRef<ParamAttr> params,
                    unsigned first);
  Value buildScalar(Type type, Value param);

  FunctionOpInterface kernel;
  const KernelSignatureOptions &options;
  OpBuilder builder;
  LLVMTypeConverter converter;
  unsigned numOld;
};
} // namespace

/// Inserts the argument for `param` before the hidden ones.
LogicalResult SignatureRewriter::insertArgument(ParamAttr param) {
  Type old = kernel.getArgumentTypes()[param.getArgument()];
  Type type = builder.getI64Type();
  DictionaryAttr attrs = builder.getDictionaryAttr({});
  if (param.getKind() == ParamKind::Pointer) {
    type =
        LLVM::LLVMPointerType::get(kernel.getContext(), options.addressSpace);
    attrs = getPointerAttrs(kernel, param.getArgument(), cast<MemRefType>(old));
  } else if (param.getKind() == ParamKind::Scalar && !old.isIndex()) {
    type = old;
  }
  Location loc = kernel.getArgument(param.getArgument()).getLoc();
  unsigned position = kernel.getNumArguments() - options.numHidden;
  return kernel.insertArgument(position, type, attrs, loc);
}

Value SignatureRewriter::getParamValue(unsigned param) {
  return kernel.getArgument(numOld + param);
}

/// The memref whose parameters begin at `params[first]`, as a descriptor cast
/// to `type`.
Value SignatureRewriter::buildMemRef(MemRefType type,
                                     ArrayRef<ParamAttr> params,
                                     unsigned first) {
  Location loc = kernel.getLoc();
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  Value pointer = getParamValue(first);
  if (pointer.getType() != descriptor.getElementPtrType())
    pointer = LLVM::AddrSpaceCastOp::create(
        builder, loc, descriptor.getElementPtrType(), pointer);
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  auto [strides, offset] = type.getStridesAndOffset();
  (void)offset;
  for (int64_t dim = 0; dim != type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      descriptor.setConstantSize(builder, loc, dim, type.getDimSize(dim));
    if (!ShapedType::isDynamic(strides[dim]))
      descriptor.setConstantStride(builder, loc, dim, strides[dim]);
  }
  unsigned argument = params[first].getArgument();
  for (unsigned i = first + 1;
       i != params.size() && params[i].getArgument() == argument; ++i) {
    if (params[i].getKind() == ParamKind::Size)
      descriptor.setSize(builder, loc, *params[i].getDim(), getParamValue(i));
    else
      descriptor.setStride(builder, loc, *params[i].getDim(), getParamValue(i));
  }
  Value result = descriptor;
  return UnrealizedConversionCastOp::create(builder, loc, type, result)
      .getResult(0);
}

Value SignatureRewriter::buildScalar(Type type, Value param) {
  if (param.getType() == type)
    return param;
  return arith::IndexCastOp::create(builder, kernel.getLoc(), type, param);
}

LogicalResult SignatureRewriter::rewrite(ArrayRef<ParamAttr> params) {
  for (ParamAttr param : params)
    if (failed(insertArgument(param)))
      return failure();
  for (auto [i, param] : llvm::enumerate(params)) {
    BlockArgument old = kernel.getArgument(param.getArgument());
    if (param.getKind() == ParamKind::Pointer)
      old.replaceAllUsesWith(
          buildMemRef(cast<MemRefType>(old.getType()), params, i));
    else if (param.getKind() == ParamKind::Scalar)
      old.replaceAllUsesWith(buildScalar(old.getType(), getParamValue(i)));
  }
  // Not FunctionOpInterface::eraseArguments: it looks all arguments of the
  // block up in a bit vector as long as the signature, also a gpu.func's
  // buffers in shared memory, which come after it.
  SmallVector<DictionaryAttr> attrs;
  kernel.getAllArgAttrs(attrs);
  auto types = llvm::to_vector(kernel.getArgumentTypes().drop_front(numOld));
  kernel.setType(kernel.cloneTypeWith(types, kernel.getResultTypes()));
  kernel.setAllArgAttrs(ArrayRef(attrs).drop_front(numOld));
  kernel.getFunctionBody().front().eraseArguments(0, numOld);
  return success();
}

LogicalResult lowerKernelSignature(FunctionOpInterface kernel,
                                   const KernelSignatureOptions &options) {
  FailureOr<SmallVector<ParamAttr>> params =
      getAllKernelParams(kernel, options.numHidden);
  if (failed(params))
    return failure();
  if (kernel.isExternal())
    return kernel.emitError() << "kernel '" << kernel.getName()
                              << "': expected a body, got a declaration";
  if (failed(SignatureRewriter(kernel, options).rewrite(*params)))
    return failure();
  setKernelParams(kernel, *params);
  return success();
}

//===----------------------------------------------------------------------===//
// After the lowering
//===----------------------------------------------------------------------===//

/// extractvalue (insertvalue a, v at i) at i => v, and so on, and then what is
/// dead.
static void foldDescriptors(LLVM::LLVMFuncOp kernel) {
  kernel.walk([](LLVM::ExtractValueOp op) {
    SmallVector<OpFoldResult, 1> folded;
    if (failed(op->fold(folded)) || folded.size() != 1)
      return;
    if (auto value = dyn_cast<Value>(folded.front()); value && value != op) {
      op.getResult().replaceAllUsesWith(value);
      op.erase();
    }
  });
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());
}

LogicalResult pruneKernelParams(LLVM::LLVMFuncOp kernel) {
  FailureOr<SmallVector<ParamAttr>> params = host::getKernelParams(kernel);
  if (failed(params))
    return failure();
  if (params->size() > kernel.getNumArguments())
    return kernel.emitOpError()
           << "expected no more parameters in '" << host::kParamsAttrName
           << "' than arguments, got " << params->size() << " for "
           << kernel.getNumArguments();
  foldDescriptors(kernel);
  llvm::BitVector erased(kernel.getNumArguments());
  SmallVector<ParamAttr> kept;
  for (auto [i, param] : llvm::enumerate(*params)) {
    bool mayDrop = param.getKind() == ParamKind::Size ||
                   param.getKind() == ParamKind::Stride;
    if (mayDrop && kernel.getArgument(i).use_empty())
      erased.set(i);
    else
      kept.push_back(param);
  }
  // Not eraseArguments: it fails for an LLVM function that returns void.
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!erased.test(i))
      types.push_back(type);
  function_interface_impl::eraseFunctionArguments(
      kernel, erased,
      LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(),
                                  types));
  setKernelParams(kernel, kept);
  return success();
}

SmallVector<Value> loadKernelParams(OpBuilder &b, Location loc, TypeRange types,
                                    Value params) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(types)) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, params,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value address = LLVM::LoadOp::create(b, loc, pointer, slot);
    // An i1 lies in memory as a byte.
    bool isBool = type.isInteger(1);
    Value value = LLVM::LoadOp::create(
        b, loc, isBool ? Type(b.getI8Type()) : type, address);
    if (isBool)
      value = LLVM::TruncOp::create(b, loc, type, value);
    values.push_back(value);
  }
  return values;
}

} // namespace fuser
