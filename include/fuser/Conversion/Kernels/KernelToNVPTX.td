//===- KernelToNVPTX.td - Kernels for NVIDIA GPUs --------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELS_KERNELTONVPTX_TD
#define FUSER_CONVERSION_KERNELS_KERNELTONVPTX_TD

include "mlir/Pass/PassBase.td"

def KernelToNVPTXPass : Pass<"kernel-to-nvptx", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lowers kernels from the kernel stage to the LLVM and NVVM dialects";
  let description = [{
    ```mlir
    gpu.func @k(%a: memref<?x8xf32, strided<[?, 1]>> {fuser.noalias, fuser.alignment = 16 : i64})
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {...}
    ```
    becomes
    ```mlir
    llvm.func @k(%p: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %s0: i64)
        attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>,
                    fuser.params = [#host.param<pointer 0>, #host.param<stride 0 dim 0>]} {...}
    ```

    The signature is that of `fuser/Conversion/KernelSignature.h`: a pointer for each memref and the sizes and strides that
    are used. Workgroup attributions become shared globals, aligned to 16 bytes.

    Arithmetic is rounded as IEEE 754 says: division and square root correctly, subnormals kept, products and sums contracted
    only where an op's `fastmath` says so. Other functions call libdevice, which is off by two units in the last place at most;
    `kernel-expand-math` has replaced those of f32 that are to be more exact. `fastmath<afn>` makes `arith.divf` of f32 `div.full` and `math.rsqrt` the
    hardware's, and changes nothing for `math.exp` and `math.tanh`: all are off by two units at most. Of other functions (`math.log`, `math.sin`, ...) it takes the
    fastest.

    Functions are lowered first, and then ops are simplified (`canonicalize`, `cse`): folded, a function of a constant would be the
    host's.

    Ops of `kernel` become instructions. In a kernel whose threads wait for what others write, `llvm.noalias` stands only where it does not hide that from LLVM.
    Dynamic shared memory is aligned to 128 bytes.

    Conversions of 8-bit floats are instructions from sm_90 on, of two numbers each, and arithmetic where `arch` is another one or not given.
    What an instruction would make the largest number of is infinite, or NaN, all the same.

    Does not choose anything else: the target comes later, when the module is written as PTX. Errors: as `kernel-stage-verify`,
    ops that have no lowering, and ops of `kernel` that `arch`, if it is given, does not have.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"\"", "the GPU that ops of kernel are checked for, and whose conversions there are (sm_90); empty for no check">];
  let dependentDialects = [
    "::fuser::host::HostDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::affine::AffineDialect", "::mlir::ub::UBDialect"];
}

#endif // FUSER_CONVERSION_KERNELS_KERNELTONVPTX_TD
