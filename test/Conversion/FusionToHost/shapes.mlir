// Reshapes that are other shapes of memory: no kernel copies.
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s

// The kernel writes the result in the shape of its rows.

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[N:.+]] = memref.dim
// CHECK:         %[[OUT:.+]] = host.output 0 (%[[N]]) : memref<?x2x48xf32>
// CHECK-NEXT:    %[[ROWS:.+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [%[[N]], 96], strides: [96, 1] : memref<?x2x48xf32> to memref<?x96xf32>
// CHECK:         host.launch {{.*}}%[[ROWS]] : {{.*}} writes [1]
// CHECK-NOT:     host.launch
// CHECK:         return %[[OUT]]
func.func @rows(%x: tensor<?x96xf32>) -> tensor<?x2x48xf32> {
  %s = fusion.reduce <sum> %x dims [1] keep : tensor<?x96xf32> to tensor<?x1xf32>
  %e = fusion.expand %s : tensor<?x1xf32> to tensor<?x96xf32>
  %d = fusion.sub %x, %e : tensor<?x96xf32>
  %r = fusion.reshape %d : tensor<?x96xf32> to tensor<?x2x48xf32>
  return %r : tensor<?x2x48xf32>
}

// -----

// What products take: an input, and what a kernel computes, which is freed behind the last of them.

// CHECK-LABEL: func.func @taken(
// CHECK-SAME:    %[[X:.+]]: memref<4x8x96xf32>
// CHECK-DAG:     %[[A:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [32, 96]
// CHECK-DAG:     host.matmul %[[A]]
// CHECK-DAG:     %[[B:.+]] = host.alloc () : memref<4x8x96xf32>
// CHECK-DAG:     host.launch {{.*}} args({{.*}}%[[B]] : {{.*}}
// CHECK-DAG:     %[[C:.+]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [32, 96]
// CHECK:         host.matmul %[[C]]
// CHECK-NEXT:    host.dealloc %[[B]]
// CHECK-NOT:     host.launch
func.func @taken(%x: tensor<4x8x96xf32>, %w: tensor<96x32xf32>) -> (tensor<32x32xf32>, tensor<4x8x32xf32>) {
  %a = fusion.reshape %x : tensor<4x8x96xf32> to tensor<32x96xf32>
  %p = fusion.matmul %a, %w : tensor<32x96xf32>, tensor<96x32xf32> to tensor<32x32xf32>
  %y = fusion.exp %x : tensor<4x8x96xf32>
  %b = fusion.reshape %y : tensor<4x8x96xf32> to tensor<32x96xf32>
  %q = fusion.matmul %b, %w : tensor<32x96xf32>, tensor<96x32xf32> to tensor<32x32xf32>
  %r = fusion.reshape %q : tensor<32x32xf32> to tensor<4x8x32xf32>
  return %p, %r : tensor<32x32xf32>, tensor<4x8x32xf32>
}

// -----

// Memory that is another result, or any strides, or overwritten, is copied.

// CHECK-LABEL: func.func @copied(
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         return
func.func @copied(%x: tensor<4x8x96xf32> {fusion.layout = "any"}, %w: tensor<96x32xf32>, %z: tensor<8x32xf32>, %g: tensor<8x384xf32>)
    -> (tensor<32x32xf32>, tensor<8x32xf32>, tensor<256xf32>, tensor<8x32xf32> {fusion.alias = #fusion.alias<reuse, 2>}, tensor<32x8xf32>) {
  %a = fusion.reshape %x : tensor<4x8x96xf32> to tensor<32x96xf32>
  %p = fusion.matmul %a, %w : tensor<32x96xf32>, tensor<96x32xf32> to tensor<32x32xf32>
  %s = fusion.reduce <sum> %z dims [1] keep : tensor<8x32xf32> to tensor<8x1xf32>
  %e = fusion.expand %s : tensor<8x1xf32> to tensor<8x32xf32>
  %d = fusion.sub %z, %e : tensor<8x32xf32>
  %r = fusion.reshape %d : tensor<8x32xf32> to tensor<256xf32>
  %n = fusion.neg %z : tensor<8x32xf32>
  %f = fusion.reshape %z : tensor<8x32xf32> to tensor<32x8xf32>
  %h = fusion.matmul %f, %g : tensor<32x8xf32>, tensor<8x384xf32> to tensor<32x384xf32>
  %m = fusion.reduce <sum> %h dims [1] keep : tensor<32x384xf32> to tensor<32x1xf32>
  %o = fusion.expand %m : tensor<32x1xf32> to tensor<32x8xf32>
  return %p, %d, %r, %n, %o : tensor<32x32xf32>, tensor<8x32xf32>, tensor<256xf32>, tensor<8x32xf32>, tensor<32x8xf32>
}
