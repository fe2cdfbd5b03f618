// REQUIRES: cuda, numpy
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s | %python %source_root/test/tools/math_accuracy.py \
// RUN:   exp=1 log=1 tanh=1 sqrt=0.5 rsqrt=1 divide=0.5 \
// RUN:   exp_afn=2 exp_summand=4 tanh_afn=2 rsqrt_afn=2 divide_afn=2

// How far the functions of f32 are from exact, over all magnitudes, and how far their approximations are.
gpu.module @kernels {
  gpu.func @exp(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.exp %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @log(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.log %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @tanh(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.tanh %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @sqrt(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.sqrt %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @rsqrt(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.rsqrt %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @divide(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %three = arith.constant 3.0 : f32
    %r = arith.divf %three, %v : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @exp_afn(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.exp %v fastmath<afn> : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @exp_summand(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.exp %v fastmath<contract,afn> : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @tanh_afn(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.tanh %v fastmath<afn> : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @rsqrt_afn(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %r = math.rsqrt %v fastmath<afn> : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }

  gpu.func @divide_afn(%x: memref<16777216xf32> {fuser.noalias}, %y: memref<16777216xf32> {fuser.noalias}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %t : index
    %v = memref.load %x[%i] : memref<16777216xf32>
    %three = arith.constant 3.0 : f32
    %r = arith.divf %three, %v fastmath<afn> : f32
    memref.store %r, %y[%i] : memref<16777216xf32>
    gpu.return
  }
}
