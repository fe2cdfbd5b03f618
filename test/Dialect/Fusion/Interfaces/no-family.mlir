// An op on tensors of no family is a segment of its own, and there is no kernel of it.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-segment=target=sm_90 | FileCheck %s
// RUN: not fuser-test-opt %s --fusion-segment=target=sm_90 --fusion-schedule=target=cuda --fusion-to-kernel=target=cuda 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fuser-test-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: no-family.mlir:[[# @LINE + 11]]:8: error: expected an op of a known family (elementwise, index map, reduction, factory), got 'test_fusion.opaque'

// CHECK: fusion.segment "pointwise"
// CHECK-NEXT: fusion.exp
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment "generic"
// CHECK-NEXT: test_fusion.opaque
// CHECK-NEXT: fusion.yield
// CHECK: return
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = fusion.exp %x : tensor<?x8xf32>
  %r = test_fusion.opaque %e : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
