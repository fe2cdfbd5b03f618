// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-expand-math))' --split-input-file %s | FileCheck %s

// What is in a kernel besides does not matter: here it reads f32 and stores bf16.
// CHECK-LABEL: gpu.func @exact
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK: %[[X:.*]] = memref.load
// CHECK: math.fma %{{.*}} : f32
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %[[X]] : f32
// One Newton step, where it gives a number.
// CHECK: %[[Y:.*]] = math.rsqrt %[[Q]] fastmath<afn> : f32
// CHECK: %[[REFINED:.*]] = math.fma %{{.*}}, %{{.*}}, %[[Y]] : f32
// CHECK: %[[NUMBER:.*]] = arith.cmpf ord
// CHECK: %[[R:.*]] = arith.select %[[NUMBER]], %[[REFINED]], %[[Y]] : f32
// CHECK: arith.truncf %[[R]] : f32 to bf16
gpu.module @kernels {
  gpu.func @exact(%x: memref<4xf32>, %y: memref<4xbf16>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %0 = math.exp %v : f32
    %1 = math.tanh %0 : f32
    %2 = arith.divf %1, %v : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    memref.store %4, %y[%t] : memref<4xbf16>
    gpu.return
  }
}

// -----

// Vectors are computed as scalars are.
// CHECK-LABEL: gpu.func @vectors
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : vector<4xf32>
gpu.module @kernels {
  gpu.func @vectors(%x: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
    %0 = math.exp %v : vector<4xf32>
    vector.store %0, %x[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Nothing to do: approximations, functions that have one form, f64.
// CHECK-LABEL: gpu.func @do_nothing
// CHECK: %[[X:.*]] = memref.load
// CHECK-NEXT: %[[D:.*]] = memref.load
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] fastmath<afn> : f32
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[E]] fastmath<afn> : f32
// CHECK-NEXT: %[[R:.*]] = math.rsqrt %[[T]] fastmath<afn> : f32
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[R]], %[[X]] fastmath<afn> : f32
// CHECK-NEXT: %[[L:.*]] = math.log %[[Q]] : f32
// CHECK-NEXT: %[[ED:.*]] = math.exp %[[D]] : f64
// CHECK-NEXT: memref.store %[[L]]
// CHECK-NEXT: memref.store %[[ED]]
gpu.module @kernels {
  gpu.func @do_nothing(%x: memref<4xf32>, %d: memref<f64>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %w = memref.load %d[] : memref<f64>
    %0 = math.exp %v fastmath<afn> : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    %2 = math.rsqrt %1 fastmath<afn> : f32
    %3 = arith.divf %2, %v fastmath<afn> : f32
    %4 = math.log %3 : f32
    %5 = math.exp %w : f64
    memref.store %4, %x[%t] : memref<4xf32>
    memref.store %5, %d[] : memref<f64>
    gpu.return
  }
}

// -----

// Quotients by counts: a product, and the quotient of what it leaves. By a power of two, by other numbers and of other types they are left alone.
// CHECK-LABEL: gpu.func @means
// CHECK: %[[N:.*]] = arith.sitofp %{{.*}} : i64 to f32
// CHECK: %[[NEAR:.*]] = arith.divf %{{.*}}, %[[N]] fastmath<afn> : f32
// CHECK: %[[FIRST:.*]] = arith.extf %[[NEAR]] : f32 to f64
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: %[[REST:.*]] = math.fma %[[PRODUCT]], %{{.*}}, %{{.*}} : f64
// CHECK: %[[HAS_REST:.*]] = arith.cmpf one, %[[REST]], %{{.*}} : f64
// CHECK: %[[QUOTIENT:.*]] = arith.select %[[HAS_REST]], %{{.*}}, %[[PRODUCT]] : f64
// CHECK: arith.truncf %[[QUOTIENT]] : f64 to f32
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} : f64
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
gpu.module @kernels {
  gpu.func @means(%x: memref<4xf32>, %z: memref<f64>, %count: index) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf32>
    %w = memref.load %z[] : memref<f64>
    %c256 = arith.constant 256 : index
    %n = arith.index_cast %count : index to i64
    %nf = arith.sitofp %n : i64 to f32
    %nd = arith.sitofp %n : i64 to f64
    %p = arith.index_cast %c256 : index to i64
    %pf = arith.sitofp %p : i64 to f32
    %0 = arith.divf %v, %nf : f32
    %1 = arith.divf %0, %pf : f32
    %2 = arith.divf %w, %nd : f64
    %3 = arith.divf %1, %v : f32
    memref.store %3, %x[%t] : memref<4xf32>
    memref.store %2, %z[] : memref<f64>
    gpu.return
  }
}

// -----

// To powers below 1 in size the base is without its sign where it is -0 or minus infinity.
// CHECK-LABEL: gpu.func @power
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[Y:.*]] = memref.load
// CHECK-DAG: %[[SIZE:.*]] = math.absf %[[X]] : f64
// CHECK-DAG: %[[ABOVE:.*]] = math.absf %[[Y]] : f64
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[ABOVE]]
// CHECK: %[[BASE:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[X]] : f64
// CHECK: math.powf %[[BASE]], %[[Y]] : f64
gpu.module @kernels {
  gpu.func @power(%x: memref<2xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%c0] : memref<2xf64>
    %y = memref.load %x[%c1] : memref<2xf64>
    %0 = math.powf %v, %y : f64
    memref.store %0, %x[%c0] : memref<2xf64>
    gpu.return
  }
}
