// RUN: fuser-opt %s --fusion-decide-exactness --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s

// Rows that the blocks of a cluster share. What is cheap is computed again from shared memory, where a row lies as it was read, and registers do not limit how
// many blocks are under way. Weights are there, too, if rows are not longer than 32768. With one reduction blocks have few elements each.
// CHECK-LABEL: func.func @rmsnorm(
// CHECK: kind = "row_reduction"
// CHECK-SAME: layout = {{\[\[}}], [r3, l5, w3, b3]], repeat = [1, 2], min_blocks = 3, stages = 1>
func.func @rmsnorm(%x: tensor<8x32768xbf16>, %w: tensor<32768xbf16>) -> tensor<8x32768xbf16> {
  %h = fusion.cast %x : tensor<8x32768xbf16> to tensor<8x32768xf32>
  %q = fusion.mul %h, %h : tensor<8x32768xf32>
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<8x32768xf32> to tensor<8x1xf32>
  %r = fusion.rsqrt %m : tensor<8x1xf32>
  %b = fusion.expand %r : tensor<8x1xf32> to tensor<8x32768xf32>
  %n = fusion.mul %h, %b : tensor<8x32768xf32>
  %c = fusion.cast %w : tensor<32768xbf16> to tensor<32768xf32>
  %d = fusion.broadcast_in_dim %c dims [1] : tensor<32768xf32> to tensor<8x32768xf32>
  %y = fusion.mul %n, %d : tensor<8x32768xf32>
  %o = fusion.cast %y : tensor<8x32768xf32> to tensor<8x32768xbf16>
  return %o : tensor<8x32768xbf16>
}

// CHECK-LABEL: func.func @longer(
// CHECK: kind = "row_reduction"
// CHECK-SAME: layout = {{\[\[}}], [r3, l5, w3, b2]], repeat = [1, 5], min_blocks = 4, stages = 1, late_reads = true>
func.func @longer(%x: tensor<8x40000xbf16>, %w: tensor<40000xbf16>) -> tensor<8x40000xbf16> {
  %h = fusion.cast %x : tensor<8x40000xbf16> to tensor<8x40000xf32>
  %m = fusion.reduce <mean> %h dims [1] keep : tensor<8x40000xf32> to tensor<8x1xf32>
  %b = fusion.expand %m : tensor<8x1xf32> to tensor<8x40000xf32>
  %n = fusion.sub %h, %b : tensor<8x40000xf32>
  %c = fusion.cast %w : tensor<40000xbf16> to tensor<40000xf32>
  %d = fusion.broadcast_in_dim %c dims [1] : tensor<40000xf32> to tensor<8x40000xf32>
  %y = fusion.mul %n, %d : tensor<8x40000xf32>
  %o = fusion.cast %y : tensor<8x40000xf32> to tensor<8x40000xbf16>
  return %o : tensor<8x40000xbf16>
}

// An exponential that the result takes is kept, in registers.
// CHECK-LABEL: func.func @softmax(
// CHECK: kind = "row_reduction"
// CHECK-SAME: layout = {{\[\[}}], [r3, l5, w2, b2]], repeat = [1, 8], min_blocks = 6, late_reads = true>
func.func @softmax(%x: tensor<8x32768xbf16>) -> tensor<8x32768xbf16> {
  %h = fusion.cast %x : tensor<8x32768xbf16> to tensor<8x32768xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<8x32768xf32> to tensor<8x1xf32>
  %b = fusion.expand %m : tensor<8x1xf32> to tensor<8x32768xf32>
  %d = fusion.sub %h, %b : tensor<8x32768xf32>
  %e = fusion.exp %d : tensor<8x32768xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<8x32768xf32> to tensor<8x1xf32>
  %t = fusion.expand %s : tensor<8x1xf32> to tensor<8x32768xf32>
  %y = fusion.div %e, %t : tensor<8x32768xf32>
  %o = fusion.cast %y : tensor<8x32768xf32> to tensor<8x32768xbf16>
  return %o : tensor<8x32768xbf16>
}

// Without such a result nothing is kept but the row.
// CHECK-LABEL: func.func @logsumexp(
// CHECK: kind = "row_reduction"
// CHECK-SAME: layout = {{\[\[}}], [r3, l5, w3, b1]], repeat = [1, 8], min_blocks = 6, stages = 1>
func.func @logsumexp(%x: tensor<8x32768xbf16>) -> tensor<8x1xf32> {
  %h = fusion.cast %x : tensor<8x32768xbf16> to tensor<8x32768xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<8x32768xf32> to tensor<8x1xf32>
  %b = fusion.expand %m : tensor<8x1xf32> to tensor<8x32768xf32>
  %d = fusion.sub %h, %b : tensor<8x32768xf32>
  %e = fusion.exp %d : tensor<8x32768xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<8x32768xf32> to tensor<8x1xf32>
  %l = fusion.log %s : tensor<8x1xf32>
  %y = fusion.add %l, %m : tensor<8x1xf32>
  return %y : tensor<8x1xf32>
}

// Rows that begin within 16 bytes cannot be copied asynchronously: registers.
// CHECK-LABEL: func.func @odd(
// CHECK: kind = "row_reduction"
// CHECK-NOT: stages
// CHECK: fusion.yield
func.func @odd(%x: tensor<8x50257xbf16>) -> tensor<8x1xbf16> {
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<8x50257xbf16> to tensor<8x1xbf16>
  return %m : tensor<8x1xbf16>
}

// Rows of a block that begin on 4 bytes have accesses of 4; of fewer bytes, vectors of 16 at any address.
// CHECK-LABEL: func.func @even(
// CHECK: layout = {{\[\[}}], [r1, l5, w3]]
func.func @even(%x: tensor<8x8194xbf16>) -> tensor<8x1xbf16> {
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<8x8194xbf16> to tensor<8x1xbf16>
  return %m : tensor<8x1xbf16>
}

// CHECK-LABEL: func.func @begins_anywhere(
// CHECK: layout = {{\[\[}}], [r3, l5,
func.func @begins_anywhere(%x: tensor<8x8193xbf16>) -> tensor<8x1xbf16> {
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<8x8193xbf16> to tensor<8x1xbf16>
  return %m : tensor<8x1xbf16>
}
