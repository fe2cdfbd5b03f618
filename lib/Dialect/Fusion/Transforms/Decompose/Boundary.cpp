//===- Boundary.cpp - Tensors that callers alone see ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "llvm/ADT/Sequence.h"

using namespace fuser;
using namespace fuser::fusion;

static bool hasTensor(Operation *op, const TensorKind &kind) {
  return llvm::any_of(op->getOperandTypes(), kind.contains) ||
         llvm::any_of(op->getResultTypes(), kind.contains);
}

Operation *fusion::findTensor(func::FuncOp function, const TensorKind &kind) {
  if (llvm::any_of(function.getArgumentTypes(), kind.contains) ||
      llvm::any_of(function.getResultTypes(), kind.contains))
    return function;
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    found = hasTensor(op, kind) ? op : nullptr;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

FailureOr<SmallVector<Operation *>> fusion::collectOps(func::FuncOp function,
                                                       const TensorKind &kind) {
  SmallVector<Operation *> found;
  if (function.isExternal())
    return found;
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a body of one block in a function of ")
           << kind.name << " tensors";
  for (Operation &op : function.getBody().front()) {
    if (hasTensor(&op, kind))
      found.push_back(&op);
    for (Region &region : op.getRegions()) {
      WalkResult result = region.walk([&](Operation *inner) {
        if (!hasTensor(inner, kind))
          return WalkResult::advance();
        inner->emitOpError("is not supported on ")
            << kind.name << " tensors in a region";
        return WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return failure();
    }
  }
  return found;
}

void fusion::eraseOps(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (!op->hasTrait<OpTrait::IsTerminator>())
      op->erase();
}

void fusion::requireOrder(NamedAttrList &attrs, int64_t rank,
                          MLIRContext *context) {
  using D = FusionDialect;
  auto alias = dyn_cast_or_null<AliasAttr>(attrs.get(D::getAliasAttrName()));
  if (attrs.get(D::getStrideOrderAttrName()) ||
      (alias && alias.getKind() != AliasKind::New))
    return;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  attrs.set(D::getStrideOrderAttrName(),
            DenseI64ArrayAttr::get(context, order));
}

LogicalResult fusion::verifyDecomposed(func::FuncOp function) {
  if (Operation *found = findTensor(function, kComplex))
    return found->emitError("expected no complex tensors, of which "
                            "fusion-decompose-complex makes real ones before "
                            "this pass");
  if (Operation *found = findTensor(function, kPacked))
    return found->emitError("expected no packed tensors, of which "
                            "fusion-decompose-packed makes bytes before this "
                            "pass");
  return success();
}
