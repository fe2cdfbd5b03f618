//===- SimLibrary.cpp - What simulated kernels call -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/Sim/SimLibrary.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Target/LibDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace fuser;

// The build gives FUSER_NVVM_INTRINSICS_FILE, NvvmIntrinsics.cpp as bitcode.
__asm__(".section .rodata.fuser_nvvm_intrinsics,\"a\",@progbits\n"
        ".balign 16\n"
        ".hidden fuser_nvvm_intrinsics_begin\n"
        ".hidden fuser_nvvm_intrinsics_end\n"
        ".globl fuser_nvvm_intrinsics_begin\n"
        ".globl fuser_nvvm_intrinsics_end\n"
        "fuser_nvvm_intrinsics_begin:\n"
        ".incbin \"" FUSER_NVVM_INTRINSICS_FILE "\"\n"
        "fuser_nvvm_intrinsics_end:\n"
        ".byte 0\n"
        ".previous\n");

extern "C" {
extern const char fuser_nvvm_intrinsics_begin[];
extern const char fuser_nvvm_intrinsics_end[];
}

static llvm::StringRef getIntrinsicsBitcode() {
  return llvm::StringRef(fuser_nvvm_intrinsics_begin,
                         fuser_nvvm_intrinsics_end -
                             fuser_nvvm_intrinsics_begin);
}

/// Copies what `module` declares and `bitcode` defines, and what that needs.
static llvm::Error linkNeeded(llvm::Module &module, llvm::StringRef bitcode,
                              llvm::StringRef name) {
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, name),
                                 module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &names) {
        for (const auto &entry : names)
          if (llvm::GlobalValue *value = linked.getNamedValue(entry.getKey());
              value && !value->isDeclaration())
            value->setLinkage(llvm::GlobalValue::InternalLinkage);
      });
  if (failed)
    return llvm::createStringError("cannot link " + name);
  return llvm::Error::success();
}

/// The GPU that kernels are for, as libdevice numbers it.
static uint64_t getArchitecture() {
  return 10 * uint64_t(findGpuTarget(kDefaultGpuArch)->computeCapability);
}

/// __nvvm_reflect asks for what is decided when a GPU's code is made:
/// subnormals are kept, and roots rounded correctly.
static void answerReflection(llvm::Module &module) {
  llvm::Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    auto *global = llvm::dyn_cast<llvm::GlobalVariable>(
        call->getArgOperand(0)->stripPointerCasts());
    llvm::StringRef name;
    if (global && global->hasInitializer())
      if (auto *text =
              llvm::dyn_cast<llvm::ConstantDataArray>(global->getInitializer()))
        name = text->getAsCString();
    uint64_t answer = name == "__CUDA_PREC_SQRT" ? 1
                      : name == "__CUDA_ARCH"    ? getArchitecture()
                                                 : 0;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Instructions as text
//===----------------------------------------------------------------------===//

/// The names of the instructions of `text`, with a space between.
static std::string listInstructions(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines, names;
  text.split(lines, ';');
  for (llvm::StringRef line : lines) {
    line = line.trim("{} \n\t");
    llvm::StringRef name = line.take_until(llvm::isSpace);
    // Not declarations of registers, nor what takes their halves.
    if (!name.empty() && name != ".reg" && name != "mov.b64")
      names.push_back(name);
  }
  return llvm::join(names, " ");
}

/// What `call` returns: the halves of `wide`, the lower one first.
static llvm::Value *splitHalves(llvm::IRBuilder<> &b, llvm::CallInst *call,
                                llvm::Value *wide) {
  llvm::Type *half = call->getType()->getStructElementType(0);
  llvm::Value *low = b.CreateTrunc(wide, half);
  llvm::Value *high =
      b.CreateTrunc(b.CreateLShr(wide, half->getIntegerBitWidth()), half);
  llvm::Value *result = llvm::PoisonValue::get(call->getType());
  result = b.CreateInsertValue(result, low, 0);
  return b.CreateInsertValue(result, high, 1);
}

/// The product of the first two operands, and the sum with a third one.
static llvm::Value *expandMultiplyAdd(llvm::IRBuilder<> &b,
                                      llvm::CallInst *call) {
  unsigned width = call->getArgOperand(0)->getType()->getIntegerBitWidth();
  auto wide = [&](unsigned operand) {
    return b.CreateZExt(call->getArgOperand(operand), b.getIntNTy(2 * width));
  };
  llvm::Value *result = b.CreateMul(wide(0), wide(1));
  if (call->arg_size() == 3)
    result = b.CreateAdd(result, wide(2));
  return splitHalves(b, call, result);
}

/// The sum or the difference of operands of 128 bits, each as two halves.
template <llvm::Instruction::BinaryOps opcode>
static llvm::Value *expandWideSum(llvm::IRBuilder<> &b, llvm::CallInst *call) {
  auto wide = [&](unsigned operand) {
    auto half = [&](unsigned i) {
      return b.CreateZExt(call->getArgOperand(operand + i), b.getInt128Ty());
    };
    return b.CreateOr(b.CreateShl(half(1), 64), half(0));
  };
  return splitHalves(b, call, b.CreateBinOp(opcode, wide(0), wide(2)));
}

/// The third operand where the first two are equal or one is a NaN, else the
/// fourth.
static llvm::Value *expandChoice(llvm::IRBuilder<> &b, llvm::CallInst *call) {
  llvm::Value *isEqual =
      b.CreateFCmpUEQ(call->getArgOperand(0), call->getArgOperand(1));
  return b.CreateSelect(isEqual, call->getArgOperand(2),
                        call->getArgOperand(3));
}

namespace {
/// What several instructions of libdevice do together.
struct Assembly {
  llvm::StringRef instructions;
  llvm::Value *(*expand)(llvm::IRBuilder<> &, llvm::CallInst *);
};
} // namespace

static const Assembly kAssembly[] = {
    {"mad.lo.cc.u32 madc.hi.u32", expandMultiplyAdd},
    {"mul.lo.u32 mul.hi.u32 mad.lo.cc.u32 madc.hi.u32 mad.lo.cc.u32 "
     "madc.hi.cc.u32 madc.hi.u32 mad.lo.cc.u32 addc.u32",
     expandMultiplyAdd},
    {"mad.lo.cc.u32 madc.hi.cc.u32 madc.hi.u32 mad.lo.cc.u32 madc.hi.cc.u32 "
     "madc.hi.u32 mad.lo.cc.u32 madc.lo.cc.u32 addc.u32",
     expandMultiplyAdd},
    {"add.cc.u32 addc.cc.u32 addc.cc.u32 addc.u32",
     expandWideSum<llvm::Instruction::Add>},
    {"sub.cc.u32 subc.cc.u32 subc.cc.u32 subc.u32",
     expandWideSum<llvm::Instruction::Sub>},
    {"setp.equ.f64 selp.f64", expandChoice},
};

/// libdevice has instructions as text, too: those of one instruction become
/// calls as well.
static llvm::Error nameAssembly(llvm::Module &module) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&op);
          call && call->isInlineAsm())
        calls.push_back(call);
  for (llvm::CallInst *call : calls) {
    std::string name = listInstructions(
        llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString());
    const auto *known = llvm::find_if(kAssembly, [&](const Assembly &assembly) {
      return assembly.instructions == name;
    });
    if (known != std::end(kAssembly)) {
      llvm::IRBuilder<> b(call);
      call->replaceAllUsesWith(known->expand(b, call));
      call->eraseFromParent();
      continue;
    }
    if (llvm::StringRef(name).contains(' '))
      return llvm::createStringError(
          "expected instructions that the simulator knows, got " + name +
          " in " + call->getFunction()->getName());
    std::string callee = "nvvm_ptx_" + name;
    llvm::replace(callee, '.', '_');
    call->setCalledFunction(
        module.getOrInsertFunction(callee, call->getFunctionType()));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What is called
//===----------------------------------------------------------------------===//

/// Calls of an instruction of the GPU become calls of the function of that
/// name.
static void nameInstructions(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> instructions;
  for (llvm::Function &function : module)
    if (function.isDeclaration() &&
        function.getName().starts_with("llvm.nvvm."))
      instructions.push_back(&function);
  for (llvm::Function *function : instructions) {
    std::string name = function->getName().drop_front(strlen("llvm.")).str();
    llvm::replace(name, '.', '_');
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(name, function->getFunctionType());
    function->replaceAllUsesWith(callee.getCallee());
    function->eraseFromParent();
  }
}

static llvm::Error checkResolved(const llvm::Module &module) {
  llvm::SmallVector<llvm::StringRef> missing;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        (function.getName().starts_with("nvvm_") ||
         function.getName().starts_with("__nv_")))
      missing.push_back(function.getName());
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "expected functions and instructions that the simulator knows, got " +
      llvm::join(missing, ", "));
}

llvm::Error fuser::linkSimLibrary(llvm::Module &module) {
  if (llvm::Error error =
          linkNeeded(module, getLibDeviceBitcode(), "libdevice"))
    return error;
  answerReflection(module);
  if (llvm::Error error = nameAssembly(module))
    return error;
  nameInstructions(module);
  if (llvm::Error error = linkNeeded(module, getIntrinsicsBitcode(),
                                     "the instructions of GPUs"))
    return error;
  return checkResolved(module);
}
