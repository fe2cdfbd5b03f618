//===- RingArithmetic.cpp - Floats as integers of a ring ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three walks: one that finds an error before anything has changed, one that
// gives all values their new types, and one over the ops that compute, whose
// operands are integers by then.
//
//===----------------------------------------------------------------------===//

#include "fuser/Transforms/RingArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace fuser;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static constexpr uint64_t kMultiplier1 = 0xBF58476D1CE4E5B9;
static constexpr uint64_t kMultiplier2 = 0x94D049BB133111EB;

static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 32)) * kMultiplier1;
  value = (value ^ (value >> 29)) * kMultiplier2;
  return value ^ (value >> 32);
}

APInt fuser::getRingConstant(const APFloat &value, unsigned width) {
  if (value.isInfinity())
    return value.isNegative() ? APInt::getSignedMinValue(width)
                              : APInt::getSignedMaxValue(width);
  APFloat wide = value;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double number = wide.convertToDouble();
  constexpr double kEnd = 0x1p15;
  if (number >= -kEnd && number < kEnd && number == std::trunc(number))
    return APInt(width, static_cast<int64_t>(number), /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  wide.clearSign();
  auto magnitude =
      static_cast<int64_t>(mix(wide.bitcastToAPInt().getZExtValue()) & 0x7fff);
  return APInt(width, value.isNegative() ? -magnitude : magnitude,
               /*isSigned=*/true, /*implicitTrunc=*/true);
}

//===----------------------------------------------------------------------===//
// What becomes of ops
//===----------------------------------------------------------------------===//

namespace {
/// How an op that has floats is rewritten.
enum class Rule {
  Moves, ///< It stays. What it says of floats (a reduction's kind) changes.
  Constant,
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  Negate,
  Absolute,
  CopySign,
  Max,
  Min,
  Clamp,
  Compare,
  ExtendSign,  ///< Extends the sign, or cuts off.
  ExtendZeros, ///< Of integers that are not negative.
  Operand,     ///< Roundings to integers: the operand.
  Bits,        ///< The operand as another type of as many bits.
  Never,
  Always,
  Hash,
  HashEach ///< One for each result.
};
} // namespace

static std::optional<Rule> getArithRule(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Rule>>(op)
      .Case<arith::SelectOp>([](auto) { return Rule::Moves; })
      .Case<arith::ConstantOp>([](auto) { return Rule::Constant; })
      .Case<arith::AddFOp>([](auto) { return Rule::Add; })
      .Case<arith::SubFOp>([](auto) { return Rule::Subtract; })
      .Case<arith::MulFOp>([](auto) { return Rule::Multiply; })
      .Case<arith::NegFOp>([](auto) { return Rule::Negate; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([](auto) { return Rule::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([](auto) { return Rule::Min; })
      .Case<arith::CmpFOp>([](auto) { return Rule::Compare; })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp,
            arith::FPToUIOp>([](auto) { return Rule::ExtendSign; })
      .Case<arith::UIToFPOp>([](auto) { return Rule::ExtendZeros; })
      .Case<arith::BitcastOp>([](auto) { return Rule::Bits; })
      .Case<arith::DivFOp, arith::RemFOp>([](auto) { return Rule::Hash; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<Rule> getMathRule(Operation *op) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  return llvm::TypeSwitch<Operation *, std::optional<Rule>>(op)
      .Case<math::FmaOp>([](auto) { return Rule::MultiplyAdd; })
      .Case<math::AbsFOp>([](auto) { return Rule::Absolute; })
      .Case<math::CopySignOp>([](auto) { return Rule::CopySign; })
      .Case<math::ClampFOp>([](auto) { return Rule::Clamp; })
      .Case<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
            math::TruncOp>([](auto) { return Rule::Operand; })
      .Case<math::IsNaNOp, math::IsInfOp>([](auto) { return Rule::Never; })
      .Case<math::IsFiniteOp>([](auto) { return Rule::Always; })
      .Case<math::SincosOp>([](auto) { return Rule::HashEach; })
      .Default([&](Operation *op) -> std::optional<Rule> {
        if (op->getNumResults() == 1 && isFloat(op->getResult(0).getType()))
          return Rule::Hash;
        return std::nullopt;
      });
}

/// The ops of these dialects move elements, unless they compute as others here
/// do. Matrix instructions round as each GPU does.
static std::optional<Rule> getMovingRule(Operation *op) {
  if (isa<vector::FMAOp>(op))
    return Rule::MultiplyAdd;
  if (isa<vector::BitCastOp>(op))
    return Rule::Bits;
  auto isMatrix = [](Type type) { return isa<gpu::MMAMatrixType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isMatrix) ||
      llvm::any_of(op->getResultTypes(), isMatrix) ||
      isa<memref::GlobalOp, memref::GetGlobalOp>(op))
    return std::nullopt;
  if (isa<cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
          index::IndexDialect, memref::MemRefDialect, scf::SCFDialect,
          ub::UBDialect, vector::VectorDialect>(op->getDialect()))
    return Rule::Moves;
  return std::nullopt;
}

/// None if the op has no meaning in the ring.
static std::optional<Rule> getRule(Operation *op) {
  if (!op->getDialect())
    return std::nullopt;
  if (isa<arith::ArithDialect>(op->getDialect()))
    return getArithRule(op);
  if (isa<math::MathDialect>(op->getDialect()))
    return getMathRule(op);
  return getMovingRule(op);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The first float in `type`, if it has any.
static FloatType findFloat(Type type) {
  FloatType found;
  type.walk([&](FloatType part) {
    found = part;
    return WalkResult::interrupt();
  });
  return found;
}

/// Calls `visit` for the types of all values that `op` takes, gives or defines,
/// and of the function that it is.
static void forEachType(Operation *op, llvm::function_ref<void(Type)> visit) {
  for (Type type : op->getOperandTypes())
    visit(type);
  for (Type type : op->getResultTypes())
    visit(type);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        visit(type);
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    visit(function.getFunctionType());
}

static SmallVector<FloatType> findFloats(Operation *op) {
  SmallVector<FloatType> floats;
  forEachType(op, [&](Type type) {
    if (FloatType found = findFloat(type))
      floats.push_back(found);
  });
  return floats;
}

/// Elements of memory have whole bytes.
static bool hasInteger(FloatType type) {
  return type.getWidth() % 8 == 0 && type.getWidth() <= 64;
}

static AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  // What is none has no values: marks of arguments name it.
  replacer.addReplacement([](FloatType type) -> Type {
    if (!hasInteger(type))
      return type;
    return IntegerType::get(type.getContext(), type.getWidth());
  });
  // No element, but a number that an attribute says.
  using Replaced = std::pair<Attribute, WalkResult>;
  replacer.addReplacement([](FloatAttr number) -> std::optional<Replaced> {
    return Replaced(number, WalkResult::skip());
  });
  return replacer;
}

static void replaceTypes(Operation *op, AttrTypeReplacer &replacer) {
  for (Value result : op->getResults())
    result.setType(replacer.replace(result.getType()));
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      argument.setType(replacer.replace(argument.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : llvm::drop_begin(region))
      for (BlockArgument argument : block.getArguments())
        argument.setType(replacer.replace(argument.getType()));
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  function.setType(
      replacer.replace(cast<FunctionType>(function.getFunctionType())));
  // What they say of arguments may name their element types.
  if (ArrayAttr attrs = function.getArgAttrsAttr())
    function.setArgAttrsAttr(cast<ArrayAttr>(replacer.replace(attrs)));
  if (ArrayAttr attrs = function.getResAttrsAttr())
    function.setResAttrsAttr(cast<ArrayAttr>(replacer.replace(attrs)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static unsigned getWidth(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

namespace {
/// Emits what stands for one op, whose values are integers.
class RingEmitter {
public:
  explicit RingEmitter(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  /// A value for each result.
  SmallVector<Value> emit(Rule rule);

private:
  Value operand(unsigned number) { return op->getOperand(number); }
  Type type() { return op->getResult(0).getType(); }
  template <typename OpT>
  Value create(Value lhs, Value rhs) {
    return OpT::create(b, loc, lhs, rhs);
  }
  Value constant(Type type, uint64_t value);
  Value negate(Value value) {
    return create<arith::SubIOp>(constant(value.getType(), 0), value);
  }
  Value isNegative(Value value) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value,
                                 constant(value.getType(), 0));
  }
  Value resize(Value value, unsigned width, bool isSigned = true);

  Value emitOne(Rule rule);
  Value emitConstant();
  Value emitCompare();
  Value emitCopySign();
  Value emitBits();
  Value emitHash(StringRef name);

  Operation *op;
  OpBuilder b;
  Location loc;
};
} // namespace

Value RingEmitter::constant(Type type, uint64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = b.getIntegerAttr(
      element, APInt(element.getIntOrFloatBitWidth(), value, /*isSigned=*/false,
                     /*implicitTrunc=*/true));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value RingEmitter::resize(Value value, unsigned width, bool isSigned) {
  Type element = b.getIntegerType(width);
  auto vector = dyn_cast<VectorType>(value.getType());
  Type to = vector ? Type(vector.clone(element)) : element;
  unsigned from = getWidth(value);
  if (from == width)
    return value;
  if (from > width)
    return arith::TruncIOp::create(b, loc, to, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, to, value);
  return arith::ExtUIOp::create(b, loc, to, value);
}

Value RingEmitter::emitConstant() {
  TypedAttr attr = cast<arith::ConstantOp>(op).getValue();
  Type element = getElementTypeOrSelf(type());
  unsigned width = element.getIntOrFloatBitWidth();
  if (auto number = dyn_cast<FloatAttr>(attr))
    attr = b.getIntegerAttr(element, getRingConstant(number.getValue(), width));
  else
    attr = cast<DenseFPElementsAttr>(attr).mapValues(
        element,
        [&](const APFloat &value) { return getRingConstant(value, width); });
  return arith::ConstantOp::create(b, loc, attr);
}

/// Of what is never NaN, ordered and unordered comparisons are the same.
Value RingEmitter::emitCompare() {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  auto compare = [&](I predicate) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, operand(0), operand(1));
  };
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case F::OEQ:
  case F::UEQ:
    return compare(I::eq);
  case F::ONE:
  case F::UNE:
    return compare(I::ne);
  case F::OLT:
  case F::ULT:
    return compare(I::slt);
  case F::OLE:
  case F::ULE:
    return compare(I::sle);
  case F::OGT:
  case F::UGT:
    return compare(I::sgt);
  case F::OGE:
  case F::UGE:
    return compare(I::sge);
  case F::AlwaysFalse:
  case F::UNO:
    return constant(type(), 0);
  case F::AlwaysTrue:
  case F::ORD:
    return constant(type(), 1);
  }
  llvm_unreachable("all predicates are above");
}

Value RingEmitter::emitCopySign() {
  Value differs = isNegative(create<arith::XOrIOp>(operand(0), operand(1)));
  return arith::SelectOp::create(b, loc, differs, negate(operand(0)),
                                 operand(0));
}

Value RingEmitter::emitBits() {
  if (operand(0).getType() == type())
    return operand(0);
  if (isa<vector::BitCastOp>(op))
    return vector::BitCastOp::create(b, loc, type(), operand(0));
  return arith::BitcastOp::create(b, loc, type(), operand(0));
}

/// The low bits of a hash of 64 bits, of the name and of the operands with
/// their signs extended: the hash of a value is the same, as far as it goes,
/// whichever type carries it.
Value RingEmitter::emitHash(StringRef name) {
  Value hash;
  for (Value each : op->getOperands()) {
    Value bits = resize(each, 64);
    Type wide = bits.getType();
    hash = create<arith::AddIOp>(
        bits, hash ? hash : constant(wide, llvm::xxh3_64bits(name)));
    for (uint64_t multiplier : {kMultiplier1, kMultiplier2}) {
      hash = create<arith::MulIOp>(hash, constant(wide, multiplier));
      Value high = create<arith::ShRUIOp>(hash, constant(wide, 32));
      hash = create<arith::XOrIOp>(hash, high);
    }
  }
  return resize(hash, getWidth(op->getResult(0)));
}

Value RingEmitter::emitOne(Rule rule) {
  switch (rule) {
  case Rule::Moves:
  case Rule::HashEach:
    break;
  case Rule::Constant:
    return emitConstant();
  case Rule::Add:
    return create<arith::AddIOp>(operand(0), operand(1));
  case Rule::Subtract:
    return create<arith::SubIOp>(operand(0), operand(1));
  case Rule::Multiply:
    return create<arith::MulIOp>(operand(0), operand(1));
  case Rule::MultiplyAdd:
    return create<arith::AddIOp>(create<arith::MulIOp>(operand(0), operand(1)),
                                 operand(2));
  case Rule::Negate:
    return negate(operand(0));
  case Rule::Absolute:
    return create<arith::MaxSIOp>(operand(0), negate(operand(0)));
  case Rule::CopySign:
    return emitCopySign();
  case Rule::Max:
    return create<arith::MaxSIOp>(operand(0), operand(1));
  case Rule::Min:
    return create<arith::MinSIOp>(operand(0), operand(1));
  case Rule::Clamp:
    return create<arith::MinSIOp>(
        create<arith::MaxSIOp>(operand(0), operand(1)), operand(2));
  case Rule::Compare:
    return emitCompare();
  case Rule::ExtendSign:
    return resize(operand(0), getWidth(op->getResult(0)));
  case Rule::ExtendZeros:
    return resize(operand(0), getWidth(op->getResult(0)), /*isSigned=*/false);
  case Rule::Operand:
    return operand(0);
  case Rule::Bits:
    return emitBits();
  case Rule::Never:
    return constant(type(), 0);
  case Rule::Always:
    return constant(type(), 1);
  case Rule::Hash:
    return emitHash(op->getName().stripDialect());
  }
  llvm_unreachable("these have no single value");
}

SmallVector<Value> RingEmitter::emit(Rule rule) {
  if (rule == Rule::HashEach)
    return {emitHash("sin"), emitHash("cos")};
  return {emitOne(rule)};
}

//===----------------------------------------------------------------------===//
// Ops that move elements and combine them
//===----------------------------------------------------------------------===//

static vector::CombiningKind convertKind(vector::CombiningKind kind) {
  using K = vector::CombiningKind;
  if (kind == K::MAXIMUMF || kind == K::MAXNUMF)
    return K::MAXSI;
  if (kind == K::MINIMUMF || kind == K::MINNUMF)
    return K::MINSI;
  return kind;
}

static gpu::AllReduceOperation convertKind(gpu::AllReduceOperation kind) {
  using K = gpu::AllReduceOperation;
  if (kind == K::MAXIMUMF || kind == K::MAXNUMF)
    return K::MAXSI;
  if (kind == K::MINIMUMF || kind == K::MINNUMF)
    return K::MINSI;
  return kind;
}

static arith::AtomicRMWKind convertKind(arith::AtomicRMWKind kind) {
  using K = arith::AtomicRMWKind;
  switch (kind) {
  case K::addf:
    return K::addi;
  case K::mulf:
    return K::muli;
  case K::maximumf:
  case K::maxnumf:
    return K::maxs;
  case K::minimumf:
  case K::minnumf:
    return K::mins;
  default:
    return kind;
  }
}

static void convertKinds(Operation *op) {
  // Its kind is an integer attribute like any other.
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    atomic.setKind(convertKind(atomic.getKind()));
  MLIRContext *context = op->getContext();
  auto convert = [&](auto attr) -> Attribute {
    return decltype(attr)::get(context, convertKind(attr.getValue()));
  };
  for (NamedAttribute named : op->getAttrs()) {
    Attribute attr =
        llvm::TypeSwitch<Attribute, Attribute>(named.getValue())
            .Case<vector::CombiningKindAttr, gpu::AllReduceOperationAttr>(
                convert)
            .Case([&](arith::FastMathFlagsAttr) {
              return arith::FastMathFlagsAttr::get(context, {});
            })
            .Default(Attribute());
    if (attr)
      op->setAttr(named.getName(), attr);
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static LogicalResult verifyOp(Operation *op, ArrayRef<FloatType> floats,
                              CheckMoved check) {
  for (FloatType type : floats)
    if (!hasInteger(type))
      return op->emitOpError() << "expected floats of 8, 16, 32 or 64 bits in "
                                  "the exact arithmetic, got "
                               << type;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && !isa<FloatAttr, DenseFPElementsAttr>(constant.getValue()))
    return op->emitOpError() << "expected the numbers of a constant in the "
                                "exact arithmetic, got "
                             << constant.getValue();
  if (getRule(op))
    return success();
  if (check)
    return check(op);
  return op->emitOpError()
         << "has no meaning in the exact arithmetic: expected an op that moves "
            "floats, or one of arith or math that gives one";
}

LogicalResult fuser::replaceFloatsByRing(Operation *root, CheckMoved check) {
  SmallVector<Operation *> found;
  WalkResult result = root->walk([&](Operation *op) {
    SmallVector<FloatType> floats = findFloats(op);
    if (floats.empty())
      return WalkResult::advance();
    found.push_back(op);
    return WalkResult(verifyOp(op, floats, check));
  });
  if (result.wasInterrupted())
    return failure();
  // By the types that ops have before.
  SmallVector<std::pair<Operation *, Rule>> computing;
  for (Operation *op : found) {
    Rule rule = getRule(op).value_or(Rule::Moves);
    if (rule == Rule::Moves)
      convertKinds(op);
    else
      computing.push_back({op, rule});
  }
  AttrTypeReplacer replacer = makeReplacer();
  for (Operation *op : found)
    replaceTypes(op, replacer);
  for (auto [op, rule] : computing) {
    op->replaceAllUsesWith(RingEmitter(op).emit(rule));
    op->erase();
  }
  return success();
}
