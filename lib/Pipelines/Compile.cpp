//===- Compile.cpp - From a fusion program to a compiled program ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Compile.h"
#include "ProgramSpecs.h"
#include "SizeClasses.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "fuser/InitAllDialects.h"
#include "fuser/Pipelines/Calls.h"
#include "fuser/Pipelines/Explain.h"
#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include <chrono>

using namespace fuser;

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

namespace {
/// Tells the caller which pass begins, and which one has run.
class PassObserver : public PassInstrumentation {
public:
  PassObserver(const std::function<void(StringRef)> &onStep,
               const std::function<void(StringRef, Operation *)> &afterPass)
      : onStep(onStep), afterPass(afterPass) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (isAdaptor(pass))
      return;
    if (depth++ == 0 && onStep)
      onStep(pass->getArgument());
  }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    depth -= !isAdaptor(pass);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    // What passes within passes leave is half done.
    if (isAdaptor(pass) || --depth > 0 || !afterPass)
      return;
    auto module = dyn_cast<ModuleOp>(op);
    // Of ops that it runs on one by one, the last. A module is in no block.
    for (Operation *next = module ? nullptr : op->getNextNode(); next;
         next = next->getNextNode())
      if (next->getName() == op->getName())
        return;
    while (op->getParentOp())
      op = op->getParentOp();
    afterPass(pass->getArgument(), module ? module : op);
  }

private:
  /// It only runs other passes.
  static bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

  const std::function<void(StringRef)> &onStep;
  const std::function<void(StringRef, Operation *)> &afterPass;
  unsigned depth = 0;
};

/// What a program has become before it is compiled from there: what is printed
/// after a pass can be run.
enum class Stage {
  Tensors, ///< Fusion ops or segments, with or without schedules.
  Kernels, ///< Segments that name their host functions.
  Buffers  ///< A host program, and kernels in any form.
};

/// One compilation: the module being lowered and what has come out.
class Compilation {
public:
  Compilation(ModuleOp module, const CompileOptions &options)
      : module(module), options(options),
        pipeline{options.target,
                 options.arch,
                 options.explain,
                 [this](StringRef step, double milliseconds) {
                   result.times.push_back({step.str(), milliseconds});
                 },
                 options.arithmetic,
                 options.checkKernels,
                 hasSegments(module)},
        afterPass(options.afterPass) {
    if (options.arithmetic == Arithmetic::Ring)
      module->setAttr(fusion::FusionDialect::getRingAttrName(),
                      UnitAttr::get(module.getContext()));
    if (options.explain)
      afterPass = [&options](StringRef pass, Operation *module) {
        if (pass == "fusion-schedule")
          explainSchedules(cast<ModuleOp>(module), options.target);
        if (options.afterPass)
          options.afterPass(pass, module);
      };
  }

  LogicalResult run(func::FuncOp entry, Stage stage);
  CompileResult takeResult() { return std::move(result); }

private:
  /// Runs the passes that `build` adds, as one stage; without a name if they
  /// say themselves how long they take.
  LogicalResult runPasses(StringRef stage,
                          llvm::function_ref<void(OpPassManager &)> build);
  LogicalResult resolveArch();
  /// Functions of tensors become functions of segments with kernels.
  LogicalResult lowerFunctions();
  LogicalResult lowerTensors(func::FuncOp entry, Stage stage);
  /// The functions of tensors that a host program calls.
  LogicalResult lowerCallees(func::FuncOp entry);
  LogicalResult emitObject();

  ModuleOp module;
  const CompileOptions &options;
  PipelineOptions pipeline;
  std::function<void(StringRef, Operation *)> afterPass;
  SizeClasses sizeClasses;
  fuser_rt::Variant variant;
  CompileResult result;
};
} // namespace

LogicalResult
Compilation::runPasses(StringRef stage,
                       llvm::function_ref<void(OpPassManager &)> build) {
  Clock::time_point start = Clock::now();
  PassManager pm(module.getContext());
  // Each pass verifies what it makes in development; here once a stage is
  // enough.
  pm.enableVerifier(false);
  if (options.onStep || afterPass)
    pm.addInstrumentation(
        std::make_unique<PassObserver>(options.onStep, afterPass));
  build(pm);
  if (failed(pm.run(module)) || failed(mlir::verify(module)))
    return failure();
  if (!stage.empty())
    result.times.push_back({stage.str(), millisecondsSince(start)});
  return success();
}

LogicalResult Compilation::resolveArch() {
  FailureOr<Architecture> arch = options.target->resolveArch(
      options.arch, [&] { return mlir::emitError(module.getLoc()); });
  if (failed(arch))
    return failure();
  variant.arch = std::move(arch->name);
  variant.features = std::move(arch->features);
  return success();
}

LogicalResult Compilation::emitObject() {
  if (failed(runPasses("host lowering", buildHostLoweringPipeline)))
    return failure();
  if (failed(
          takeKernels(module, options.target->emitImages != nullptr, variant)))
    return failure();
  CpuTargetOptions cpu;
  cpu.arch = options.target->getHostArch(options.arch);
  cpu.linkLibrary = options.target->linkLibrary;
  cpu.quick = options.quick;
  cpu.onStage = [&](StringRef stage, double milliseconds) {
    result.times.push_back({("object: " + stage).str(), milliseconds});
  };
  if (options.onStep)
    options.onStep("object");
  FailureOr<std::string> object = emitSharedObject(module, cpu);
  if (failed(object))
    return failure();
  variant.object = std::move(*object);
  return success();
}

LogicalResult Compilation::lowerFunctions() {
  if (failed(runPasses("fusion", [&](OpPassManager &pm) {
        buildFusionPipeline(pm, pipeline);
      })))
    return failure();
  return runPasses(
      "kernels", [&](OpPassManager &pm) { buildKernelPipeline(pm, pipeline); });
}

LogicalResult Compilation::lowerTensors(func::FuncOp entry, Stage stage) {
  if (failed(checkSignature(entry)))
    return failure();
  if (stage == Stage::Tensors) {
    applyInputClasses(entry, options);
    if (options.target->kernelForm == kGpuKernels)
      sizeClasses = SizeClasses(entry);
    sizeClasses.apply(entry, options);
    if (failed(lowerFunctions()))
      return failure();
  }
  entry.walk([&](fusion::SegmentOp) { ++result.program.numSegments; });
  return success();
}

LogicalResult Compilation::lowerCallees(func::FuncOp entry) {
  if (failed(host::verifyProgram(entry)))
    return failure();
  // Functions that are called, and ops that become calls, are of tensors until
  // they have been through this.
  bool hasKernels = false, hasTensorOps = false;
  module.walk([&](fusion::SegmentOp segment) {
    hasKernels |= segment.getHostFunctionAttr() != nullptr;
  });
  entry.walk([&](Operation *op) {
    hasTensorOps |= isa<host::CallOp, host::CommunicationOpInterface,
                        host::TensorOpInterface>(op);
  });
  if (hasTensorOps && !hasKernels && failed(lowerFunctions()))
    return failure();
  module.walk([&](Operation *op) {
    result.program.numSegments += isa<fusion::SegmentOp, host::LaunchOp>(op);
  });
  return success();
}

LogicalResult Compilation::run(func::FuncOp entry, Stage stage) {
  // The entry is replaced on the way.
  result.program.name = entry.getSymName().str();
  variant.target = options.target->device;
  if (failed(resolveArch()))
    return failure();
  if (failed(chooseTarget(entry, options.target,
                          getTargetSpec(*options.target, options.arch))))
    return failure(); // Decided for another one.
  if (stage == Stage::Buffers) {
    if (failed(lowerCallees(entry)))
      return failure();
  } else if (failed(lowerTensors(entry, stage)))
    return failure();
  if (failed(runPasses("host", buildHostPipeline)))
    return failure();
  module.walk([&](host::GroupOp) { result.program.communicates = true; });
  if (failed(describeSignature(entry, variant)))
    return failure();
  sizeClasses.describe(variant);
  if (failed(runPasses("kernel lowering",
                       [&](OpPassManager &pm) {
                         buildKernelLoweringPipeline(pm, pipeline);
                       })) ||
      failed(runPasses("",
                       [&](OpPassManager &pm) {
                         buildKernelEmissionPipeline(pm, pipeline);
                       })) ||
      failed(emitObject()))
    return failure();
  result.program.variants.push_back(std::move(variant));
  return success();
}

/// " among 'f', 'g'", of those with a body; empty if there is
/// none.
static std::string listFunctions(ModuleOp module) {
  std::string names;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      names +=
          (Twine(names.empty() ? " among '" : ", '") + func.getSymName() + "'")
              .str();
  return names;
}

FailureOr<Operation *> fuser::findEntry(ModuleOp module, StringRef entry) {
  SmallVector<func::FuncOp> candidates;
  for (auto func : module.getOps<func::FuncOp>())
    if (entry.empty() ? func.isPublic() && !func.isExternal()
                      : func.getSymName() == entry)
      candidates.push_back(func);
  if (candidates.size() == 1 && !candidates.front().isExternal()) {
    if (!candidates.front().getSymName().empty())
      return candidates.front().getOperation();
    return candidates.front().emitError("expected a function with a name");
  }
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  InFlightDiagnostic diag = module.emitError();
  if (candidates.empty() && !kernels.empty())
    diag << "expected a program to run, a function that launches the kernels, "
            "got kernels alone";
  else if (!entry.empty())
    diag << "expected a function '" << entry << "' with a body, got none"
         << listFunctions(module);
  else
    diag << "expected one public function, or the name of an entry; got "
         << candidates.size() << " public functions";
  for (func::FuncOp func : candidates)
    diag.attachNote(func.getLoc()) << "'" << func.getSymName() << "' is here";
  if (candidates.empty() && !kernels.empty())
    diag.attachNote((*kernels.begin()).getLoc())
        << "kernels are here; a program has the attribute host.program and "
           "launches them by host.launch";
  return failure();
}

std::unique_ptr<MLIRContext> fuser::createCompilerContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // A user's error is about the program's text, and that is what it shows.
  context->printOpOnDiagnostic(false);
  return context;
}

/// What `entry` has gone through already.
static Stage getStage(func::FuncOp entry) {
  if (entry->hasAttr(host::kProgramAttrName))
    return Stage::Buffers;
  WalkResult result = entry.walk([](fusion::SegmentOp segment) {
    return segment.getHostFunctionAttr() ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  return result.wasInterrupted() ? Stage::Kernels : Stage::Tensors;
}

/// Symbols that ops of `func` name and that are no functions: grids of ranks.
static SmallVector<Operation *> findGrids(ModuleOp module, func::FuncOp func) {
  llvm::SetVector<Operation *> grids;
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(func);
  if (!uses)
    return {};
  for (const SymbolTable::SymbolUse &use : *uses) {
    Operation *op = SymbolTable::lookupSymbolIn(
        module, use.getSymbolRef().getRootReference());
    if (isa_and_nonnull<shard::GridOp>(op))
      grids.insert(op);
  }
  return grids.takeVector();
}

/// A module with a copy of `entry` and of what it launches.
static OwningOpRef<ModuleOp> copyProgram(ModuleOp module, func::FuncOp entry,
                                         Stage stage) {
  if (stage == Stage::Tensors) {
    OwningOpRef<ModuleOp> copy(ModuleOp::create(module.getLoc()));
    for (Operation *grid : findGrids(module, entry))
      copy->push_back(grid->clone());
    copy->push_back(entry.clone());
    return copy;
  }
  // What it calls, and the host functions of all their segments.
  llvm::SetVector<StringAttr> used;
  used.insert(entry.getSymNameAttr());
  for (size_t i = 0; i < used.size(); ++i)
    if (auto func = module.lookupSymbol<func::FuncOp>(used[i])) {
      for (Operation *grid : findGrids(module, func))
        used.insert(SymbolTable::getSymbolName(grid));
      func.walk([&](Operation *op) {
        if (auto segment = dyn_cast<fusion::SegmentOp>(op))
          if (FlatSymbolRefAttr function = segment.getHostFunctionAttr())
            used.insert(function.getAttr());
        if (auto call = dyn_cast<host::CallOp>(op))
          used.insert(call.getCalleeAttr().getAttr());
      });
    }
  OwningOpRef<ModuleOp> copy(module.clone());
  for (auto func : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    if (!used.contains(func.getSymNameAttr()))
      func.erase();
    else if (func.getSymName() != entry.getSymName())
      func.setPrivate();
  copy->walk([&](host::LaunchOp launch) {
    used.insert(launch.getKernel().getRootReference());
  });
  // A module without a name has native code of a kernel that has one.
  for (Operation &op : llvm::make_early_inc_range(*copy->getBody())) {
    StringAttr name =
        op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (name && !used.contains(name))
      op.erase();
  }
  return copy;
}

/// "--target=cuda or --target=sim": those whose kernels have this form.
static std::string getTargetFlags(StringRef kernelForm) {
  std::vector<std::string> flags;
  for (const Target *target : getAllTargets())
    if (target->kernelForm == kernelForm)
      flags.push_back(("--target=" + target->name).str());
  return llvm::join(flags, " or ");
}

/// Why the options do not fit a program that launches `kernel`; empty if they
/// do.
static std::string findMisfit(Operation *kernel, StringRef name, bool isInRing,
                              const CompileOptions &options) {
  if (options.arithmetic == Arithmetic::Ring && !isInRing)
    return ("expected no kernel written by hand with the exact arithmetic "
            "(--exact), got " +
            name +
            ": its floats would become integers, and no reference says what it "
            "computes then")
        .str();
  if (isa<gpu::GPUModuleOp>(kernel->getParentOp()) &&
      options.target->kernelForm != kGpuKernels)
    return ("expected a kernel for the target " + options.target->name +
            ", got " + name + " of the gpu dialect, which needs " +
            getTargetFlags(kGpuKernels))
        .str();
  return "";
}

/// Checks that the options fit the kernels of a program that was written as a
/// host program.
static LogicalResult checkLaunches(ModuleOp program, bool isInRing,
                                   const CompileOptions &options) {
  WalkResult result = program.walk([&](host::LaunchOp launch) {
    SymbolRefAttr symbol = launch.getKernel();
    Operation *kernel = SymbolTable::lookupNearestSymbolFrom(launch, symbol);
    if (!kernel)
      return WalkResult::advance(); // The verifier knows.
    std::string name = ("'" + symbol.getLeafReference().strref() + "'").str();
    std::string misfit = findMisfit(kernel, name, isInRing, options);
    if (misfit.empty())
      return WalkResult::advance();
    InFlightDiagnostic diag = launch.emitOpError() << misfit;
    diag.attachNote(kernel->getLoc()) << "the kernel is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Compiles a copy of a program, which it changes.
static FailureOr<CompileResult> compileCopy(OwningOpRef<ModuleOp> copy,
                                            StringRef entry, Stage stage,
                                            const CompileOptions &options) {
  if (stage == Stage::Buffers &&
      failed(checkLaunches(*copy, fusion::isInRing(*copy), options)))
    return failure();
  Compilation compilation(*copy, options);
  if (failed(compilation.run(copy->lookupSymbol<func::FuncOp>(entry), stage)))
    return failure();
  return compilation.takeResult();
}

static bool hasSchedules(func::FuncOp func) {
  return func
      .walk([](fusion::SegmentOp segment) {
        return segment.getScheduleAttr() ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<CompileResult> fuser::compileModule(ModuleOp module,
                                              const CompileOptions &options) {
  llvm::scope_exit end([&] {
    if (options.onStep)
      options.onStep("");
  });
  FailureOr<Operation *> found = findEntry(module, options.entry);
  if (failed(found))
    return failure();
  auto entry = cast<func::FuncOp>(*found);
  // It was written by such a compilation.
  if (fusion::isInRing(module) && options.arithmetic != Arithmetic::Ring)
    return module.emitError("expected the exact arithmetic (--exact) for a "
                            "module with fusion.ring, got floats");
  Stage stage = getStage(entry);
  if (stage == Stage::Tensors && failed(verifyCalls(entry)))
    return failure();
  if (!options.isForOtherInputs || stage != Stage::Tensors ||
      !hasSchedules(entry))
    return compileCopy(copyProgram(module, entry, stage), entry.getSymName(),
                       stage, options);
  // What is said of schedules that do not fit is of interest to nobody.
  SmallVector<Diagnostic> said;
  FailureOr<CompileResult> result = failure();
  {
    ScopedDiagnosticHandler collector(
        module.getContext(),
        [&](Diagnostic &diag) { said.push_back(std::move(diag)); });
    result = compileCopy(copyProgram(module, entry, stage), entry.getSymName(),
                         stage, options);
  }
  if (succeeded(result)) {
    for (Diagnostic &diag : said)
      module.getContext()->getDiagEngine().emit(std::move(diag));
    return result;
  }
  OwningOpRef<ModuleOp> undecided = copyProgram(module, entry, stage);
  undecided->walk(
      [](fusion::SegmentOp segment) { segment.removeScheduleAttr(); });
  // The first variant asks for no classes of sizes, as schedules were given.
  CompileOptions ofAllSizes = options;
  for (InputClass &input : ofAllSizes.inputs)
    input.sizes.clear();
  return compileCopy(std::move(undecided), entry.getSymName(), stage,
                     ofAllSizes);
}

/// Whether a variant takes whatever the program itself allows.
static bool takesAnyLayout(const fuser_rt::Variant &variant) {
  auto takesAnyAddress = [](const fuser_rt::TensorSpec &spec) {
    return spec.alignmentRequired ||
           spec.alignment <= fuser_rt::elementBytes(spec.element);
  };
  return llvm::all_of(variant.inputs,
                      [&](const fuser_rt::TensorSpec &spec) {
                        return takesAnyAddress(spec) &&
                               (spec.anyStrides || spec.strideOrderRequired);
                      }) &&
         llvm::all_of(variant.outputs, takesAnyAddress);
}

/// There is no compiler to ask for classes of sizes.
static void dropWantedSizes(fuser_rt::Program &program) {
  for (fuser_rt::Variant &variant : program.variants) {
    for (fuser_rt::SizeSpec &size : variant.sizes) {
      size = {size.symbol,          size.divisor,       size.bound,
              size.requiredDivisor, size.requiredBound, size.lowerBound};
    }
    llvm::erase_if(variant.sizes, [](const fuser_rt::SizeSpec &size) {
      return size.divisor == 1 && size.bound < 0 && size.lowerBound == 0;
    });
  }
}

FailureOr<CompileResult> fuser::compileToSave(ModuleOp module,
                                              const CompileOptions &options) {
  FailureOr<CompileResult> result = compileModule(module, options);
  if (failed(result))
    return failure();
  dropWantedSizes(result->program);
  if (takesAnyLayout(result->program.variants.front()))
    return result;
  FailureOr<Operation *> entry = findEntry(module, options.entry);
  if (getStage(cast<func::FuncOp>(*entry)) != Stage::Tensors)
    return result; // Its layouts are decided.
  Clock::time_point start = Clock::now();
  CompileOptions general = options;
  general.inputs.assign(result->program.variants.front().inputs.size(),
                        {/*anyStrides=*/true, /*alignment=*/0});
  general.isForOtherInputs = true;
  general.outputAlignment = 1;
  // What is told is of the first one.
  general.explain = false;
  general.afterPass = nullptr;
  FailureOr<CompileResult> more = compileModule(module, general);
  if (failed(more))
    return failure();
  dropWantedSizes(more->program);
  result->program.variants.push_back(std::move(more->program.variants.front()));
  result->times.push_back({"variant for any input", millisecondsSince(start)});
  return result;
}
