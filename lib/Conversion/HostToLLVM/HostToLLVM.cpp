//===- HostToLLVM.cpp - Host programs to native code ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/HostToLLVM.h"
#include "HostToLLVMInternal.h"
#include "fuser/Conversion/CPUToLLVM.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace fuser {
#define GEN_PASS_DEF_HOSTTOLLVMPASS
#include "fuser/Conversion/HostToLLVM.h.inc"
} // namespace fuser

using namespace fuser;
using namespace fuser::host_to_llvm;

namespace {
struct HostToLLVM : public fuser::impl::HostToLLVMPassBase<HostToLLVM> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The module's host program, null if there is none, failure if there are
/// several or the entry's name is taken.
static FailureOr<func::FuncOp> findProgram(ModuleOp module) {
  func::FuncOp program;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(host::kProgramAttrName))
      continue;
    if (program) {
      InFlightDiagnostic diag = func.emitOpError(
          "expected one host program in a module, got a second one");
      diag.attachNote(program.getLoc()) << "the first one is here";
      return diag;
    }
    program = func;
  }
  if (!program)
    return program;
  Operation *taken = module.lookupSymbol(getEntryName());
  if (taken && taken != program)
    return taken->emitError("expected the name '")
           << getEntryName() << "' to be free for the host program's entry";
  return program;
}

/// Makes control flow blocks, and views plain arithmetic.
static LogicalResult lowerControlFlow(func::FuncOp program) {
  MLIRContext *context = program.getContext();
  RewritePatternSet views(context);
  memref::populateExpandStridedMetadataPatterns(views);
  arith::populateCeilFloorDivExpandOpsPatterns(views);
  if (failed(applyPatternsGreedily(program, std::move(views))))
    return program.emitOpError(
        "expected the expansion of views to come to an end");

  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<affine::AffineDialect>();
  target
      .addIllegalOp<scf::ExecuteRegionOp, scf::ForallOp, scf::ForOp, scf::IfOp,
                    scf::IndexSwitchOp, scf::ParallelOp, scf::WhileOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(program, target, std::move(patterns));
}

/// Makes branches of the early exits: the last first, since a split moves what
/// is behind it.
static void emitExits(Entry &entry) {
  OpBuilder builder(entry.func.getContext());
  std::pair<uint32_t, uint32_t> unlikely{1, 1 << 20};
  for (EarlyExit &exit : llvm::reverse(entry.exits)) {
    Block *before = exit.failed->getBlock();
    Block *after = before->splitBlock(exit.failed->getNextNode());
    builder.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(builder, exit.failed.getLoc(), exit.failed,
                           exit.target,
                           exit.code ? ValueRange(exit.code) : ValueRange(),
                           after, ValueRange(), unlikely);
  }
}

static LogicalResult lowerBody(Entry &entry,
                               const LLVMTypeConverter &converter) {
  MLIRContext *context = entry.func.getContext();
  RewritePatternSet patterns(context);
  populateHostToLLVMPatterns(converter, entry, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  // In conversions of floats.
  patterns.add<VectorConvertToLLVMPattern<math::AbsFOp, LLVM::FAbsOp,
                                          arith::AttrConvertFastMathToLLVM>>(
      converter);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);

  // What has no pattern stays, and is reported by name afterwards.
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  if (failed(applyPartialConversion(entry.func, target, std::move(patterns))))
    return failure();

  SmallVector<UnrealizedConversionCastOp> casts;
  entry.func.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  emitExits(entry);
  if (entry.exit->hasNoPredecessors())
    entry.exit->erase();
  return success();
}

/// Reports every op of the entry that is not LLVM dialect. Casts are not the
/// fault, but what needs them.
static LogicalResult checkAllLowered(LLVM::LLVMFuncOp entry) {
  LogicalResult result = success();
  Operation *cast = nullptr;
  entry.walk([&](Operation *op) {
    if (isa<UnrealizedConversionCastOp>(op)) {
      cast = op;
      return;
    }
    if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return;
    op->emitError(
        "expected ops of a host program that can be lowered to LLVM, got '")
        << op->getName() << "'";
    result = failure();
  });
  if (succeeded(result) && cast)
    return cast->emitError(
               "expected types of a host program that can be lowered "
               "to LLVM, got ")
           << cast->getResultTypes().front();
  return result;
}

void HostToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> program = findProgram(module);
  if (failed(program))
    return signalPassFailure();
  if (!*program)
    return;
  // On scalars: they run anywhere, whatever the kernels are for.
  if (failed(host::verifyProgram(*program)) || failed(checkOps(*program)))
    return signalPassFailure();
  if (failed(emitRunTimeChecks(*program)) ||
      failed(lowerControlFlow(*program)) ||
      failed(expandFloatConversions(*program, CpuInfo())))
    return signalPassFailure();
  FailureOr<ProgramPlan> plan = planProgram(*program);
  if (failed(plan))
    return signalPassFailure();

  LowerToLLVMOptions options(&getContext());
  options.overrideIndexBitwidth(64);
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter converter(&getContext(), options);
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (isa<host::GroupType>(type))
      return getGroupType(type.getContext());
    if (isa<host::RequestType, host::StreamType>(type))
      return LLVM::LLVMPointerType::get(type.getContext());
    return std::nullopt;
  });

  Entry entry = createEntry(*program, *plan, converter);
  if (failed(lowerBody(entry, converter)) ||
      failed(checkAllLowered(entry.func)))
    return signalPassFailure();
  moveBF16AsIntegers(entry.func);
}

void fuser::buildHostToLLVMPipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  // Checks of what has become equal go.
  functions.addPass(createCanonicalizerPass());
  pm.addPass(createHostToLLVMPass());
}
