// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s
// RUN: fuser-run %s --entry overwritten --input 33x70xf32=random:1 --check
// RUN: fuser-run %s --entry long_softmax --input 3x1048576xbf16=random:1 --check
// RUN: fuser-run %s --entry returned_view --input 1x65x16xf64=random:1 --check
// RUN: fuser-run %s --entry returned_view --input 3x10x7xf64=random:1,strides=70x1x10 --check --target=sim

// What goes from segment to segment is computed again where it is read, should that take less time than memory.

// Rows that registers do not hold: each kernel reads the bf16 input, and no f32 copy of it is written.
// CHECK-LABEL: func.func @long_softmax
// CHECK-SAME:    (%[[X:.+]]: tensor<?x1048576xbf16>)
// CHECK:         %[[M:.+]] = fusion.segment "split_reduction" ({{.*}}%[[X]] : {{.*}} -> (tensor<?x1xf32>)
// CHECK:         %[[S:.+]] = fusion.segment "split_reduction" ({{.*}}%[[M]] : {{.*}} -> (tensor<?x1xf32>)
// CHECK:           fusion.exp
// CHECK:           fusion.reduce <sum>
// CHECK:         fusion.segment "pointwise" ({{.*}} -> (tensor<?x1048576xbf16>)
// CHECK:           fusion.exp
// CHECK:           fusion.div
// CHECK-NOT:     fusion.segment
func.func @long_softmax(%x: tensor<?x1048576xbf16>) -> tensor<?x1048576xbf16> {
  %h = fusion.cast %x : tensor<?x1048576xbf16> to tensor<?x1048576xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?x1048576xf32> to tensor<?x1xf32>
  %mb = fusion.expand %m : tensor<?x1xf32> to tensor<?x1048576xf32>
  %d = fusion.sub %h, %mb : tensor<?x1048576xf32>
  %e = fusion.exp %d : tensor<?x1048576xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1048576xf32> to tensor<?x1xf32>
  %sb = fusion.expand %s : tensor<?x1xf32> to tensor<?x1048576xf32>
  %q = fusion.div %e, %sb : tensor<?x1048576xf32>
  %o = fusion.cast %q : tensor<?x1048576xf32> to tensor<?x1048576xbf16>
  return %o : tensor<?x1048576xbf16>
}

// Two large tensors to read instead of one.
// CHECK-LABEL: func.func @two_inputs
// CHECK:         %[[S:.+]]:2 = fusion.segment
// CHECK:           fusion.add
// CHECK:         fusion.segment
// CHECK-NOT:       fusion.add
// CHECK:           fusion.reduce
// CHECK-NOT:     fusion.segment
func.func @two_inputs(%x: tensor<?x4x64xf32>, %y: tensor<?x4x64xf32>) -> (tensor<?x4x1xf32>, tensor<4x64xf32>) {
  %a = fusion.add %x, %y : tensor<?x4x64xf32>
  %b = fusion.exp %a : tensor<?x4x64xf32>
  %r = fusion.reduce <sum> %b dims [2] keep : tensor<?x4x64xf32> to tensor<?x4x1xf32>
  %c = fusion.reduce <sum> %a dims [0] : tensor<?x4x64xf32> to tensor<4x64xf32>
  return %r, %c : tensor<?x4x1xf32>, tensor<4x64xf32>
}

// Too much arithmetic: eight tanh take longer than a tensor does.
// CHECK-LABEL: func.func @costly
// CHECK-COUNT-8:   fusion.tanh
// CHECK-NOT:     fusion.tanh
func.func @costly(%x: tensor<?x64xf32>) -> (tensor<?x1xf32>, tensor<64xf32>) {
  %0 = fusion.tanh %x : tensor<?x64xf32>
  %1 = fusion.tanh %0 : tensor<?x64xf32>
  %2 = fusion.tanh %1 : tensor<?x64xf32>
  %3 = fusion.tanh %2 : tensor<?x64xf32>
  %4 = fusion.tanh %3 : tensor<?x64xf32>
  %5 = fusion.tanh %4 : tensor<?x64xf32>
  %6 = fusion.tanh %5 : tensor<?x64xf32>
  %7 = fusion.tanh %6 : tensor<?x64xf32>
  %r = fusion.reduce <sum> %7 dims [1] keep : tensor<?x64xf32> to tensor<?x1xf32>
  %c = fusion.reduce <sum> %7 dims [0] : tensor<?x64xf32> to tensor<64xf32>
  return %r, %c : tensor<?x1xf32>, tensor<64xf32>
}

// What reads an input that is overwritten stays in front of that.
// CHECK-LABEL: func.func @overwritten
// CHECK:         fusion.exp
// CHECK-NOT:     fusion.exp
func.func @overwritten(%x: tensor<?x70xf32>) -> (tensor<?x70xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<70xf32>) {
  %0 = fusion.exp %x : tensor<?x70xf32>
  %1 = fusion.neg %0 : tensor<?x70xf32>
  %2 = fusion.reduce <sum> %0 dims [0] : tensor<?x70xf32> to tensor<70xf32>
  return %1, %2 : tensor<?x70xf32>, tensor<70xf32>
}

// What a reshape passes on to the caller is in memory, whatever else computes it again: what the whole pipeline makes of this was not valid.
// CHECK-LABEL: func.func @returned_view
func.func @returned_view(%x: tensor<?x?x?xf64> {fusion.layout = "any"}) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf64>
  %c = tensor.dim %x, %c1 : tensor<?x?x?xf64>
  %w = tensor.dim %x, %c2 : tensor<?x?x?xf64>
  %k = arith.divui %c, %c5 : index
  %g = fusion.reshape %x sizes(%n, %k, %w) : tensor<?x?x?xf64> to tensor<?x5x?x?xf64>
  %m = fusion.reduce <mean> %g dims [2, 3] keep : tensor<?x5x?x?xf64> to tensor<?x5x1x1xf64>
  %e = fusion.expand %m sizes(%k, %w) : tensor<?x5x1x1xf64> to tensor<?x5x?x?xf64>
  %d = fusion.sub %g, %e : tensor<?x5x?x?xf64>
  %v = fusion.reshape %d sizes(%n, %c, %w) : tensor<?x5x?x?xf64> to tensor<?x?x?xf64>
  %t = fusion.tanh %v : tensor<?x?x?xf64>
  %h = fusion.reshape %t sizes(%n, %k, %w) : tensor<?x?x?xf64> to tensor<?x5x?x?xf64>
  %u = fusion.reshape %h sizes(%n, %c, %w) : tensor<?x5x?x?xf64> to tensor<?x?x?xf64>
  return %v, %u : tensor<?x?x?xf64>, tensor<?x?x?xf64>
}
