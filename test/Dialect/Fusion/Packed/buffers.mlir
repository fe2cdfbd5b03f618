// RUN: not fuser-run %s --input=4xf4E2M1FN=iota 2>&1 | FileCheck %s
//
// Host programs have no packed buffers.

// CHECK: buffers.mlir:[[#@LINE+2]]:8: error: expected no packed buffers in a host program: ui8 with half as many columns is the same memory
func.func @h(%x: memref<4xf4E2M1FN>) -> memref<4xf4E2M1FN> attributes {host.program} {
  %0 = host.output 0 () : memref<4xf4E2M1FN>
  return %0 : memref<4xf4E2M1FN>
}
