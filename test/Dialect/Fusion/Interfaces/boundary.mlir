// A boundary between segments of another dialect: what passes know of it is its trait.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-forward-factories --fusion-segment=target=sm_90 | FileCheck %s --implicit-check-not=test_fusion.fence
// RUN: fuser-test-opt %s --fusion-remove-empty | FileCheck %s --check-prefix=EMPTY
// RUN: fuser-test-run %s --entry f --target cpu --input 4x8xf32=random:1 --check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-test-opt %s --fusion-segment=explain=true 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RIGHT: right:
// WHY: remark: reads a tensor from another segment: a boundary is between them

// A factory before it is no less a tensor that was asked for.

// CHECK-LABEL: func.func @f(
// CHECK: %[[A:.+]] = fusion.segment
// CHECK-NEXT: arith.constant
// CHECK-NEXT: fusion.full
// CHECK-NEXT: fusion.yield
// CHECK: %[[B:.+]] = fusion.segment
// CHECK-NEXT: fusion.exp
// CHECK-NEXT: fusion.yield
// CHECK: fusion.segment {{.*}} = %[[B]]
// CHECK-NEXT: fusion.neg
// CHECK: return
func.func @f(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = test_fusion.fence %x : tensor<4x8xf32>
  %c = arith.constant 1.0 : f32
  %1 = fusion.full %c : tensor<4x8xf32>
  %2 = test_fusion.fence %1 : tensor<4x8xf32>
  %3 = fusion.exp %0 : tensor<4x8xf32>
  %4 = test_fusion.fence %3 : tensor<4x8xf32>
  %5 = fusion.neg %4 : tensor<4x8xf32>
  %6 = fusion.add %5, %2 : tensor<4x8xf32>
  return %5, %6 : tensor<4x8xf32>, tensor<4x8xf32>
}

// EMPTY-LABEL: func.func private @empty(
// EMPTY: %[[E:.+]] = fusion.full
// EMPTY: test_fusion.fence %[[E]]
func.func private @empty(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %0 = fusion.exp %x : tensor<0x8xf32>
  %1 = test_fusion.fence %0 : tensor<0x8xf32>
  return %1 : tensor<0x8xf32>
}
