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

// How a schedule becomes kernels. Attached to schedule attributes from outside (external models), so that neither
// the dialect nor the passes know the targets.
def Fuser_KernelScheduleInterface : AttrInterface<"KernelScheduleInterface"> {
  let cppNamespace = "::fuser";
  let description = [{
    A schedule for which there is an emitter: of kernels of one form, which one or more targets have.
  }];
  let methods = [
    InterfaceMethod<"The form of the kernels: `gpu` or `cpu`.", "::llvm::StringRef",
      "getKernelForm", (ins)>,
    InterfaceMethod<[{
        Makes the kernels of a segment, and the function of the host dialect that launches them: see
        SegmentLowering. Reports why where it fails.
      }],
      "::llvm::LogicalResult", "lowerSegment",
      (ins "::fuser::SegmentLowering &":$lowering)>,
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
        attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w4]], repeat = [1, 2]>} { ... }
    ```

    For the CPU `#fusion.cpu` also says how results are cut into work items, or what stages of reductions keep for each other. It
    counts ops of the segment's body: nothing may change that before `fusion-to-kernel`. What `fusion-segment` has not cut
    into segments stays as it is.

    A segment that has a schedule keeps it: it was written by hand or by a tuner. A segment that its scheduler does not take goes to
    the next one that does, at last to `generic`, which takes everything; with `explain` a remark says why. The function's attribute
    `fusion.target` says for which processor all this was decided; to go on for another one is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "What to decide for: a target (cpu, cuda) or a processor (sm_80); empty for what fusion-segment decided for">,
    Option<"explain", "explain", "bool", "false",
           "Say in a remark which scheduler takes a segment that its own does not, and why">,
  ];
}

def FusionToKernelPass : Pass<"fusion-to-kernel", "::mlir::ModuleOp"> {
  let summary = "Makes the kernels of each segment, as its schedule says, and what launches them";
  let description = [{
    Each segment that has none yet gets kernels, each in a module of its own (a `gpu.module`, or a `module` for the CPU), and a private
    function of the host dialect that does with buffers what the segment does with tensors: workspaces, launches, their
    dimensions. The function's symbol is written on the segment, which stays for the host program; `fusion-to-host` inlines it.

    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> ... { %r = fusion.segment ... attributes {schedule = #fusion.generic<threads = 256>} ... }
    // =>
    gpu.module @f_0 { gpu.func @f_0(%in0: memref<?x8xf32>, %out0: memref<?x8xf32>) kernel ... }
    func.func private @f_0_host(%in0: memref<?x8xf32>, %out0: memref<?x8xf32>) {
      ...
      host.launch @f_0::@f_0 grid(%blocks, %c1, %c1) block(256, 1, 1) args(%in0, %out0 : ...) writes [1]
      return
    }
    func.func @f(...) { %r = fusion.segment ... attributes {host_function = @f_0_host, ...} ... }
    ```

    The function takes the segment's operands (tensors as memrefs) and then its results (as memrefs). Kernels that are equal
    are kept once. The pass decides nothing: a segment without schedule is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "What kernels are for: a target (cpu, cuda) or a processor (sm_80); empty for what was decided for">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numEqual", "equal-kernels", "Kernels that were equal to one before">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::fuser::host::HostDialect", "::fuser::kernel::KernelDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::ub::UBDialect",
  ];
}

#endif // FUSER_CONVERSION_FUSIONTOKERNEL_TD
