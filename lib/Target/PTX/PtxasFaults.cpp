//===- PtxasFaults.cpp - What ptxas compiles wrongly ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasFaults.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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

/// The loads of parts of 32-bit words from a kernel's arguments whose address
/// is the same in all threads.
static SmallVector<llvm::LoadInst *>
findUniformLoads(llvm::Function &function, const llvm::UniformityInfo &info) {
  SmallVector<llvm::LoadInst *> loads;
  for (llvm::Instruction &op : llvm::instructions(function)) {
    auto *load = dyn_cast<llvm::LoadInst>(&op);
    if (load && load->getType()->getScalarSizeInBits() < 32 &&
        info.isUniform(load->getPointerOperand()) &&
        isa<llvm::Argument>(
            llvm::getUnderlyingObject(load->getPointerOperand())))
      loads.push_back(load);
  }
  return loads;
}

/// 0, in another way than LLVM and ptxas know of: the bits of the thread's
/// number that no block is large enough for.
static llvm::Value *createDivergentZero(llvm::IRBuilder<> &b) {
  llvm::Type *type = b.getInt32Ty();
  auto *shift = llvm::InlineAsm::get(llvm::FunctionType::get(type, type, false),
                                     "shr.u32 \t$0, $1, 16;", "=r,r",
                                     /*hasSideEffects=*/false);
  llvm::Value *thread =
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  return b.CreateZExt(b.CreateCall(shift, thread), b.getInt64Ty());
}

void hideUniformAddresses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder(&machine).registerFunctionAnalyses(analyses);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    SmallVector<llvm::LoadInst *> loads = findUniformLoads(
        function, analyses.getResult<llvm::UniformityInfoAnalysis>(function));
    if (loads.empty())
      continue;
    llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
    llvm::Value *zero = createDivergentZero(b);
    for (llvm::LoadInst *load : loads) {
      b.SetInsertPoint(load);
      load->setOperand(0, b.CreateInBoundsGEP(b.getInt8Ty(),
                                              load->getPointerOperand(), zero));
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
