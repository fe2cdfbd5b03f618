//===- KernelToSim.td - GPU kernels for the simulator ------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELTOSIM_TD
#define FUSER_CONVERSION_KERNELS_KERNELTOSIM_TD

include "mlir/Pass/PassBase.td"

def KernelToSimPass : Pass<"kernel-to-sim", "::mlir::ModuleOp"> {
  let summary = "Lowers GPU kernels from the kernel stage to functions that a simulator calls for each thread";
  let description = [{
    Every `gpu.module` becomes a module with native kernels, that of

    ```mlir
    gpu.func @k(%a: memref<?x8xf32, strided<[?, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {...}
    ```

    a `FuserSimKernel` of `fuser_rt/sim_abi.h`:

    ```mlir
    llvm.func @k(%thread: !llvm.ptr, %params: !llvm.ptr)
        attributes {fuser.params = [#host.param<pointer 0>, #host.param<stride 0 dim 0>], fuser.scratch_bytes = 0 : i64} {...}
    ```

    which does what one thread of the GPU does. All steps but one are those of `kernel-to-nvptx`, among them which functions call libdevice and
    which are instructions of the GPU. Only where a thread is, what it shares with others and how it meets them is lowered otherwise: ids are loaded
    from `%thread`, workgroup attributions lie in memory that it points to (`fuser.scratch_bytes` of them), and barriers and shuffles call the functions
    that it carries. What is undefined on a CPU and defined on a GPU (integers from floats beyond them, division by zero) is as on a GPU.

    With `check`, each access to memory is announced to the simulator before it is made, with what it may touch, and the kernel says which parameters
    it writes to (`FuserSimInfo`).

    Errors: as `kernel-stage-verify`, and ops that the simulator does not know.
  }];
  let options = [
    Option<"check", "check", "bool", "false", "announce each access to memory, for --sim-check">];
  let dependentDialects = [
    "::fuser::host::HostDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::affine::AffineDialect", "::mlir::ub::UBDialect"];
}

#endif // FUSER_CONVERSION_KERNELS_KERNELTOSIM_TD
