//===- SharedObject.cpp - LLVM dialect to a shared object -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfLibrary.h"
#include "Linker.h"
#include "fuser/Support/Parallel.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <chrono>

using namespace fuser;

/// True if code of the module touches numbers of such a type.
static bool hasNumbers(const llvm::Module &module,
                       bool (llvm::Type::*isType)() const) {
  auto isWanted = [&](const llvm::Value &value) {
    return (value.getType()->getScalarType()->*isType)();
  };
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &op : llvm::instructions(function))
      if (isWanted(op) || llvm::any_of(op.operand_values(), [&](auto *operand) {
            return isWanted(*operand);
          }))
        return true;
  return false;
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const CpuInfo &cpu, llvm::CodeGenOptLevel level) {
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

/// How much is done for code.
enum class Effort {
  /// Kernels.
  Kernel,
  /// A host program, straight code that runs once a call.
  Host,
  /// A host program that is so long that passes which are not linear in a
  /// function (the allocation of registers is quadratic) would take very long;
  /// and all that is to be compiled quickly.
  Little,
};

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     Effort effort) {
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
  if (effort == Effort::Little) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::SimplifyCFGPass());
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        passes.run(function, functions);
    return;
  }
  llvm::ModulePassManager pipeline = builder.buildPerModuleDefaultPipeline(
      effort == Effort::Kernel ? llvm::OptimizationLevel::O2
                               : llvm::OptimizationLevel::O1);
  pipeline.run(module, modules);
}

/// The one lane that is set in a constant mask.
static std::optional<unsigned> findOnlyLane(const llvm::Value *mask) {
  auto *constant = dyn_cast<llvm::Constant>(mask);
  auto *type = dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    llvm::Constant *bit = constant->getAggregateElement(lane);
    if (!bit || !(bit->isNullValue() || bit->isOneValue()) ||
        (bit->isOneValue() && found))
      return std::nullopt;
    if (bit->isOneValue())
      found = lane;
  }
  return found;
}

/// Masked stores of one lane become stores of an element. LLVM 22 does the same
/// later, but for the element from before a truncation: it overwrites what is
/// behind (https://github.com/llvm/llvm-project/issues/179489).
static void replaceStoresOfOneLane(llvm::Module &module) {
  llvm::SmallVector<llvm::IntrinsicInst *> stores;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::IntrinsicInst>(&op);
          call && call->getIntrinsicID() == llvm::Intrinsic::masked_store)
        stores.push_back(call);
  for (llvm::IntrinsicInst *store : stores) {
    std::optional<unsigned> lane = findOnlyLane(store->getArgOperand(2));
    if (!lane)
      continue;
    llvm::IRBuilder<> b(store);
    llvm::Value *element =
        b.CreateExtractElement(store->getArgOperand(0), b.getInt64(*lane));
    llvm::Value *address = b.CreateConstInBoundsGEP1_64(
        element->getType(), store->getArgOperand(1), *lane);
    uint64_t bytes =
        module.getDataLayout().getTypeStoreSize(element->getType());
    llvm::Align alignment = llvm::commonAlignment(
        store->getParamAlign(1).valueOrOne(), *lane * bytes);
    b.CreateAlignedStore(element, address, alignment)->copyMetadata(*store);
    store->eraseFromParent();
  }
}

static llvm::CodeGenOptLevel getLevel(Effort effort) {
  switch (effort) {
  case Effort::Kernel:
    return llvm::CodeGenOptLevel::Default;
  case Effort::Host:
    return llvm::CodeGenOptLevel::Less;
  case Effort::Little:
    return llvm::CodeGenOptLevel::None;
  }
}

static llvm::Expected<std::string>
generateObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM cannot write x86-64 objects");
  codegen.run(module);
  return std::string(object.begin(), object.end());
}

namespace {
/// What becomes one relocatable object: the host program, or the kernels of a
/// nested module. Each has its own context, so that they compile in parallel.
class Part {
public:
  Part(ModuleOp source, bool isHost) : source(source), isHost(isHost) {}

  LogicalResult translate();
  /// On any thread.
  void compile(const CpuInfo &cpu, const CpuTargetOptions &options);

  ModuleOp getSource() { return source; }

  /// The object, or why there is none.
  std::string object, error;
  double optimizeMilliseconds = 0, codegenMilliseconds = 0;

private:
  llvm::Expected<std::string> run(const CpuInfo &cpu,
                                  const CpuTargetOptions &options);
  Effort getEffort(const CpuTargetOptions &options) const;

  ModuleOp source;
  bool isHost;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

LogicalResult Part::translate() {
  // Nested modules are left out.
  module = translateModuleToLLVMIR(source, context, "program");
  return success(module != nullptr); // The translation has said why.
}

/// Of a long host program, in instructions.
static constexpr unsigned kManyInstructions = 20000;

Effort Part::getEffort(const CpuTargetOptions &options) const {
  if (options.quick)
    return Effort::Little;
  if (!isHost)
    return Effort::Kernel;
  return module->getInstructionCount() > kManyInstructions ? Effort::Little
                                                           : Effort::Host;
}

static double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

llvm::Expected<std::string> Part::run(const CpuInfo &cpu,
                                      const CpuTargetOptions &options) {
  Effort effort = getEffort(options);
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(cpu, getLevel(effort));
  if (!machine)
    return llvm::createStringError("this LLVM cannot make x86-64 code");
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  if (!isHost && options.linkLibrary)
    if (llvm::Error error = options.linkLibrary(*module))
      return std::move(error);
  bool hasF16c = cpu.has("f16c");
  if (hasNumbers(*module, &llvm::Type::isHalfTy) &&
      (!hasF16c || hasNumbers(*module, &llvm::Type::isDoubleTy)))
    if (llvm::Error error = addHalfLibrary(*module, hasF16c))
      return std::move(error);
  setFunctionAttributes(*module, cpu);
  auto start = std::chrono::steady_clock::now();
  optimize(*module, *machine, effort);
  replaceStoresOfOneLane(*module);
  optimizeMilliseconds = millisecondsSince(start);
  start = std::chrono::steady_clock::now();
  llvm::Expected<std::string> result = generateObject(*module, *machine);
  codegenMilliseconds = millisecondsSince(start);
  return result;
}

void Part::compile(const CpuInfo &cpu, const CpuTargetOptions &options) {
  llvm::Expected<std::string> result = run(cpu, options);
  if (result)
    object = std::move(*result);
  else
    error = llvm::toString(result.takeError());
}

/// So many are in LLVM's memory at once.
static constexpr size_t kPartsAtOnce = 64;

namespace {
/// The objects of a program: of the host program first, then of kernels in the
/// order of the text.
struct Objects {
  std::vector<std::string> bytes;
  double translate = 0, optimize = 0, codegen = 0; ///< Milliseconds.
};
} // namespace

/// Lowered kernels may have instructions that other processors lack.
static LogicalResult checkProcessor(ModuleOp source, const CpuInfo &cpu) {
  auto made = source->getAttrOfType<StringAttr>(kCpuAttrName);
  if (!made || made.getValue() == cpu.name)
    return success();
  return emitError(source.getLoc())
         << "expected kernels that were lowered for " << cpu.name
         << ", got some for " << made.getValue() << " (" << kCpuAttrName
         << "): compile for that processor, or from the program before "
            "cpu-to-llvm";
}

/// Appends the objects of `sources`, of which the first may be the host
/// program.
static LogicalResult compileTogether(llvm::ArrayRef<ModuleOp> sources,
                                     bool hasHost, const CpuInfo &cpu,
                                     const CpuTargetOptions &options,
                                     Objects &objects) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Part>> parts;
  for (ModuleOp source : sources) {
    parts.push_back(std::make_unique<Part>(source, hasHost && parts.empty()));
    if (failed(checkProcessor(source, cpu)) ||
        failed(parts.back()->translate()))
      return failure();
  }
  objects.translate += millisecondsSince(start);
  parallelFor(parts.size(), [&](size_t i) { parts[i]->compile(cpu, options); });
  for (std::unique_ptr<Part> &part : parts) {
    if (!part->error.empty())
      return part->getSource().emitError() << part->error;
    objects.bytes.push_back(std::move(part->object));
    objects.optimize += part->optimizeMilliseconds;
    objects.codegen += part->codegenMilliseconds;
  }
  return success();
}

static FailureOr<Objects> compileAll(ModuleOp module, const CpuInfo &cpu,
                                     const CpuTargetOptions &options) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  LLVMInitializeX86AsmPrinter();
  llvm::SmallVector<ModuleOp> sources{module};
  llvm::append_range(sources, module.getOps<ModuleOp>());
  Objects objects;
  for (size_t i = 0; i < sources.size(); i += kPartsAtOnce)
    if (failed(compileTogether(
            llvm::ArrayRef(sources).drop_front(i).take_front(kPartsAtOnce),
            /*hasHost=*/i == 0, cpu, options, objects)))
      return failure();
  return objects;
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
  FailureOr<Objects> objects = compileAll(module, *cpu, options);
  if (failed(objects))
    return failure();
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::string> linked =
      linkSharedObject(llvm::SmallVector<llvm::StringRef>(
          objects->bytes.begin(), objects->bytes.end()));
  if (!linked) {
    op->emitError() << llvm::toString(linked.takeError());
    return failure();
  }
  if (options.onStage) {
    options.onStage("llvm-ir", objects->translate);
    options.onStage("llvm-opt", objects->optimize);
    options.onStage("llvm-codegen", objects->codegen);
    options.onStage("link", millisecondsSince(start));
  }
  return std::move(*linked);
}
