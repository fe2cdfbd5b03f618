//===- EmitKernels.td - Lowered kernels to code ------------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TARGET_EMITKERNELS_TD
#define FUSER_TARGET_EMITKERNELS_TD

include "mlir/Pass/PassBase.td"

def EmitKernelsPass : Pass<"emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes a host.kernel of every lowered kernel, and of GPU modules the code";
  let description = [{
    For `cuda`, whose kernels are images that the device loads:

    ```mlir
    gpu.module @f_0 { llvm.func @f_0(...) attributes {fuser.params = [#host.param<pointer 0>, ...], ...} }
    host.launch @f_0::@f_0 ...
    // =>
    host.kernel @f_0(pointer 0, ...) threads 128 image ".version 8.0 ..."
    host.launch @f_0 ...
    ```

    For `cpu`, whose kernels become part of the host program's object, the module of the kernel stays beside it, without its name.

    A `host.kernel` that is there stays: a program may launch kernels that were written by hand beside generated ones. A module
    without lowered kernels stays too. What a kernel is called is its name, with a number if that is taken.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "A target (cpu, cuda); empty for the first one">,
    Option<"arch", "arch", "std::string", "\"\"", "Of the target: sm_90; cpu: not used">,
  ];
  let dependentDialects = ["::fuser::host::HostDialect"];
}

#endif // FUSER_TARGET_EMITKERNELS_TD
