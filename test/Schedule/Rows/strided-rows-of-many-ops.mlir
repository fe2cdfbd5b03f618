// Of strided rows what is computed behind the reductions does not matter, but what would be computed again: `tanh` of what is reduced and stored.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s

// CHECK-LABEL: func.func @behind(
// CHECK: kind = "row_reduction"
// CHECK-SAME: stages = 1
func.func @behind(%x: tensor<128x256x784xbf16> {fusion.alignment = 16 : i64}) -> tensor<128x256x784xbf16> {
  %c = fusion.cast %x : tensor<128x256x784xbf16> to tensor<128x256x784xf32>
  %mean = fusion.reduce <mean> %c dims [0, 2] keep : tensor<128x256x784xf32>
  %m = fusion.broadcast_in_dim %mean dims [0, 1, 2] : tensor<1x256x1xf32> to tensor<128x256x784xf32>
  %d = fusion.sub %c, %m : tensor<128x256x784xf32>
  %t = fusion.tanh %d : tensor<128x256x784xf32>
  %z = fusion.cast %t : tensor<128x256x784xf32> to tensor<128x256x784xbf16>
  return %z : tensor<128x256x784xbf16>
}

// CHECK-LABEL: func.func @again(
// CHECK-NOT: stages
// CHECK: return
func.func @again(%x: tensor<128x256x784xbf16> {fusion.alignment = 16 : i64}) -> tensor<128x256x784xbf16> {
  %c = fusion.cast %x : tensor<128x256x784xbf16> to tensor<128x256x784xf32>
  %t = fusion.tanh %c : tensor<128x256x784xf32>
  %mean = fusion.reduce <mean> %t dims [0, 2] keep : tensor<128x256x784xf32>
  %m = fusion.broadcast_in_dim %mean dims [0, 1, 2] : tensor<1x256x1xf32> to tensor<128x256x784xf32>
  %d = fusion.sub %t, %m : tensor<128x256x784xf32>
  %z = fusion.cast %d : tensor<128x256x784xf32> to tensor<128x256x784xbf16>
  return %z : tensor<128x256x784xbf16>
}
