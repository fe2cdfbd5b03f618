//===- SharedObject.cpp - LLVM dialect to a shared object -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfLibrary.h"
#include "Linker.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>

using namespace fuser;

namespace {
/// Reports how long each stage took.
class StageClock {
public:
  explicit StageClock(const CpuTargetOptions &options) : options(options) {}
  void finish(llvm::StringRef stage) {
    auto now = std::chrono::steady_clock::now();
    if (options.onStage)
      options.onStage(
          stage,
          std::chrono::duration<double, std::milli>(now - start).count());
    start = now;
  }

private:
  const CpuTargetOptions &options;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

/// Kernels have a list of parameters, wherever they are.
static bool hasCpuKernels(ModuleOp module) {
  return module
      .walk([](LLVM::LLVMFuncOp function) {
        return function->hasAttr("fuser.params") ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if code of the module touches numbers of f16.
static bool hasHalf(const llvm::Module &module) {
  auto isHalf = [](const llvm::Value &value) {
    return value.getType()->getScalarType()->isHalfTy();
  };
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &op : llvm::instructions(function))
      if (isHalf(op) || llvm::any_of(op.operand_values(), [&](auto *operand) {
            return isHalf(*operand);
          }))
        return true;
  return false;
}

/// A copy of `module` in which the contents of nested modules are its own.
static OwningOpRef<ModuleOp> flatten(ModuleOp module) {
  OwningOpRef<ModuleOp> flat = module.clone();
  for (ModuleOp nested : llvm::make_early_inc_range(flat->getOps<ModuleOp>())) {
    Block *body = nested.getBody();
    flat->getBody()->getOperations().splice(Block::iterator(nested),
                                            body->getOperations());
    nested.erase();
  }
  return flat;
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const CpuInfo &cpu, llvm::CodeGenOptLevel level) {
  LLVMInitializeX86AsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu.name, cpu.featureString, options,
                                  llvm::Reloc::PIC_, std::nullopt, level));
}

static void setFunctionAttributes(llvm::Module &module, const CpuInfo &cpu) {
  bool wide = cpu.has("avx512f");
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.name);
    function.addFnAttr("target-features", cpu.featureString);
    function.addFnAttr("prefer-vector-width", wide ? "512" : "256");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// Kernels get all of LLVM; a host program is short straight code, for which
/// the time to compile counts more.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     bool hasKernels) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Kernels come vectorised.
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager pipeline = builder.buildPerModuleDefaultPipeline(
      hasKernels ? llvm::OptimizationLevel::O2 : llvm::OptimizationLevel::O1);
  pipeline.run(module, modules);
}

static std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                               llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  return translateModuleToLLVMIR(module, context, "program");
}

static FailureOr<llvm::SmallVector<char, 0>>
generateObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return failure();
  codegen.run(module);
  return object;
}

FailureOr<std::string>
fuser::emitSharedObject(Operation *op, const CpuTargetOptions &options) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    op->emitError("expected a builtin.module to compile, got '")
        << op->getName() << "'";
    return failure();
  }
  FailureOr<CpuInfo> cpu =
      resolveCpu(options.arch, [&] { return op->emitError(); });
  if (failed(cpu))
    return failure();
  StageClock clock(options);
  bool hasKernels = hasCpuKernels(module);
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(*cpu, hasKernels ? llvm::CodeGenOptLevel::Default
                                           : llvm::CodeGenOptLevel::Less);
  if (!machine) {
    op->emitError("this LLVM cannot make x86-64 code");
    return failure();
  }
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> flat = flatten(module);
  std::unique_ptr<llvm::Module> llvmModule = translate(*flat, context);
  if (!llvmModule)
    return failure(); // The translation has said why.
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(machine->getTargetTriple());
  if (!cpu->has("f16c") && hasHalf(*llvmModule))
    if (llvm::Error error = addHalfLibrary(*llvmModule)) {
      op->emitError() << llvm::toString(std::move(error));
      return failure();
    }
  setFunctionAttributes(*llvmModule, *cpu);
  clock.finish("llvm-ir");
  optimize(*llvmModule, *machine, hasKernels);
  clock.finish("llvm-opt");
  FailureOr<llvm::SmallVector<char, 0>> object =
      generateObject(*llvmModule, *machine);
  if (failed(object)) {
    op->emitError("LLVM cannot write x86-64 objects");
    return failure();
  }
  clock.finish("llvm-codegen");
  llvm::Expected<std::string> linked =
      linkSharedObject(llvm::StringRef(object->data(), object->size()));
  if (!linked) {
    op->emitError() << llvm::toString(linked.takeError());
    return failure();
  }
  clock.finish("link");
  return std::move(*linked);
}
