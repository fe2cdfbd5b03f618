//===- TranslateToPTX.cpp - From lowered kernels to PTX text --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/PTX/TranslateToPTX.h"
#include "LlvmFaults.h"
#include "PtxasFaults.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Support/Parallel.h"
#include "fuser/Target/LibDevice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace fuser {

constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";
constexpr llvm::StringLiteral kLibDevicePrefix = "__nv_";

void registerPTXTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// Instructions that begin with `prefix` need a GPU that is so new, and PTX of
/// this version if it is later than that of the GPU.
struct Requirement {
  llvm::StringLiteral prefix;
  unsigned computeCapability;
  /// Only the architecture with an `a` has them, and only that one.
  bool architectureSpecific;
  unsigned ptxVersion = 0;
};
} // namespace

// Not all of these carry their requirement themselves.
static constexpr Requirement kRequirements[] = {
    {"nvvm.cluster.", 90, false},
    {"nvvm.read.ptx.sreg.cluster.", 90, false},
    {"nvvm.read.ptx.sreg.nclusterid.", 90, false},
    {"nvvm.read.ptx.sreg.clusterid.", 90, false},
    {"nvvm.mapa", 90, false},
    {"nvvm.elect.sync", 90, false},
    {"nvvm.griddepcontrol", 90, false},
    {"nvvm.stmatrix", 90, false},
    {"nvvm.cp.async.bulk.", 90, false},
    {"nvvm.fence.mbarrier.", 90, false},
    {"nvvm.fence.proxy", 90, false},
    {"nvvm.mbarrier.arrive.expect_tx", 90, false},
    {"nvvm.mbarrier.expect_tx", 90, false},
    {"nvvm.mbarrier.try_wait", 90, false},
    {"nvvm.wgmma.", 90, true},
    {"nvvm.setmaxregister", 90, true},
    {"nvvm.tcgen05.", 100, true},
    {"cp.async.bulk.", 90, false},
    {"ld.global.L1::", 70, false, 74},
    {"mapa.", 90, false},
    {"st.async.", 90, false, 81},
    {"st.global.L1::", 70, false, 74},
};

/// What the table calls the instruction that `op` is: an op of nvvm, or inline
/// assembly.
static StringRef getInstruction(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return assembly.getAsmString();
  if (isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()))
    return op->getName().getStringRef();
  return StringRef();
}

static const Requirement *findRequirement(Operation *op) {
  StringRef name = getInstruction(op);
  const auto *it = llvm::find_if(kRequirements, [&](const Requirement &r) {
    return name.starts_with(r.prefix);
  });
  return it == std::end(kRequirements) ? nullptr : it;
}

/// The PTX version of `target`, or a later one that `module` needs, in LLVM's
/// words.
static std::string getFeatures(gpu::GPUModuleOp module,
                               const GpuTarget &target) {
  GpuTarget needed = target;
  module.walk([&](Operation *op) {
    if (const Requirement *requirement = findRequirement(op))
      needed.ptxVersion = std::max(needed.ptxVersion, requirement->ptxVersion);
  });
  return needed.getFeatures();
}

static LogicalResult verifyRequirement(Operation *op, const GpuTarget &target,
                                       const Requirement &requirement) {
  bool fits = requirement.architectureSpecific
                  ? target.computeCapability == requirement.computeCapability &&
                        target.isArchitectureSpecific()
                  : target.computeCapability >= requirement.computeCapability;
  if (fits)
    return success();
  return op->emitOpError() << "expected sm_" << requirement.computeCapability
                           << (requirement.architectureSpecific ? "a"
                                                                : " or later")
                           << ", got " << target.arch;
}

static LogicalResult verifyOp(Operation *op, const GpuTarget &target) {
  const Requirement *requirement = findRequirement(op);
  return requirement ? verifyRequirement(op, target, *requirement) : success();
}

/// Whether the parameters of `kernel` take at most `maxBytes`, each aligned to
/// its size as a launch lays them out.
static LogicalResult verifyParamBytes(LLVM::LLVMFuncOp kernel,
                                      int64_t maxBytes) {
  uint64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    // A pointer takes 8 bytes, and so does anything else that is no number.
    uint64_t size = 8;
    if (type.isIntOrFloat())
      size =
          llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
    bytes = llvm::alignTo(bytes, size) + size;
  }
  if (bytes <= static_cast<uint64_t>(maxBytes))
    return success();
  // Not by the op, which would be printed: it is what the error is about, and
  // very long.
  return emitError(kernel.getLoc())
         << "kernel '" << kernel.getSymName() << "': expected at most "
         << maxBytes
         << " bytes of parameters (pointers, sizes, strides and scalars), "
            "which is what a launch takes, got "
         << bytes;
}

/// Whether `target` has what the kernels of `module` use. LLVM would abort on
/// what it has not.
static LogicalResult verifyTarget(gpu::GPUModuleOp module,
                                  const GpuTarget &target) {
  WalkResult result = module.walk([&](Operation *op) {
    return failed(verifyOp(op, target)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!target.hasClusters() &&
        kernel->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName()))
      return kernel.emitOpError()
             << "expected an architecture with clusters (sm_90 or later), got "
             << target.arch;
    if (kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
        failed(verifyParamBytes(kernel, target.getMaxParamBytes())))
      return failure();
  }
  auto attr =
      NVVM::NVVMTargetAttr::get(module.getContext(), /*optLevel=*/3, kTriple,
                                target.arch, getFeatures(module, target));
  return attr.verifyTarget(module);
}

/// Whether NVPTX has instructions for the intrinsic. LLVM aborts on those that
/// it has no instruction for, as there is no library to call.
static bool isSelectable(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::ldexp:
  case llvm::Intrinsic::frexp:
  case llvm::Intrinsic::modf:
    return false;
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::tanh:
    // There are approximations in f32.
    return call.getType()->getScalarType()->isFloatTy() && call.hasApproxFunc();
  default:
    return true;
  }
}

/// The driver defines these.
static bool isDriverFunction(StringRef name) {
  return name == "vprintf" || name == "__assertfail";
}

/// Names of functions that are called in `llvmModule` and are no instruction
/// and no function that is defined.
static SmallVector<std::string> findUnresolved(const llvm::Module &llvmModule) {
  SmallVector<std::string> names;
  for (const llvm::Function &function : llvmModule) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    if (!function.isIntrinsic()) {
      if (!isDriverFunction(function.getName()))
        names.push_back(function.getName().str());
      continue;
    }
    for (const llvm::User *user : function.users()) {
      auto *call = dyn_cast<llvm::IntrinsicInst>(user);
      if (!call || isSelectable(*call))
        continue;
      names.push_back(function.getName().str());
      break;
    }
  }
  return names;
}

/// The op of `module` that calls `name`, or else the module.
static Operation *findCaller(gpu::GPUModuleOp module, StringRef name) {
  Operation *caller = module;
  module.walk([&](LLVM::CallOp call) {
    if (call.getCallee() != name)
      return WalkResult::advance();
    caller = call;
    return WalkResult::interrupt();
  });
  return caller;
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
/// The translation of one module, with a context of its own: so several compile
/// in parallel.
class PTXTranslator {
public:
  PTXTranslator(gpu::GPUModuleOp module, const GpuTarget &target,
                const PTXOptions &options)
      : module(module), target(target), options(options) {}

  /// Reads the module.
  LogicalResult translate();
  /// On any thread.
  void compile();
  /// Reports what compile() has found at the ops of the module.
  FailureOr<std::string> finish();

  PTXTimings timings;

private:
  LogicalResult createTargetMachine();
  LogicalResult translateToLLVM();
  bool linkLibDevice();
  bool isResolved();
  bool optimize();
  bool emit();
  bool fail(const llvm::Twine &why);
  static void noteDiagnostic(const llvm::DiagnosticInfo *info, void *self);

  gpu::GPUModuleOp module;
  const GpuTarget &target;
  const PTXOptions &options;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string text;
  /// What LLVM, or we, have against it.
  SmallVector<std::string> errors;
  /// Functions that are called and defined nowhere.
  SmallVector<std::string> unresolved;
};

/// Adds the time from construction to destruction to a counter.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds)
      : milliseconds(milliseconds), begin(Clock::now()) {}
  ~Stopwatch() {
    milliseconds +=
        std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point begin;
};
} // namespace

void PTXTranslator::noteDiagnostic(const llvm::DiagnosticInfo *info,
                                   void *self) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  static_cast<PTXTranslator *>(self)->fail("cannot be written as PTX: " + text);
}

bool PTXTranslator::fail(const llvm::Twine &why) {
  errors.push_back(why.str());
  return false;
}

LogicalResult PTXTranslator::createTargetMachine() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return module.emitOpError()
           << "expected an LLVM with the NVPTX target: " << error;
  machine.reset(llvmTarget->createTargetMachine(
      triple, target.arch, getFeatures(module, target), llvm::TargetOptions(),
      std::nullopt, std::nullopt,
      options.optLevel == 0 ? llvm::CodeGenOptLevel::None
                            : llvm::CodeGenOptLevel::Aggressive));
  return success();
}

LogicalResult PTXTranslator::translateToLLVM() {
  Stopwatch watch(timings.translate);
  // Accesses take their alignment from the layout when they are translated; an
  // i64 of LLVM's default layout is aligned to 4 bytes only.
  llvm::DataLayout layout = machine->createDataLayout();
  StringRef layoutName = LLVM::LLVMDialect::getDataLayoutAttrName();
  module->setAttr(
      layoutName,
      StringAttr::get(module.getContext(), layout.getStringRepresentation()));
  llvmModule = translateModuleToLLVMIR(module, llvmContext, module.getName());
  module->removeAttr(layoutName);
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(llvm::Triple(kTriple));
  return success();
}

/// Whether `llvmModule` calls libdevice.
static bool needsLibDevice(const llvm::Module &llvmModule) {
  return llvm::any_of(llvmModule, [](const llvm::Function &function) {
    return function.isDeclaration() &&
           function.getName().starts_with(kLibDevicePrefix);
  });
}

/// Copies what is needed of libdevice into the module. Its functions are parsed
/// one by one, when they are copied.
bool PTXTranslator::linkLibDevice() {
  Stopwatch watch(timings.link);
  if (!needsLibDevice(*llvmModule))
    return true;
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::getLazyBitcodeModule(
          llvm::MemoryBufferRef(getLibDeviceBitcode(), "libdevice"),
          llvmContext);
  if (!library)
    return fail("cannot read libdevice: " +
                llvm::toString(library.takeError()));
  (*library)->setTargetTriple(llvmModule->getTargetTriple());
  (*library)->setDataLayout(llvmModule->getDataLayout());
  bool failed = llvm::Linker::linkModules(
      *llvmModule, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &names) {
        for (const auto &name : names)
          if (llvm::GlobalValue *value = linked.getNamedValue(name.getKey());
              value && !value->isDeclaration())
            value->setLinkage(llvm::GlobalValue::InternalLinkage);
      });
  if (failed || !errors.empty())
    return false;
  // Subnormal numbers are kept.
  llvmModule->addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz",
                            uint32_t(0));
  return true;
}

bool PTXTranslator::isResolved() {
  unresolved = findUnresolved(*llvmModule);
  return unresolved.empty();
}

bool PTXTranslator::optimize() {
  Stopwatch watch(timings.optimize);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(options.optLevel, 3u)];
  llvm::PipelineTuningOptions tuning;
  // Kernels come in the width and with the unrolling that their schedule chose:
  // more would take registers that a block does not have.
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes =
      level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(level)
          : builder.buildPerModuleDefaultPipeline(level);
  passes.run(*llvmModule, modules);
  return errors.empty();
}

bool PTXTranslator::emit() {
  Stopwatch watch(timings.codegen);
  splitPackedSums(*llvmModule);
  hideExtendedIndices(*llvmModule);
  hideUniformAddresses(*llvmModule, *machine);
  SmallString<0> written;
  {
    llvm::raw_svector_ostream stream(written);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                     llvm::CodeGenFileType::AssemblyFile))
      return fail("expected an LLVM whose NVPTX target writes assembly");
    passes.run(*llvmModule);
  }
  text =
      withoutNarrowMinima(withoutNegations(withoutUndefinedRegisters(written)));
  return errors.empty();
}

LogicalResult PTXTranslator::translate() {
  llvmContext.setDiagnosticHandlerCallBack(noteDiagnostic, this);
  return failure(failed(createTargetMachine()) || failed(translateToLLVM()));
}

void PTXTranslator::compile() {
  (void)(linkLibDevice() && optimize() && isResolved() && emit());
}

FailureOr<std::string> PTXTranslator::finish() {
  for (StringRef error : errors)
    module.emitOpError() << error;
  if (!errors.empty())
    return failure();
  if (unresolved.empty())
    return std::move(text);
  InFlightDiagnostic diag =
      findCaller(module, unresolved.front())->emitOpError()
      << "calls functions that are defined nowhere: ";
  llvm::interleaveComma(unresolved, diag,
                        [&](StringRef name) { diag << name; });
  return diag;
}

static void addTimings(PTXTimings &sum, const PTXTimings &timings) {
  sum.translate += timings.translate;
  sum.link += timings.link;
  sum.optimize += timings.optimize;
  sum.codegen += timings.codegen;
}

/// Appends the PTX of `modules` to `texts`.
static LogicalResult translateTogether(ArrayRef<gpu::GPUModuleOp> modules,
                                       const PTXOptions &options,
                                       SmallVectorImpl<std::string> &texts) {
  std::vector<std::unique_ptr<PTXTranslator>> translators;
  for (gpu::GPUModuleOp module : modules) {
    FailureOr<const GpuTarget *> target =
        lookupGpuTarget(options.arch, [&] { return module.emitOpError(); });
    if (failed(target) || failed(verifyTarget(module, **target)))
      return failure();
    translators.push_back(
        std::make_unique<PTXTranslator>(module, **target, options));
    if (failed(translators.back()->translate()))
      return failure();
  }
  parallelFor(translators.size(), [&](size_t i) { translators[i]->compile(); });
  for (std::unique_ptr<PTXTranslator> &translator : translators) {
    FailureOr<std::string> text = translator->finish();
    if (failed(text))
      return failure();
    texts.push_back(std::move(*text));
    if (options.timings)
      addTimings(*options.timings, translator->timings);
  }
  return success();
}

/// So many modules are in memory at once.
static constexpr size_t kModulesAtOnce = 64;

FailureOr<SmallVector<std::string>>
translateToPTX(ArrayRef<gpu::GPUModuleOp> modules, const PTXOptions &options) {
  SmallVector<std::string> texts;
  for (; !modules.empty();
       modules = modules.drop_front(std::min(modules.size(), kModulesAtOnce)))
    if (failed(translateTogether(modules.take_front(kModulesAtOnce), options,
                                 texts)))
      return failure();
  return texts;
}

FailureOr<std::string> translateToPTX(gpu::GPUModuleOp module,
                                      const PTXOptions &options) {
  FailureOr<SmallVector<std::string>> texts =
      translateToPTX(ArrayRef(module), options);
  if (failed(texts))
    return failure();
  return std::move(texts->front());
}

} // namespace fuser
