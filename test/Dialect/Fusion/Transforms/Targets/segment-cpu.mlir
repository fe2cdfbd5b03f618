// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=cpu}))' | FileCheck %s

// A CPU core computes a function of a row once for all rows, and what is cheap for each.
// CHECK-LABEL: func.func @sine_of_a_row(
// CHECK: fusion.segment
// CHECK: fusion.sin
// CHECK: fusion.segment
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @sine_of_a_row(%y: tensor<2048x1024xf32>, %x: tensor<1024xf32>) -> tensor<2048x1024xf32> {
  %s = fusion.sin %x : tensor<1024xf32>
  %e = fusion.broadcast_in_dim %s dims [1] : tensor<1024xf32> to tensor<2048x1024xf32>
  %r = fusion.mul %y, %e : tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}

// CHECK-LABEL: func.func @square_of_a_row(
// CHECK: fusion.segment
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @square_of_a_row(%y: tensor<2048x1024xf32>, %x: tensor<1024xf32>) -> tensor<2048x1024xf32> {
  %s = fusion.mul %x, %x : tensor<1024xf32>
  %e = fusion.broadcast_in_dim %s dims [1] : tensor<1024xf32> to tensor<2048x1024xf32>
  %r = fusion.mul %y, %e : tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}

// Rows of known length are kept from one reduction to the next, however many there are. Those of open length are computed again by each reduction that waits
// for others: a softmax is one segment, a chain of sines is cut.
// CHECK-LABEL: func.func @known_chain(
// CHECK: fusion.segment
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @known_chain(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %a = fusion.sin %x : tensor<256x1024xf32>
  %s = fusion.reduce <sum> %a dims [1] keep : tensor<256x1024xf32>
  %b = fusion.broadcast_in_dim %s dims [0, 1] : tensor<256x1xf32> to tensor<256x1024xf32>
  %c = fusion.add %a, %b : tensor<256x1024xf32>
  %d = fusion.sin %c : tensor<256x1024xf32>
  %t = fusion.reduce <sum> %d dims [1] keep : tensor<256x1024xf32>
  %e = fusion.broadcast_in_dim %t dims [0, 1] : tensor<256x1xf32> to tensor<256x1024xf32>
  %f = fusion.add %d, %e : tensor<256x1024xf32>
  %g = fusion.sin %f : tensor<256x1024xf32>
  %u = fusion.reduce <sum> %g dims [1] keep : tensor<256x1024xf32>
  %h = fusion.broadcast_in_dim %u dims [0, 1] : tensor<256x1xf32> to tensor<256x1024xf32>
  %i = fusion.add %g, %h : tensor<256x1024xf32>
  return %i : tensor<256x1024xf32>
}

// CHECK-LABEL: func.func @open_chain(
// CHECK: fusion.segment
// CHECK: fusion.segment
// CHECK: return
func.func @open_chain(%x: tensor<256x?xf32>, %n: index) -> tensor<256x?xf32> {
  %a = fusion.sin %x : tensor<256x?xf32>
  %s = fusion.reduce <sum> %a dims [1] keep : tensor<256x?xf32>
  %b = fusion.broadcast_in_dim %s dims [0, 1] sizes(%n) : tensor<256x1xf32> to tensor<256x?xf32>
  %c = fusion.add %a, %b : tensor<256x?xf32>
  %d = fusion.sin %c : tensor<256x?xf32>
  %t = fusion.reduce <sum> %d dims [1] keep : tensor<256x?xf32>
  %e = fusion.broadcast_in_dim %t dims [0, 1] sizes(%n) : tensor<256x1xf32> to tensor<256x?xf32>
  %f = fusion.add %d, %e : tensor<256x?xf32>
  %g = fusion.sin %f : tensor<256x?xf32>
  %u = fusion.reduce <sum> %g dims [1] keep : tensor<256x?xf32>
  %h = fusion.broadcast_in_dim %u dims [0, 1] sizes(%n) : tensor<256x1xf32> to tensor<256x?xf32>
  %i = fusion.add %g, %h : tensor<256x?xf32>
  return %i : tensor<256x?xf32>
}

// CHECK-LABEL: func.func @open_softmax(
// CHECK: fusion.segment
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @open_softmax(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x?xf32>
  %a = fusion.broadcast_in_dim %m dims [0, 1] sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %b = fusion.sub %x, %a : tensor<?x?xf32>
  %e = fusion.exp %b : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32>
  %c = fusion.broadcast_in_dim %s dims [0, 1] sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %r = fusion.div %e, %c : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
