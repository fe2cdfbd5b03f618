//===- TranslateMain.cpp - Fusions and later stages to PTX ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Files.h"
#include "fuser/Conversion/Kernels/KernelMath.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/InitAllDialects.h"
#include "fuser/Pipelines/Pipelines.h"
#include "fuser/Pipelines/Targets.h"
#include "fuser/Support/GpuTarget.h"
#include "fuser/Target/PTX/TranslateToPTX.h"
#include "fuser/Tools/Mains.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
/// How far a module is on its way from tensors to PTX.
enum class Stage { Fusion, Kernel, Lowered };

/// The tool's options.
struct TranslateOptions {
  llvm::cl::OptionCategory category{"fuser-translate options"};
  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::desc("Where to write"), llvm::cl::value_desc("file"),
      llvm::cl::init("-"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> fusionToPTX{
      "fusion-to-ptx", llvm::cl::ValueDisallowed,
      llvm::cl::desc("Write PTX. The input is a fusion program, or one that is "
                     "segmented, scheduled, or lowered to kernels or NVVM "
                     "already: only the passes that are still missing run"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> arch{
      "gpu-arch", llvm::cl::desc("The GPU to write PTX for"),
      llvm::cl::init(fuser::kDefaultGpuArch.str()), llvm::cl::cat(category)};
  llvm::cl::opt<bool> timing{"timing", llvm::cl::ValueDisallowed,
                             llvm::cl::desc("Print LLVM's part of the time"),
                             llvm::cl::cat(category)};
  llvm::cl::opt<bool> split{
      "split-input-file", llvm::cl::ValueDisallowed,
      llvm::cl::desc("Translate the parts between lines of // ----- alone"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> verify{
      "verify-diagnostics", llvm::cl::ValueDisallowed,
      llvm::cl::desc("Check expected-error comments; nothing is written"),
      llvm::cl::cat(category)};
};
} // namespace

static Stage getStage(ModuleOp module) {
  Stage stage = Stage::Fusion;
  module.walk([&](Operation *op) {
    if (auto kernels = dyn_cast<gpu::GPUModuleOp>(op)) {
      stage = kernels.getOps<gpu::GPUFuncOp>().empty() ? Stage::Lowered
                                                       : Stage::Kernel;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return stage;
}

/// Runs the passes that `module` lacks before it can be written.
static LogicalResult lowerToPTXStage(ModuleOp module, StringRef arch) {
  fuser::PipelineOptions options{&fuser::getCudaTarget(), arch.str(), false};
  if (fuser::fusion::isInRing(module))
    options.arithmetic = fuser::Arithmetic::Ring;
  options.explainSchedulers = fuser::hasSegments(module);
  PassManager passes(module.getContext());
  Stage stage = getStage(module);
  if (stage <= Stage::Fusion) {
    fuser::buildFusionPipeline(passes, options);
    fuser::buildKernelPipeline(passes, options);
  }
  // Only the kernels: what is around them has not become a host program.
  if (options.arithmetic == fuser::Arithmetic::Ring && stage <= Stage::Kernel)
    passes.addNestedPass<gpu::GPUModuleOp>(
        fuser::createKernelFloatsToRingPass());
  options.arithmetic = fuser::Arithmetic::Floats;
  if (stage <= Stage::Kernel)
    fuser::buildKernelLoweringPipeline(passes, options);
  return passes.run(module);
}

/// Moves all kernels into the first module of kernels, so that the program is
/// one text that ptxas takes. Null if there is none.
static gpu::GPUModuleOp mergeKernels(ModuleOp module) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.empty())
    return nullptr;
  SymbolTable names(modules.front());
  for (gpu::GPUModuleOp other : llvm::drop_begin(modules)) {
    SymbolTable inner(other);
    for (Operation &op :
         llvm::make_early_inc_range(other.getBody()->getOperations())) {
      // Functions of libdevice are declared where they are called.
      auto name = SymbolTable::getSymbolName(&op);
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (function && function.isExternal() && names.lookup(name)) {
        op.erase();
        continue;
      }
      if (names.lookup(name))
        (void)inner.renameToUnique(&op, &names);
      op.remove();
      names.insert(&op);
    }
    other.erase();
  }
  return modules.front();
}

static LogicalResult writePTX(ModuleOp module, const TranslateOptions &flags,
                              llvm::raw_ostream &os) {
  if (failed(lowerToPTXStage(module, flags.arch)))
    return failure();
  gpu::GPUModuleOp kernels = mergeKernels(module);
  if (!kernels && !module.getOps<fuser::host::KernelOp>().empty())
    return module.emitError("expected kernels before emit-kernels makes code "
                            "of them, got host.kernel");
  if (!kernels)
    return module.emitError() << "expected at least one kernel, got a program "
                                 "that needs none";
  fuser::PTXTimings timings;
  fuser::PTXOptions options;
  options.arch = flags.arch;
  options.timings = &timings;
  FailureOr<std::string> ptx = fuser::translateToPTX(kernels, options);
  if (failed(ptx))
    return failure();
  os << *ptx;
  if (flags.timing)
    llvm::errs() << llvm::formatv(
        "to LLVM IR {0:F2} ms, libdevice {1:F2} ms, LLVM passes {2:F2} ms, "
        "code {3:F2} ms\n",
        timings.translate, timings.link, timings.optimize, timings.codegen);
  return success();
}

/// Translates one part of the input.
static LogicalResult translate(std::unique_ptr<llvm::MemoryBuffer> buffer,
                               const DialectRegistry &registry,
                               const TranslateOptions &flags,
                               llvm::raw_ostream &os) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(!flags.verify);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  auto parseAndWrite = [&]() -> LogicalResult {
    auto module = parseSourceFile<ModuleOp>(sources, &context);
    return module ? writePTX(*module, flags, os) : failure();
  };
  if (!flags.verify) {
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return parseAndWrite();
  }
  SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
  // What is expected to fail, fails.
  (void)parseAndWrite();
  return handler.verify();
}

static llvm::Error parseFlags(int argc, char **argv,
                              const TranslateOptions &flags) {
  if (llvm::Error error = fuser::parseCommandLine(
          argc, argv, "fuser translation driver\n", {0, 1}))
    return error;
  if (!flags.fusionToPTX)
    return fuser::usageError(
        "expected --fusion-to-ptx, the only translation, got none");
  if (!fuser::findGpuTarget(flags.arch))
    return fuser::usageError("--gpu-arch: unknown GPU architecture '" +
                             flags.arch + "', expected " +
                             fuser::getGpuTargetNames());
  return llvm::Error::success();
}

int fuser::translateMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  TranslateOptions flags;
  llvm::cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error = parseFlags(argc, argv, flags))
    return reportError("fuser-translate", std::move(error));
  fuser::ToolFiles files;
  if (!files.open(flags.input, flags.output))
    return 1;
  DialectRegistry registry;
  fuser::registerAllDialects(registry);
  auto translateChunk = [&](std::unique_ptr<llvm::MemoryBuffer> chunk,
                            llvm::raw_ostream &os) {
    return translate(std::move(chunk), registry, flags, os);
  };
  llvm::raw_fd_ostream &os = files.output->os();
  LogicalResult result =
      splitAndProcessBuffer(std::move(files.input), translateChunk, os,
                            flags.split ? kDefaultSplitMarker : "");
  os.flush();
  // With an error on it the stream would end the process.
  if (os.has_error()) {
    llvm::errs() << "'" << flags.output << "': " << os.error().message()
                 << "\n";
    os.clear_error();
    return 1;
  }
  if (failed(result))
    return 1;
  files.output->keep();
  return 0;
}
