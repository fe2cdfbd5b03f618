// What a tensor map says of its boxes reaches the GPU: bf16, swizzled over the banks of shared memory, NaN out of bounds.
// REQUIRES: numpy
// RUN: %if ptxas %{ sed -n 's/.* image "\(.*\)"$/\1/p' %s > %t.ptx && %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %python %S/Inputs/tensor_map.py input-bf16 %t.x.npy
// RUN: fuser-run %s --target=cuda --arch=sm_90 --emit=%t.fx
// RUN: %if cuda %{ fuser-run %t.fx --target=cuda --input=37x72xbf16=%t.x.npy --output=%t.y.npy %}
// RUN: %if cuda %{ %python %S/Inputs/tensor_map.py widen %t.x.npy %t.y.npy %}

// out[r, c] = f32(x[r, c]), or NaN where x ends: a block a tile of 32 x 64. Chunks of 16 bytes lie in shared memory at c ^ (r mod 8).
host.kernel @widen_tile(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = nan, interleave = none>, pointer 1, stride 1 dim 0) threads 1024 image ".version 8.0 .target sm_90 .address_size 64 .visible .entry widen_tile(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 out_stride) .maxntid 1024, 1, 1 { .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<12>; .shared .align 1024 .b8 tile[4096]; .shared .align 8 .b64 full; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; shl.b32 %r4, %r2, 6; shl.b32 %r5, %r3, 5; mov.u32 %r6, tile; mov.u32 %r7, full; setp.ne.u32 %p0, %r1, 0; @%p0 bra READY; mbarrier.init.shared::cta.b64 [%r7], 1; fence.proxy.async.shared::cta; mov.b64 %rd1, map; cvta.param.u64 %rd2, %rd1; mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r7], 4096; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2, {%r4, %r5}], [%r7]; READY: bar.sync 0; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], 0; @!%p1 bra WAIT; and.b32 %r8, %r1, 31; shr.u32 %r9, %r1, 5; shl.b32 %r10, %r1, 2; and.b32 %r11, %r9, 7; shl.b32 %r11, %r11, 4; xor.b32 %r10, %r10, %r11; add.u32 %r10, %r10, %r6; ld.shared.b32 %r14, [%r10]; shl.b32 %r15, %r14, 16; and.b32 %r16, %r14, 0xffff0000; ld.param.u64 %rd4, [out]; ld.param.u64 %rd5, [out_stride]; cvta.to.global.u64 %rd4, %rd4; shl.b32 %r8, %r8, 1; add.u32 %r12, %r5, %r9; add.u32 %r13, %r4, %r8; cvt.u64.u32 %rd6, %r12; cvt.u64.u32 %rd7, %r13; mad.lo.s64 %rd8, %rd6, %rd5, %rd7; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd4, %rd8; st.global.v2.b32 [%rd9], {%r15, %r16}; ret; }"

func.func @widen(%x: memref<?x72xbf16>) -> memref<?x128xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %rows = memref.dim %x, %c0 : memref<?x72xbf16>
  %gy = arith.ceildivui %rows, %c32 : index
  %height = arith.muli %gy, %c32 : index
  %out = host.output 0 (%height) : memref<?x128xf32>
  host.launch @widen_tile grid(%c2, %gy, %c1) block(1024, 1, 1) args(%x, %out : memref<?x72xbf16>, memref<?x128xf32>) writes [1]
  return %out : memref<?x128xf32>
}
