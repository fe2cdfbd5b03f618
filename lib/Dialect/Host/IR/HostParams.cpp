//===- HostParams.cpp - Parameters of kernels -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/DialectImplementation.h"

using namespace fuser;
using namespace fuser::host;
using mlir::nvgpu::TensorMapDescriptorType;
using mlir::nvgpu::TensorMapInterleaveKind;
using mlir::nvgpu::TensorMapOOBKind;
using mlir::nvgpu::TensorMapSwizzleKind;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// size 0 dim 1
// tensor_map 0 as !nvgpu.tensormap.descriptor<...>
ParseResult ParamAttr::parseBody(AsmParser &parser, ParamAttr &attr) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<ParamKind> kind = symbolizeParamKind(name);
  if (!kind)
    return parser.emitError(
               loc, "expected pointer, size, stride, scalar or tensor_map, got "
                    "'")
           << name << "'";
  unsigned argument = 0;
  std::optional<unsigned> dim;
  Type descriptor;
  if (parser.parseInteger(argument) ||
      (succeeded(parser.parseOptionalKeyword("dim")) &&
       parser.parseInteger(dim.emplace())) ||
      (succeeded(parser.parseOptionalKeyword("as")) &&
       parser.parseType(descriptor)))
    return failure();
  attr = ParamAttr::getChecked([&] { return parser.emitError(loc); },
                               parser.getContext(), *kind, argument, dim,
                               descriptor);
  return success(attr != nullptr);
}

void ParamAttr::printBody(raw_ostream &os) const {
  os << stringifyParamKind(getKind()) << ' ' << getArgument();
  if (getDim())
    os << " dim " << *getDim();
  if (getDescriptor())
    os << " as " << getDescriptor();
}

Attribute ParamAttr::parse(AsmParser &parser, Type) {
  ParamAttr attr;
  if (parser.parseLess() || parseBody(parser, attr) || parser.parseGreater())
    return {};
  return attr;
}

void ParamAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer.getStream());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// What lies in memory for elements of `type`: i1 takes a byte, and integers
/// have no sign.
static Type getStoredType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return type;
  unsigned width = integer.getWidth() == 1 ? 8 : integer.getWidth();
  return IntegerType::get(type.getContext(), width);
}

// param_c3
static LogicalResult verifyBox(EmitError emitError, MemRefType box,
                               bool isInterleaved) {
  int64_t leastRank = isInterleaved ? 3 : 1;
  if (box.getRank() < leastRank || box.getRank() > 5)
    return emitError() << "expected a box of rank " << leastRank
                       << " to 5 of a tensor map, got " << box;
  auto isAllowed = [](int64_t size) { return size >= 1 && size <= 256; };
  if (!llvm::all_of(box.getShape(), isAllowed))
    return emitError()
           << "expected a box with sizes of 1 to 256 of a tensor map, got "
           << box;
  return success();
}

// param_c4
static LogicalResult verifyElements(EmitError emitError, MemRefType box) {
  Type type = getStoredType(box.getElementType());
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      (type.isInteger() &&
       llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth())))
    return success();
  return emitError() << "expected elements of a tensor map to be integers of "
                        "1, 8, 16, 32 or 64 bits, f16, bf16, f32 or f64, got "
                     << box.getElementType();
}

// param_c5
static LogicalResult verifyRow(EmitError emitError,
                               TensorMapDescriptorType map) {
  TensorMapSwizzleKind swizzle = map.getSwizzle();
  TensorMapInterleaveKind interleave = map.getInterleave();
  if (interleave == TensorMapInterleaveKind::INTERLEAVE_32B &&
      swizzle != TensorMapSwizzleKind::SWIZZLE_32B)
    return emitError() << "expected swizzle_32b of a tensor map with "
                          "interleave_32b, got "
                       << stringifyTensorMapSwizzleKind(swizzle);
  if (interleave != TensorMapInterleaveKind::INTERLEAVE_NONE)
    return success();
  MemRefType box = map.getTensor();
  int64_t bytes = box.getShape().back() *
                  getStoredType(box.getElementType()).getIntOrFloatBitWidth() /
                  8;
  if (bytes % 16 != 0)
    return emitError() << "expected the last dimension of a tensor map's box "
                          "to take a multiple of 16 bytes, got "
                       << bytes << " bytes of " << box;
  int64_t span = int64_t(16) << static_cast<int64_t>(swizzle);
  if (swizzle != TensorMapSwizzleKind::SWIZZLE_NONE && bytes > span)
    return emitError() << "expected the last dimension of a tensor map's box "
                          "to take at most the "
                       << span << " bytes of its swizzle, got " << bytes
                       << " bytes of " << box;
  return success();
}

static LogicalResult verifyTensorMap(EmitError emitError,
                                     TensorMapDescriptorType map) {
  MemRefType box = map.getTensor();
  bool isInterleaved =
      map.getInterleave() != TensorMapInterleaveKind::INTERLEAVE_NONE;
  if (failed(verifyBox(emitError, box, isInterleaved)) ||
      failed(verifyElements(emitError, box)) ||
      failed(verifyRow(emitError, map)))
    return failure();
  // param_c6
  if (map.getOob() == TensorMapOOBKind::OOB_NAN &&
      !isa<FloatType>(box.getElementType()))
    return emitError() << "expected zeros out of the bounds of a tensor map of "
                       << box.getElementType() << ", got NaN, which only a "
                       << "float can be";
  return success();
}

// launch_c8
LogicalResult ParamAttr::verifyTensor(EmitError emitError,
                                      MemRefType tensor) const {
  MemRefType box = cast<TensorMapDescriptorType>(getDescriptor()).getTensor();
  if (tensor.getRank() != box.getRank() ||
      getStoredType(tensor.getElementType()) !=
          getStoredType(box.getElementType()))
    return emitError() << "argument " << getArgument()
                       << " to have the rank and the elements of the tensor "
                          "map's box, "
                       << box << ", got " << tensor;
  int64_t stride = tensor.getStridesAndOffset().first.back();
  if (tensor.getShape().back() == 1 || stride == 1 ||
      ShapedType::isDynamic(stride))
    return success();
  return emitError() << "elements of the last dimension of argument "
                     << getArgument()
                     << " side by side, as a tensor map asks for, got "
                     << tensor;
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult ParamAttr::verify(EmitError emitError, ParamKind kind, unsigned,
                                std::optional<unsigned> dim, Type descriptor) {
  // param_c1
  bool hasDim = kind == ParamKind::Size || kind == ParamKind::Stride;
  if (hasDim != dim.has_value())
    return emitError() << "expected " << (hasDim ? "a" : "no")
                       << " dimension ('dim') of a " << stringifyParamKind(kind)
                       << ", got " << (hasDim ? "none" : "one");
  // param_c2
  auto map = dyn_cast_if_present<TensorMapDescriptorType>(descriptor);
  if (kind == ParamKind::TensorMap) {
    if (map)
      return verifyTensorMap(emitError, map);
    return emitError() << "expected an !nvgpu.tensormap.descriptor ('as') of a "
                          "tensor_map, got "
                       << (descriptor ? "another type" : "none");
  }
  if (descriptor)
    return emitError() << "expected no descriptor ('as') of a "
                       << stringifyParamKind(kind) << ", got one";
  return success();
}
