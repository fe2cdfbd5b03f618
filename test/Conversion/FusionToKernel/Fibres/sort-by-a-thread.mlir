// RUN: fuser-opt %s --fusion-to-kernel=target=cuda | FileCheck %s
// RUN: fuser-run %s --target sim --sim-check --check --input 9x8xf32=bits:1 | FileCheck %s --check-prefix=RESULT
// RUN: fuser-run %s --target sim --sim-check --check --input 0x8xf32=bits:1 | FileCheck %s --check-prefix=RESULT
// RESULT: {{^}}right

// Where a schedule says so, a thread of a GPU has a fibre that is sorted. The heap is in the memory of the result: no other.
// CHECK-LABEL: gpu.func @by_a_thread_0(
// CHECK-SAME: %{{.*}}: memref<?x8xf32>
// CHECK-SAME: %[[ORDER:[a-z0-9]+]]: memref<?x8xi64>
// CHECK-NOT: memref.alloc
// CHECK: scf.while
// CHECK: memref.store %{{.*}}, %[[ORDER]]
func.func @by_a_thread(%x: tensor<?x8xf32>) -> tensor<?x8xi64> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xi64>) attributes {schedule = #fusion.generic<threads = 32>} {
    %1 = fusion.argsort %a dim 0 : tensor<?x8xf32> to tensor<?x8xi64>
    fusion.yield %1 : tensor<?x8xi64>
  }
  return %0 : tensor<?x8xi64>
}
