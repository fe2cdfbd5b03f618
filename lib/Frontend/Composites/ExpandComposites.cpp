//===- ExpandComposites.cpp - Ops by name in text -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emitter.h"
#include "fuser/Dialect/Fusion/CompositeInterface.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Frontend/LenientOps.h"
#include "fuser/Frontend/Passes.h"
#include "fuser/Support/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace fuser;
using namespace fuser::frontend;

namespace fuser::frontend {
#define GEN_PASS_DEF_EXPANDCOMPOSITESPASS
#include "fuser/Frontend/Passes.h.inc"
} // namespace fuser::frontend

/// The integer as builders have it: an i64. Null if it is none.
static IntegerAttr normalizeInteger(IntegerAttr integer) {
  if (!integer || !integer.getValue().isSignedIntN(64))
    return {};
  return Builder(integer.getContext())
      .getI64IntegerAttr(integer.getValue().getSExtValue());
}

/// As builders have it: integers are i64, lists are dense, with open numbers
/// for units, and element types are names. Flags stay: none is an integer, but
/// in lists. Null: there is no such attribute.
static Attribute normalize(Attribute attribute) {
  Builder b(attribute.getContext());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1) ? integer : normalizeInteger(integer);
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return b.getStringAttr(getElementTypeName(type.getValue()));
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return attribute;
  if (!list.empty() && llvm::all_of(list, llvm::IsaPred<FloatAttr>))
    return b.getDenseF64ArrayAttr(llvm::map_to_vector(list, [](Attribute each) {
      return cast<FloatAttr>(each).getValueAsDouble();
    }));
  SmallVector<int64_t> integers;
  for (Attribute each : list) {
    if (isa<UnitAttr>(each)) {
      integers.push_back(ShapedType::kDynamic);
      continue;
    }
    if (auto flag = dyn_cast<BoolAttr>(each)) {
      integers.push_back(flag.getValue());
      continue;
    }
    IntegerAttr integer = normalizeInteger(dyn_cast<IntegerAttr>(each));
    if (!integer)
      return {};
    integers.push_back(integer.getInt());
  }
  return b.getDenseI64ArrayAttr(integers);
}

/// Whether a list has the number that builders have for an open one.
static bool hasLeastInteger(Attribute attribute) {
  if (auto dense = dyn_cast<DenseI64ArrayAttr>(attribute))
    return llvm::is_contained(dense.asArrayRef(), ShapedType::kDynamic);
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::any_of(list, [](Attribute each) {
           auto integer = dyn_cast<IntegerAttr>(each);
           return integer && integer.getValue().isSignedIntN(64) &&
                  ShapedType::isDynamic(integer.getValue().getSExtValue());
         });
}

static FailureOr<DictionaryAttr> getOptions(fusion::CompositeOp op) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : op.getOptions()) {
    if (hasLeastInteger(attribute.getValue()))
      return op.emitOpError("expected numbers greater than -2^63 in the list '")
             << attribute.getName().getValue()
             << "', got -2^63: 'unit' stands for an operand";
    Attribute value = normalize(attribute.getValue());
    if (!value)
      return op.emitOpError("expected a flag, an integer of 64 bits, an "
                            "element type, a string, or a list of numbers as '")
             << attribute.getName().getValue() << "', got "
             << attribute.getValue();
    attributes.set(attribute.getName(), value);
  }
  return attributes.getDictionary(op.getContext());
}

static Value makeOperand(OpBuilder &b, Location loc, OpFoldResult operand) {
  if (auto number = dyn_cast<Attribute>(operand))
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(number));
  Value value = cast<Value>(operand);
  if (!value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
}

/// What else an argument's type has to be.
static InFlightDiagnostic explain(fusion::CompositeOp op,
                                  const SizeDemand &demand) {
  return op.emitOpError("'")
         << op.getName() << "' has a meaning only if dimension " << demand.dim
         << " of argument " << demand.argument.getArgNumber() << " is "
         << demand.size << ": state it in the type, "
         << demand.argument.getType() << (demand.advice.empty() ? "" : "; ")
         << demand.advice;
}

/// Emits what the op is made of in front of it.
static FailureOr<SmallVector<Value>> emit(fusion::CompositeOp op) {
  OpBuilder b(op);
  FailureOr<DictionaryAttr> attributes = getOptions(op);
  if (failed(attributes))
    return failure();
  auto operands =
      llvm::map_to_vector(op.getMixedOperands(), [&](OpFoldResult operand) {
        return makeOperand(b, op.getLoc(), operand);
      });
  std::optional<SizeDemand> demand;
  FailureOr<SmallVector<Value>> emitted =
      emitOp(b, addRequest(op.getLoc(), op.getName()),
             {op.getName(), operands, *attributes}, demand);
  if (failed(emitted) && demand)
    return explain(op, *demand);
  return emitted;
}

/// `value` with the type that the program has for it, in which sizes may be
/// open that are known here; null if it is of another one.
static Value toDeclaredType(OpBuilder &b, Location loc, Value value,
                            Type declared) {
  if (value.getType() == declared)
    return value;
  auto from = dyn_cast<RankedTensorType>(value.getType());
  auto to = dyn_cast<RankedTensorType>(declared);
  if (!from || !to || from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return {};
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(to.getShape())) {
    if (!ShapedType::isDynamic(size) && size != from.getDimSize(dim))
      return {};
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          b.createOrFold<tensor::DimOp>(loc, value, static_cast<int64_t>(dim)));
  }
  return createReshape(b, loc, value, to, std::move(sizes));
}

static LogicalResult expand(fusion::CompositeOp op) {
  FailureOr<SmallVector<Value>> emitted = emit(op);
  if (failed(emitted))
    return failure();
  SmallVector<Type> types(ValueRange(*emitted).getTypes());
  OpBuilder b(op);
  SmallVector<Value> results;
  // Results that the program does not name are left out.
  for (auto [value, declared] : llvm::zip(*emitted, op.getResultTypes()))
    results.push_back(toDeclaredType(b, op.getLoc(), value, declared));
  if (results.size() != op.getNumResults() ||
      llvm::is_contained(results, Value()))
    return op.emitOpError("'")
           << op.getName() << "' has results of types (" << types << "), got ("
           << op.getResultTypes() << ")";
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Types of results
//===----------------------------------------------------------------------===//

namespace {
/// Emits an op beside the program, of values that are nobody's.
struct Expansion : fusion::CompositeInterface {
  using CompositeInterface::CompositeInterface;

  bool contains(StringRef name) const override { return isOpName(name); }

  FailureOr<SmallVector<Type>>
  inferTypes(Location loc, StringAttr name, ArrayRef<Type> types,
             ArrayRef<int64_t> positions, ArrayAttr numbers,
             DictionaryAttr options) const override {
    Block block;
    OpBuilder b(loc.getContext());
    b.setInsertionPointToEnd(&block);
    auto operands = llvm::map_to_vector(types, [&](Type type) -> Value {
      return UnrealizedConversionCastOp::create(b, loc, type, ValueRange())
          .getResult(0);
    });
    auto op = fusion::CompositeOp::create(b, loc, TypeRange(), name, operands,
                                          b.getDenseI64ArrayAttr(positions),
                                          numbers, options);
    if (failed(mlir::verify(op)))
      return failure();
    FailureOr<SmallVector<Value>> results = emit(op);
    if (failed(results))
      return failure();
    return llvm::to_vector(ValueRange(*results).getTypes());
  }
};
} // namespace

void frontend::registerComposites(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, fusion::FusionDialect *dialect) {
    dialect->addInterfaces<Expansion>();
  });
}

namespace {
struct ExpandCompositesPass
    : frontend::impl::ExpandCompositesPassBase<ExpandCompositesPass> {
  void runOnOperation() override {
    SmallVector<fusion::CompositeOp> ops;
    getOperation().walk([&](fusion::CompositeOp op) { ops.push_back(op); });
    for (fusion::CompositeOp op : ops)
      if (failed(expand(op)))
        return signalPassFailure();
  }
};
} // namespace
