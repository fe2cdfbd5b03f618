// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' --split-input-file %s | FileCheck %s

// f32 leaves the kernel: functions that are off by less than one unit, and rounded division.
// CHECK-LABEL: llvm.func @stores_f32
// CHECK-NOT: __nv_expf
// CHECK-NOT: __nv_tanhf
// CHECK: llvm.intr.fma
// CHECK: llvm.fdiv
// CHECK: llvm.call @__nv_rsqrtf
// CHECK: llvm.intr.fma
// CHECK-NOT: div.full
gpu.module @kernels {
  gpu.func @stores_f32(%x: memref<4xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %0 = math.exp %v : f32
    %1 = math.tanh %0 : f32
    %2 = arith.divf %1, %v : f32
    %3 = math.rsqrt %2 : f32
    memref.store %3, %x[%t] : memref<4xf32>
    gpu.return
  }
}

// -----

// Only bf16 does, though f32 is read: libdevice. The quotient is narrowed in the end.
// CHECK-LABEL: llvm.func @stores_bf16
// CHECK: llvm.call @__nv_expf
// CHECK: llvm.call @__nv_tanhf
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: llvm.fmul
// CHECK: llvm.fptrunc
gpu.module @kernels {
  gpu.func @stores_bf16(%x: memref<4xf32>, %y: memref<4xbf16>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %0 = math.exp %v : f32
    %1 = math.tanh %0 : f32
    %2 = arith.divf %1, %v : f32
    %3 = arith.mulf %2, %v : f32
    %4 = arith.truncf %3 : f32 to bf16
    memref.store %4, %y[%t] : memref<4xbf16>
    gpu.return
  }
}

// -----

// A difference, a comparison or a rounding to an integer can make a small error large: the quotient is rounded.
// CHECK-LABEL: llvm.func @sensitive
// CHECK-NOT: div.full
// CHECK-COUNT-3: llvm.fdiv
gpu.module @kernels {
  gpu.func @sensitive(%x: memref<4xbf16>, %y: memref<4xbf16>, %z: memref<4xi8>) kernel {
    %t = gpu.thread_id x
    %b = memref.load %x[%t] : memref<4xbf16>
    %v = arith.extf %b : bf16 to f32
    %three = arith.constant 3.0 : f32
    %0 = arith.divf %v, %three : f32
    %difference = arith.subf %0, %v : f32
    %1 = arith.truncf %difference : f32 to bf16
    memref.store %1, %y[%t] : memref<4xbf16>
    %2 = arith.divf %three, %v : f32
    %is = arith.cmpf oeq, %2, %three : f32
    %3 = arith.divf %difference, %v : f32
    %int = arith.fptosi %3 : f32 to i8
    %one = arith.extui %is : i1 to i8
    %sum = arith.addi %one, %int : i8
    memref.store %sum, %z[%t] : memref<4xi8>
    gpu.return
  }
}

// -----

// Vectors too; f64 is libdevice's business.
// CHECK-LABEL: llvm.func @vectors
// CHECK: llvm.intr.fma(%{{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-NOT: __nv_expf
// CHECK: llvm.call @__nv_exp(
gpu.module @kernels {
  gpu.func @vectors(%x: memref<4xf32>, %d: memref<f64>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
    %0 = math.exp %v : vector<4xf32>
    vector.store %0, %x[%c0] : memref<4xf32>, vector<4xf32>
    %w = memref.load %d[] : memref<f64>
    %1 = math.exp %w : f64
    memref.store %1, %d[] : memref<f64>
    gpu.return
  }
}
