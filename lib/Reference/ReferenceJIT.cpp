//===- ReferenceJIT.cpp - Native code of a lowered function ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceJIT.h"
#include "HalfSymbols.h"
#include "ReferenceMemory.h"
#include "fuser/Support/StructuredControlFlow.h"
#include "fuser/Transforms/ExpandFunctions.h"
#include "fuser/Transforms/NarrowFloats.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace fuser;
using namespace fuser::reference;

static constexpr llvm::StringLiteral kEntryName = "fuser_reference_entry";

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

/// Puts each loop nest of `function` into a function of its own: the time that
/// LLVM takes grows with the square of the number of loops in a function.
static LogicalResult outlineLoopNests(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  auto nests = llvm::to_vector(function.getBody().front().getOps<scf::ForOp>());
  for (auto [number, nest] : llvm::enumerate(nests)) {
    Location loc = nest.getLoc();
    rewriter.setInsertionPoint(nest);
    auto region =
        scf::ExecuteRegionOp::create(rewriter, loc, nest.getResultTypes());
    rewriter.replaceAllUsesWith(nest.getResults(), region.getResults());
    Block *body = rewriter.createBlock(&region.getRegion());
    rewriter.moveOpBefore(nest, body, body->end());
    rewriter.setInsertionPointToEnd(body);
    scf::YieldOp::create(rewriter, loc, nest.getResults());
    if (failed(outlineSingleBlockRegion(
            rewriter, loc, region.getRegion(),
            (function.getName() + "_nest_" + Twine(number)).str())))
      return failure();
  }
  return success();
}

static LogicalResult simplify(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  return pm.run(module);
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  if (failed(callExactFunctions(module)) ||
      failed(expandFloat8(module, extendFloat8, truncateToFloat8)))
    return failure();
  PassManager pm(module.getContext());
  // Before constants are lowered: a size of a memref whose dimension is no
  // constant is read from a copy on the stack, another each time.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(module)))
    return failure();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    function.setLinkage(LLVM::Linkage::Internal);
    function.setNoInline(true);
  }
  return success();
}

/// A function of one C type that unpacks the slots and calls the C interface.
static void emitEntry(ModuleOp module, StringRef name, bool hasResults) {
  auto callee =
      module.lookupSymbol<LLVM::LLVMFuncOp>(("_mlir_ciface_" + name).str());
  Location loc = module.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, kEntryName, type);
  Block *body = entry.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  for (auto [number, argument] : llvm::enumerate(callee.getArgumentTypes())) {
    int32_t slot = number + (hasResults ? 0 : 1);
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, pointer, body->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{slot});
    Value value = LLVM::LoadOp::create(b, loc, pointer, address);
    if (argument != pointer)
      value = LLVM::LoadOp::create(b, loc, argument, value);
    arguments.push_back(value);
  }
  LLVM::CallOp::create(b, loc, callee, arguments);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  // Loops over f64 buffers wait for memory: vectors would save a check no time,
  // and compiling them takes most of a long program's.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

static llvm::Expected<CompiledFunction>
addToJIT(std::unique_ptr<llvm::Module> module,
         std::unique_ptr<llvm::LLVMContext> context, bool quick) {
  auto machineBuilder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machineBuilder)
    return machineBuilder.takeError();
  // Their instructions take subnormal numbers for zeros.
  for (const char *feature : {"avx512bf16", "avxneconvert"})
    machineBuilder->getFeatures().AddFeature(feature, /*Enable=*/false);
  if (quick)
    machineBuilder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto machine = machineBuilder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());
  if (!quick)
    optimize(*module, **machine);
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*machineBuilder))
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::SymbolMap symbols;
  for (const Symbol &symbol :
       llvm::concat<const Symbol>(getHalfSymbols(), getMemorySymbols()))
    symbols[(*jit)->mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  if (auto error = library.define(llvm::orc::absoluteSymbols(symbols)))
    return error;
  if (auto error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  auto entry = (*jit)->lookup(kEntryName);
  if (!entry)
    return entry.takeError();
  CompiledFunction compiled;
  compiled.entry = entry->toPtr<CompiledFunction::Entry>();
  compiled.jit = std::move(*jit);
  return compiled;
}

FailureOr<CompiledFunction>
reference::compile(ModuleOp module, func::FuncOp function, bool quick) {
  MLIRContext *context = module.getContext();
  std::string name = function.getName().str();
  bool hasResults = function.getNumResults() > 0;
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(context));
  context->loadDialect<cf::ControlFlowDialect, LLVM::LLVMDialect>();
  if (failed(outlineLoopNests(function)) || failed(simplify(module)) ||
      failed(lowerStructuredControlFlow(module)) || failed(lowerToLLVM(module)))
    return failure();
  emitEntry(module, name, hasResults);
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto llvmModule = translateModuleToLLVMIR(module, *llvmContext, name);
  if (!llvmModule)
    return failure();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto compiled =
      addToJIT(std::move(llvmModule), std::move(llvmContext), quick);
  if (!compiled)
    return module.emitError()
           << "the reference could not be compiled for this processor: "
           << llvm::toString(compiled.takeError());
  return std::move(*compiled);
}
