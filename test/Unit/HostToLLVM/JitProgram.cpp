//===- JitProgram.cpp - A host program from text to a function pointer ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitProgram.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Host/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, fuser::host::HostDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

/// Gives the JIT the module as LLVM IR, without those nested in it.
static llvm::Error addModule(llvm::orc::LLJIT &jit, ModuleOp source) {
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(source, *context);
  if (!module)
    return llvm::createStringError("the module has no LLVM IR");
  module->setDataLayout(jit.getDataLayout());
  return jit.addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context)));
}

/// Code of the lowered program: of its entry, and of its kernels for CPUs.
static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
compile(ModuleOp program) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = addModule(**jit, program))
    return std::move(error);
  for (ModuleOp kernels : program.getOps<ModuleOp>())
    if (llvm::Error error = addModule(**jit, kernels))
      return std::move(error);
  return std::move(*jit);
}

std::unique_ptr<JitProgram> JitProgram::create(llvm::StringRef source) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  MLIRContext context(getRegistry());
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return nullptr;
  PassManager pm(&context);
  pm.addNestedPass<func::FuncOp>(fuser::host::createHostResolveAliasesPass());
  fuser::buildHostToLLVMPipeline(pm);
  if (failed(pm.run(*module)))
    return nullptr;
  // What kernels are is for the runtime, not native code.
  for (auto kernel :
       llvm::make_early_inc_range(module->getOps<fuser::host::KernelOp>()))
    kernel.erase();
  auto jit = compile(*module);
  if (!jit) {
    llvm::logAllUnhandledErrors(jit.takeError(), llvm::errs());
    return nullptr;
  }
  auto program = std::make_unique<JitProgram>();
  program->jit = std::move(*jit);
  return program;
}

void *JitProgram::lookup(llvm::StringRef name) {
  auto address = jit->lookup(name);
  if (address)
    return address->toPtr<void *>();
  llvm::logAllUnhandledErrors(address.takeError(), llvm::errs());
  return nullptr;
}

FuserHostEntry JitProgram::getEntry() {
  return reinterpret_cast<FuserHostEntry>(lookup(FUSER_HOST_ENTRY_NAME));
}

FuserCpuKernel JitProgram::getKernel(llvm::StringRef name) {
  return reinterpret_cast<FuserCpuKernel>(lookup(name));
}
