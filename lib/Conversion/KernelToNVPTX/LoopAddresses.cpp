//===- LoopAddresses.cpp - Addresses in loops -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of an element is that of the tensor and a sum, of 64 bits, of
// what its indices give. In a loop one of them changes, and the others do not:
//
//   tensor + (row * stride + column)   ->   (tensor + column) + row * stride
//
// The first sum is then computed once, before the loop, and the second one in
// one instruction. LLVM keeps the sum of the indices instead, as it is needed
// for several tensors. That takes fewer registers, so it stays where threads
// have few. Of rows that follow each other LLVM makes pointers that grow.
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fuser;

namespace {
/// The addresses of a kernel.
class LoopAddresses {
public:
  LoopAddresses(Region &body, CFGLoopInfo &loops) : body(body), loops(loops) {}

  void split();

private:
  SmallVector<Value> getTerms(Value sum, CFGLoop *loop);
  bool isInvariant(Value value, CFGLoop *loop);
  bool isLinear(Value value, CFGLoop *loop);
  bool isCounter(BlockArgument argument, CFGLoop *loop);
  void split(LLVM::GEPOp address, CFGLoop *loop);

  Region &body;
  CFGLoopInfo &loops;
  /// For the innermost loop around an address.
  DenseMap<std::pair<CFGLoop *, Value>, bool> invariants, linear;
};
} // namespace

/// Whether a value is the same in each step of a loop.
bool LoopAddresses::isInvariant(Value value, CFGLoop *loop) {
  if (!loop->contains(value.getParentBlock()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op))
    return false;
  auto [known, isNew] = invariants.try_emplace({loop, value}, false);
  if (!isNew)
    return known->second;
  bool all = llvm::all_of(op->getOperands(), [&](Value operand) {
    return isInvariant(operand, loop);
  });
  return invariants[{loop, value}] = all;
}

/// Whether `value` grows by as much in each step: LLVM makes a pointer that
/// does, too, of an address that is found so.
bool LoopAddresses::isLinear(Value value, CFGLoop *loop) {
  if (isInvariant(value, loop))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop->getHeader() &&
           isCounter(argument, loop);
  Operation *op = value.getDefiningOp();
  bool isProduct = isa<LLVM::MulOp>(op);
  if (!isProduct &&
      !isa<LLVM::AddOp, LLVM::SubOp, LLVM::ZExtOp, LLVM::SExtOp>(op))
    return false;
  auto [known, isNew] = linear.try_emplace({loop, value}, false);
  if (!isNew)
    return known->second;
  bool all = llvm::all_of(op->getOperands(), [&](Value operand) {
    return isLinear(operand, loop);
  });
  bool any = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isInvariant(operand, loop);
  });
  return linear[{loop, value}] = all && (any || !isProduct);
}

/// Whether each step adds to an argument of the loop what no step changes.
bool LoopAddresses::isCounter(BlockArgument argument, CFGLoop *loop) {
  return llvm::all_of(argument.getOwner()->getPredecessors(), [&](Block *from) {
    if (!loop->contains(from))
      return true;
    auto branch = dyn_cast<LLVM::BrOp>(from->getTerminator());
    auto next = branch ? branch.getDestOperands()[argument.getArgNumber()]
                             .getDefiningOp<LLVM::AddOp>()
                       : LLVM::AddOp();
    return next &&
           ((next.getLhs() == argument && isInvariant(next.getRhs(), loop)) ||
            (next.getRhs() == argument && isInvariant(next.getLhs(), loop)));
  });
}

/// What is added up in the loop. Sums of sums may have any number of terms: of
/// many those behind the first ones are sums.
SmallVector<Value> LoopAddresses::getTerms(Value sum, CFGLoop *loop) {
  constexpr size_t kMost = 32;
  SmallVector<Value> terms, left = {sum};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    auto add = value.getDefiningOp<LLVM::AddOp>();
    if (add && loop->contains(add->getBlock()) &&
        terms.size() + left.size() < kMost)
      left.append({add.getRhs(), add.getLhs()});
    else
      terms.push_back(value);
  }
  return terms;
}

/// Constants come last: accesses have room for one.
void LoopAddresses::split(LLVM::GEPOp address, CFGLoop *loop) {
  SmallVector<Value> groups[3]; // What stays, what changes, constants.
  for (Value term : getTerms(address.getDynamicIndices().front(), loop)) {
    bool isConstant = matchPattern(term, m_Constant());
    groups[isConstant ? 2 : !isInvariant(term, loop)].push_back(term);
  }
  if (groups[0].empty() || groups[1].empty() ||
      llvm::all_of(groups[1], [&](Value term) { return isLinear(term, loop); }))
    return;
  OpBuilder b(address);
  Value base = address.getBase();
  for (ArrayRef<Value> group : groups) {
    if (group.empty())
      continue;
    Value sum = group.front();
    for (Value term : group.drop_front())
      sum = LLVM::AddOp::create(b, address.getLoc(), sum, term);
    base = LLVM::GEPOp::create(
        b, address.getLoc(), address.getType(), address.getElemType(), base,
        ArrayRef<LLVM::GEPArg>(sum), LLVM::GEPNoWrapFlags::none);
  }
  address.replaceAllUsesWith(base);
  address.erase();
}

void LoopAddresses::split() {
  SmallVector<LLVM::GEPOp> addresses(body.getOps<LLVM::GEPOp>());
  for (LLVM::GEPOp address : addresses) {
    CFGLoop *loop = loops.getLoopFor(address->getBlock());
    // An index of fewer bits may wrap before it is made wider.
    if (loop && address.getIndices().size() == 1 &&
        address.getDynamicIndices().size() == 1 &&
        address.getDynamicIndices().front().getType().isInteger(64))
      split(address, loop);
  }
}

/// The registers that a thread of a kernel may have.
static int64_t getMaxRegisters(LLVM::LLVMFuncOp kernel) {
  constexpr int64_t kPerMultiprocessor = 65536;
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getMaxntidAttrName());
  auto blocks = kernel->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  int64_t resident = blocks ? blocks.getInt() : 1;
  if (threads)
    for (int32_t size : threads.asArrayRef())
      resident *= size;
  return kPerMultiprocessor / resident;
}

void fuser::splitLoopAddresses(gpu::GPUModuleOp module) {
  // Kernels with up to 85 registers became 2 to 4 % slower (LayerNorm's
  // backward of 12,288 columns, GELU's with the gradient of its bias; H200).
  constexpr int64_t kEnoughRegisters = 86;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    Region &body = kernel.getBody();
    if (body.empty() || body.hasOneBlock() ||
        getMaxRegisters(kernel) < kEnoughRegisters)
      continue;
    DominanceInfo dominance(kernel);
    CFGLoopInfo loops(dominance.getDomTree(&body));
    LoopAddresses(body, loops).split();
  }
}
