// Hints are dropped between the passes that lead to a host program: after fusion-segment and after fusion-schedule, which chooses again, with
// one and the same program; after fusion-to-kernel it is too late.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=sm_90},fusion-drop-hints),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host)' -o %t.cuda.segment.mlir
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},func.func(fusion-drop-hints),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host)' -o %t.cuda.schedule.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,CUDA --input-file=%t.cuda.segment.mlir
// RUN: diff %t.cuda.segment.mlir %t.cuda.schedule.mlir
// RUN: not fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},func.func(fusion-drop-hints))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=cpu},fusion-drop-hints),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host)' -o %t.cpu.segment.mlir
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=cpu}),fusion-schedule{target=cpu},func.func(fusion-drop-hints),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host)' -o %t.cpu.schedule.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,CPU --input-file=%t.cpu.segment.mlir
// RUN: diff %t.cpu.segment.mlir %t.cpu.schedule.mlir
// RUN: not fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},func.func(fusion-drop-hints))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=KERNEL

// KERNEL: drop-hints.mlir:[[# @LINE + 10]]:8: error: {{.*}}expected no host function where hints are dropped, got @f_0_host

// CUDA: gpu.func @f_0(%{{.+}}: memref<64x128xf32, strided<[1, 64]>> {{.*}}, %{{.+}}: memref<64x128xf32> {{.*}})
// CPU: func.func @f_0(%{{.+}}: memref<64x128xf32, strided<[1, 64]>> {{.*}}, %{{.+}}: memref<64x128xf32> {{.*}})
// CHECK-LABEL: func.func @f(
// CHECK: host.alloc () : memref<64x128xf32>
// CHECK: host.launch @f_0::@f_0 {{.*}} : memref<64x128xf32, strided<[1, 64]>>, memref<64x128xf32>)
// CHECK: host.output 0 () : memref<64x128xf32>
// CHECK: host.launch @f_1::@f_1 {{.*}} : memref<64x128xf32>, memref<64x128xf32>, memref<64x128xf32>)
func.func @f(%x: tensor<64x128xf32> {fusion.stride_order = array<i64: 1, 0>}, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fusion.exp %x : tensor<64x128xf32>
  %s = fusion.segment_set %0 : tensor<64x128xf32>
  %1 = fusion.add %s, %y : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
