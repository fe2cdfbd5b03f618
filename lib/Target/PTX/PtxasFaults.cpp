//===- PtxasFaults.cpp - What ptxas compiles wrongly ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasFaults.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace fuser {

static bool isPackedSum(const llvm::Instruction &op) {
  auto *type = dyn_cast<llvm::FixedVectorType>(op.getType());
  return op.getOpcode() == llvm::Instruction::Add && type &&
         type->getElementType()->isIntegerTy(16);
}

void splitPackedSums(llvm::Module &module) {
  SmallVector<llvm::Instruction *> packed;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      if (isPackedSum(op))
        packed.push_back(&op);
  for (llvm::Instruction *op : packed) {
    llvm::IRBuilder<> b(op);
    llvm::Value *sums = llvm::PoisonValue::get(op->getType());
    auto *type = cast<llvm::FixedVectorType>(op->getType());
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Value *sum =
          b.CreateAdd(b.CreateExtractElement(op->getOperand(0), i),
                      b.CreateExtractElement(op->getOperand(1), i));
      sums = b.CreateInsertElement(sums, sum, i);
    }
    op->replaceAllUsesWith(sums);
    op->eraseFromParent();
  }
}

std::string withoutNegations(StringRef text) {
  constexpr StringLiteral kNegation = "neg.s32 ";
  std::string result;
  result.reserve(text.size());
  while (true) {
    size_t at = text.find(kNegation);
    result += text.take_front(at);
    if (at == StringRef::npos)
      return result;
    text = text.drop_front(at + kNegation.size());
    auto [operands, rest] = text.split(';');
    StringRef to = operands.split(',').first.trim();
    result +=
        ("not.b32 " + operands + ";\n\tadd.s32 \t" + to + ", " + to + ", 1;")
            .str();
    text = rest;
  }
}

} // namespace fuser
