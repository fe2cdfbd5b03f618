// RUN: fuser-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fusion-segment))'

func.func @unknown_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected only ops of the fusion dialect and size arithmetic}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expected a body of one block, got 2}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<8xf32>
}

// -----

func.func @unknown_dim(%x: tensor<?x?xf32>, %i: index) -> index {
  // expected-error @below {{expected a constant dimension of a ranked tensor}}
  %0 = tensor.dim %x, %i : tensor<?x?xf32>
  return %0 : index
}

// -----

func.func private @other(tensor<8xf32>) -> tensor<8xf32>

func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected only ops of the fusion dialect and size arithmetic}}
  %0 = func.call @other(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @control_flow(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // expected-error @below {{expected only ops of the fusion dialect and size arithmetic}}
  %0 = scf.if %c -> tensor<8xf32> {
    %1 = fusion.exp %x : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
