//===- LlvmFaults.cpp - What LLVM compiles wrongly ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LlvmFaults.h"
#include "fuser/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace fuser {

/// The last index of `address`, if it is an extension.
static llvm::Instruction *getExtension(llvm::GetElementPtrInst *address) {
  auto *index = dyn_cast<llvm::Instruction>(
      address->getOperand(address->getNumOperands() - 1));
  bool isExtension = isa_and_nonnull<llvm::ZExtInst, llvm::SExtInst>(index);
  return isExtension ? index : nullptr;
}

void hideExtendedIndices(llvm::Module &module) {
  // Addresses are compared where they begin at one pointer. A hidden index is
  // compared with no other one, so that one of them may stay.
  llvm::DenseMap<llvm::Value *, llvm::GetElementPtrInst *> first;
  SmallVector<llvm::GetElementPtrInst *> others;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function)) {
      auto *address = dyn_cast<llvm::GetElementPtrInst>(&op);
      llvm::Instruction *index = address ? getExtension(address) : nullptr;
      if (!index)
        continue;
      llvm::GetElementPtrInst *other =
          first.try_emplace(address->getPointerOperand(), address)
              .first->second;
      if (getExtension(other) != index ||
          other->getSourceElementType() != address->getSourceElementType())
        others.push_back(address);
    }
  llvm::DenseMap<llvm::Instruction *, llvm::Instruction *> hidden;
  for (llvm::GetElementPtrInst *address : others) {
    llvm::Instruction *index = getExtension(address);
    llvm::Instruction *&freeze = hidden[index];
    if (!freeze) {
      freeze = new llvm::FreezeInst(index, index->getName());
      freeze->insertAfter(index->getIterator());
    }
    address->setOperand(address->getNumOperands() - 1, freeze);
  }
}

} // namespace fuser
