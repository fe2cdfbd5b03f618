// A thread has the same columns of two rows where what all rows read is in a cache, however it is known.
// RUN: sed "s/MxN/16384x12288/g;s/xNx/x12288x/g;s/<Nx/<12288x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=CACHED
// RUN: sed "s/MxN/64x1048576/g;s/xNx/x1048576x/g;s/<Nx/<1048576x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=TABLE
// CACHED: axes = {{\[\[}}0], [1]], layout = {{\[\[}}w2, r1], [r3, l5]]
// TABLE: axes = {{\[\[}}0, 1]], layout = {{\[\[}}r3, l5, w2]]
func.func @add(%x: tensor<MxNxbf16> {fusion.alignment = 16 : i64}, %t: tensor<Nxbf16> {fusion.alignment = 16 : i64}) -> (tensor<MxNxbf16> {fusion.alignment = 16 : i64}) {
  %row = fusion.broadcast_in_dim %t dims [1] : tensor<Nxbf16> to tensor<MxNxbf16>
  %y = fusion.add %x, %row : tensor<MxNxbf16>
  return %y : tensor<MxNxbf16>
}
