// RUN: fuser-opt %s -split-input-file --fusion-to-reference -verify-diagnostics

func.func @other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op expected an op of one of the families of the fusion dialect, or one without effects and regions on scalars, in the reference}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected tensors and scalars in a function for the reference, got 'memref<4xf32>'}}
func.func @memref(%x: memref<4xf32>) {
  return
}

// -----

// expected-error@+1 {{expected a body of one block for the reference, got 2}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error@+1 {{expected tensors and scalars in a function for the reference, got 'ui8'}}
func.func @unsigned_scalar(%s: ui8) {
  return
}
