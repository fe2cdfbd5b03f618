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

/// -`from` in `to`, of so many bits.
static std::string writeNegation(StringRef bits, StringRef to, StringRef from) {
  return ("not.b" + bits + " \t" + to + ", " + from + ";\n\tadd.s" + bits +
          " \t" + to + ", " + to + ", 1;")
      .str();
}

/// |from| in `to`, which may be one register.
static std::string writeMagnitude(StringRef bits, StringRef to,
                                  StringRef from) {
  return ("{\n\t.reg .b" + bits + " \t%opposite;\n\t" +
          writeNegation(bits, "%opposite", from) + "\n\tmax.s" + bits + " \t" +
          to + ", " + from + ", %opposite;\n\t}")
      .str();
}

/// The text with each instruction `name` as `write` has it.
static std::string
replaceInstructions(StringRef text, StringRef name, StringRef bits,
                    std::string (*write)(StringRef, StringRef, StringRef)) {
  std::string wanted = (name + bits + " ").str(), result;
  result.reserve(text.size());
  while (true) {
    size_t at = text.find(wanted);
    result += text.take_front(at);
    if (at == StringRef::npos)
      return result;
    auto [operands, rest] = text.drop_front(at + wanted.size()).split(';');
    auto [to, from] = operands.split(',');
    result += write(bits, to.trim(), from.trim());
    text = rest;
  }
}

std::string withoutNegations(StringRef text) {
  std::string result = replaceInstructions(text, "neg.s", "32", writeNegation);
  result = replaceInstructions(result, "neg.s", "16", writeNegation);
  return replaceInstructions(result, "abs.s", "16", writeMagnitude);
}

} // namespace fuser
