// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_80 %s | FileCheck %s
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s

// One element a thread: any strides, conditions as bytes, scalars, f64, and input that is also written.
// Two strides for each input, two sizes of no tensor but the output's second, the scalars as they are.
// CHECK-LABEL: .visible .entry where_strided(
// CHECK-NEXT: .param .u64 .ptr .global .align 1 where_strided_param_0,
// CHECK-NEXT: .param .u64 where_strided_param_1,
// CHECK-NEXT: .param .u64 where_strided_param_2,
// CHECK-NEXT: .param .u64 .ptr .global .align 8 where_strided_param_3,
// CHECK-NEXT: .param .u64 where_strided_param_4,
// CHECK-NEXT: .param .u64 where_strided_param_5,
// CHECK-NEXT: .param .f64 where_strided_param_6,
// CHECK-NEXT: .param .u64 where_strided_param_7,
// CHECK-NEXT: .param .u64 .ptr .global .align 8 where_strided_param_8,
// CHECK-NEXT: .param .u64 where_strided_param_9,
// CHECK-NEXT: .param .u64 where_strided_param_10
// CHECK-NEXT: )
// Nothing is known to be disjoint: plain loads.
// CHECK-NOT: ld.global.nc
// CHECK-DAG: ld.global.b8
// CHECK-DAG: ld.global.b64
// CHECK: st.global.b64

// Written in place.
// CHECK-LABEL: .visible .entry not_in_place(
// CHECK-NEXT: .param .u64 .ptr .global .align 1 not_in_place_param_0,
// CHECK-NEXT: .param .u8 not_in_place_param_1
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.b32
// CHECK: st.global.b32
gpu.module @kernels {
  gpu.func @where_strided(%cond: memref<?x?xi8, strided<[?, ?]>>, %x: memref<?x?xf64, strided<[?, ?]>>,
                          %other: f64, %n: index, %out: memref<?x?xf64>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i8
    %block = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %block, %c256 : index
    %item = arith.addi %first, %t : index
    %cols = memref.dim %out, %c1 : memref<?x?xf64>
    %inside = arith.cmpi ult, %item, %n : index
    scf.if %inside {
      %i = arith.divui %item, %cols : index
      %j = arith.remui %item, %cols : index
      %c = memref.load %cond[%i, %j] : memref<?x?xi8, strided<[?, ?]>>
      %is = arith.cmpi ne, %c, %zero : i8
      %v = memref.load %x[%i, %j] : memref<?x?xf64, strided<[?, ?]>>
      %log = math.log %v : f64
      %r = arith.select %is, %log, %other : f64
      memref.store %r, %out[%i, %j] : memref<?x?xf64>
    }
    gpu.return
  }

  gpu.func @not_in_place(%x: memref<32x4xi8>, %flag: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = vector.load %x[%t, %c0] {alignment = 4 : i64} : memref<32x4xi8>, vector<4xi8>
    %b = arith.trunci %v : vector<4xi8> to vector<4xi1>
    %f = vector.broadcast %flag : i1 to vector<4xi1>
    %n = arith.xori %b, %f : vector<4xi1>
    %r = arith.extui %n : vector<4xi1> to vector<4xi8>
    vector.store %r, %x[%t, %c0] {alignment = 4 : i64} : memref<32x4xi8>, vector<4xi8>
    gpu.return
  }
}
