// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90a %s | FileCheck %s
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_100a %s | FileCheck %s

// A row of 1024 bf16 a block of 128 threads, kept in registers: shuffles within warps, shared memory between them.
// The input's row stride is dynamic, the output's is not; sizes are not used.
// CHECK-LABEL: .visible .entry softmax(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 softmax_param_0,
// CHECK-NEXT: .param .u64 softmax_param_1,
// CHECK-NEXT: .param .u64 .ptr .global .align 16 softmax_param_2
// CHECK-NEXT: )
// CHECK-NEXT: .maxntid 128, 1, 1
// CHECK-COUNT-2: .shared .align 16 .b8 __wg_softmax_
// CHECK: ld.global.nc.v4.b32
// CHECK-COUNT-7: max.NaN.f32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: st.shared.b32
// CHECK: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
!shared = memref<4xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @softmax(%x: memref<?x1024xbf16, strided<[?, 1]>> {fuser.noalias, fuser.alignment = 16 : i64},
                    %y: memref<?x1024xbf16> {fuser.noalias, fuser.alignment = 16 : i64})
      workgroup(%max_of: !shared, %sum_of: !shared) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %col = arith.muli %t, %c8 : index
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %is_first = arith.cmpi eq, %lane, %c0 : index
    %xb = vector.load %x[%row, %col] {alignment = 16 : i64} : memref<?x1024xbf16, strided<[?, 1]>>, vector<8xbf16>
    %xf = arith.extf %xb : vector<8xbf16> to vector<8xf32>

    %max0 = vector.reduction <maximumf>, %xf : vector<8xf32> into f32
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %s4 = arith.constant 4 : i32
    %s8 = arith.constant 8 : i32
    %s16 = arith.constant 16 : i32
    %m16, %p16 = gpu.shuffle xor %max0, %s16, %width : f32
    %max1 = arith.maximumf %max0, %m16 : f32
    %m8, %p8 = gpu.shuffle xor %max1, %s8, %width : f32
    %max2 = arith.maximumf %max1, %m8 : f32
    %m4, %p4 = gpu.shuffle xor %max2, %s4, %width : f32
    %max3 = arith.maximumf %max2, %m4 : f32
    %m2, %p2 = gpu.shuffle xor %max3, %s2, %width : f32
    %max4 = arith.maximumf %max3, %m2 : f32
    %m1, %p1 = gpu.shuffle xor %max4, %s1, %width : f32
    %max5 = arith.maximumf %max4, %m1 : f32
    scf.if %is_first {
      memref.store %max5, %max_of[%warp] : !shared
    }
    gpu.barrier
    %maxima = vector.load %max_of[%c0] {alignment = 16 : i64} : !shared, vector<4xf32>
    %max = vector.reduction <maximumf>, %maxima : vector<4xf32> into f32

    %maxv = vector.broadcast %max : f32 to vector<8xf32>
    %shifted = arith.subf %xf, %maxv : vector<8xf32>
    %e = math.exp %shifted : vector<8xf32>
    %sum0 = vector.reduction <add>, %e : vector<8xf32> into f32
    %a16, %q16 = gpu.shuffle xor %sum0, %s16, %width : f32
    %sum1 = arith.addf %sum0, %a16 : f32
    %a8, %q8 = gpu.shuffle xor %sum1, %s8, %width : f32
    %sum2 = arith.addf %sum1, %a8 : f32
    %a4, %q4 = gpu.shuffle xor %sum2, %s4, %width : f32
    %sum3 = arith.addf %sum2, %a4 : f32
    %a2, %q2 = gpu.shuffle xor %sum3, %s2, %width : f32
    %sum4 = arith.addf %sum3, %a2 : f32
    %a1, %q1 = gpu.shuffle xor %sum4, %s1, %width : f32
    %sum5 = arith.addf %sum4, %a1 : f32
    scf.if %is_first {
      memref.store %sum5, %sum_of[%warp] : !shared
    }
    gpu.barrier
    %sums = vector.load %sum_of[%c0] {alignment = 16 : i64} : !shared, vector<4xf32>
    %sum = vector.reduction <add>, %sums : vector<4xf32> into f32

    %sumv = vector.broadcast %sum : f32 to vector<8xf32>
    %yf = arith.divf %e, %sumv : vector<8xf32>
    %yb = arith.truncf %yf : vector<8xf32> to vector<8xbf16>
    vector.store %yb, %y[%row, %col] {alignment = 16 : i64} : memref<?x1024xbf16>, vector<8xbf16>
    gpu.return
  }
}
