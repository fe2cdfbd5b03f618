//===- JitProgram.cpp - A host program from text to a function pointer ----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitProgram.h"
#include "fuser/Conversion/HostToLLVM.h"
#include "fuser/Dialect/Host/IR/Host.h"
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

/// The lowered module of the source, as LLVM IR, or null.
static std::unique_ptr<llvm::Module> translate(llvm::StringRef source,
                                               llvm::LLVMContext &llvmContext) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, fuser::host::HostDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return nullptr;
  PassManager pm(&context);
  fuser::buildHostToLLVMPipeline(pm);
  if (failed(pm.run(*module)))
    return nullptr;
  // Kernels of a GPU are not part of the native code.
  for (auto kernels :
       llvm::make_early_inc_range(module->getOps<gpu::GPUModuleOp>()))
    kernels.erase();
  return translateModuleToLLVMIR(*module, llvmContext);
}

std::unique_ptr<JitProgram> JitProgram::create(llvm::StringRef source) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module = translate(source, *llvmContext);
  if (!module)
    return nullptr;
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) {
    llvm::logAllUnhandledErrors(jit.takeError(), llvm::errs());
    return nullptr;
  }
  module->setDataLayout((*jit)->getDataLayout());
  if (llvm::Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(module), std::move(llvmContext)))) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs());
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
