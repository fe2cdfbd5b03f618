// RUN: fuser-opt %s --kernel-to-sim | FileCheck %s

// Functions of bf16 are computed as f32, as GPUs do.
// CHECK-LABEL: llvm.func @functions(
// CHECK: llvm.intr.sqrt(%{{.+}}) : (f32) -> f32
// CHECK: llvm.call @__nv_expf(%{{.+}}) : (f32) -> f32
// CHECK-NOT: bf16
// CHECK: llvm.return
gpu.module @functions {
  gpu.func @functions(%x: memref<4xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.load %x[%c0] : memref<4xbf16>
    %1 = math.sqrt %0 : bf16
    %2 = math.exp %1 : bf16
    memref.store %2, %x[%c0] : memref<4xbf16>
    gpu.return
  }
}

// The sums that a reduction becomes are of f32, too.
// CHECK-LABEL: llvm.func @sums(
// CHECK-COUNT-5: llvm.fadd %{{.+}}, %{{.+}} : f32
// CHECK-NOT: bf16
// CHECK: llvm.return
gpu.module @sums {
  gpu.func @sums(%x: memref<32xbf16>) kernel {
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<32xbf16>
    %1 = gpu.subgroup_reduce add %0 : (bf16) -> bf16
    memref.store %1, %x[%t] : memref<32xbf16>
    gpu.return
  }
}

// A multiply-add of f32 is an instruction.
// CHECK-LABEL: llvm.func @wide(
// CHECK-NOT: f64
// CHECK: llvm.intr.fma(%{{.+}}, %{{.+}}, %{{.+}}) : (f32, f32, f32) -> f32
// CHECK-NOT: f64
// CHECK: llvm.return
gpu.module @wide {
  gpu.func @wide(%x: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.load %x[%c0] : memref<4xf32>
    %1 = math.fma %0, %0, %0 : f32
    memref.store %1, %x[%c0] : memref<4xf32>
    gpu.return
  }
}

// A reduction of bf16 is one of its lanes, one after the other.
// CHECK-LABEL: llvm.func @reductions(
// CHECK-NOT: vector.reduce
// CHECK-COUNT-4: llvm.fadd %{{.+}}, %{{.+}} : f32
// CHECK-NOT: vector.reduce
// CHECK: llvm.return
gpu.module @reductions {
  gpu.func @reductions(%x: memref<4xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = vector.load %x[%c0] : memref<4xbf16>, vector<4xbf16>
    %1 = vector.reduction <add>, %0 : vector<4xbf16> into bf16
    memref.store %1, %x[%c0] : memref<4xbf16>
    gpu.return
  }
}

// That of other floats stays.
// CHECK-LABEL: llvm.func @wideReductions(
// CHECK: llvm.intr.vector.reduce.fadd
gpu.module @wide_reductions {
  gpu.func @wideReductions(%x: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
    %1 = vector.reduction <add>, %0 : vector<4xf32> into f32
    memref.store %1, %x[%c0] : memref<4xf32>
    gpu.return
  }
}
