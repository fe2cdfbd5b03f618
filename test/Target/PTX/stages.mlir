// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s -o %t.direct
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' %s | fuser-translate --fusion-to-ptx --gpu-arch=sm_90 -o %t.lowered
// RUN: diff %t.direct %t.lowered
// RUN: FileCheck %s --input-file=%t.lowered
// RUN: fuser-translate --fusion-to-ptx --timing %s 2>&1 >%t.out | FileCheck %s --check-prefix=TIMING
// RUN: not fuser-translate %s 2>&1 | FileCheck %s --check-prefix=NOTHING

// A module that is lowered already is written as it is.
// CHECK: .visible .entry copy(
// TIMING: to LLVM IR {{[0-9.]+}} ms, libdevice {{[0-9.]+}} ms, LLVM passes {{[0-9.]+}} ms, code {{[0-9.]+}} ms
// NOTHING: expected --fusion-to-ptx
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32> {fuser.noalias}, %y: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %y[%t] : memref<?xf32>
    gpu.return
  }
}
