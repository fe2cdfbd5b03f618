// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' --split-input-file %s | FileCheck %s

// fastmath<afn> alone says what is approximated, not what becomes of it.
// CHECK-LABEL: llvm.func @quotients
// CHECK: llvm.fdiv
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK-NOT: llvm.fdiv
// CHECK-NOT: div.full
gpu.module @kernels {
  gpu.func @quotients(%x: memref<4xbf16>, %y: memref<4xf32>) kernel {
    %t = gpu.thread_id x
    %b = memref.load %x[%t] : memref<4xbf16>
    %v = arith.extf %b : bf16 to f32
    %three = arith.constant 3.0 : f32
    %0 = arith.divf %v, %three : f32
    %1 = arith.truncf %0 : f32 to bf16
    memref.store %1, %x[%t] : memref<4xbf16>
    %2 = arith.divf %three, %v fastmath<afn> : f32
    memref.store %2, %y[%t] : memref<4xf32>
    gpu.return
  }
}

// -----

// Two units off at most: libdevice's functions, not the fast ones of exp.
// CHECK-LABEL: llvm.func @approximate
// CHECK: llvm.call @__nv_expf
// CHECK: llvm.call @__nv_tanhf
// CHECK: llvm.call @__nv_rsqrtf
gpu.module @kernels {
  gpu.func @approximate(%x: memref<4xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %0 = math.exp %v fastmath<afn> : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    %2 = math.rsqrt %1 fastmath<afn> : f32
    memref.store %2, %x[%t] : memref<4xf32>
    gpu.return
  }
}

// -----

// A function of a constant is computed by the kernel, as that of any other number: a fold here would be more exact. What is
// rounded as IEEE 754 says is folded.
// CHECK-LABEL: llvm.func @constants
// CHECK: %[[SIX:.*]] = llvm.mlir.constant(6.000000e+00 : f32) : f32
// CHECK: %[[EXP:.*]] = llvm.call @__nv_expf(%[[SIX]])
// CHECK: %[[LOG:.*]] = llvm.call @__nv_logf(%[[EXP]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%[[SIX]], %[[SIX]])
// CHECK: llvm.call @__nv_log(%{{.*}}) : (f64) -> f64
gpu.module @kernels {
  gpu.func @constants(%x: memref<4xf32>, %d: memref<4xf64>) kernel {
    %t = gpu.thread_id x
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %six = arith.mulf %two, %three : f32
    %0 = math.exp %six fastmath<afn> : f32
    %1 = math.log %0 : f32
    memref.store %1, %x[%t] : memref<4xf32>
    %2 = arith.divf %six, %six fastmath<afn> : f32
    %3 = arith.extf %2 : f32 to f64
    %4 = math.log %3 : f64
    memref.store %4, %d[%t] : memref<4xf64>
    gpu.return
  }
}
