//===- LlvmFaults.cpp - What LLVM compiles wrongly ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LlvmFaults.h"
#include "fuser/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace fuser {

/// Whether `op` adds a constant, which becomes an offset of the address
/// (separate-const-offset-from-gep).
static bool addsConstant(llvm::Instruction *op) {
  if (!op || !isa<llvm::ConstantInt>(op->getOperand(op->getNumOperands() - 1)))
    return false;
  auto *either = dyn_cast<llvm::PossiblyDisjointInst>(op);
  return op->getOpcode() == llvm::Instruction::Add ||
         op->getOpcode() == llvm::Instruction::Sub ||
         (either && either->isDisjoint());
}

/// Where the last index of `address`, or what a constant is added to for it, is
/// an extension; null if it is none.
static llvm::Use *getExtension(llvm::GetElementPtrInst *address) {
  llvm::Use *use = &address->getOperandUse(address->getNumOperands() - 1);
  auto *index = dyn_cast<llvm::Instruction>(use->get());
  while (addsConstant(index)) {
    use = &index->getOperandUse(0);
    index = dyn_cast<llvm::Instruction>(use->get());
  }
  bool isExtension = isa_and_nonnull<llvm::ZExtInst, llvm::SExtInst>(index) &&
                     index->getType()->isIntegerTy();
  return isExtension ? use : nullptr;
}

/// From so few bits addresses of a thread are soon as far from each other as
/// these can tell.
static constexpr unsigned kFewBits = 16;

static bool isNarrow(llvm::Instruction *extension) {
  return extension->getOperand(0)->getType()->getIntegerBitWidth() <= kFewBits;
}

/// The value of `index`, of which LLVM knows nothing: of narrow ones behind
/// inline assembly. Others have a freeze, which LLVM may drop where it knows
/// enough of the value. Inline assembly for these, too, keeps LLVM from
/// reducing strides to additions.
static llvm::Instruction *hide(llvm::Instruction *index) {
  llvm::Instruction *hidden;
  if (isNarrow(index)) {
    llvm::Type *type = index->getType();
    auto *function = llvm::FunctionType::get(type, type, /*isVarArg=*/false);
    unsigned bits = type->getIntegerBitWidth();
    StringRef registers = bits > 32 ? "=l,0" : bits > 16 ? "=r,0" : "=h,0";
    auto *call = llvm::CallInst::Create(
        function,
        llvm::InlineAsm::get(function, "", registers, /*hasSideEffects=*/false),
        index, index->getName());
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    hidden = call;
  } else {
    hidden = new llvm::FreezeInst(index, index->getName());
  }
  hidden->insertAfter(index->getIterator());
  return hidden;
}

void hideExtendedIndices(llvm::Module &module) {
  // Addresses are compared where they begin at one pointer. A hidden index is
  // compared with no other one, so that one of them may stay.
  llvm::DenseMap<llvm::Value *, llvm::GetElementPtrInst *> first;
  SmallVector<llvm::Use *> others;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function)) {
      auto *address = dyn_cast<llvm::GetElementPtrInst>(&op);
      llvm::Use *index = address ? getExtension(address) : nullptr;
      if (!index)
        continue;
      if (isNarrow(cast<llvm::Instruction>(index->get()))) {
        others.push_back(index);
        continue;
      }
      llvm::GetElementPtrInst *other =
          first.try_emplace(address->getPointerOperand(), address)
              .first->second;
      if (getExtension(other)->get() != index->get() ||
          other->getSourceElementType() != address->getSourceElementType())
        others.push_back(index);
    }
  llvm::DenseMap<llvm::Value *, llvm::Instruction *> hidden;
  for (llvm::Use *use : others) {
    auto *index = cast<llvm::Instruction>(use->get());
    if (!isa<llvm::ZExtInst, llvm::SExtInst>(index))
      continue; // Several addresses have it.
    llvm::Instruction *&own = hidden[index];
    if (!own)
      own = hide(index);
    use->set(own);
  }
}

} // namespace fuser
