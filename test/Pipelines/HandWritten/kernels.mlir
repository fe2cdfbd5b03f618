// A host program written by hand: a kernel that fuser lowers, and behind it one in PTX, which waits for it itself.
// REQUIRES: numpy
// RUN: fuser-run %s --target=cuda --arch=sm_90 --emit=%t.fx
// RUN: %if cuda %{ fuser-run %s --target=cuda --input=1000xf32=random:1 --scalar=3 --output=%t.npy | FileCheck %s %}
// RUN: %if cuda %{ fuser-run %t.fx --target=cuda --input=1000xf32=random:1 --scalar=3 --output=%t.loaded.npy %}
// RUN: %if cuda %{ fuser-run --target=cuda --input=1000xf32=random:1 --output=%t.x.npy %S/Inputs/copy.mlir %}
// RUN: %if cuda %{ %python %S/Inputs/check.py %t.x.npy %t.npy && cmp %t.npy %t.loaded.npy %}
// CHECK: 2 segments

// out = in * scale + 1, a thread an element.
host.kernel @scale_shift(pointer 0, pointer 1, size 0 dim 0, scalar 2) threads 256 image ".version 7.8 .target sm_90 .address_size 64 .visible .entry scale_shift(.param .u64 in, .param .u64 out, .param .u64 n, .param .f32 scale) .maxntid 256, 1, 1 { .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<7>; .reg .f32 %f<4>; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [n]; ld.param.f32 %f1, [scale]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mul.wide.u32 %rd4, %r1, %r2; cvt.u64.u32 %rd5, %r3; add.s64 %rd4, %rd4, %rd5; setp.ge.s64 %p, %rd4, %rd3; @%p bra DONE; griddepcontrol.wait; shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd1, %rd5; ld.global.f32 %f2, [%rd6]; fma.rn.f32 %f3, %f2, %f1, 0f3F800000; add.s64 %rd6, %rd2, %rd5; st.global.f32 [%rd6], %f3; DONE: ret; }"

gpu.module @square {
  gpu.func @square(%x: memref<?xf32> {fuser.noalias}, %y: memref<?xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %c128 : index
    %i = arith.addi %first, %thread : index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %v = memref.load %x[%i] : memref<?xf32>
      %sq = arith.mulf %v, %v : f32
      memref.store %sq, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}

func.func @square_scale_shift(%x: memref<?xf32>, %scale: f32) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = host.alloc (%n) : memref<?xf32>
  %out = host.output 0 (%n) : memref<?xf32>
  %small = arith.ceildivui %n, %c128 : index
  host.launch @square::@square grid(%small, %c1, %c1) block(128, 1, 1) args(%x, %t : memref<?xf32>, memref<?xf32>) writes [1]
  %large = arith.ceildivui %n, %c256 : index
  host.launch @scale_shift grid(%large, %c1, %c1) block(256, 1, 1) programmatic
      args(%t, %out, %scale : memref<?xf32>, memref<?xf32>, f32) writes [1]
  return %out : memref<?xf32>
}
