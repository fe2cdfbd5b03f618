//===- FusionToKernel.cpp - Kernels of each segment -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToKernel.h"
#include "EqualKernels.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

#include "fuser/Conversion/KernelScheduleInterface.cpp.inc"

namespace fuser {

#define GEN_PASS_DEF_FUSIONTOKERNELPASS
#include "fuser/Conversion/FusionToKernel.h.inc"

using fusion::SegmentOp;

/// The emitter of the segment's schedule; null after an error.
static KernelScheduleInterface findEmitter(SegmentOp segment) {
  auto schedule = segment.getScheduleAttr();
  if (!schedule) {
    segment.emitOpError(
        "expected a schedule, got none: run fusion-schedule first");
    return nullptr;
  }
  auto emitter = dyn_cast<KernelScheduleInterface>(schedule);
  if (!emitter)
    segment.emitOpError() << "expected a schedule with an emitter, got "
                          << schedule
                          << ": the emitters of its target are not registered";
  return emitter;
}

/// The emitter for the segment and this target; null after an error.
static KernelScheduleInterface getEmitter(SegmentOp segment,
                                          const Target &target) {
  KernelScheduleInterface emitter = findEmitter(segment);
  if (!emitter || emitter.getKernelForm() == kNoKernels ||
      emitter.getKernelForm() == target.kernelForm)
    return emitter;
  segment.emitOpError() << "expected a schedule for " << target.kernelForm
                        << " kernels, those of target " << target.name
                        << ", got " << segment.getScheduleAttr()
                        << ", which is for " << emitter.getKernelForm()
                        << " kernels";
  return nullptr;
}

/// Of a function's name what PTX and ELF take in one: letters, digits and
/// underscores, and no digit first.
static std::string getKernelPrefix(StringRef function) {
  bool begins = !function.empty() && !llvm::isDigit(function.front());
  std::string prefix = begins ? "" : "_";
  for (char c : function)
    prefix.push_back(llvm::isAlnum(c) ? c : '_');
  return prefix;
}

namespace {
struct FusionToKernelPass : impl::FusionToKernelPassBase<FusionToKernelPass> {
  using Base::Base;
  FusionToKernelPass(Targets targets, FusionToKernelPassOptions options)
      : Base(std::move(options)), targets(targets) {}
  FusionToKernelPass(const FusionToKernelPass &other)
      : Base(other), targets(other.targets) {}

  void runOnOperation() override {
    SymbolTable table(getOperation());
    Names names;
    for (auto symbol : getOperation().getOps<SymbolOpInterface>())
      names.push_back(symbol.getName());
    llvm::sort(names);
    OpBuilder modules = OpBuilder::atBlockBegin(getOperation().getBody());
    EqualKernels equal;
    auto funcs = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : funcs)
      if (!func.isExternal() &&
          failed(runOnFunction(func, {table, names, modules, equal})))
        return signalPassFailure();
  }

private:
  using Names = SmallVector<StringRef>;

  /// What the functions of a module share.
  struct State {
    SymbolTable &table;
    const Names &names; ///< Of the module as it was, sorted.
    OpBuilder &modules;
    EqualKernels &equal;
  };

  LogicalResult runOnFunction(func::FuncOp func, State state) {
    // No emitter of kernels knows contractions. What these say of sizes holds
    // for the other segments, whose schedules may count on it.
    std::optional<ShapeSymbols> before;
    llvm::SmallPtrSet<Operation *, 4> expanded;
    func.walk([&](SegmentOp segment) {
      auto products =
          segment.getBody().getOps<fusion::ContractionOpInterface>();
      if (segment.getHostFunctionAttr() || products.empty() ||
          isa_and_nonnull<fusion::LibraryScheduleAttr>(
              segment.getScheduleAttr()))
        return;
      if (!before)
        before.emplace(func);
      fusion::expandContractions(segment.getBody().front());
      expanded.insert(segment);
    });
    unsigned number = 0;
    std::string prefix = getKernelPrefix(func.getName());
    auto isOpen = [](SegmentOp segment) {
      return !segment.getHostFunctionAttr();
    };
    auto visit = [&](SegmentOp segment, const ChosenTarget &chosen,
                     const ShapeSymbols &symbols) -> LogicalResult {
      KernelScheduleInterface emitter = getEmitter(segment, *chosen.target);
      if (!emitter)
        return failure();
      return lower(segment, emitter, getName(prefix, number, state),
                   before && !expanded.contains(segment) ? *before : symbols,
                   state);
    };
    return forEachOpenSegment(func, targets, target, isOpen, visit);
  }

  /// The next name that is free, and with any suffix, too: host functions and
  /// the kernels of a segment with several have one.
  static std::string getName(StringRef prefix, unsigned &number, State state) {
    auto isTaken = [&](StringRef name) {
      std::string start = (name + "_").str();
      const StringRef *next = llvm::lower_bound(state.names, start);
      return state.table.lookup(name) ||
             (next != state.names.end() && next->starts_with(start));
    };
    std::string name;
    do
      name = (prefix + "_" + Twine(number++)).str();
    while (isTaken(name));
    return name;
  }

  LogicalResult lower(SegmentOp segment, KernelScheduleInterface emitter,
                      StringRef name, const ShapeSymbols &symbols,
                      State state) {
    SegmentLowering lowering(segment, symbols, name, state.modules);
    if (failed(emitter.lowerSegment(lowering)))
      return failure();
    state.table.insert(lowering.getHostFunction());
    for (FunctionOpInterface kernel : lowering.getKernels())
      keepOne(kernel, lowering.getHostFunction(), state);
    segment.setHostFunctionAttr(
        FlatSymbolRefAttr::get(lowering.getHostFunction()));
    return success();
  }

  /// Drops `kernel` if there is one like it, which `host` launches then.
  void keepOne(FunctionOpInterface kernel, func::FuncOp host, State state) {
    ++numKernels;
    FunctionOpInterface first = state.equal.lookUp(kernel);
    if (first == kernel) {
      state.table.insert(kernel->getParentOp());
      return;
    }
    ++numEqual;
    SymbolRefAttr before = getKernelSymbol(kernel);
    host.walk([&](host::LaunchOp launch) {
      if (launch.getKernelAttr() == before)
        launch.setKernelAttr(getKernelSymbol(first));
    });
    kernel->getParentOp()->erase();
  }

  SmallVector<const Target *> targets;
};
} // namespace

std::unique_ptr<Pass>
createFusionToKernelPass(Targets targets, FusionToKernelPassOptions options) {
  return std::make_unique<FusionToKernelPass>(targets, std::move(options));
}

void registerFusionToKernelPasses(Targets targets) {
  registerPass([targets] { return createFusionSchedulePass(targets, {}); });
  registerPass([targets] { return createFusionToKernelPass(targets, {}); });
}

} // namespace fuser
