// RUN: fuser-opt %s --fusion-segment="target=cpu" | FileCheck %s
// RUN: fuser-opt %s --fusion-segment="target=cuda" --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=CUDA
// RUN: fuser-opt %s --fusion-segment="target=cpu" --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=CPU

// What computes fibres is a segment by itself, but for scans on a GPU (test/Schedule/Fibres/scans.mlir), where threads share a row that is sorted, too (test/Schedule/Fibres/orders.mlir). Its operands are in memory, those of cheap producers too.

// CHECK-LABEL: func.func @alone(
// CHECK: fusion.segment "pointwise"
// CHECK: fusion.neg
// CHECK: fusion.segment "generic"
// CHECK-NOT: fusion.neg
// CHECK: fusion.scan <sum>
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "generic"
// CHECK: fusion.argsort
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "pointwise"
// CHECK-DAG: fusion.take_along_axis
// CHECK-DAG: fusion.mul

// A work item of the CPU has a fibre. The heap is in the memory of the result: no other.
// CUDA-LABEL: gpu.func @alone_1_tiles(

// CPU-LABEL: func.func @alone_1(
// CPU-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CPU: scf.for %[[ITEM:.*]] = %[[BEGIN]] to %[[END]]
// CPU: scf.for
// CPU: arith.addf
// CPU: memref.store %{{.*}}[%{{.*}}, %[[ITEM]]]
func.func @alone(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %n = fusion.neg %x : tensor<?x8xf32>
  %s = fusion.scan <sum> %n dim 0 : tensor<?x8xf32>
  %i = fusion.argsort %s dim 0 : tensor<?x8xf32> to tensor<?x8xi64>
  %t = fusion.take_along_axis %s, %i dim 1 : tensor<?x8xf32>, tensor<?x8xi64> to tensor<?x8xf32>
  %r = fusion.mul %t, %t : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
