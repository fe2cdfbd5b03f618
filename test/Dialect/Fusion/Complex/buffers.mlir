// RUN: not fuser-run %s --input="4xcomplex<f32>=iota" 2>&1 | FileCheck %s
//
// Host programs have no complex buffers.

// CHECK: buffers.mlir:[[#@LINE+2]]:8: error: expected no complex buffers in a host program: pairs of real numbers along one more dimension are the same memory
func.func @h(%x: memref<4xcomplex<f32>>) -> memref<4xcomplex<f32>> attributes {host.program} {
  %0 = host.output 0 () : memref<4xcomplex<f32>>
  return %0 : memref<4xcomplex<f32>>
}
