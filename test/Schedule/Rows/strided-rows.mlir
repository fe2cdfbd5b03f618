// The channels of images: each is in so many places of the tensor. They are read once, by clusters of few blocks, of which several are on a multiprocessor where there is room.
// RUN: sed "s/BxC/256x256/g;s/HxW/196/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r2, l5, w3, b1]" -DCHUNKS=25 -DBLOCKS=3
// RUN: sed "s/BxC/128x256/g;s/HxW/784/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r3, l5, w3, b2]" -DCHUNKS=13 -DBLOCKS=4
// RUN: sed "s/BxC/128x256/g;s/HxW/3136/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r3, l5, w3, b3]" -DCHUNKS=25 -DBLOCKS=2
// RUN: sed "s/BxC/128x256/g;s/HxW/784/g;s/bf16/f32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r2, l5, w3, b3]" -DCHUNKS=13 -DBLOCKS=4
// RUN: sed "s/BxC/128x256/g;s/HxW/3136/g;s/bf16/f32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r2, l5, w4, b3]" -DCHUNKS=25 -DBLOCKS=1
// RUN: sed "s/BxC/256x256/g;s/HxW/3136/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s -DLAYOUT="[r3, l5, w4, b3]" -DCHUNKS=25 -DBLOCKS=1
// There is no room for them, or only that of 16 blocks.
// RUN: sed "s/BxC/512x256/g;s/HxW/3136/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=WALKS
// RUN: sed "s/BxC/256x256/g;s/HxW/3136/g;s/bf16/f32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=WALKS

// CHECK: fusion.segment "row_reduction"
// CHECK-SAME: axes = {{\[\[}}1], [0, 2]], layout = {{\[\[}}], [[LAYOUT]]], repeat = [1, [[CHUNKS]]], min_blocks = [[BLOCKS]], stages = 1, late_reads = true>
// CHECK-NOT: fusion.segment
// WALKS-COUNT-2: fusion.segment "split_reduction"
// WALKS: fusion.segment "pointwise"
func.func @f(%x: tensor<BxCxHxWxbf16> {fusion.alignment = 16 : i64}) -> tensor<BxCxHxWxbf16> {
  %c = fusion.cast %x : tensor<BxCxHxWxbf16> to tensor<BxCxHxWxf32>
  %mean = fusion.reduce <mean> %c dims [0, 2] keep : tensor<BxCxHxWxf32>
  %m = fusion.broadcast_in_dim %mean dims [0, 1, 2] : tensor<1x256x1xf32> to tensor<BxCxHxWxf32>
  %d = fusion.sub %c, %m : tensor<BxCxHxWxf32>
  %s = fusion.mul %d, %d : tensor<BxCxHxWxf32>
  %variance = fusion.reduce <mean> %s dims [0, 2] keep : tensor<BxCxHxWxf32>
  %r = fusion.rsqrt %variance : tensor<1x256x1xf32>
  %e = fusion.broadcast_in_dim %r dims [0, 1, 2] : tensor<1x256x1xf32> to tensor<BxCxHxWxf32>
  %y = fusion.mul %d, %e : tensor<BxCxHxWxf32>
  %z = fusion.cast %y : tensor<BxCxHxWxf32> to tensor<BxCxHxWxbf16>
  return %z : tensor<BxCxHxWxbf16>
}
