// RUN: fuser-opt --fusion-to-reference %s | FileCheck %s
// RUN: fuser-opt --fusion-to-reference --kernel-floats-to-ring %s | FileCheck %s --check-prefix=RING --implicit-check-not=f32

// For the ring nothing is promoted to f64: each op computes in what kernels compute in, and its result is narrowed at once. Casts are plain.
module attributes {fusion.ring} {
  // CHECK-LABEL: func.func @f
  // CHECK-SAME: (%[[X:.*]]: memref<8xbf16>, %{{.*}}: memref<i64>) -> memref<8xi64>
  // CHECK: %[[SUM:.*]] = memref.alloc() : memref<8xbf16>
  // CHECK: %[[A:.*]] = memref.load %[[X]]
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[A]] : bf16 to f32
  // CHECK: %[[ADDED:.*]] = arith.addf %[[WIDE]], %{{.*}} : f32
  // CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[ADDED]] : f32 to bf16
  // CHECK-NEXT: memref.store %[[NARROW]], %[[SUM]]
  // CHECK: %[[AGAIN:.*]] = memref.load %[[SUM]]
  // CHECK-NEXT: %[[EXACT:.*]] = arith.extf %[[AGAIN]] : bf16 to f32
  // CHECK: %[[INTEGER:.*]] = arith.fptosi %[[EXACT]] : f32 to i64
  // CHECK-NEXT: memref.store %[[INTEGER]]

  // RING-LABEL: func.func @f
  // RING-SAME: (%[[X:.*]]: memref<8xi16>, %{{.*}}: memref<i64>) -> memref<8xi64>
  // RING: %[[A:.*]] = memref.load %[[X]]
  // RING-NEXT: %[[WIDE:.*]] = arith.extsi %[[A]] : i16 to i32
  // RING: %[[ADDED:.*]] = arith.addi %[[WIDE]], %{{.*}} : i32
  // RING-NEXT: %[[NARROW:.*]] = arith.trunci %[[ADDED]] : i32 to i16
  // RING: %[[AGAIN:.*]] = memref.load
  // RING-NEXT: %[[EXACT:.*]] = arith.extsi %[[AGAIN]] : i16 to i32
  // RING: arith.extsi %[[EXACT]] : i32 to i64
  func.func @f(%x: tensor<8xbf16>) -> tensor<8xi64> {
    %0 = fusion.add %x, %x : tensor<8xbf16>
    %1 = fusion.cast %0 : tensor<8xbf16> to tensor<8xi64>
    return %1 : tensor<8xi64>
  }

  // CHECK-LABEL: func.func @constants
  // Folded as floats are.
  // CHECK: arith.constant 4.000000e+00 : f32
  // CHECK-NOT: arith.addf
  // CHECK: return

  // RING-LABEL: func.func @constants
  // RING: arith.constant 4 : i32
  func.func @constants() -> tensor<4xf32> {
    %a = arith.constant 1.5 : f32
    %b = arith.constant 2.5 : f32
    %c = arith.addf %a, %b : f32
    %0 = fusion.full %c : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
