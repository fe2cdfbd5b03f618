//===- EmitKernels.cpp - Lowered kernels to code --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/EmitKernels.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace fuser {

#define GEN_PASS_DEF_EMITKERNELSPASS
#include "fuser/Target/EmitKernels.h.inc"

/// The threads of the largest block that a GPU kernel is compiled for; null if
/// it does not say.
static IntegerAttr getThreads(LLVM::LLVMFuncOp kernel) {
  auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getMaxntidAttrName());
  if (!sizes)
    return nullptr;
  int32_t threads = 1;
  for (int32_t size : sizes.asArrayRef())
    threads = std::min<int64_t>(int64_t(threads) * size, INT32_MAX);
  return Builder(kernel.getContext()).getI32IntegerAttr(threads);
}

static bool isKernel(LLVM::LLVMFuncOp function) {
  return function->hasAttr(host::kParamsAttrName);
}

static auto getKernels(Operation *module) {
  return llvm::make_filter_range(
      module->getRegion(0).getOps<LLVM::LLVMFuncOp>(), isKernel);
}

/// The modules in `program` that have lowered kernels.
static SmallVector<Operation *> findModules(ModuleOp program) {
  SmallVector<Operation *> modules;
  for (Operation &op : *program.getBody())
    if (isa<ModuleOp, gpu::GPUModuleOp>(op) &&
        SymbolTable::getSymbolName(&op) && !getKernels(&op).empty())
      modules.push_back(&op);
  return modules;
}

/// The op that stands for `function` outside of its module; null after an
/// error.
static host::KernelOp
createKernel(OpBuilder &builder, LLVM::LLVMFuncOp function, StringAttr image) {
  FailureOr<SmallVector<host::ParamAttr>> params =
      host::getKernelParams(function);
  if (failed(params))
    return nullptr;
  function->removeAttr(host::kParamsAttrName);
  auto scratch = function->removeAttr(host::kScratchBytesAttrName);
  return host::KernelOp::create(
      builder, function.getLoc(), function.getSymNameAttr(),
      builder.getArrayAttr(
          SmallVector<Attribute>(params->begin(), params->end())),
      /*entry=*/function.getSymNameAttr(), getThreads(function),
      cast_if_present<IntegerAttr>(scratch), image);
}

namespace {
struct EmitKernelsPass : impl::EmitKernelsPassBase<EmitKernelsPass> {
  using Base::Base;
  EmitKernelsPass(Targets targets, EmitKernelsPassOptions options,
                  std::function<void(StringRef, double)> timer)
      : Base(std::move(options)), targets(targets), timer(std::move(timer)) {}
  EmitKernelsPass(const EmitKernelsPass &other)
      : Base(other), targets(other.targets), timer(other.timer) {}

  void runOnOperation() override {
    SmallVector<Operation *> modules = findModules(getOperation());
    FailureOr<SmallVector<StringAttr>> images = emitImages(modules);
    if (failed(images))
      return signalPassFailure();
    SymbolTable table(getOperation());
    NewNames names;
    for (auto [module, image] : llvm::zip_equal(modules, *images))
      if (failed(replaceModule(module, image, table, names)))
        return signalPassFailure();
    getOperation().walk([&](host::LaunchOp launch) {
      if (SymbolRefAttr name = names.lookup(launch.getKernel()))
        launch.setKernelAttr(name);
    });
  }

private:
  /// From what launches call a kernel to what they call it then.
  using NewNames = llvm::DenseMap<SymbolRefAttr, SymbolRefAttr>;

  /// An image of each module, or null if the target has none.
  FailureOr<SmallVector<StringAttr>> emitImages(ArrayRef<Operation *> modules) {
    const fuser::Target *chosen =
        target.empty() ? targets.front() : findTarget(targets, target);
    if (!chosen)
      return getOperation().emitError()
             << "expected target " << getTargetNames(targets) << ", got '"
             << target << "'";
    if (!chosen->emitImages) {
      for (Operation *module : modules)
        if (!isa<ModuleOp>(module))
          return emitError(module->getLoc(), "expected native kernels in a "
                                             "module, got a ")
                 << module->getName();
      return SmallVector<StringAttr>(modules.size());
    }
    FailureOr<std::vector<std::string>> images =
        chosen->emitImages(modules, arch, [&](StringRef step, double time) {
          if (timer)
            timer(step, time);
        });
    if (failed(images))
      return failure();
    return llvm::map_to_vector(*images, [&](const std::string &image) {
      return StringAttr::get(&getContext(), image);
    });
  }

  /// Puts a `host.kernel` for each kernel of `module` before it. The module
  /// goes if there is an image of it, or loses its name.
  static LogicalResult replaceModule(Operation *module, StringAttr image,
                                     SymbolTable &table, NewNames &names) {
    OpBuilder builder(module);
    StringAttr moduleName = SymbolTable::getSymbolName(module);
    table.remove(module);
    module->removeAttr(SymbolTable::getSymbolAttrName());
    for (LLVM::LLVMFuncOp function : getKernels(module)) {
      host::KernelOp kernel = createKernel(builder, function, image);
      if (!kernel)
        return failure();
      auto before = FlatSymbolRefAttr::get(function);
      StringAttr name = table.insert(kernel);
      if (!image) // All native code is one library.
        function.setSymNameAttr(name);
      if (!image || name == kernel.getEntryAttr())
        kernel.removeEntryAttr();
      names[SymbolRefAttr::get(moduleName, {before})] =
          FlatSymbolRefAttr::get(name);
    }
    if (image)
      module->erase();
    return success();
  }

  SmallVector<const fuser::Target *> targets;
  std::function<void(StringRef, double)> timer;
};
} // namespace

std::unique_ptr<mlir::Pass>
createEmitKernelsPass(Targets targets, EmitKernelsPassOptions options,
                      std::function<void(StringRef, double)> timer) {
  return std::make_unique<EmitKernelsPass>(targets, std::move(options),
                                           std::move(timer));
}

void registerEmitKernelsPass(Targets targets) {
  mlir::registerPass([targets] { return createEmitKernelsPass(targets, {}); });
}

} // namespace fuser
