// RUN: sed "s/Nx/4096x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=3 -DBYTES=49152
// RUN: sed "s/Nx/180224x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=2 -DBYTES=90112
// RUN: sed "s/Nx/196608x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=3 -DBYTES=147456
// RUN: sed "s/Nx/65537x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=2 -DBYTES=152064
// RUN: sed "s/Nx/114751x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=2 -DBYTES=135168
// RUN: sed "s/Nx/158499x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=2 -DBYTES=163840
// RUN: sed "s/Nx/174872x/g;s/xbf16/xf32/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s --check-prefix=KERNEL -DSTAGES=2 -DBYTES=196608
// RUN: sed "s/Nx/196608x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s

// The next row is reduced early where one block with two sums of a column has chains in turn, and where many blocks share rows, which have as many in turn as there is room for.
// RUN: sed "s/2048x/16384x/g;s/Nx/8192x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=ALONE
// RUN: sed "s/Nx/49152x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=CLUSTER
// RUN: sed "s/2048x/10923x/g;s/Nx/12288x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=PAIRS
// ALONE: layout = {{\[\[}}], [r1], [r3, l5, w4]], {{.*}} min_blocks = 1, stages = 3>
// CLUSTER: layout = {{\[\[}}], [], [r3, l5, w2, b4]], {{.*}} fold = {{\[\[}}], [r3, w4], [l5]], {{.*}} min_blocks = 4, stages = 3>
// PAIRS: layout = {{\[\[}}], [], [r3, l5, w3, b1]], {{.*}} fold = {{\[\[}}], [r3, l2, w3], [l3]], {{.*}} min_blocks = 3, stages = 2>

// Where a thread of 256 in eight blocks has more than 24 elements, eight share a row and not sixteen: two on a multiprocessor if their rows and sums fit. Few rows are shared by more.
// RUN: sed "s/Nx/65536x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=EIGHT
// RUN: sed "s/Nx/131072x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=ALONE-EIGHT
// RUN: sed "s/2048x/8x/g;s/Nx/65536x/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=FEW
// EIGHT: layout = {{\[\[}}], [], [r3, l5, w3, b3]], repeat = [1, 1, 4], {{.*}} min_blocks = 2, stages = 3>
// ALONE-EIGHT: layout = {{\[\[}}], [], [r3, l5, w3, b3]], repeat = [1, 1, 8], {{.*}} min_blocks = 1, stages = 3>
// FEW: layout = {{\[\[}}], [], [r3, l5, w3, b4]], repeat = [1, 1, 2]

// What warps and blocks exchange of a row needs shared memory, too: stages leave room for that, so that kernels have no more than there is.
// KERNEL: memref.view {{.*}} to memref<[[STAGES]]x{{.*}}, #gpu.address_space<workgroup>>
// KERNEL: host.launch {{.*}} shared %c[[BYTES]] args
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
