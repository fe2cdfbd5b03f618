//===- KernelStage.td - GPU kernels before they are lowered -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELSTAGE_TD
#define FUSER_CONVERSION_KERNELS_KERNELSTAGE_TD

include "mlir/Pass/PassBase.td"

def KernelStageVerifyPass
    : Pass<"kernel-stage-verify", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Checks that a gpu.module is in the kernel stage";
  let description = [{
    The kernel stage is what every lowering of kernels starts from, for a GPU or for its simulation. In it

    - a `gpu.module` holds `gpu.func` ops only;
    - their bodies consist of `gpu`, `kernel`, `scf`, `vector`, `memref`, `arith`, `math` and `index` ops (and `ub.poison`): no `llvm`, no
      `nvvm`, no inline assembly;
    - every target has each of them: no `gpu.printf`, for example, and no vectors of unknown size;
    - memory is in a space of `gpu` or `kernel`;
    - mbarriers are operands of `kernel` ops only;
    - memory is loaded and stored, never allocated or freed;
    - a kernel takes memrefs that a bare pointer can stand for, and scalars; it returns nothing;
    - a block has at most 1024 threads and 48 KiB of workgroup attributions.

    Changes nothing. Each fault is an error at the op.
  }];
  let dependentDialects = ["::fuser::host::HostDialect"];
}

#endif // FUSER_CONVERSION_KERNELS_KERNELSTAGE_TD
