//===- DecomposePacked.cpp - Packed tensors as bytes ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code is the bits of a number, in a byte of its own: three for the place
// among 0, 0.5, 1, 1.5, 2, 3, 4 and 6, and the sign above them. The numbers of
// places grow ever faster, so that they are the greatest of straight lines, and
// the place of a number the least of others.
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Reals.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace fuser::fusion {
#define GEN_PASS_DEF_DECOMPOSEPACKEDPASS
#include "fuser/Dialect/Fusion/Transforms/Passes.h.inc"
} // namespace fuser::fusion

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

bool fusion::isPackedTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isPackedElement(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

static constexpr int kSignBit = 8, kPlaces = 7, kBitsOfCode = 4;

// The greatest of k / 2, k - 2 and 2 k - 8.
static Real decode(Real code) {
  OpBuilder &b = code.at->builder;
  Real k = convert(apply<AndOp>(code, kPlaces), b.getF32Type());
  Real size = apply<MaxOp>(apply<MaxOp>(k * 0.5, k - 2.0), k * 2.0 - 8.0);
  Truth isNegative = compare(CmpPredicate::Ge, code, kSignBit);
  return select(isNegative, -size, size);
}

// The least of 2 x, x + 2, x / 2 + 4 and 7, each rounded: what is between two
// numbers is so between their places, and goes to the even one from the middle.
// Of NaN there is no place, and the sign is that of no positive number.
static Real encode(Real number) {
  OpBuilder &b = number.at->builder;
  Real x = convert(number, b.getF32Type()), size = apply<AbsOp>(x);
  Real low = apply<RoundOp>(size * 2.0), middle = apply<RoundOp>(size) + 2.0,
       high = apply<RoundOp>(size * 0.5) + 4.0;
  Real least = apply<MinOp>(apply<MinOp>(low, middle),
                            apply<MinOp>(high, double(kPlaces)));
  Real place = convert(
      least, IntegerType::get(b.getContext(), 8, IntegerType::Unsigned));
  Truth isNegative = fusion::isNegative(x) | isNaN(x);
  return select(isNegative, apply<OrOp>(place, kSignBit), place);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// How far up in a byte each of two codes is, for pairs of such a type.
static Real makeShifts(Place &place, RankedTensorType type, ValueRange open) {
  OpBuilder &b = place.builder;
  auto makeScalar = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, place.loc, b.getI8IntegerAttr(value));
  };
  return {&place,
          IotaOp::create(b, place.loc, type, type.getRank() - 1,
                         ValueRange{makeScalar(0), makeScalar(kBitsOfCode)},
                         open)};
}

/// Memory has no half of a byte: of an open size the program checks that.
static void checkIsEven(Place &place, Size size) {
  if (!size.open)
    return;
  OpBuilder &b = place.builder;
  Value two = arith::ConstantIndexOp::create(b, place.loc, 2),
        zero = arith::ConstantIndexOp::create(b, place.loc, 0);
  Value rest = arith::RemUIOp::create(b, place.loc, size.open, two);
  Value isEven =
      arith::CmpIOp::create(b, place.loc, arith::CmpIPredicate::eq, rest, zero);
  CheckOp::create(b, place.loc, isEven,
                  "expected an even last dimension, of which two elements lie "
                  "in a byte, got {0}",
                  size.open);
}

/// The first of two neighbours is the low half. A sum of pairs is in the kernel
/// that makes the codes; slices of what is computed would be in another one.
static Value pack(Place &place, Value codes) {
  SmallVector<Size> sizes = getSizes(place, codes);
  checkIsEven(place, sizes.back());
  sizes.back() = getHalf(place, sizes.back());
  sizes.push_back({2, Value()});
  Real pairs{&place, reshapeTo(place, codes, sizes)};
  Real shifts = makeShifts(place, withSizes(codes, sizes), getOpen(sizes));
  int64_t last = sizes.size() - 1;
  return ReduceOp::create(place.builder, place.loc, ReduceKind::Sum,
                          apply<ShlOp>(pairs, shifts).value, ArrayRef(last),
                          /*keep=*/false);
}

/// Each byte twice, shifted by the place of the code in it.
static Value unpack(Place &place, Value bytes) {
  OpBuilder &b = place.builder;
  SmallVector<Size> sizes = getSizes(place, bytes);
  SmallVector<Size> joined = sizes;
  joined.back() = getTwice(place, joined.back());
  int64_t last = sizes.size();
  Value column = BroadcastOp::create(b, place.loc, bytes, ArrayRef(last));
  sizes.push_back({2, Value()});
  RankedTensorType type = withSizes(bytes, sizes);
  Real twice{&place,
             ExpandOp::create(b, place.loc, type, column, ValueRange())};
  Real codes = apply<ShruOp>(twice, makeShifts(place, type, getOpen(sizes)));
  return reshapeTo(place, apply<AndOp>(codes, 15).value, joined);
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static RankedTensorType getBytesType(RankedTensorType packed) {
  SmallVector<int64_t> shape(packed.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() /= 2;
  return RankedTensorType::get(
      shape, IntegerType::get(packed.getContext(), 8, IntegerType::Unsigned));
}

/// Fails if memory cannot have bytes of such a tensor.
static LogicalResult verifyPairs(RankedTensorType type, DictionaryAttr attrs,
                                 function_ref<InFlightDiagnostic()> emitError) {
  int64_t rank = type.getRank();
  if (rank == 0 ||
      (!type.isDynamicDim(rank - 1) && type.getShape().back() % 2 != 0))
    return emitError() << "expected an even last dimension, of which two "
                          "elements lie in a byte, got "
                       << type;
  auto order = attrs ? attrs.getAs<DenseI64ArrayAttr>(
                           FusionDialect::getStrideOrderAttrName())
                     : DenseI64ArrayAttr();
  if (order && order.asArrayRef().back() != rank - 1)
    return emitError() << "expected the last dimension, of which two elements "
                          "lie in a byte, to be the fastest, got the order "
                       << order;
  return success();
}

/// Divisors and bounds of elements as those of bytes: there are twice as many
/// elements, of which an odd divisor says as much of bytes.
static NamedAttrList convertAttrs(DictionaryAttr attrs, Type element,
                                  MLIRContext *context) {
  using D = FusionDialect;
  NamedAttrList converted(attrs);
  for (StringRef name :
       {D::getDivisorsAttrName(), D::getClassDivisorsAttrName(),
        D::getBoundsAttrName(), D::getClassBoundsAttrName(),
        D::getClassLowerBoundsAttrName()}) {
    auto attr = dyn_cast_or_null<DenseI64ArrayAttr>(converted.get(name));
    if (!attr)
      continue;
    bool isDivisor = name == D::getDivisorsAttrName() ||
                     name == D::getClassDivisorsAttrName();
    SmallVector<int64_t> all(attr.asArrayRef());
    if (!all.empty() && all.back() >= 0 && (!isDivisor || all.back() % 2 == 0))
      all.back() /= 2;
    converted.set(name, DenseI64ArrayAttr::get(context, all));
  }
  converted.erase(D::getStrideOrderHintAttrName());
  converted.set(D::getPackedAttrName(), TypeAttr::get(element));
  return converted;
}

namespace {
/// The packed tensors of a function as bytes and codes, whichever were asked
/// for.
class PackedTensors {
public:
  explicit PackedTensors(func::FuncOp function)
      : function(function), builder(function.getContext()),
        place{builder, function.getLoc()} {}

  LogicalResult run();

private:
  /// What is there of a tensor.
  struct Tensors {
    Value bytes, codes;
  };

  LogicalResult convertArguments();
  LogicalResult convertResults();
  LogicalResult decompose(Operation *op);
  void decomposeCast(CastOp op);
  void decomposeDim(tensor::DimOp op);
  void moveCodes(Operation *op);
  Value getCodes(Value tensor);
  Value getBytes(Value tensor);

  func::FuncOp function;
  OpBuilder builder;
  Place place;
  llvm::DenseMap<Value, Tensors> tensors;
};
} // namespace

LogicalResult PackedTensors::convertArguments() {
  MLIRContext *context = function.getContext();
  SmallVector<Type> types(function.getArgumentTypes());
  for (unsigned number = 0; number < types.size(); ++number) {
    if (!isPackedTensor(types[number]))
      continue;
    auto packed = cast<RankedTensorType>(types[number]);
    DictionaryAttr attrs = function.getArgAttrDict(number);
    auto emitError = [&]() -> InFlightDiagnostic {
      Location loc = function.isExternal()
                         ? function.getLoc()
                         : function.getArgument(number).getLoc();
      return mlir::emitError(loc) << "argument " << number << ": ";
    };
    if (failed(verifyPairs(packed, attrs, emitError)))
      return failure();
    types[number] = getBytesType(packed);
    function.setArgAttrs(number,
                         convertAttrs(attrs, packed.getElementType(), context)
                             .getDictionary(context));
    if (function.isExternal())
      continue;
    BlockArgument arg = function.getArgument(number);
    arg.setType(types[number]);
    tensors[arg] = {arg, Value()};
  }
  function.setFunctionType(
      FunctionType::get(context, types, function.getResultTypes()));
  return success();
}

LogicalResult PackedTensors::convertResults() {
  MLIRContext *context = function.getContext();
  SmallVector<Type> types(function.getResultTypes());
  for (unsigned number = 0; number < types.size(); ++number) {
    if (!isPackedTensor(types[number]))
      continue;
    auto packed = cast<RankedTensorType>(types[number]);
    DictionaryAttr attrs = function.getResultAttrDict(number);
    auto emitError = [&]() -> InFlightDiagnostic {
      return function.emitError() << "result " << number << ": ";
    };
    if (failed(verifyPairs(packed, attrs, emitError)))
      return failure();
    types[number] = getBytesType(packed);
    NamedAttrList converted =
        convertAttrs(attrs, packed.getElementType(), context);
    requireOrder(converted, packed.getRank(), context);
    function.setResultAttrs(number, converted.getDictionary(context));
  }
  function.setFunctionType(
      FunctionType::get(context, function.getArgumentTypes(), types));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value PackedTensors::getCodes(Value tensor) {
  Tensors &all = tensors[tensor];
  if (!all.codes)
    all.codes = unpack(place, all.bytes);
  return all.codes;
}

Value PackedTensors::getBytes(Value tensor) {
  Tensors &all = tensors[tensor];
  if (!all.bytes)
    all.bytes = pack(place, all.codes);
  return all.bytes;
}

void PackedTensors::decomposeCast(CastOp op) {
  if (isPackedTensor(op.getType())) {
    tensors[op] = {Value(), encode({&place, op.getInput()}).value};
    return;
  }
  Real number = decode({&place, getCodes(op.getInput())});
  op.replaceAllUsesWith(convert(number, op.getType().getElementType()).value);
}

void PackedTensors::decomposeDim(tensor::DimOp op) {
  const Tensors &source = tensors[op.getSource()];
  int64_t rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  std::optional<int64_t> dim = getConstantIntValue(op.getIndex());
  Value size;
  if (source.codes || !dim)
    size = tensor::DimOp::create(builder, place.loc, getCodes(op.getSource()),
                                 op.getIndex());
  else
    size = tensor::DimOp::create(builder, place.loc, source.bytes, *dim);
  if (!source.codes && dim == rank - 1)
    size = getTwice(place, {ShapedType::kDynamic, size}).open;
  op.replaceAllUsesWith(size);
}

/// Whether `op` moves codes as it moves elements: all that the verifier lets
/// have packed tensors does, but for casts.
static bool canMoveCodes(Operation *op) {
  return isa<IndexMapOpInterface, SetOp, SegmentSetOp, WhereOp>(op);
}

void PackedTensors::moveCodes(Operation *op) {
  IRMapping codes;
  for (Value operand : op->getOperands())
    if (tensors.contains(operand))
      codes.map(operand, getCodes(operand));
  Value result = builder.clone(*op, codes)->getResult(0);
  result.setType(cast<RankedTensorType>(result.getType())
                     .clone(builder.getIntegerType(8, /*isSigned=*/false)));
  tensors[op->getResult(0)] = {Value(), result};
}

LogicalResult PackedTensors::decompose(Operation *op) {
  builder.setInsertionPoint(op);
  place.loc = op->getLoc();
  if (isa<func::ReturnOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (tensors.contains(operand.get()))
        operand.set(getBytes(operand.get()));
    return success();
  }
  if (auto cast = dyn_cast<CastOp>(op)) {
    decomposeCast(cast);
    return success();
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    decomposeDim(dim);
    return success();
  }
  if (canMoveCodes(op)) {
    moveCodes(op);
    return success();
  }
  return op->emitOpError("is not supported on packed tensors, which are moved "
                         "and are cast to f32, f16 or bf16, and from these");
}

LogicalResult PackedTensors::run() {
  FailureOr<SmallVector<Operation *>> ops = collectOps(function, kPacked);
  if (failed(ops) || failed(convertArguments()) || failed(convertResults()))
    return failure();
  for (Operation *op : *ops)
    if (failed(decompose(op)))
      return failure();
  eraseOps(*ops);
  return success();
}

LogicalResult fusion::decomposePacked(func::FuncOp function) {
  return findTensor(function, kPacked) ? PackedTensors(function).run()
                                       : success();
}

namespace {
struct DecomposePackedPass
    : public fuser::fusion::impl::DecomposePackedPassBase<DecomposePackedPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(decomposePacked(getOperation())))
      signalPassFailure();
  }
};
} // namespace
