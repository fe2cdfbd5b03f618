//===- ExpandOps.cpp - Computations on buffers become calls ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fuser {
#define GEN_PASS_DEF_HOSTEXPANDOPSPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// The shapes of an op's buffers, with what they show of each other: the
/// `fusion` dialect wants a size that is known to be known everywhere.
class Shapes {
public:
  explicit Shapes(TensorOpInterface op) : op(op) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        shapes.push_back(llvm::to_vector(type.getShape()));
      else
        shapes.emplace_back();
  }

  /// Dimension `dim` of operand `a` is as large as `otherDim` of `b`.
  void join(unsigned a, int64_t dim, unsigned b, int64_t otherDim) {
    int64_t &x = shapes[a][dim], &y = shapes[b][otherDim];
    if (ShapedType::isDynamic(x))
      x = y;
    else if (ShapedType::isDynamic(y))
      y = x;
  }

  /// Along the dimensions of the result.
  void joinWithOut() {
    unsigned out = op.getOutOperand().getOperandNumber();
    // Twice, so that what the last operand shows reaches the first.
    for (int round = 0; round < 2; ++round)
      for (unsigned i = 0; i < out; ++i)
        for (int64_t d = 0; d < static_cast<int64_t>(shapes[out].size()); ++d)
          if (int64_t dim = op.getOperandDim(i, d); dim >= 0)
            join(i, dim, out, d);
  }

  RankedTensorType getType(unsigned operand) const {
    auto type = cast<MemRefType>(op->getOperand(operand).getType());
    return RankedTensorType::get(shapes[operand], type.getElementType());
  }

private:
  TensorOpInterface op;
  SmallVector<SmallVector<int64_t>> shapes;
};
} // namespace

static Shapes findShapes(TensorOpInterface op) {
  Shapes shapes(op);
  shapes.joinWithOut();
  if (auto linear = dyn_cast<LinearOp>(op.getOperation()))
    shapes.join(0, linear.getX().getType().getRank() - 1, 1, 1);
  return shapes;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static fusion::ReduceKind convertKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Max:
    return fusion::ReduceKind::Max;
  case ReduceKind::Min:
    return fusion::ReduceKind::Min;
  case ReduceKind::Avg:
    return fusion::ReduceKind::Mean;
  default:
    return fusion::ReduceKind::Sum;
  }
}

/// What the op computes, of `args`: its operands but the last as tensors and
/// scalars, and for fills the sizes.
static Value buildBody(OpBuilder &b, TensorOpInterface op, Type type,
                       ValueRange args) {
  Location loc = op.getLoc();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) -> Value {
        return fusion::AddOp::create(b, loc, type, args[0], args[1]);
      })
      .Case([&](SubOp) -> Value {
        return fusion::SubOp::create(b, loc, type, args[0], args[1]);
      })
      .Case([&](MulOp) -> Value {
        return fusion::MulOp::create(b, loc, type, args[0], args[1]);
      })
      .Case([&](DivOp) -> Value {
        return fusion::DivOp::create(b, loc, type, args[0], args[1]);
      })
      .Case([&](LinearOp) -> Value {
        return fusion::LinearOp::create(b, loc, type, args[0], args[1]);
      })
      .Case([&](FillOp) -> Value {
        return fusion::FullOp::create(b, loc, type, args[0], args.drop_front());
      })
      .Case([&](ReductionOp reduction) -> Value {
        return fusion::ReduceOp::create(b, loc, type,
                                        convertKind(reduction.getKind()),
                                        args[0], reduction.getDims(),
                                        /*keep=*/false);
      })
      .Case([&](CopyOp) -> Value {
        return fusion::SetOp::create(b, loc, type, args[0]);
      });
}

/// A private function of tensors that computes what the op does.
static func::FuncOp createFunction(OpBuilder &b, TensorOpInterface op,
                                   TypeRange types, Type resultType) {
  std::string name = op->getName().getStringRef().str();
  llvm::replace(name, '.', '_');
  auto func = func::FuncOp::create(b, op.getLoc(), name,
                                   b.getFunctionType(types, resultType));
  func.setPrivate();
  OpBuilder body(func.getContext());
  body.setInsertionPointToStart(func.addEntryBlock());
  Value result = buildBody(body, op, resultType, func.getArguments());
  func::ReturnOp::create(body, op.getLoc(), result);
  return func;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandOps : public fuser::impl::HostExpandOpsPassBase<ExpandOps> {
  using Base::Base;
  void runOnOperation() override;

private:
  void expand(TensorOpInterface op, SymbolTable &symbols);
  /// Functions by what they compute.
  llvm::StringMap<func::FuncOp> functions;
};
} // namespace

/// What tells the op's function from others'.
static std::string getKey(TensorOpInterface op, TypeRange types, Type result) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << op->getName() << op->getAttrDictionary();
  llvm::interleaveComma(types, os);
  os << result;
  return key;
}

void ExpandOps::expand(TensorOpInterface op, SymbolTable &symbols) {
  Shapes shapes = findShapes(op);
  OpBuilder b(op);
  OpOperand &out = op.getOutOperand();
  SmallVector<Value> args;
  SmallVector<Type> types;
  for (unsigned i = 0; i < out.getOperandNumber(); ++i) {
    args.push_back(op->getOperand(i));
    bool isBuffer = isa<MemRefType>(args.back().getType());
    types.push_back(isBuffer ? shapes.getType(i) : args.back().getType());
  }
  RankedTensorType result = shapes.getType(out.getOperandNumber());
  if (isa<FillOp>(op))
    for (int64_t d = 0; d < result.getRank(); ++d)
      if (result.isDynamicDim(d)) {
        args.push_back(memref::DimOp::create(b, op.getLoc(), out.get(), d));
        types.push_back(b.getIndexType());
      }
  func::FuncOp &function = functions[getKey(op, types, result)];
  if (!function) {
    OpBuilder module = OpBuilder::atBlockEnd(getOperation().getBody());
    function = createFunction(module, op, types, result);
    function->remove();
    symbols.insert(function);
  }
  CallOp::create(b, op.getLoc(), TypeRange(),
                 FlatSymbolRefAttr::get(function.getSymNameAttr()), args,
                 out.get());
  op->erase();
  ++numExpanded;
}

void ExpandOps::runOnOperation() {
  functions.clear();
  SmallVector<TensorOpInterface> ops;
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (func->hasAttr(kProgramAttrName))
      func.walk([&](TensorOpInterface op) {
        auto copy = dyn_cast<CopyOp>(op.getOperation());
        bool stays = isa<MatmulOp>(op) || (copy && copy.copiesBytes());
        if (!stays)
          ops.push_back(op);
      });
  SymbolTable symbols(getOperation());
  for (TensorOpInterface op : ops)
    expand(op, symbols);
  if (ops.empty())
    markAllAnalysesPreserved();
}
