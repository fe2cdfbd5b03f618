// A kernel that loads its tiles through a tensor map: strided inputs, views, sizes that are no multiple of a tile, the same map twice.
// REQUIRES: numpy
// RUN: %if ptxas %{ sed -n 's/.* image "\(.*\)"$/\1/p' %s > %t.ptx && %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %python %S/Inputs/tensor_map.py input-f32 %t.x.npy
// RUN: fuser-run %s --target=cuda --arch=sm_90 --emit=%t.fx
// RUN: %if cuda %{ fuser-run %s --target=cuda --input=37x53xf32=%t.x.npy,strides=56x1 --scalar=4 --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy %}
// RUN: %if cuda %{ %python %S/Inputs/tensor_map.py transpose %t.x.npy %t.0.npy %t.1.npy %t.2.npy %}
// RUN: %if cuda %{ fuser-run %t.fx --target=cuda --input=37x53xf32=%t.x.npy,strides=64x1 --scalar=8 --output=%t.3.npy --output=%t.4.npy --output=%t.5.npy %}
// RUN: %if cuda %{ %python %S/Inputs/tensor_map.py transpose-8 %t.x.npy %t.3.npy %t.4.npy %t.5.npy %}

// Every call finds the maps of the one before.
// RUN: %if cuda %{ fuser-run %t.fx --target=cuda --input=37x53xf32=%t.x.npy,strides=64x1 --scalar=8 --bench %}

// Without rows nothing is launched, and nothing encoded.
// RUN: %if cuda %{ fuser-run %t.fx --target=cuda --input=0x53xf32=value:1 --scalar=3 --output=%t.6.npy --output=%t.7.npy --output=%t.8.npy %}

// What the driver would refuse without a reason.
// RUN: %if cuda %{ not fuser-run %t.fx --target=cuda --input=37x53xf32=%t.x.npy,strides=54x1 --scalar=4 2>&1 | FileCheck %s --check-prefix=STRIDE %}
// RUN: %if cuda %{ not fuser-run %t.fx --target=cuda --input=37x53xf32=%t.x.npy,strides=1x40 --scalar=4 2>&1 | FileCheck %s --check-prefix=INNER %}
// RUN: %if cuda %{ not fuser-run %t.fx --target=cuda --input=37x53xf32=%t.x.npy,strides=56x1 --scalar=3 2>&1 | FileCheck %s --check-prefix=ADDRESS %}
// STRIDE: launching transpose_tile: argument 0: expected a stride of dimension 0 that is a multiple of 16 bytes and less than 2^40 bytes because the kernel takes a tensor map of it, got 54 elements of 4 bytes
// INNER: launching transpose_tile: argument 0: expected elements of dimension 1 side by side because the kernel takes a tensor map of it, got a stride of 40
// ADDRESS: launching transpose_tile: argument 0: expected an address that is a multiple of 16 because the kernel takes a tensor map of it, got 0x

// A CPU has no use for it.
// RUN: not fuser-run %s --target=cpu --emit=%t.fx 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: tensor-map.mlir:[[# @LINE + 3]]:{{.*}} error: expected a kernel without an image for the target, got one with one

// out[c, r] = x[r, c], or 0 where x ends: a block a tile of 32 x 32.
host.kernel @transpose_tile(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32x32xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>, pointer 1, stride 1 dim 0) threads 1024 image ".version 8.0 .target sm_90 .address_size 64 .visible .entry transpose_tile(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 out_stride) .maxntid 1024, 1, 1 { .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .f32 %f; .shared .align 128 .b8 tile[4096]; .shared .align 8 .b64 full; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; shl.b32 %r4, %r2, 5; shl.b32 %r5, %r3, 5; mov.u32 %r6, tile; mov.u32 %r7, full; setp.ne.u32 %p0, %r1, 0; @%p0 bra READY; mbarrier.init.shared::cta.b64 [%r7], 1; fence.proxy.async.shared::cta; mov.b64 %rd1, map; cvta.param.u64 %rd2, %rd1; mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r7], 4096; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2, {%r4, %r5}], [%r7]; READY: bar.sync 0; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], 0; @!%p1 bra WAIT; and.b32 %r8, %r1, 31; shr.u32 %r9, %r1, 5; shl.b32 %r10, %r8, 7; shl.b32 %r11, %r9, 2; add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r6; ld.shared.f32 %f, [%r10]; ld.param.u64 %rd4, [out]; ld.param.u64 %rd5, [out_stride]; cvta.to.global.u64 %rd4, %rd4; add.u32 %r12, %r4, %r9; add.u32 %r13, %r5, %r8; cvt.u64.u32 %rd6, %r12; cvt.u64.u32 %rd7, %r13; mad.lo.s64 %rd8, %rd6, %rd5, %rd7; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd4, %rd8; st.global.f32 [%rd9], %f; ret; }"

func.func @transpose(%x: memref<?x?xf32, strided<[?, ?]>> {host.tensor = #host.tensor<f32 [s0, s1] any align 4>}, %cut: index)
    -> (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, ?]>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, ?]>>
  %gx = arith.ceildivui %columns, %c32 : index
  %gy = arith.ceildivui %rows, %c32 : index
  %width = arith.muli %gx, %c32 : index
  %height = arith.muli %gy, %c32 : index
  %first = host.output 0 (%width, %height) : memref<?x?xf32>
  %again = host.output 1 (%width, %height) : memref<?x?xf32>
  %part = host.output 2 (%width, %height) : memref<?x?xf32>
  host.launch @transpose_tile grid(%gx, %gy, %c1) block(1024, 1, 1)
      args(%x, %first : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>) writes [1]
  host.launch @transpose_tile grid(%gx, %gy, %c1) block(1024, 1, 1)
      args(%x, %again : memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32>) writes [1]
  // The columns [cut, columns - cut): what lies behind them in memory is out of bounds.
  %left = arith.subi %columns, %cut : index
  %middle = arith.subi %left, %cut : index
  %view = memref.subview %x[0, %cut] [%rows, %middle] [1, 1] : memref<?x?xf32, strided<[?, ?]>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  host.launch @transpose_tile grid(%gx, %gy, %c1) block(1024, 1, 1)
      args(%view, %part : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) writes [1]
  return %first, %again, %part : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
}
