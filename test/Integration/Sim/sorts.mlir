// Sorts of rows as PTX, without spills, and what they give.
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=KERNEL
// RUN: %if ptxas %{ fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-run %s --entry sort --target sim --sim-check --check --input 2x1000xf32=bits:1,offset=1 | FileCheck %s
// RUN: fuser-run %s --entry sort --target sim --exact --check --input 2x1000xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry experts --target sim --sim-check --check --input 9x128xbf16=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry experts --target sim --sim-check --check --input 0x128xbf16=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry logits --target sim --sim-check --check --input 2x9001xf32=normal:1,strides=9002x1 | FileCheck %s
// RUN: fuser-run %s --entry few --target sim --sim-check --check --input 3x8xi64=random:1 | FileCheck %s
// RUN: not fuser-run %s --entry few --target sim --check --input 3x5xi64=random:1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not fuser-run %s --entry few --input 0x0xi64=random:1 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: fusion.argtopk: expected at least 7 elements in dimension 1, got {{[05]}}
// RUN: fuser-run %s --entry none --target sim --sim-check --check --input 3x0xf32=random:1 | FileCheck %s
// CHECK: {{^}}right

// Keys of 32 bits and positions of 10 in one integer: registers, lanes, and warps through shared memory.
// KERNEL-LABEL: gpu.func @sort_0(
// KERNEL-SAME: workgroup(%[[MEMORY:.*]] : memref<1024xi64, #gpu.address_space<workgroup>>)
// KERNEL: arith.shli %{{.*}} : i64
// KERNEL: arith.cmpi ult, %{{.*}} : i64
// KERNEL: gpu.shuffle xor {{.*}} : i32
// KERNEL: memref.store %{{.*}}, %[[MEMORY]]
// KERNEL: gpu.barrier
// KERNEL: memref.load %[[MEMORY]]
func.func @sort(%x: tensor<?x1000xf32>) -> tensor<?x1000xi64> {
  %0 = fusion.argsort %x dim 1 : tensor<?x1000xf32> to tensor<?x1000xi64>
  return %0 : tensor<?x1000xi64>
}

// Of 16 bits in integers of 32, without a barrier.
// KERNEL-LABEL: gpu.func @experts_0(
// KERNEL-NOT: gpu.barrier
// KERNEL: arith.shli %{{.*}} : i32
// KERNEL-NOT: gpu.barrier
// KERNEL: gpu.return
func.func @experts(%x: tensor<?x128xbf16>) -> tensor<?x8xi64> {
  %0 = fusion.argtopk 8 %x dim 1 descending : tensor<?x128xbf16> to tensor<?x8xi64>
  return %0 : tensor<?x8xi64>
}

// KERNEL-LABEL: gpu.func @logits_0(
// KERNEL: scf.for
func.func @logits(%x: tensor<?x9001xf32>) -> tensor<?x50xi64> {
  %0 = fusion.argtopk 50 %x dim 1 : tensor<?x9001xf32> to tensor<?x50xi64>
  return %0 : tensor<?x50xi64>
}

// 7 of 8; there are none of 5.
func.func @few(%x: tensor<?x?xi64> {fusion.bounds = array<i64: 100, 9>}) -> tensor<?x7xi64> {
  %0 = fusion.argtopk 7 %x dim 1 : tensor<?x?xi64> to tensor<?x7xi64>
  return %0 : tensor<?x7xi64>
}

func.func @none(%x: tensor<?x0xf32>) -> (tensor<?x0xi64>, tensor<?x0xi64>) {
  %0 = fusion.argtopk 0 %x dim 1 : tensor<?x0xf32> to tensor<?x0xi64>
  %1 = fusion.argsort %x dim 1 : tensor<?x0xf32> to tensor<?x0xi64>
  return %0, %1 : tensor<?x0xi64>, tensor<?x0xi64>
}
