// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_100 %s | FileCheck %s --check-prefixes=CHECK,SM100

// silu(a) * b in bf16, eight elements a thread and access, and a tail of one element a thread.
// SM80: .version 7.0
// SM80-NEXT: .target sm_80
// SM90: .version 8.0
// SM90-NEXT: .target sm_90
// SM100: .version 8.6
// SM100-NEXT: .target sm_100

// Three pointers and one size, which is read of %a only.
// CHECK-LABEL: .visible .entry swiglu(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 swiglu_param_0,
// CHECK-NEXT: .param .u64 swiglu_param_1,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 swiglu_param_2,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 swiglu_param_3
// CHECK-NEXT: )
// CHECK-NEXT: .maxntid 128, 1, 1

// The tail: single elements.
// CHECK: ld.global.nc.b16
// CHECK: cvt.rn.bf16.f32
// CHECK: st.global.b16

// The rest: 128 bits an access, conversions in pairs, no contraction, and the approximations that are asked for.
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global.nc.b16
// CHECK-DAG: shl.b32 {{.*}}, 16;
// CHECK-DAG: and.b32 {{.*}}, -65536;
// CHECK-NOT: cvt.f32.bf16
// CHECK: ex2.approx.ftz.f32
// CHECK-COUNT-8: div.full.f32
// SM80-COUNT-8: mul.rn.f32
// SM90-COUNT-8: mul.rn.f32
// SM100-COUNT-4: mul.rn.f32x2
// CHECK-COUNT-4: cvt.rn.bf16x2.f32
// CHECK: st.global.v4.b32
// CHECK-NOT: .extern
gpu.module @kernels {
  gpu.func @swiglu(%a: memref<?xbf16> {fuser.noalias, fuser.alignment = 16 : i64},
                   %b: memref<?xbf16> {fuser.noalias, fuser.alignment = 16 : i64},
                   %out: memref<?xbf16> {fuser.noalias, fuser.alignment = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant dense<1.0> : vector<8xf32>
    %one_s = arith.constant 1.0 : f32
    %n = memref.dim %a, %c0 : memref<?xbf16>
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c128 : index
    %item = arith.addi %first, %t : index
    %i = arith.muli %item, %c8 : index
    %end = arith.addi %i, %c8 : index
    %whole = arith.cmpi ule, %end, %n : index
    scf.if %whole {
      %av = vector.load %a[%i] {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
      %bv = vector.load %b[%i] {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
      %af = arith.extf %av : vector<8xbf16> to vector<8xf32>
      %bf = arith.extf %bv : vector<8xbf16> to vector<8xf32>
      %neg = arith.negf %af : vector<8xf32>
      %exp = math.exp %neg fastmath<afn> : vector<8xf32>
      %den = arith.addf %exp, %one : vector<8xf32>
      %silu = arith.divf %af, %den fastmath<afn> : vector<8xf32>
      %prod = arith.mulf %silu, %bf : vector<8xf32>
      %r = arith.truncf %prod : vector<8xf32> to vector<8xbf16>
      vector.store %r, %out[%i] {alignment = 16 : i64} : memref<?xbf16>, vector<8xbf16>
    } else {
      scf.for %j = %i to %n step %c1 {
        %av = memref.load %a[%j] : memref<?xbf16>
        %bv = memref.load %b[%j] : memref<?xbf16>
        %af = arith.extf %av : bf16 to f32
        %bf = arith.extf %bv : bf16 to f32
        %neg = arith.negf %af : f32
        %exp = math.exp %neg fastmath<afn> : f32
        %den = arith.addf %exp, %one_s : f32
        %silu = arith.divf %af, %den fastmath<afn> : f32
        %prod = arith.mulf %silu, %bf : f32
        %r = arith.truncf %prod : f32 to bf16
        memref.store %r, %out[%j] : memref<?xbf16>
      }
    }
    gpu.return
  }
}
