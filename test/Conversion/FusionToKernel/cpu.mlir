// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu | FileCheck %s

// Kernels are functions over a range of work items, which loop over vectors of the schedule's size.

// CHECK: module @pointwise_0
// CHECK: func.func @pointwise_0(%{{.*}}: memref<?x4096xf32>{{.*}}, %{{.*}}: memref<?x4096xf32>{{.*}}, %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.store
// CHECK: return
func.func @pointwise(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = fusion.exp %x : tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}

// CHECK: func.func @row_0(
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: scf.for {{.*}} -> (vector<[[WIDTH:[0-9]+]]xf32>)
// CHECK: vector.load %{{.*}}[%[[ROW]], %{{.*}}] : memref<?x4096xf32>, vector<[[WIDTH]]xf32>
// CHECK: arith.addf
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]]]
func.func @row(%x: tensor<?x4096xf32>) -> tensor<?xf32> {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x4096xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
