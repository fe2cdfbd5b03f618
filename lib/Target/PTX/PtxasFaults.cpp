//===- PtxasFaults.cpp - What ptxas compiles wrongly ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasFaults.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
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

using Operands = SmallVector<StringRef, 3>;

/// The text with each instruction `name` as `write` has it, of its operands.
static std::string
replaceInstructions(StringRef text, StringRef name,
                    llvm::function_ref<std::string(const Operands &)> write) {
  std::string wanted = (name + " ").str(), result;
  result.reserve(text.size());
  while (true) {
    size_t at = text.find(wanted);
    result += text.take_front(at);
    if (at == StringRef::npos)
      return result;
    auto [list, rest] = text.drop_front(at + wanted.size()).split(';');
    Operands operands;
    list.split(operands, ',');
    for (StringRef &operand : operands)
      operand = operand.trim();
    result += write(operands);
    text = rest;
  }
}

std::string withoutNegations(StringRef text) {
  std::string result = text.str();
  for (StringRef bits : {"32", "16"})
    result = replaceInstructions(
        result, ("neg.s" + bits).str(), [&](const Operands &operands) {
          return writeNegation(bits, operands[0], operands[1]);
        });
  return replaceInstructions(result, "abs.s16", [](const Operands &operands) {
    return writeMagnitude("16", operands[0], operands[1]);
  });
}

//===----------------------------------------------------------------------===//
// Minima and maxima of 16 bits
//===----------------------------------------------------------------------===//

/// A number of 16 bits, "s16" or "u16", in `to`, of 32.
static std::string writeWidened(StringRef type, StringRef to, StringRef from) {
  int64_t number;
  if (from.getAsInteger(10, number))
    return ("cvt." + type.take_front(1) + "32." + type + " \t" + to + ", " +
            from + ";\n\t")
        .str();
  number = type == "u16" ? int64_t(uint16_t(number)) : int64_t(int16_t(number));
  return ("mov.b32 \t" + to + ", " + Twine(number) + ";\n\t").str();
}

/// The minimum or maximum ("min", "max") of two numbers of 16 bits.
static std::string writeMinimum(StringRef kind, StringRef type, StringRef to,
                                StringRef a, StringRef b) {
  return writeWidened(type, "%wide_a", a) + writeWidened(type, "%wide_b", b) +
         (kind + "." + type.take_front(1) +
          "32 \t%wide_a, %wide_a, %wide_b;\n\tcvt.u16.u32 \t" + to +
          ", %wide_a;\n\t")
             .str();
}

static constexpr StringRef kWideRegisters =
    "{\n\t.reg .b32 \t%wide_a, %wide_b;\n\t";

/// The same of two pairs of them.
static std::string writeMinima(StringRef kind, StringRef type,
                               const Operands &operands) {
  return (kWideRegisters +
          ".reg .b16 \t%low_a, %high_a, %low_b, %high_b;\n\t"
          "mov.b32 \t{%low_a, %high_a}, " +
          operands[1] + ";\n\tmov.b32 \t{%low_b, %high_b}, " + operands[2] +
          ";\n\t" + writeMinimum(kind, type, "%low_a", "%low_a", "%low_b") +
          writeMinimum(kind, type, "%high_a", "%high_a", "%high_b") +
          "mov.b32 \t" + operands[0] + ", {%low_a, %high_a};\n\t}")
      .str();
}

std::string withoutNarrowMinima(StringRef text) {
  std::string result = text.str();
  for (StringRef kind : {"min", "max"})
    for (StringRef type : {"s16", "u16"}) {
      result = replaceInstructions(result, (kind + "." + type + "x2").str(),
                                   [&](const Operands &operands) {
                                     return writeMinima(kind, type, operands);
                                   });
      result = replaceInstructions(
          result, (kind + "." + type).str(), [&](const Operands &operands) {
            return kWideRegisters.str() +
                   writeMinimum(kind, type, operands[0], operands[1],
                                operands[2]) +
                   "}";
          });
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Registers that nothing writes
//===----------------------------------------------------------------------===//

/// Calls `body` with each register that `text` names, but special ones.
static void forEachRegister(StringRef text,
                            llvm::function_ref<void(StringRef)> body) {
  for (size_t at = text.find('%'); at != StringRef::npos;
       at = text.find('%', at + 1)) {
    StringRef name = text.drop_front(at + 1);
    StringRef letters = name.take_while(llvm::isLower);
    StringRef digits =
        name.drop_front(letters.size()).take_while(llvm::isDigit);
    if (!digits.empty() && llvm::is_contained({"p", "rs", "r", "rd"}, letters))
      body(text.substr(at, 1 + letters.size() + digits.size()));
  }
}

/// What is first among an instruction's operands, a register or several in
/// braces. It writes them, if it writes any; one that reads them in this place
/// hides that nothing writes them.
static StringRef getFirstOperand(StringRef line) {
  if (line.starts_with("{ .reg")) // And an instruction behind it.
    line = line.split("; ").second;
  if (line.starts_with("@"))
    line = line.split(' ').second.ltrim();
  StringRef operands = line.drop_until(llvm::isSpace).ltrim();
  if (operands.starts_with("["))
    return ""; // Memory, of which the address is read.
  return operands.starts_with("{") ? operands.split('}').first
                                   : operands.split(',').first;
}

/// 0 in a register.
static std::string writeZero(StringRef name) {
  StringRef type =
      llvm::StringSwitch<StringRef>(name.drop_front().take_while(llvm::isLower))
          .Case("p", "pred")
          .Case("rs", "b16")
          .Case("r", "b32")
          .Default("b64");
  return ("\tmov." + type + " \t" + name + ", 0;\n").str();
}

/// The body of a function, which begins with declarations of registers.
static std::string defineRegisters(StringRef body) {
  llvm::SetVector<StringRef> read;
  llvm::StringSet<> written;
  size_t begin = body.find("\n\n");
  if (begin == StringRef::npos)
    return body.str(); // It has no registers.
  StringRef code = body.drop_front(begin + 2);
  SmallVector<StringRef> lines;
  code.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef first = getFirstOperand(line.ltrim());
    forEachRegister(first, [&](StringRef name) { written.insert(name); });
    forEachRegister(line, [&](StringRef name) { read.insert(name); });
  }
  std::string result = body.drop_back(code.size()).str();
  for (StringRef name : read)
    if (!written.contains(name))
      result += writeZero(name);
  return result + code.str();
}

std::string withoutUndefinedRegisters(StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t begin = text.find("\n{\n"), end = text.find("\n}\n", begin);
    if (begin == StringRef::npos || end == StringRef::npos)
      break;
    result += text.take_front(begin);
    result += defineRegisters(text.slice(begin, end));
    text = text.drop_front(end);
  }
  return result + text.str();
}

} // namespace fuser
