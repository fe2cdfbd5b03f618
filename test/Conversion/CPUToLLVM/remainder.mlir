// Remainders of f64 are divisions and fused multiply-adds, again while a lane has a quotient of more than 53 digits: no call of the library.
// RUN: fuser-opt %s --cpu-to-llvm=arch=x86-64-v3 | FileCheck %s --implicit-check-not=frem --implicit-check-not=fmod

module {
  module @kernels {
    // CHECK-LABEL: llvm.func internal @vectors.body
    // CHECK: llvm.br ^[[BEFORE:.*]](%{{.*}} : vector<8xf64>)
    // CHECK: ^[[BEFORE]](%[[REST:.*]]: vector<8xf64>):
    // CHECK:   llvm.fdiv %[[REST]], %[[DIVISOR:.*]] : vector<8xf64>
    // CHECK:   %[[LARGE:.*]] = llvm.mlir.constant(dense<0x4340000000000000>
    // CHECK:   llvm.fcmp "oge" %{{.*}}, %[[LARGE]] : vector<8xf64>
    // CHECK:   llvm.intr.vector.reduce.or
    // CHECK:   llvm.cond_br %{{.*}}, ^[[AGAIN:.*]](%{{.*}}), ^[[LAST:.*]]
    // CHECK: ^[[AGAIN]](%{{.*}}: vector<8xf64>):
    // CHECK:   llvm.intr.fma
    // CHECK:   llvm.br ^[[BEFORE]]
    // CHECK: ^[[LAST]]:
    // CHECK:   llvm.intr.trunc
    // CHECK:   llvm.intr.fma(%{{.*}}, %[[DIVISOR]], %[[REST]])
    // CHECK: llvm.return
    func.func @vectors(%x: memref<?xf64>, %y: memref<?xf64>, %begin: index, %end: index) {
      %a = vector.load %x[%begin] : memref<?xf64>, vector<8xf64>
      %b = vector.load %y[%begin] : memref<?xf64>, vector<8xf64>
      %r = arith.remf %a, %b : vector<8xf64>
      vector.store %r, %y[%begin] : memref<?xf64>, vector<8xf64>
      return
    }

    // CHECK-LABEL: llvm.func internal @scalars.body
    // CHECK: llvm.fdiv %{{.*}} : f64
    func.func @scalars(%x: memref<?xf64>, %y: memref<?xf64>, %begin: index, %end: index) {
      %a = memref.load %x[%begin] : memref<?xf64>
      %b = memref.load %y[%begin] : memref<?xf64>
      %r = arith.remf %a, %b : f64
      memref.store %r, %y[%begin] : memref<?xf64>
      return
    }
  }
}
