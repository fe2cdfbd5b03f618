//===- HostToLLVM.td - Host programs to native code --------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_HOSTTOLLVM_TD
#define FUSER_CONVERSION_HOSTTOLLVM_TD

include "mlir/Pass/PassBase.td"

def HostToLLVMPass : Pass<"host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers the module's host program to an LLVM function that calls the runtime's table";
  let description = [{
    The function with the attribute `host.program` becomes

    ```mlir
    llvm.func @fuser_host_entry(%api: !llvm.ptr, %frame: !llvm.ptr, %inputs: !llvm.ptr,
                                %scalars: !llvm.ptr) -> i32
    ```

    the `FuserHostEntry` of `fuser_rt/host_abi.h`. Everything in it becomes LLVM dialect: `host`, `scf`, `cf`, `arith`, `index`,
    `affine.apply`, and views of `memref`. Every call of the table is followed by a return of its code if that is not 0.
    The function's results vanish, since `host.output` and `host.output_view` tell the runtime about the outputs.

    A launch names a `host.kernel`, which says how its parameters are made from the launch's arguments. Each is handed over in
    a slot of 8 bytes. Kernels are numbered in the order of the text.

    Kernels stay as they are. A module without a host program stays as it is.

    Errors, each at the op: communications (not lowered yet), accesses of elements or host memory, a launch of what
    is no `host.kernel`, an output that nothing makes, unresolved `host.declare` and `host.alias`, a buffer
    that is freed twice, used after it is freed in the same block, or freed after it became an output, and any other op that has no lowering.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect"];
}

#endif // FUSER_CONVERSION_HOSTTOLLVM_TD
