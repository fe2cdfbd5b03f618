// RUN: sed "s/Nx/4096x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/180224x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/196608x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/65537x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/114751x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/158499x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/174872x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel -o /dev/null
// RUN: sed "s/Nx/196608x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s

// What warps and blocks exchange of a row needs shared memory, too: stages leave room for that, so that kernels have no more than there is.
// CHECK: fusion.segment "inner_outer_reduction"
// CHECK-SAME: stages = {{[2-4]}}
func.func @f(%x: tensor<2048xNxbf16> {fusion.alignment = 16 : i64}, %g: tensor<2048xNxbf16> {fusion.alignment = 16 : i64})
    -> (tensor<2048xNxbf16>, tensor<Nxbf16>, tensor<Nxbf16>) {
  %p = fusion.mul %x, %g : tensor<2048xNxbf16>
  %a = fusion.reduce <mean> %p dims [1] keep : tensor<2048xNxbf16>
  %b = fusion.reduce <mean> %g dims [1] keep : tensor<2048xNxbf16>
  %ax = fusion.broadcast_in_dim %a dims [0, 1] : tensor<2048x1xbf16> to tensor<2048xNxbf16>
  %bx = fusion.broadcast_in_dim %b dims [0, 1] : tensor<2048x1xbf16> to tensor<2048xNxbf16>
  %y = fusion.mul %x, %ax : tensor<2048xNxbf16>
  %z = fusion.sub %y, %bx : tensor<2048xNxbf16>
  %c = fusion.reduce <sum> %p dims [0] : tensor<2048xNxbf16>
  %d = fusion.reduce <sum> %g dims [0] : tensor<2048xNxbf16>
  return %z, %c, %d : tensor<2048xNxbf16>, tensor<Nxbf16>, tensor<Nxbf16>
}
