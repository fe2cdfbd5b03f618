// The name of an op that is spelled wrong.

// RUN: not fuser-run %s 2>&1 | FileCheck %s
// CHECK: unknown-op.mlir:[[#@LINE+4]]:8: error: custom op 'fusion.sigmiod' is unknown
// CHECK: note: did you mean 'fusion.sigmoid'?

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.sigmiod %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}


// The name of a composite.

// RUN: split-file %s %t
// RUN: not fuser-run %t/composite.mlir 2>&1 | FileCheck %s --check-prefix=COMPOSITE
// COMPOSITE: error: custom op 'fusion.softmx' is unknown
// COMPOSITE: note: did you mean 'fusion.softmax'?

//--- composite.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.softmx %x {dim = 0} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A name that is right is not what is wrong.

// RUN: not fuser-run %t/known.mlir 2>&1 | FileCheck %s --check-prefix=KNOWN --implicit-check-not="did you mean"
// KNOWN: error: custom op 'fusion.take' expected 'dim'

//--- known.mlir
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %0 = fusion.take %x, %i : tensor<4x8xf32>, tensor<3xi64>
  return %0 : tensor<3x8xf32>
}
