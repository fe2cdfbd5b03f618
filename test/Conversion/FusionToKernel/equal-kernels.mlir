// Equal segments share a kernel, also those of different functions; what is known of the alignment of their buffers counts. Functions may
// have any names.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu | FileCheck %s
// RUN: fuser-run %s --entry layers --input 5x8xf32=random:1 --check
// RUN: fuser-run %s --entry kernels --input 5x8xf32=random:1 --check
// RUN: fuser-run %s --entry layers_0 --input 8xf32=random:1 --check
// RUN: fuser-run %s --entry kernels --target cuda --arch sm_90 --emit %t.fx

// The name of the first kernel would have been that of a function.
// CHECK: module @layers_1 {
// CHECK: module @layers_2 {
// CHECK-NOT: module @layers_3
// CHECK: module @layers_4 {
// CHECK: module @layers_0_0 {
// CHECK-NOT: module @kernels_0
// CHECK: module @kernels_1 {

// CHECK-LABEL: func.func @layers(
// CHECK: fusion.segment {{.*}}host_function = @layers_1_host
// CHECK: fusion.segment {{.*}}host_function = @layers_2_host
// CHECK: fusion.segment {{.*}}host_function = @layers_3_host
// CHECK: fusion.segment {{.*}}host_function = @layers_4_host
func.func @layers(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  %3 = fusion.segment_set %2 : tensor<?x8xf32>
  %4 = fusion.neg %3 : tensor<?x8xf32>
  %5 = fusion.segment_set %4 : tensor<?x8xf32>
  %6 = fusion.neg %5 : tensor<?x8xf32>
  return %6 : tensor<?x8xf32>
}

func.func @layers_0(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.neg %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @kernels(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.exp %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func private @layers_2_host(
// CHECK: host.launch @layers_2::@layers_2
// CHECK-LABEL: func.func private @layers_3_host(
// CHECK: host.launch @layers_2::@layers_2
// CHECK-LABEL: func.func private @layers_4_host(
// CHECK: host.launch @layers_4::@layers_4
// CHECK-LABEL: func.func private @kernels_0_host(
// CHECK: host.launch @layers_1::@layers_1
// CHECK-LABEL: func.func private @kernels_1_host(
// CHECK: host.launch @kernels_1::@kernels_1
