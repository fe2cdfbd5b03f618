//===- HostDialect.cpp - The host dialect ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace fuser;
using namespace fuser::host;

Value StridedView::create(OpBuilder &builder, Location loc,
                          Value buffer) const {
  auto getStatic = [](OpFoldResult number) {
    return getConstantIntValue(number).value_or(ShapedType::kDynamic);
  };
  // A constant that is known as a value too is a constant of the type.
  auto settle = [&](OpFoldResult number) -> OpFoldResult {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      return builder.getIndexAttr(*constant);
    return number;
  };
  auto getType = [&](int64_t offset) {
    auto layout = StridedLayoutAttr::get(
        builder.getContext(), offset, llvm::map_to_vector(strides, getStatic));
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return MemRefType::get(shape, element, layout);
  };
  MemRefType type = getType(getStatic(offset));
  // MLIR folds a cast to the type that the buffer has, also if its strides are
  // others at run time.
  if (type == buffer.getType() && !llvm::all_of(strides, getConstantIntValue))
    type = getType(ShapedType::kDynamic);
  return memref::ReinterpretCastOp::create(
      builder, loc, type, buffer, settle(offset), sizes,
      llvm::map_to_vector(strides, settle));
}

#include "fuser/Dialect/Host/IR/HostDialect.cpp.inc"
#include "fuser/Dialect/Host/IR/HostEnums.cpp.inc"
#include "fuser/Dialect/Host/IR/HostOpInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "fuser/Dialect/Host/IR/HostTypes.cpp.inc"

void HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "fuser/Dialect/Host/IR/HostOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "fuser/Dialect/Host/IR/HostTypes.cpp.inc"
      >();
  registerAttributes();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::optional<bool> host::isContiguous(MemRefType type,
                                       ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  if (llvm::is_contained(type.getShape(), 0))
    return true;
  bool isKnown = true;
  int64_t next = 1;
  for (int64_t dim : llvm::reverse(order)) {
    int64_t size = type.getDimSize(dim);
    if (size == 1)
      continue;
    // A dynamic stride of a row-major type is the product by definition.
    bool isProduct = type.getLayout().isIdentity() && llvm::is_sorted(order);
    bool isOpen =
        ShapedType::isDynamic(strides[dim]) || ShapedType::isDynamic(next);
    if (!isOpen && strides[dim] != next && !ShapedType::isDynamic(size))
      return false;
    if (!isProduct && (isOpen || strides[dim] != next))
      isKnown = false;
    next = ShapedType::isDynamic(size) || ShapedType::isDynamic(next)
               ? ShapedType::kDynamic
               : next * size;
  }
  if (isKnown)
    return true;
  return std::nullopt;
}

SmallVector<int64_t> host::getDenseStrides(ArrayRef<int64_t> sizes,
                                           ArrayRef<int64_t> strideOrder) {
  int64_t rank = sizes.size();
  SmallVector<int64_t> strides(rank);
  int64_t stride = 1;
  for (int64_t k = rank - 1; k >= 0; --k) {
    int64_t dim = strideOrder.empty() ? k : strideOrder[k];
    strides[dim] = stride;
    bool isStatic =
        !ShapedType::isDynamic(stride) && !ShapedType::isDynamic(sizes[dim]);
    stride = isStatic ? stride * sizes[dim] : ShapedType::kDynamic;
  }
  return strides;
}

MemRefType host::getDenseBufferType(ArrayRef<int64_t> sizes, Type elementType,
                                    ArrayRef<int64_t> strideOrder) {
  if (llvm::is_sorted(strideOrder))
    return MemRefType::get(sizes, elementType);
  auto layout = StridedLayoutAttr::get(elementType.getContext(), /*offset=*/0,
                                       getDenseStrides(sizes, strideOrder));
  return MemRefType::get(sizes, elementType, layout);
}

//===----------------------------------------------------------------------===//
// host.program
//===----------------------------------------------------------------------===//

/// True if a value of the type fits into the 8 bytes of a scalar slot.
static bool isScalarType(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

// sizes_c1
static LogicalResult verifySizes(Operation *op, Attribute attr) {
  auto sizes = dyn_cast<ArrayAttr>(attr);
  std::set<int64_t> seen; // Of any number.
  bool isList = sizes && llvm::all_of(sizes, [&](Attribute size) {
                  auto of = dyn_cast<SizeAttr>(size);
                  return of && seen.insert(of.getSymbol()).second;
                });
  if (isList && isa<FunctionOpInterface>(op))
    return success();
  return op->emitOpError("expected '")
         << kSizesAttrName
         << "' on a function, an array of #host.size, each of another symbol, "
            "got "
         << attr;
}

LogicalResult HostDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == kSizesAttrName)
    return verifySizes(op, attr.getValue());
  if (attr.getName() != kProgramAttrName)
    return op->emitError("expected no attribute '")
           << attr.getName().getValue()
           << "' of the host dialect on an op, it has only '"
           << kProgramAttrName << "' and '" << kSizesAttrName << "'";
  auto func = dyn_cast<FunctionOpInterface>(op); // program_c1
  if (!func)
    return op->emitOpError("expected '")
           << kProgramAttrName << "' on a function, got it on another op";
  // program_c2
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (!isa<MemRefType>(type) && !isScalarType(type))
      return op->emitOpError("expected argument ")
             << i
             << " of a host program to be a memref, index, or an integer or "
                "float of at most 64 bits, got "
             << type;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (!isa<MemRefType>(type))
      return op->emitOpError("expected result ")
             << i << " of a host program to be a memref, got " << type;
  return success();
}
