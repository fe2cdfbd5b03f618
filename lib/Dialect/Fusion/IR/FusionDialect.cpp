//===- FusionDialect.cpp - Registration, attributes of functions ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeSyntax.h"
#include "fuser/Dialect/Fusion/CompositeInterface.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace fuser;
using namespace fuser::fusion;

#include "fuser/Dialect/Fusion/IR/FusionDialect.cpp.inc"

namespace {
/// A function of tensors may stand for a piece of a program.
struct FusionInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void FusionDialect::initialize() {
  addInterfaces<FusionInliner>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "fuser/Dialect/Fusion/IR/FusionOps.cpp.inc"
      >();
}

std::optional<Dialect::ParseOpHook>
FusionDialect::getParseOperationHook(StringRef opName) const {
  opName.consume_front("fusion.");
  const CompositeInterface *expansion = CompositeInterface::get(getContext());
  if (!expansion || !expansion->contains(opName))
    return std::nullopt;
  return ParseOpHook(parseNamedComposite);
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

// stride_order_c1
LogicalResult
fusion::verifyStrideOrder(Attribute attr, Type type,
                          function_ref<InFlightDiagnostic()> emitError) {
  auto order = dyn_cast<DenseI64ArrayAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!order)
    return emitError() << "expected an i64 array, the dimensions from slowest "
                          "to fastest, got "
                       << attr;
  if (!tensor)
    return emitError() << "expected a ranked tensor to give an order of "
                          "strides to, got "
                       << type;
  llvm::SmallBitVector seen(tensor.getRank());
  bool valid = order.size() == tensor.getRank();
  for (int64_t dim : order.asArrayRef()) {
    valid = valid && dim >= 0 && dim < tensor.getRank() && !seen.test(dim);
    if (valid)
      seen.set(dim);
  }
  if (!valid)
    return emitError() << "expected each of the " << tensor.getRank()
                       << " dimensions of " << type << " once, got " << attr;
  return success();
}

// name_c1
static LogicalResult verifyName(Attribute attr,
                                function_ref<InFlightDiagnostic()> emitError) {
  auto name = dyn_cast<StringAttr>(attr);
  if (!name || name.empty())
    return emitError() << "expected a string that is not empty, got " << attr;
  return success();
}

/// A page: no allocator promises more.
static constexpr uint64_t kMaxAlignment = 4096;

// alignment_c1
static LogicalResult
verifyAlignment(Attribute attr, function_ref<InFlightDiagnostic()> emitError) {
  auto alignment = dyn_cast<IntegerAttr>(attr);
  if (!alignment || !alignment.getType().isInteger(64) ||
      !alignment.getValue().isPowerOf2() ||
      alignment.getValue().ugt(kMaxAlignment))
    return emitError()
           << "expected an i64, a number of bytes that is a power of two up to "
           << kMaxAlignment << ", got " << attr;
  return success();
}

// specialized_c1
static LogicalResult
verifySpecialized(Attribute attr,
                  function_ref<InFlightDiagnostic()> emitError) {
  if (isa<UnitAttr>(attr))
    return success();
  return emitError() << "expected a unit attribute, got " << attr;
}

// complex_mark_c1
static LogicalResult
verifyComplex(Attribute attr, Type type,
              function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool fits =
      tensor && tensor.getRank() > 0 && tensor.getShape().back() == 2 &&
      (tensor.getElementType().isF32() || tensor.getElementType().isF64());
  if (isa<UnitAttr>(attr) && fits)
    return success();
  return emitError() << "expected a unit attribute of a tensor of f32 or f64 "
                        "whose last dimension is 2, got "
                     << attr << " for " << type;
}

// packed_mark_c1
static LogicalResult
verifyPacked(Attribute attr, Type type,
             function_ref<InFlightDiagnostic()> emitError) {
  auto element = dyn_cast<TypeAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (element && isPackedElement(element.getValue()) && tensor &&
      tensor.getRank() > 0 && tensor.getElementType().isUnsignedInteger(8))
    return success();
  return emitError() << "expected f4E2M1FN on a tensor of ui8 of at least one "
                        "dimension, got "
                     << attr << " for " << type;
}

/// Divisors whose least common multiples fit into 64 bits.
static constexpr int64_t kMaxDivisor = 1 << 20;

/// A number for each dimension of a tensor, of which `verifyNumber` says in
/// what it is wrong for a dimension of that size.
static LogicalResult verifySizeNumbers(
    Attribute attr, Type type, function_ref<InFlightDiagnostic()> emitError,
    function_ref<LogicalResult(int64_t dim, int64_t number, int64_t size)>
        verifyNumber) {
  // divisors_c1, bounds_c1, lower_bounds_c1
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!numbers || !tensor || numbers.size() != tensor.getRank())
    return emitError() << "expected an i64 array with a number for each "
                          "dimension of a ranked tensor, got "
                       << attr << " for " << type;
  for (auto [dim, number, size] :
       llvm::enumerate(numbers.asArrayRef(), tensor.getShape()))
    if (failed(verifyNumber(dim, number, size)))
      return failure();
  return success();
}

static LogicalResult
verifyDivisors(Attribute attr, Type type,
               function_ref<InFlightDiagnostic()> emitError) {
  auto verifyDivisor = [&](int64_t dim, int64_t divisor,
                           int64_t size) -> LogicalResult {
    // divisors_c2
    if (divisor < 1 || divisor > kMaxDivisor)
      return emitError() << "expected divisors of 1 to " << kMaxDivisor
                         << ", got " << divisor << " for dimension " << dim;
    // divisors_c3
    if (!ShapedType::isDynamic(size) && size % divisor != 0)
      return emitError() << "expected dimension " << dim
                         << " to be a multiple of " << divisor << ", got "
                         << type;
    return success();
  };
  return verifySizeNumbers(attr, type, emitError, verifyDivisor);
}

static LogicalResult
verifyBounds(Attribute attr, Type type,
             function_ref<InFlightDiagnostic()> emitError) {
  auto verifyBound = [&](int64_t dim, int64_t bound,
                         int64_t size) -> LogicalResult {
    // bounds_c2
    if (bound < -1)
      return emitError() << "expected bounds of at least 0, or -1 for none, "
                            "got "
                         << bound << " for dimension " << dim;
    // bounds_c3
    if (!ShapedType::isDynamic(size) && bound >= 0 && size > bound)
      return emitError() << "expected dimension " << dim << " to be at most "
                         << bound << ", got " << type;
    return success();
  };
  return verifySizeNumbers(attr, type, emitError, verifyBound);
}

static LogicalResult
verifyLowerBounds(Attribute attr, Type type,
                  function_ref<InFlightDiagnostic()> emitError) {
  auto verifyLowerBound = [&](int64_t dim, int64_t bound,
                              int64_t size) -> LogicalResult {
    // lower_bounds_c2
    if (bound < 0)
      return emitError() << "expected lower bounds of at least 0, got " << bound
                         << " for dimension " << dim;
    // lower_bounds_c3
    if (!ShapedType::isDynamic(size) && size < bound)
      return emitError() << "expected dimension " << dim << " to be at least "
                         << bound << ", got " << type;
    return success();
  };
  return verifySizeNumbers(attr, type, emitError, verifyLowerBound);
}

LogicalResult FusionDialect::verifyRegionArgAttribute(Operation *op,
                                                      unsigned regionIndex,
                                                      unsigned argIndex,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName();
  auto emitError = [&]() {
    return op->emitOpError()
           << "argument " << argIndex << ": '" << name << "': ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitError() << "expected a function to carry it";
  Type type = function.getArgumentTypes()[argIndex];
  if (name == getNameAttrName())
    return verifyName(attr.getValue(), emitError);
  if (name == getAlignmentAttrName())
    return verifyAlignment(attr.getValue(), emitError);
  if (name == getSpecializedAttrName())
    return verifySpecialized(attr.getValue(), emitError);
  if (name == getStrideOrderAttrName() || name == getClassStrideOrderAttrName())
    return verifyStrideOrder(attr.getValue(), type, emitError);
  if (name == getComplexAttrName())
    return verifyComplex(attr.getValue(), type, emitError);
  if (name == getPackedAttrName())
    return verifyPacked(attr.getValue(), type, emitError);
  if (name == getDivisorsAttrName() || name == getClassDivisorsAttrName())
    return verifyDivisors(attr.getValue(), type, emitError);
  if (name == getBoundsAttrName() || name == getClassBoundsAttrName())
    return verifyBounds(attr.getValue(), type, emitError);
  if (name == getClassLowerBoundsAttrName())
    return verifyLowerBounds(attr.getValue(), type, emitError);
  // attribute_c1
  if (name != getLayoutAttrName())
    return emitError() << "unknown attribute of an argument";
  // layout_c1
  auto layout = dyn_cast<StringAttr>(attr.getValue());
  if (!layout || layout.getValue() != "any")
    return emitError() << "expected \"any\", got " << attr.getValue();
  return success();
}

static LogicalResult verifyAlias(FunctionOpInterface function, unsigned result,
                                 Attribute attr,
                                 function_ref<InFlightDiagnostic()> emitError) {
  auto alias = dyn_cast<AliasAttr>(attr);
  if (!alias)
    return emitError() << "expected #fusion.alias<...>, got " << attr;
  if (alias.getKind() == AliasKind::New)
    return success();
  // alias_c2
  int64_t inputs = function.getNumArguments();
  if (alias.getInput() < 0 || alias.getInput() >= inputs)
    return emitError() << "expected the number of one of the " << inputs
                       << " inputs, got " << alias.getInput();
  Type input = function.getArgumentTypes()[alias.getInput()];
  if (!isa<RankedTensorType>(input))
    return emitError() << "expected input " << alias.getInput()
                       << " to be a tensor, got " << input;
  // alias_c3
  Type type = function.getResultTypes()[result];
  if (alias.getKind() == AliasKind::Evaluate) {
    if (getElementTypeOrSelf(input) == getElementTypeOrSelf(type))
      return success();
    return emitError() << "expected a view to have the element type of input "
                       << alias.getInput() << ", got " << type << " and "
                       << input;
  }
  if (input != type)
    return emitError() << "expected input " << alias.getInput()
                       << " to have the result's type " << type << ", got "
                       << input;
  // alias_c4
  for (unsigned other = 0; other < result; ++other) {
    auto before = function.getResultAttrOfType<AliasAttr>(
        other, FusionDialect::getAliasAttrName());
    if (before && before == alias)
      return emitError() << "expected each input to be reused once, got input "
                         << alias.getInput() << " for results " << other
                         << " and " << result;
  }
  return success();
}

LogicalResult FusionDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned regionIndex,
                                                         unsigned resultIndex,
                                                         NamedAttribute attr) {
  StringRef name = attr.getName();
  auto emitError = [&]() {
    return op->emitOpError()
           << "result " << resultIndex << ": '" << name << "': ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitError() << "expected a function to carry it";
  Type type = function.getResultTypes()[resultIndex];
  if (name == getNameAttrName())
    return verifyName(attr.getValue(), emitError);
  if (name == getAlignmentAttrName())
    return verifyAlignment(attr.getValue(), emitError);
  if (name == getSpecializedAttrName())
    return verifySpecialized(attr.getValue(), emitError);
  if (name == getStrideOrderAttrName() || name == getStrideOrderHintAttrName())
    return verifyStrideOrder(attr.getValue(), type, emitError);
  if (name == getComplexAttrName())
    return verifyComplex(attr.getValue(), type, emitError);
  if (name == getPackedAttrName())
    return verifyPacked(attr.getValue(), type, emitError);
  if (name == getAliasAttrName())
    return verifyAlias(function, resultIndex, attr.getValue(), emitError);
  return emitError() << "unknown attribute of a result";
}

static LogicalResult
verifyExactness(Operation *op, Attribute attr,
                function_ref<InFlightDiagnostic()> emitError) {
  // exactness_c1
  if (!isa<ExactnessAttr>(attr))
    return emitError() << "expected #fusion.exactness<...>, got " << attr;
  // exactness_c2
  if (!hasApproximateForm(op))
    return emitError() << "expected an op that computes f32 and can be "
                          "approximated";
  // exactness_c3
  bool isSummand = cast<ExactnessAttr>(attr).getValue() == Exactness::Summand;
  if (isSummand && !isa<ExpOp>(op))
    return emitError() << "expected an exp, which has a form as a summand";
  return success();
}

static LogicalResult verifyKeep(Operation *op, Attribute attr,
                                function_ref<InFlightDiagnostic()> emitError) {
  // keep_c1
  if (!isa<KeepAttr>(attr))
    return emitError() << "expected #fusion.keep<...>, got " << attr;
  // keep_c2
  if (!isa<ElementwiseOpInterface>(op) || !isa<SegmentOp>(op->getParentOp()))
    return emitError() << "expected an element-wise op in a segment";
  return success();
}

static LogicalResult
verifyForward(Operation *op, Attribute attr,
              function_ref<InFlightDiagnostic()> emitError) {
  // forward_c1
  if (!isa<UnitAttr>(attr))
    return emitError() << "expected a unit attribute, got " << attr;
  // forward_c2
  if (!isa<TensorOpInterface>(op) ||
      isa<SegmentOp, CollectiveOpInterface, FibreOpInterface>(op))
    return emitError() << "expected an op on tensors that segments can compute "
                          "again, neither a segment, a communication nor one "
                          "that computes fibres";
  // forward_c3
  if (isa<SegmentOp>(op->getParentOp()))
    return emitError() << "expected an op outside of segments, which says what "
                          "segments compute again, got one in a segment";
  return success();
}

static LogicalResult
verifyEqualDims(Operation *op, Attribute attr,
                function_ref<InFlightDiagnostic()> emitError) {
  auto map = dyn_cast<IndexMapOpInterface>(op);
  auto dims = dyn_cast<DenseI64ArrayAttr>(attr);
  bool isReshape = map && map.keepsLinearOrder();
  auto to = isReshape ? cast<RankedTensorType>(op->getResult(0).getType())
                      : RankedTensorType();
  // equal_dims_c1
  if (!isReshape || !dims || dims.size() != to.getRank())
    return emitError() << "expected an i64 array with a number for each "
                          "dimension of a reshape's result, got "
                       << attr;
  auto from =
      cast<RankedTensorType>(getTensorOperands(op).front()->get().getType());
  for (auto [dim, source] : llvm::enumerate(dims.asArrayRef()))
    // equal_dims_c2
    if (source != -1 && (source < 0 || source >= from.getRank() ||
                         !to.isDynamicDim(dim) || !from.isDynamicDim(source)))
      return emitError()
             << "expected -1, or an open dimension of the input for "
                "one of the result, got "
             << source << " for dimension " << dim;
  return success();
}

// target_c1
static LogicalResult
verifyTarget(Operation *op, Attribute attr,
             function_ref<InFlightDiagnostic()> emitError) {
  if (!isa<FunctionOpInterface>(op))
    return emitError() << "expected a function to carry it";
  return verifyName(attr, emitError);
}

// ring_c1
static LogicalResult verifyRing(Operation *op, Attribute attr,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (!isa<UnitAttr>(attr) || !isa<ModuleOp>(op))
    return emitError() << "expected a unit attribute of a builtin.module, got "
                       << attr << " of a " << op->getName();
  return success();
}

// sizes_checked_c1
static LogicalResult
verifySizesChecked(Operation *op, Attribute attr,
                   function_ref<InFlightDiagnostic()> emitError) {
  if (!isa<UnitAttr>(attr) || !isa<FunctionOpInterface>(op))
    return emitError() << "expected a unit attribute of a function, got "
                       << attr << " of a " << op->getName();
  return success();
}

LogicalResult FusionDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName();
  auto emitError = [&]() { return op->emitOpError() << "'" << name << "': "; };
  if (name == getForwardAttrName())
    return verifyForward(op, attr.getValue(), emitError);
  if (name == getExactnessAttrName())
    return verifyExactness(op, attr.getValue(), emitError);
  if (name == getKeepAttrName())
    return verifyKeep(op, attr.getValue(), emitError);
  if (name == getEqualDimsAttrName())
    return verifyEqualDims(op, attr.getValue(), emitError);
  if (name == getTargetAttrName())
    return verifyTarget(op, attr.getValue(), emitError);
  if (name == getRingAttrName())
    return verifyRing(op, attr.getValue(), emitError);
  if (name == getSizesCheckedAttrName())
    return verifySizesChecked(op, attr.getValue(), emitError);
  // attribute_c1
  if (name != getStrideOrderHintAttrName())
    return emitError() << "unknown attribute of an op";
  if (op->getNumResults() != 1)
    return emitError() << "expected an op with one result, got "
                       << op->getNumResults();
  return verifyStrideOrder(attr.getValue(), op->getResult(0).getType(),
                           emitError);
}
