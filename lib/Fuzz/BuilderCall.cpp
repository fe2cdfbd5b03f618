//===- BuilderCall.cpp - Ops of builders in random programs ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderCall.h"
#include "fuser/Frontend/LenientOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using namespace fuser::fuzz;

Call &Call::addNumber(TypedAttr number) {
  return add(arith::ConstantOp::create(program.builder, number));
}

Call &Call::addRandom(ArrayRef<Dim> dims, Type element) {
  addSeed();
  for (Value size : program.getOpenSizes(dims))
    add(size);
  StringRef name = frontend::getElementTypeName(element);
  return set("shape", program.getType(dims, element).getShape())
      .set("type", program.builder.getStringAttr(name));
}

SmallVector<Value> Call::emit() {
  ImplicitLocOpBuilder &b = program.builder;
  std::optional<frontend::SizeDemand> demand;
  auto results = frontend::emitOp(
      b, b.getLoc(), {name, operands, options.getDictionary(b.getContext())},
      demand);
  return succeeded(results) ? *results : SmallVector<Value>();
}
