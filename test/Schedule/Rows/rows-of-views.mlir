// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s

// Rows go to shared memory if all that is read of them can be copied. Those that come by way of a permute take as much of it as others; those by way of a
// reshape would be read again after each reduction, unless nothing else reads the input, of which they are a view then.

// CHECK-LABEL: func.func @as_they_are(
// CHECK: kind = "row_reduction"
// CHECK-SAME: stages = 1
func.func @as_they_are(%x: tensor<2048x40000xbf16>) -> tensor<2048x40000xbf16> {
  %h = fusion.cast %x : tensor<2048x40000xbf16> to tensor<2048x40000xf32>
  %m = fusion.reduce <mean> %h dims [1] keep : tensor<2048x40000xf32>
  %b = fusion.broadcast_in_dim %m dims [0, 1] : tensor<2048x1xf32> to tensor<2048x40000xf32>
  %y = fusion.mul %h, %b : tensor<2048x40000xf32>
  %z = fusion.cast %y : tensor<2048x40000xf32> to tensor<2048x40000xbf16>
  return %z : tensor<2048x40000xbf16>
}

// CHECK-LABEL: func.func @view(
// CHECK: fusion.reshape
// CHECK: kind = "row_reduction"
// CHECK-SAME: stages = 1
func.func @view(%x: tensor<2x1024x40000xbf16>) -> tensor<2048x40000xbf16> {
  %v = fusion.reshape %x : tensor<2x1024x40000xbf16> to tensor<2048x40000xbf16>
  %h = fusion.cast %v : tensor<2048x40000xbf16> to tensor<2048x40000xf32>
  %m = fusion.reduce <mean> %h dims [1] keep : tensor<2048x40000xf32>
  %b = fusion.broadcast_in_dim %m dims [0, 1] : tensor<2048x1xf32> to tensor<2048x40000xf32>
  %y = fusion.mul %h, %b : tensor<2048x40000xf32>
  %z = fusion.cast %y : tensor<2048x40000xf32> to tensor<2048x40000xbf16>
  return %z : tensor<2048x40000xbf16>
}

// CHECK-LABEL: func.func @reshaped(
// CHECK: kind = "row_reduction"
// CHECK-NOT: stages
// CHECK: return
func.func @reshaped(%x: tensor<2x1024x40000xbf16>) -> (tensor<2048x40000xbf16>, tensor<2x1024x1xbf16>) {
  %v = fusion.reshape %x : tensor<2x1024x40000xbf16> to tensor<2048x40000xbf16>
  %h = fusion.cast %v : tensor<2048x40000xbf16> to tensor<2048x40000xf32>
  %m = fusion.reduce <mean> %h dims [1] keep : tensor<2048x40000xf32>
  %b = fusion.broadcast_in_dim %m dims [0, 1] : tensor<2048x1xf32> to tensor<2048x40000xf32>
  %y = fusion.mul %h, %b : tensor<2048x40000xf32>
  %z = fusion.cast %y : tensor<2048x40000xf32> to tensor<2048x40000xbf16>
  %c = fusion.slice %x offsets [0, 0, 0] sizes [2, 1024, 1] steps [1, 1, 1] : tensor<2x1024x40000xbf16> to tensor<2x1024x1xbf16>
  return %z, %c : tensor<2048x40000xbf16>, tensor<2x1024x1xbf16>
}

// More than shared memory has room for: 4 times 16 KiB a block of 256 threads, twice.
// CHECK-LABEL: func.func @permuted(
// CHECK: kind = "row_reduction"
// CHECK-NOT: stages
// CHECK: return
func.func @permuted(%x: tensor<65536x64xf32>, %y: tensor<65536x64xf32>, %z: tensor<65536x64xf32>, %w: tensor<65536x64xf32>) -> tensor<64x65536xf32> {
  %a = fusion.permute %x [1, 0] : tensor<65536x64xf32> to tensor<64x65536xf32>
  %b = fusion.permute %y [1, 0] : tensor<65536x64xf32> to tensor<64x65536xf32>
  %c = fusion.permute %z [1, 0] : tensor<65536x64xf32> to tensor<64x65536xf32>
  %d = fusion.permute %w [1, 0] : tensor<65536x64xf32> to tensor<64x65536xf32>
  %e = fusion.add %a, %b : tensor<64x65536xf32>
  %f = fusion.add %c, %d : tensor<64x65536xf32>
  %g = fusion.add %e, %f : tensor<64x65536xf32>
  %s = fusion.reduce <sum> %g dims [1] keep : tensor<64x65536xf32>
  %t = fusion.broadcast_in_dim %s dims [0, 1] : tensor<64x1xf32> to tensor<64x65536xf32>
  %r = fusion.div %g, %t : tensor<64x65536xf32>
  return %r : tensor<64x65536xf32>
}

// The same where columns are reduced beside the rows, which wait in shared memory for their turn.
// CHECK-LABEL: func.func @columns_too(
// CHECK: kind = "inner_outer_reduction"
func.func @columns_too(%x: tensor<16384x4096xf32>, %y: tensor<16384x4096xf32>, %z: tensor<16384x4096xf32>, %w: tensor<16384x4096xf32>)
    -> (tensor<4096x16384xf32>, tensor<16384xf32>) {
  %a = fusion.permute %x [1, 0] : tensor<16384x4096xf32> to tensor<4096x16384xf32>
  %b = fusion.permute %y [1, 0] : tensor<16384x4096xf32> to tensor<4096x16384xf32>
  %c = fusion.permute %z [1, 0] : tensor<16384x4096xf32> to tensor<4096x16384xf32>
  %d = fusion.permute %w [1, 0] : tensor<16384x4096xf32> to tensor<4096x16384xf32>
  %e = fusion.mul %a, %b : tensor<4096x16384xf32>
  %f = fusion.mul %c, %d : tensor<4096x16384xf32>
  %g = fusion.mul %e, %f : tensor<4096x16384xf32>
  %m = fusion.reduce <mean> %g dims [1] keep : tensor<4096x16384xf32>
  %t = fusion.broadcast_in_dim %m dims [0, 1] : tensor<4096x1xf32> to tensor<4096x16384xf32>
  %r = fusion.mul %g, %t : tensor<4096x16384xf32>
  %s = fusion.reduce <sum> %g dims [0] : tensor<4096x16384xf32>
  return %r, %s : tensor<4096x16384xf32>, tensor<16384xf32>
}

// One row is no column that is read once for all rows.
// CHECK-LABEL: func.func @one_row(
// CHECK: layout = {{\[\[}}], [r2, l5, w2, b3]], repeat = [1, 25]
// CHECK-LABEL: func.func @two_rows(
// CHECK: layout = {{\[\[}}], [r2, l5, w2, b3]], repeat = [1, 25]
func.func @one_row(%x: tensor<1x100000xf32>) -> tensor<1x100000xf32> {
  %e = fusion.exp %x : tensor<1x100000xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<1x100000xf32>
  %t = fusion.broadcast_in_dim %s dims [0, 1] : tensor<1x1xf32> to tensor<1x100000xf32>
  %r = fusion.div %e, %t : tensor<1x100000xf32>
  return %r : tensor<1x100000xf32>
}
func.func @two_rows(%x: tensor<2x100000xf32>) -> tensor<2x100000xf32> {
  %e = fusion.exp %x : tensor<2x100000xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<2x100000xf32>
  %t = fusion.broadcast_in_dim %s dims [0, 1] : tensor<2x1xf32> to tensor<2x100000xf32>
  %r = fusion.div %e, %t : tensor<2x100000xf32>
  return %r : tensor<2x100000xf32>
}

// Neighbours that may lie anywhere cannot be copied: they are read to registers, and as many blocks as shared memory would have room for would spill them.
// CHECK-LABEL: func.func @anywhere(
// CHECK: kind = "row_reduction"
// CHECK-NOT: stages
// CHECK: return
func.func @anywhere(%x: tensor<130x130xf32> {fusion.layout = "any"}) -> tensor<f32> {
  %m = fusion.reduce <max> %x dims [0, 1] : tensor<130x130xf32> to tensor<f32>
  return %m : tensor<f32>
}

// Random numbers cost more to make again, after each reduction, than registers.
// CHECK-LABEL: func.func @dropped_out(
// CHECK: kind = "row_reduction"
// CHECK-NOT: stages
// CHECK: return
func.func @dropped_out(%x: tensor<16384x4096xbf16>, %seed: i64, %offset: i64) -> tensor<16384x4096xbf16> {
  %u = fusion.uniform seed %seed offset %offset : tensor<16384x4096xf32>
  %kept = fusion.cmp <lt> %u, 0.9 : tensor<16384x4096xf32>
  %h = fusion.cast %x : tensor<16384x4096xbf16> to f32
  %p = fusion.where %kept, %h, 0.0 : tensor<16384x4096xf32>
  %m = fusion.reduce <mean> %p dims [1] keep : tensor<16384x4096xf32>
  %b = fusion.broadcast_in_dim %m dims [0, 1] : tensor<16384x1xf32> to tensor<16384x4096xf32>
  %d = fusion.sub %p, %b : tensor<16384x4096xf32>
  %y = fusion.cast %d : tensor<16384x4096xf32> to bf16
  return %y : tensor<16384x4096xbf16>
}
