//===- CPUToLLVM.td - CPU kernels to the LLVM dialect ------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_CPUTOLLVM_TD
#define FUSER_CONVERSION_CPUTOLLVM_TD

include "mlir/Pass/PassBase.td"

def CPUToLLVMPass : Pass<"cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers the kernels of the cpu target to the LLVM dialect";
  let description = [{
    Every nested module's functions are kernels. One that handles the work items from `%begin` to `%end`,

    ```mlir
    module @f_0 {
      func.func @f_0(%in0: memref<?x8xf32, strided<[?, 1]>>, %out0: memref<?x8xf32>,
                     %begin: index, %end: index, %scratch: memref<?xi8> {fuser.scratch})
    ```

    becomes a `FuserCpuKernel` of `fuser_rt/host_abi.h`

    ```mlir
      llvm.func @f_0(%params: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr)
          attributes {fuser.params = [#host.param<pointer 0>, #host.param<stride 0 dim 0>, #host.param<pointer 1>]}
    ```

    which loads what `fuser.params` names and calls an internal function with the code. (A call, so that what
    is known of the pointers, `llvm.noalias` and `llvm.align`, lasts through LLVM.) The scratch argument is
    optional.

    Bodies hold `arith`, `math`, `scf`, `cf`, `index`, 1-D `vector` and `memref`. Exponentials, logarithms and hyperbolic tangents
    of scalars and of vectors become polynomials with errors under 2 ulp, that handle subnormals; other functions of f32 arithmetic of f64, as on GPUs, with
    an error of 0.6; those of f64 call the mathematics library. There are no other forms: `fastmath<afn>` is not made use of. Conversions to and from bf16 become integer arithmetic, or the
    processor's instructions where they round alike.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"\"",
           "an LLVM CPU name (x86-64-v3, znver4); empty for this machine's">];
  let dependentDialects = [
    "::fuser::host::HostDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // FUSER_CONVERSION_CPUTOLLVM_TD
