//===- ContractionOps.cpp - Matrix products -------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderCall.h"
#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Frontend/LenientOps.h"
#include "fuser/Support/SchedulerNames.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

/// A tensor of these sizes, whatever types say of them.
static Tensor pickOperand(GrowingProgram &program, ArrayRef<Dim> dims,
                          Type element) {
  SmallVector<Tensor> fitting;
  for (const Tensor &tensor : program.getTensors())
    if (tensor.element == element &&
        llvm::equal(tensor.dims, dims,
                    [](Dim a, Dim b) { return a.size == b.size; }))
      fitting.push_back(tensor);
  if (!fitting.empty() && program.random.chance(60))
    return program.random.pick(ArrayRef<Tensor>(fitting));
  Dims own(dims);
  for (Dim &dim : own)
    if (program.random.chance(30))
      dim = program.reopen(dim);
  if (program.canAddInput())
    return program.addInput(own, element);
  return program.addFull(own, element, 0.5);
}

namespace {
/// A product, before it is made.
struct Product {
  Tensor lhs, rhs;
  Dims dims;
  bool isLinear;
};
} // namespace

/// Small enough for an operand of any type.
static Tensor shrink(GrowingProgram &program, const Tensor &tensor) {
  return program.tame(tensor, 100);
}

static std::optional<Product> plan(GrowingProgram &program,
                                   const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  bool isLinear = rank == 1 || program.random.chance(50);
  Dim contracted = tensor.dims.back();
  Dim columns = program.pickDim();
  if (program.random.chance(30))
    columns = contracted;
  Product product;
  product.isLinear = isLinear;
  product.dims = tensor.dims;
  product.dims.back() = columns;
  Dims rhs;
  if (!isLinear)
    rhs.assign(tensor.dims.begin(), tensor.dims.end() - 2);
  rhs.push_back(isLinear ? columns : contracted);
  rhs.push_back(isLinear ? contracted : columns);
  if (!isSmall(product.dims) || !isSmall(rhs))
    return std::nullopt;
  product.lhs = shrink(program, tensor);
  product.rhs = shrink(program, pickOperand(program, rhs, tensor.element));
  for (Dim &dim : product.dims)
    if (program.random.chance(10))
      dim = program.reopen(dim);
  return product;
}

static Value make(GrowingProgram &program, const Product &product, Type type,
                  ValueRange operands) {
  if (product.isLinear)
    return LinearOp::create(program.builder, type, operands[0], operands[1]);
  return MatmulOp::create(program.builder, type, operands[0], operands[1]);
}

/// In a segment by hand.
static Value makeSegment(GrowingProgram &program, const Product &product,
                         Type type, ValueRange operands) {
  StringRef scheduler =
      program.random.chance(50) ? schedulers::kLibrary : schedulers::kGeneric;
  auto segment = SegmentOp::create(program.builder, type, operands, scheduler);
  OpBuilder::InsertionGuard guard(program.builder);
  program.builder.setInsertionPointToStart(&segment.getBody().front());
  Value value =
      make(program, product, type, segment.getBody().front().getArguments());
  YieldOp::create(program.builder, value);
  return segment.getResult(0);
}

/// Of flags and 8-bit floats, whose products builders make of others.
static void addNarrow(GrowingProgram &program, const Tensor &tensor) {
  std::optional<Product> product = plan(program, tensor);
  if (!product)
    return;
  Call call(program, product->isLinear ? "linear" : "matmul");
  call.add(product->lhs).add(product->rhs);
  double limit = product->lhs.range.limit * product->rhs.range.limit *
                 static_cast<double>(tensor.dims.back().size);
  Type element = tensor.element;
  if (program.random.chance(50)) {
    element = tensor.isBool() ? Type(program.builder.getI64Type())
                              : Type(program.builder.getF32Type());
    call.set("type", program.builder.getStringAttr(
                         frontend::getElementTypeName(element)));
  }
  Magnitude range{element.isInteger(1) ? 1 : limit, tensor.isBool()};
  if (!fits(element, range))
    return;
  SmallVector<Value> results = call.emit();
  if (!results.empty())
    program.add(results.front(),
                program.getDimsOf(results.front(), product->dims), range);
}

void fuzz::addContraction(GrowingProgram &program, const Tensor &tensor) {
  if (!tensor.dims.empty() &&
      (tensor.isBool() ||
       isa<Float8E4M3FNType, Float8E5M2Type>(tensor.element)))
    return addNarrow(program, tensor);
  bool isInteger = isIntegerElement(tensor.element);
  bool isWide =
      tensor.isFloat() && tensor.element.getIntOrFloatBitWidth() >= 16;
  if ((!isInteger && !isWide) || tensor.dims.empty())
    return;
  std::optional<Product> product = plan(program, tensor);
  if (!product)
    return;
  Type element = tensor.element;
  Type wide = isInteger ? Type(program.builder.getI64Type())
                        : Type(program.builder.getF32Type());
  if (isWideSum(element, wide) && program.random.chance(30))
    element = wide;
  auto length = static_cast<double>(tensor.dims.back().size);
  Magnitude range{product->lhs.range.limit * product->rhs.range.limit * length,
                  isInteger};
  if (!fits(element, range))
    return;
  Type type = program.getType(product->dims, element);
  SmallVector<Value> operands{product->lhs.value, product->rhs.value};
  Value value = program.random.chance(15)
                    ? makeSegment(program, *product, type, operands)
                    : make(program, *product, type, operands);
  program.add(value, product->dims, range);
}
