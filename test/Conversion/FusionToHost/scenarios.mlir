// From tensors to the host program: which launches there are, and what memory lives between them.
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=sm_90}),fusion-schedule{target=sm_90},fusion-to-kernel{target=cuda},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-infer-allocation-order,fusion-forward-factories,fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,func.func(host-deallocate),canonicalize,cse)' | FileCheck %s

// The input and a `full`, a boundary, and the same `full`, whose size is one of the input: two segments, each with its own
// `full`, which is no intermediate; the one tensor between them is.

// CHECK-LABEL: func.func @seed(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>
// CHECK:         %[[N:.+]] = memref.dim %[[X]], %{{.+}}
// CHECK-NOT:     host.{{alloc|output}}
// CHECK:         %[[T:.+]] = host.alloc (%[[N]]) : memref<?x8xf32>
// CHECK-NOT:     host.alloc
// CHECK:         host.launch @seed_0::@seed_0 {{.*}} args(%[[X]], %[[N]], %[[T]] : {{.*}}) writes [2]
// CHECK:         %[[R:.+]] = host.output 0 (%[[N]]) : memref<?x8xf32>
// CHECK-NOT:     host.alloc
// CHECK:         host.launch @seed_1::@seed_1 {{.*}} args(%[[T]], %[[N]], %[[R]] : {{.*}}) writes [2]
// CHECK-NEXT:    host.dealloc %[[T]]
// CHECK-NEXT:    return %[[R]]
func.func @seed(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %f = fusion.full %one sizes(%n) : tensor<?x8xf32>
  %0 = fusion.add %x, %f : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.add %1, %f : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// No scheduler takes reductions over different dimensions: a launch each.

// CHECK-LABEL: func.func @no_scheduler(
// CHECK-SAME:    %[[X:.+]]: memref<8x8x512xf32>
// CHECK:         %[[T:.+]] = host.alloc () : memref<8x8x1xf32>
// CHECK:         host.launch @no_scheduler_0::@no_scheduler_0 {{.*}} writes [1]
// CHECK:         %[[R:.+]] = host.output 0 () : memref<8x512xf32>
// CHECK:         host.launch @no_scheduler_1::@no_scheduler_1 {{.*}} args({{.*}}%[[T]]{{.*}}, %[[R]] :
// CHECK-NEXT:    host.dealloc %[[T]]
// CHECK-NOT:     host.launch


func.func @no_scheduler(%x: tensor<8x8x512xf32>) -> tensor<8x512xf32> {
  %m = fusion.reduce <sum> %x dims [2] keep : tensor<8x8x512xf32> to tensor<8x8x1xf32>
  %mx = fusion.expand %m : tensor<8x8x1xf32> to tensor<8x8x512xf32>
  %a = fusion.sub %x, %mx : tensor<8x8x512xf32>
  %s = fusion.reduce <sum> %a dims [0] : tensor<8x8x512xf32> to tensor<8x512xf32>
  return %s : tensor<8x512xf32>
}

// -----

// Several segments read one tensor: it is freed behind the last of them. A result that others read is the caller's.

// CHECK-LABEL: func.func @consumers(
// CHECK-SAME:    %[[X:.+]]: memref<64x512xf32>
// CHECK:         %[[T:.+]] = host.alloc ()
// CHECK:         host.launch @consumers_0::@consumers_0 {{.*}} args(%[[X]], %[[T]] :
// CHECK:         %[[A:.+]] = host.output 0 ()
// CHECK:         host.launch @consumers_1::@consumers_1 {{.*}} args(%[[T]], %[[A]] :
// CHECK-NOT:     host.dealloc
// CHECK:         %[[B:.+]] = host.output 1 ()
// CHECK:         host.launch @consumers_2::@consumers_2 {{.*}} args(%[[T]], %[[B]] :
// CHECK-NOT:     host.dealloc
// CHECK:         %[[C:.+]] = host.output 2 ()
// CHECK:         host.launch @consumers_3::@consumers_3 {{.*}} args(%[[A]], %[[T]], %[[C]] :
// CHECK-NEXT:    host.dealloc %[[T]]
// CHECK-NOT:     host.dealloc
// CHECK:         return %[[A]], %[[B]], %[[C]]


func.func @consumers(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<512xf32>, tensor<64x512xf32>) {
  %a = fusion.exp %x : tensor<64x512xf32>
  %b = fusion.segment_set %a : tensor<64x512xf32>
  %0 = fusion.neg %b : tensor<64x512xf32>
  %r = fusion.permute %b [1, 0] : tensor<64x512xf32> to tensor<512x64xf32>
  %1 = fusion.reduce <sum> %r dims [1] : tensor<512x64xf32> to tensor<512xf32>
  %2 = fusion.segment_set %0 : tensor<64x512xf32>
  %3 = fusion.mul %2, %b : tensor<64x512xf32>
  return %0, %1, %3 : tensor<64x512xf32>, tensor<512xf32>, tensor<64x512xf32>
}

// -----

// What is independent stays apart, without a buffer between.

// CHECK-LABEL: func.func @horizontal(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>{{.*}}, %[[Y:.+]]: memref<16xf32>
// CHECK-NOT:     host.alloc
// CHECK:         %[[A:.+]] = host.output 0 (
// CHECK:         host.launch @horizontal_0::@horizontal_0 {{.*}} args(%[[X]], %[[A]] :
// CHECK:         %[[B:.+]] = host.output 1 ()
// CHECK:         host.launch @horizontal_1::@horizontal_1 {{.*}} args(%[[Y]], %[[B]] :
// CHECK-NOT:     host.dealloc
// CHECK:         return %[[A]], %[[B]]


func.func @horizontal(%x: tensor<?x8xf32>, %y: tensor<16xf32>) -> (tensor<?x8xf32>, tensor<16xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.tanh %y : tensor<16xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<16xf32>
}

// -----

// A reduction of what another one gives: the small tensor between them is all that goes through memory.

// CHECK-LABEL: func.func @reductions(
// CHECK:         %[[N:.+]] = memref.dim
// CHECK:         %[[T:.+]] = host.alloc (%[[N]]) : memref<?x16xf32>
// CHECK:         host.launch @reductions_0::@reductions_0
// CHECK:         %[[R:.+]] = host.output 0 (%[[N]]) : memref<?xf32>
// CHECK:         host.launch @reductions_1::@reductions_1 {{.*}} args(%[[T]], %[[R]] :
// CHECK-NEXT:    host.dealloc %[[T]]
// CHECK-NOT:     host.launch


func.func @reductions(%x: tensor<?x16x512xf32>) -> tensor<?xf32> {
  %0 = fusion.reduce <sum> %x dims [2] : tensor<?x16x512xf32> to tensor<?x16xf32>
  %1 = fusion.exp %0 : tensor<?x16xf32>
  %2 = fusion.reduce <max> %1 dims [1] : tensor<?x16xf32> to tensor<?xf32>
  return %2 : tensor<?xf32>
}
