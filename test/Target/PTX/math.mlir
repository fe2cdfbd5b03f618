// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s

// What is rounded is rounded as IEEE 754 says: no contraction, no flush to zero.
// CHECK-LABEL: .visible .entry rounded(
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: div.rn.f32
// CHECK: sqrt.rn.f32
// CHECK: max.NaN.f32
// CHECK: min.NaN.f32
// CHECK: fma.rn.f32
// CHECK-NOT: ftz
gpu.module @rounded {
  gpu.func @rounded(%x: memref<256xf32>, %y: memref<256xf32>) kernel {
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : memref<256xf32>
    %b = memref.load %y[%t] : memref<256xf32>
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %a : f32
    %2 = arith.divf %1, %b : f32
    %3 = math.sqrt %2 : f32
    %4 = arith.maximumf %3, %a : f32
    %5 = arith.minimumf %4, %b : f32
    %6 = arith.mulf %5, %a fastmath<contract> : f32
    %7 = arith.addf %6, %b fastmath<contract> : f32
    memref.store %7, %y[%t] : memref<256xf32>
    gpu.return
  }
}

// One Newton step on the hardware's approximation.
// CHECK-LABEL: .visible .entry rsqrt(
// CHECK: rsqrt.approx.f32
// CHECK: fma.rn.f32
// CHECK: fma.rn.f32
// CHECK: setp.num.f32
// CHECK: selp.f32
gpu.module @rsqrt {
  gpu.func @rsqrt(%x: memref<256xf32>) kernel {
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : memref<256xf32>
    %0 = math.rsqrt %a : f32
    memref.store %0, %x[%t] : memref<256xf32>
    gpu.return
  }
}

// Where an approximation is asked for: one instruction, and for exp libdevice's few, scalars and vectors.
// CHECK-LABEL: .visible .entry approximate(
// CHECK: ld.global.v2.b32
// CHECK-COUNT-2: rsqrt.approx.f32
// CHECK-NOT: fma
// CHECK-COUNT-2: div.full.f32
// CHECK-NOT: div.rn
// CHECK-COUNT-2: ex2.approx.ftz.f32
// CHECK-NOT: ex2
// CHECK: st.global.v2.b32
gpu.module @approximate {
  gpu.func @approximate(%x: memref<256xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] {alignment = 8 : i64} : memref<256xf32>, vector<2xf32>
    %0 = math.rsqrt %a fastmath<afn> : vector<2xf32>
    %1 = arith.divf %a, %0 fastmath<afn> : vector<2xf32>
    %2 = math.exp %1 fastmath<afn> : vector<2xf32>
    vector.store %2, %x[%c0] {alignment = 8 : i64} : memref<256xf32>, vector<2xf32>
    gpu.return
  }
}

// f64 and f16 have their own.
// CHECK-LABEL: .visible .entry wide_and_narrow(
// CHECK: cvt.f32.f16
// CHECK: cvt.rn.f16.f32
// CHECK: div.rn.f64
// CHECK: sqrt.rn.f64
// CHECK-NOT: .extern
gpu.module @wide_and_narrow {
  gpu.func @wide_and_narrow(%x: memref<256xf64>, %h: memref<256xf16>) kernel {
    %t = gpu.thread_id x
    %n = memref.load %h[%t] : memref<256xf16>
    %nf = arith.extf %n : f16 to f32
    %ne = math.log %nf : f32
    %nr = arith.truncf %ne : f32 to f16
    memref.store %nr, %h[%t] : memref<256xf16>
    %a = memref.load %x[%t] : memref<256xf64>
    %0 = math.exp %a : f64
    %1 = arith.divf %a, %0 : f64
    %2 = math.sqrt %1 : f64
    memref.store %2, %x[%t] : memref<256xf64>
    gpu.return
  }
}
