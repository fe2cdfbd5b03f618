// A stride is the product of the sizes that are faster, also where one of them is 0: whatever speaks of a buffer agrees.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,canonicalize,cse)' | FileCheck %s
// RUN: fuser-run %s --target cpu --check --input 0xf32=normal:1 --input 0x4xf32=normal:2,strides=1x0 --input 8x0x4xbf16=normal:3,strides=1x8x0 --input 2x3x0x4xf64=normal:4,strides=1x2x6x0 | FileCheck %s --check-prefix=RAN
// RUN: fuser-run %s --target cpu --check --input 0xf32=normal:1 --input 0x4xf32=normal:2,strides=1x1 --input 8x0x4xbf16=normal:3 --input 2x3x0x4xf64=normal:4 | FileCheck %s --check-prefix=RAN

// CHECK-DAG: host.output 1 () {stride_order = array<i64: 1, 0>} : memref<0x4xf32, strided<[1, 0]>>
// CHECK-DAG: host.output 2 () {stride_order = array<i64: 2, 1, 0>} : memref<8x0x4xbf16, strided<[1, 8, 0]>>
// CHECK-DAG: host.output 3 () {stride_order = array<i64: 2, 3, 0, 1>} : memref<2x3x0x4xf64, strided<[3, 1, 24, 6]>>
// CHECK-DAG: host.output 4 () {{.*}}: memref<8x4xbf16
// RAN: right
func.func @f(%a: tensor<0xf32>, %b: tensor<0x4xf32> {fusion.stride_order = array<i64: 1, 0>},
             %c: tensor<8x0x4xbf16> {fusion.stride_order = array<i64: 2, 1, 0>},
             %d: tensor<2x3x0x4xf64> {fusion.stride_order = array<i64: 3, 2, 1, 0>})
    -> (tensor<0xf32>, tensor<0x4xf32> {fusion.stride_order = array<i64: 1, 0>},
        tensor<8x0x4xbf16> {fusion.stride_order = array<i64: 2, 1, 0>},
        tensor<2x3x0x4xf64> {fusion.stride_order = array<i64: 2, 3, 0, 1>}, tensor<8x4xbf16>) {
  %0 = fusion.neg %a : tensor<0xf32>
  %1 = fusion.neg %b : tensor<0x4xf32>
  %2 = fusion.neg %c : tensor<8x0x4xbf16>
  %3 = fusion.neg %d : tensor<2x3x0x4xf64>
  %4 = fusion.reduce <sum> %c dims [1] : tensor<8x0x4xbf16> to tensor<8x4xbf16>
  return %0, %1, %2, %3, %4 : tensor<0xf32>, tensor<0x4xf32>, tensor<8x0x4xbf16>, tensor<2x3x0x4xf64>, tensor<8x4xbf16>
}
