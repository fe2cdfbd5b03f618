// A result of a split reduction is written over an input that the other result reads: nothing is stored before both are computed.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel --canonicalize --cse | FileCheck %s
// RUN: fuser-run %s --input 8x70000xf32=random:1 --input 8xf32=random:2 --check

// CHECK: gpu.func @f_0(%{{.+}}: memref<8x70000xf32>{{.*}}, %[[B:[a-z0-9]+]]: memref<8xf32>{{.*}}, %[[R:[a-z0-9]+]]: memref<8xf32>{{.*}}, %[[S:[a-z0-9]+]]: memref<8xf32>
// CHECK-NOT: memref.store {{.*}} memref<8xf32>
// CHECK: memref.load %[[B]]
// CHECK-NOT: memref.load %[[B]]
// CHECK: memref.store %{{.+}}, %[[R]]
// CHECK-NEXT: memref.store %{{.+}}, %[[S]]
// CHECK-NOT: memref.load %[[B]]
// CHECK: gpu.return
func.func @f(%x: tensor<8x70000xf32>, %b: tensor<8xf32>) -> (tensor<8xf32> {fusion.alias = #fusion.alias<reuse, 1>}, tensor<8xf32>) {
  %s = fusion.reduce <sum> %x dims [1] : tensor<8x70000xf32> to tensor<8xf32>
  %r = fusion.add %s, %b : tensor<8xf32>
  %t = fusion.mul %s, %b : tensor<8xf32>
  return %r, %t : tensor<8xf32>, tensor<8xf32>
}
