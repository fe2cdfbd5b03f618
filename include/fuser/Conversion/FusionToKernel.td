//===- FusionToKernel.td - From segments to kernels ----------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_FUSIONTOKERNEL_TD
#define FUSER_CONVERSION_FUSIONTOKERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/Pass/PassBase.td"

// How a schedule becomes a kernel. Attached to schedule attributes from outside (external models), so that neither
// the dialect nor the passes know the targets.
def Fuser_KernelScheduleInterface : AttrInterface<"KernelScheduleInterface"> {
  let cppNamespace = "::fuser";
  let description = [{
    A schedule for which there is an emitter: it belongs to one target.
  }];
  let methods = [
    InterfaceMethod<"The target that it is for: `cuda` or `cpu`.", "::llvm::StringRef",
      "getTarget", (ins)>,
    InterfaceMethod<[{
        Emits the kernel of `segment`, named `name`, where the builder stands: in the module of the
        target's kernels. `symbols` are the sizes of the function around. Reports why where it fails.
      }],
      "::llvm::LogicalResult", "emitKernel",
      (ins "::mlir::OpBuilder &":$builder, "::fuser::fusion::SegmentOp":$segment,
           "::llvm::StringRef":$name, "const ::fuser::ShapeSymbols &":$symbols)>,
    InterfaceMethod<[{
        The launch of that kernel: sizes of operands and results of `segment` come from `dimOf`.
      }],
      "::fuser::LaunchDims", "getLaunchDims",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::fuser::fusion::SegmentOp":$segment, "::fuser::TensorDimFn":$dimOf)>,
  ];
}

def FusionSchedulePass : Pass<"fusion-schedule", "::mlir::ModuleOp"> {
  let summary = "Writes on each segment how it becomes a kernel";
  let description = [{
    Describes each segment as a problem (shapes, element sizes, reductions), asks the heuristic of its scheduler
    for the target, and writes the answer as the attribute `schedule`:

    ```mlir
    %r = fusion.segment "row_reduction" (...) -> (tensor<?x8192xbf16>) { ... }
    // =>
    %r = fusion.segment "row_reduction" (...) -> (tensor<?x8192xbf16>)
        attributes {schedule = #fusion.row_reduction<threads = 512, rows_per_block = 1, vector = 8, unroll = 2>} { ... }
    ```

    For the CPU `#fusion.cpu` also says how results are cut into work items, or what stages of reductions keep for each other. It
    counts ops of the segment's body: nothing may change that before `fusion-to-kernel`.

    A segment that has a schedule keeps it: it was written by hand or by a tuner. Segments whose scheduler cannot take
    them are errors that say why.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cuda\"", "Target: cuda or cpu">,
    Option<"arch", "arch", "std::string", "\"sm_90\"",
           "GPU that the schedules are tuned for: sm_80 or a later one">,
  ];
}

def FusionToKernelPass : Pass<"fusion-to-kernel", "::mlir::ModuleOp"> {
  let summary = "Emits a kernel for each segment, as its schedule says";
  let description = [{
    Makes the module `@kernels` (a `gpu.module`, or a `module` for the CPU) with a kernel for each segment that has none
    yet, and writes its symbol on the segment, which stays for the host program:

    ```mlir
    func.func @f(...) { %r = fusion.segment ... attributes {schedule = #fusion.generic<threads = 256>} ... }
    // =>
    gpu.module @kernels { gpu.func @f_0(%in0: memref<...>, %out0: memref<...>) kernel ... }
    func.func @f(...) { %r = fusion.segment ... attributes {kernel = @kernels::@f_0, ...} ... }
    ```

    A kernel takes the segment's operands (tensors as memrefs) and then its results (as memrefs).
    It decides nothing: a segment without schedule is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cuda\"", "Target: cuda or cpu">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect",
  ];
}

#endif // FUSER_CONVERSION_FUSIONTOKERNEL_TD
