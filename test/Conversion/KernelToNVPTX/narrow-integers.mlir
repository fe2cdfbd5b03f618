// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' %s | FileCheck %s

gpu.module @kernels {
  // LLVM's instructions for a float as an i1 compare its bits with 0.
  // CHECK-LABEL: llvm.func @narrow(
  gpu.func @narrow(%x: memref<4xf32>, %b: memref<4xi8>, %n: memref<4xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %f = memref.load %x[%c0] : memref<4xf32>
    // CHECK: %[[BYTE:.+]] = llvm.fptosi %{{.+}} : f32 to i16
    // CHECK: llvm.trunc %[[BYTE]] : i16 to i8
    %0 = arith.fptosi %f : f32 to i8
    memref.store %0, %b[%c0] : memref<4xi8>
    // CHECK: %[[BIT:.+]] = llvm.fptoui %{{.+}} : f32 to i16
    // CHECK: llvm.trunc %[[BIT]] : i16 to i1
    %1 = arith.fptoui %f : f32 to i1
    %2 = arith.extui %1 : i1 to i8
    memref.store %2, %b[%c1] : memref<4xi8>
    // CHECK: %[[ODD:.+]] = llvm.fptosi %{{.+}} : f32 to i32
    // CHECK: llvm.trunc %[[ODD]] : i32 to i24
    %3 = arith.fptosi %f : f32 to i24
    %4 = arith.extsi %3 : i24 to i32
    memref.store %4, %n[%c2] : memref<4xi32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @wide(
  gpu.func @wide(%x: memref<4xf32>, %b: memref<4xi16>, %n: memref<4xi64>) kernel {
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%c0] : memref<4xf32>
    // CHECK: llvm.fptosi %{{.+}} : f32 to i16
    // CHECK-NOT: llvm.trunc
    %0 = arith.fptosi %f : f32 to i16
    memref.store %0, %b[%c0] : memref<4xi16>
    // CHECK: llvm.fptoui %{{.+}} : f32 to i64
    // CHECK-NOT: llvm.trunc
    %1 = arith.fptoui %f : f32 to i64
    memref.store %1, %n[%c0] : memref<4xi64>
    gpu.return
  }
}
