// Two sizes that one must have: no call has a meaning, and none of the two is forgotten.
// RUN: fuser-opt %s --split-input-file --verify-diagnostics --fusion-check-sizes

func.func @argument(%x: tensor<?x3xf32>, %i: tensor<4x2xi64>, %j: tensor<5x2xi64>) -> (tensor<4x2xf32>, tensor<5x2xf32>) {
  %0 = fusion.take_along_axis %x, %i dim 1 : tensor<?x3xf32>, tensor<4x2xi64> to tensor<4x2xf32>
  // expected-error @below {{expected one size of dimension 0 of input 0 'arg0', got 4, as ops before it need it, and 5}}
  %1 = fusion.take_along_axis %x, %j dim 1 : tensor<?x3xf32>, tensor<5x2xi64> to tensor<5x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<5x2xf32>
}

// -----

func.func @two_arguments(%x: tensor<?x2xi32>, %y: tensor<?x2xi32>, %a: tensor<2x3xi32>) -> (tensor<4x3xi32>, tensor<6x3xi32>, tensor<?x2xi32>) {
  %0 = fusion.matmul %x, %a : tensor<?x2xi32>, tensor<2x3xi32> to tensor<4x3xi32>
  %1 = fusion.matmul %y, %a : tensor<?x2xi32>, tensor<2x3xi32> to tensor<6x3xi32>
  // expected-error @below {{expected one size of dimension 0 of input 0 'arg0', got 4, as ops before it need it, and 6}}
  %2 = fusion.add %x, %y : tensor<?x2xi32>
  return %0, %1, %2 : tensor<4x3xi32>, tensor<6x3xi32>, tensor<?x2xi32>
}

// -----

func.func @computed(%x: tensor<?xf32>, %w: tensor<4xf32>, %v: tensor<5xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = fusion.pad <constant> %x low [1] high [0] : tensor<?xf32> to tensor<?xf32>
  %1 = fusion.reshape %0 : tensor<?xf32> to tensor<1x?xf32>
  %2 = fusion.reshape %w : tensor<4xf32> to tensor<4x1xf32>
  %3 = fusion.reshape %v : tensor<5xf32> to tensor<5x1xf32>
  %4 = fusion.matmul %1, %2 : tensor<1x?xf32>, tensor<4x1xf32> to tensor<1x1xf32>
  // expected-error @below {{expected one size of dimension 0 of the result of fusion.pad, got 4, as ops before it need it, and 5}}
  %5 = fusion.matmul %1, %3 : tensor<1x?xf32>, tensor<5x1xf32> to tensor<1x1xf32>
  return %4, %5 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

func.func @negative(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %size = arith.constant -1 : index
  // expected-error @below {{'fusion.full' op expected dimension 0 of its result to be at least 0, got -1}}
  %0 = fusion.full %v sizes(%size) : tensor<?xf32>
  %1 = fusion.add %x, %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @negative_beside_known(%x: tensor<1x3xf32>) -> tensor<?x3xf32> {
  %size = arith.constant -2 : index
  // expected-error @below {{'fusion.expand' op expected dimension 0 of its result to be at least 0, got -2}}
  %0 = fusion.expand %x sizes(%size) : tensor<1x3xf32> to tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
