// Functions of f64 are called four numbers at a time, whatever the processor, where it has AVX2; f32 is arithmetic.
// RUN: fuser-opt %s --cpu-to-llvm=arch=x86-64-v3 | FileCheck %s
// RUN: fuser-opt %s --cpu-to-llvm=arch=znver4 | FileCheck %s
// RUN: fuser-opt %s --cpu-to-llvm=arch=x86-64-v2 | FileCheck %s --check-prefix=SCALAR --implicit-check-not=_ZGV

module {
  module @kernels {
    // CHECK-DAG: llvm.func @_ZGVdN4v_sin(vector<4xf64>) -> vector<4xf64>
    // CHECK-DAG: llvm.func @_ZGVdN4vv_pow(vector<4xf64>, vector<4xf64>) -> vector<4xf64>
    // CHECK-LABEL: llvm.func internal @whole.body
    // CHECK: %[[LOW:.+]] = llvm.shufflevector %[[X:.+]], %[[X]] [0, 1, 2, 3] : vector<8xf64>
    // CHECK: %[[A:.+]] = llvm.call @_ZGVdN4v_sin(%[[LOW]])
    // CHECK: %[[HIGH:.+]] = llvm.shufflevector %[[X]], %[[X]] [4, 5, 6, 7] : vector<8xf64>
    // CHECK: %[[B:.+]] = llvm.call @_ZGVdN4v_sin(%[[HIGH]])
    // CHECK: llvm.shufflevector %[[A]], %[[B]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf64>
    // CHECK-NOT: llvm.call
    // CHECK: llvm.return
    // SCALAR-LABEL: llvm.func internal @whole.body
    // SCALAR: llvm.intr.sin
    func.func @whole(%in: memref<?xf64>, %out: memref<?xf64>, %begin: index, %end: index) {
      %x = vector.load %in[%begin] : memref<?xf64>, vector<8xf64>
      %y = math.sin %x : vector<8xf64>
      vector.store %y, %out[%begin] : memref<?xf64>, vector<8xf64>
      return
    }

    // Fewer numbers than a call takes, or none for its last lanes: those repeat the last one.
    // CHECK-LABEL: llvm.func internal @part.body
    // CHECK: llvm.shufflevector %{{.+}}, %{{.+}} [0, 1, 2, 3] : vector<7xf64>
    // CHECK: llvm.shufflevector %{{.+}}, %{{.+}} [0, 1, 2, 3] : vector<7xf64>
    // CHECK: llvm.call @_ZGVdN4vv_pow
    // CHECK: llvm.shufflevector %{{.+}}, %{{.+}} [4, 5, 6, 6] : vector<7xf64>
    // CHECK: llvm.shufflevector %{{.+}}, %{{.+}} [4, 5, 6, 6] : vector<7xf64>
    // CHECK: llvm.call @_ZGVdN4vv_pow
    // CHECK: llvm.shufflevector %{{.+}}, %{{.+}} [0, 1, 2, 3, 4, 5, 6] : vector<8xf64>
    // CHECK: llvm.return
    func.func @part(%in: memref<?xf64>, %out: memref<?xf64>, %begin: index, %end: index) {
      %x = vector.load %in[%begin] : memref<?xf64>, vector<7xf64>
      %y = math.powf %x, %x : vector<7xf64>
      vector.store %y, %out[%begin] : memref<?xf64>, vector<7xf64>
      return
    }

    // CHECK-LABEL: llvm.func internal @one.body
    // CHECK: %[[ALL:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 0, 0, 0]
    // CHECK: %[[R:.+]] = llvm.call @_ZGVdN4v_sin(%[[ALL]])
    // CHECK: llvm.extractelement %[[R]]
    // CHECK-NOT: _ZGV
    // CHECK: llvm.return
    // SCALAR-LABEL: llvm.func internal @one.body
    // SCALAR: llvm.intr.sin
    func.func @one(%in: memref<?xf64>, %narrow: memref<?xf32>, %begin: index, %end: index) {
      %x = memref.load %in[%begin] : memref<?xf64>
      %y = math.sin %x : f64
      memref.store %y, %in[%begin] : memref<?xf64>
      %z = memref.load %narrow[%begin] : memref<?xf32>
      %w = math.sin %z : f32
      memref.store %w, %narrow[%begin] : memref<?xf32>
      return
    }
  }
}
