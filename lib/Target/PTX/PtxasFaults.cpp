//===- PtxasFaults.cpp - What ptxas compiles wrongly ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasFaults.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

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

/// The loads from a kernel's arguments whose address is the same in all
/// threads, by the argument.
using LoadsByPointer =
    llvm::MapVector<const llvm::Value *, SmallVector<llvm::LoadInst *>>;

static LoadsByPointer findUniformLoads(llvm::Function &function,
                                       const llvm::UniformityInfo &info) {
  LoadsByPointer loads;
  for (llvm::Instruction &op : llvm::instructions(function)) {
    auto *load = dyn_cast<llvm::LoadInst>(&op);
    if (!load || !info.isUniform(load->getPointerOperand()))
      continue;
    const llvm::Value *begin =
        llvm::getUnderlyingObject(load->getPointerOperand());
    if (isa<llvm::Argument>(begin))
      loads[begin].push_back(load);
  }
  return loads;
}

/// `pointer`, of which LLVM does not know how far from others it is.
static llvm::Value *hide(llvm::IRBuilder<> &b, llvm::Value *pointer) {
  llvm::Type *offset = b.getInt64Ty();
  // A zero for each pointer, so that no two are joined.
  auto *zero = llvm::InlineAsm::get(
      llvm::FunctionType::get(offset, pointer->getType(), /*isVarArg=*/false),
      "mov.b64 \t$0, 0;", "=l,l", /*hasSideEffects=*/false);
  return b.CreateInBoundsGEP(b.getInt8Ty(), pointer,
                             b.CreateCall(zero, pointer));
}

/// Makes `load` loads of at most 8 bytes, which LLVM does not join.
static void splitLoad(llvm::LoadInst *load, const llvm::DataLayout &layout) {
  llvm::IRBuilder<> b(load);
  auto *type = dyn_cast<llvm::FixedVectorType>(load->getType());
  uint64_t bytes = layout.getTypeStoreSize(load->getType());
  if (!type || bytes <= 8) {
    load->setOperand(0, hide(b, load->getPointerOperand()));
    return;
  }
  unsigned number = type->getNumElements() * 8 / bytes;
  auto *partType = llvm::FixedVectorType::get(type->getElementType(), number);
  llvm::Value *whole = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); i += number) {
    llvm::Value *pointer = b.CreateConstInBoundsGEP1_32(
        type->getElementType(), load->getPointerOperand(), i);
    llvm::LoadInst *part = b.CreateAlignedLoad(
        partType, hide(b, pointer), std::min(load->getAlign(), llvm::Align(8)));
    part->copyMetadata(*load);
    for (unsigned j = 0; j < number; ++j)
      whole =
          b.CreateInsertElement(whole, b.CreateExtractElement(part, j), i + j);
  }
  load->replaceAllUsesWith(whole);
  load->eraseFromParent();
}

void splitUniformLoads(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder(&machine).registerFunctionAnalyses(analyses);
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto &info = analyses.getResult<llvm::UniformityInfoAnalysis>(function);
    for (auto &[pointer, loads] : findUniformLoads(function, info)) {
      uint64_t bytes = 0;
      for (llvm::LoadInst *load : loads)
        bytes += layout.getTypeStoreSize(load->getType());
      if (bytes >= 16)
        for (llvm::LoadInst *load : loads)
          splitLoad(load, layout);
    }
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
