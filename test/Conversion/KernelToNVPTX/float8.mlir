// Conversions of 8-bit floats: two at a time where there are instructions, else arithmetic.
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx{arch=sm_90}))' %s | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx{arch=sm_80}))' %s | FileCheck %s --check-prefixes=CHECK,SLOW
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' %s | FileCheck %s --check-prefixes=CHECK,SLOW

gpu.module @kernels {
  // Four bytes are two pairs of one word. Where f8E4M3FN overflows it is NaN, which the instruction keeps.
  // CHECK-LABEL: llvm.func @e4m3
  // FAST-COUNT-2: nvvm.convert.f8x2.to.f16x2 {{.*}}(f8E4M3FN)
  // FAST: llvm.fcmp "ogt"
  // FAST: llvm.select
  // FAST-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}} {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
  // SLOW-NOT: nvvm.convert
  // SLOW: llvm.fpext {{.*}} : vector<4xf16> to vector<4xf32>
  // SLOW: llvm.lshr {{.*}} : vector<4xi32>
  // SLOW-NOT: f8E4M3FN
  // CHECK: llvm.return
  gpu.func @e4m3(%x: memref<8xi8>, %y: memref<8xi8>) kernel {
    %t = gpu.thread_id x
    %bytes = vector.load %x[%t] : memref<8xi8>, vector<4xi8>
    %narrow = arith.bitcast %bytes : vector<4xi8> to vector<4xf8E4M3FN>
    %wide = arith.extf %narrow : vector<4xf8E4M3FN> to vector<4xf32>
    %sum = arith.addf %wide, %wide : vector<4xf32>
    %0 = arith.truncf %sum : vector<4xf32> to vector<4xf8E4M3FN>
    %1 = arith.bitcast %0 : vector<4xf8E4M3FN> to vector<4xi8>
    vector.store %1, %y[%t] : memref<8xi8>, vector<4xi8>
    gpu.return
  }

  // One number, by way of a pair. The instruction makes the largest number of what overflows: infinity is selected.
  // CHECK-LABEL: llvm.func @e5m2
  // FAST: nvvm.convert.f8x2.to.f16x2 {{.*}}(f8E5M2)
  // FAST: llvm.fcmp "oge"
  // FAST: nvvm.convert.f32x2.to.f8x2 {{.*}} : i16(f8E5M2)
  // FAST: llvm.select {{.*}} : i1, i8
  // SLOW-NOT: nvvm.convert
  // CHECK: llvm.return
  gpu.func @e5m2(%x: memref<8xi8>, %y: memref<8xi8>) kernel {
    %t = gpu.thread_id x
    %byte = memref.load %x[%t] : memref<8xi8>
    %narrow = arith.bitcast %byte : i8 to f8E5M2
    %wide = arith.extf %narrow : f8E5M2 to f64
    %sum = arith.addf %wide, %wide : f64
    %0 = arith.truncf %sum : f64 to f8E5M2
    %1 = arith.bitcast %0 : f8E5M2 to i8
    memref.store %1, %y[%t] : memref<8xi8>
    gpu.return
  }

  // There is nothing to convert.
  // CHECK-LABEL: llvm.func @moves
  // CHECK-NOT: nvvm.convert
  // CHECK-NOT: llvm.fpext
  // CHECK: llvm.return
  gpu.func @moves(%x: memref<8xi8>, %y: memref<8xi8>) kernel {
    %t = gpu.thread_id x
    %byte = memref.load %x[%t] : memref<8xi8>
    memref.store %byte, %y[%t] : memref<8xi8>
    gpu.return
  }

  // Powers of two are the exponent of f32, on every GPU.
  // CHECK-LABEL: llvm.func @e8m0
  // CHECK-NOT: nvvm.convert
  // CHECK: llvm.shl {{.*}} : i32
  // CHECK: llvm.fmul
  // CHECK: llvm.lshr {{.*}} : i32
  // CHECK: llvm.trunc {{.*}} : i32 to i8
  // CHECK: llvm.return
  gpu.func @e8m0(%x: memref<8xi8>, %y: memref<8xi8>) kernel {
    %t = gpu.thread_id x
    %byte = memref.load %x[%t] : memref<8xi8>
    %narrow = arith.bitcast %byte : i8 to f8E8M0FNU
    %wide = arith.extf %narrow : f8E8M0FNU to f32
    %square = arith.mulf %wide, %wide : f32
    %0 = arith.truncf %square : f32 to f8E8M0FNU
    %1 = arith.bitcast %0 : f8E8M0FNU to i8
    memref.store %1, %y[%t] : memref<8xi8>
    gpu.return
  }
}
