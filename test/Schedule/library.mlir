// RUN: fuser-opt %s --fusion-schedule="target=cuda explain=true" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: fuser-opt %s --fusion-schedule="target=cpu explain=true" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: fuser-run %s --entry two_products --target cpu --input 4x4xf32=random:1 --check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry batch_inside --target cpu --input 3x4x5xf32=random:1,strides=1x15x3 --input 3x5x6xf32=random:2 --check | FileCheck %s --check-prefix=RIGHT
// RUN: %if cublaslt %{ fuser-run %s --entry two_products --target cuda --input 4x4xf32=random:1 --check | FileCheck %s --check-prefix=RIGHT %}
// RUN: %if cublaslt %{ fuser-run %s --entry batch_inside --target cuda --input 3x4x5xf32=random:1,strides=1x15x3 --input 3x5x6xf32=random:2 --check | FileCheck %s --check-prefix=RIGHT %}
// RIGHT: right: largest difference

// CHECK-LABEL: func.func @taken
// CHECK:         fusion.segment "library" {{.*}}schedule = #fusion.library
func.func @taken(%x: tensor<?x4xf32>, %y: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %0 = fusion.segment "library" (%a = %x : tensor<?x4xf32>, %b = %y : tensor<4x4xf32>) -> (tensor<?x4xf32>) {
    %1 = fusion.matmul %a, %b : tensor<?x4xf32>, tensor<4x4xf32> to tensor<?x4xf32>
    fusion.yield %1 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// -----

// What the library does not take, generic does.
// CHECK-LABEL: func.func @two_products
// CHECK:         fusion.segment "generic"
func.func @two_products(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{the scheduler "library" does not take the segment, "generic" does: a matrix product is not fused with other ops}}
  %0 = fusion.segment "library" (%a = %x : tensor<?x4xf32>) -> (tensor<?x4xf32>) {
    %1 = fusion.linear %a, %a : tensor<?x4xf32>, tensor<?x4xf32> to tensor<?x?xf32>
    %2 = fusion.matmul %1, %a : tensor<?x?xf32>, tensor<?x4xf32> to tensor<?x4xf32>
    %3 = fusion.add %2, %a : tensor<?x4xf32>
    fusion.yield %3 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @batch_inside
// CHECK:         fusion.segment "generic"
func.func @batch_inside(%x: tensor<3x4x5xf32> {fusion.stride_order = array<i64: 1, 2, 0>}, %y: tensor<3x5x6xf32>) -> tensor<3x4x6xf32> {
  // expected-remark@+1 {{"generic" does: the left operand of the matrix product has neither contiguous rows nor contiguous columns}}
  %0 = fusion.segment "library" (%a = %x : tensor<3x4x5xf32>, %b = %y : tensor<3x5x6xf32>) -> (tensor<3x4x6xf32>) {
    %1 = fusion.matmul %a, %b : tensor<3x4x5xf32>, tensor<3x5x6xf32> to tensor<3x4x6xf32>
    fusion.yield %1 : tensor<3x4x6xf32>
  }
  return %0 : tensor<3x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @any_strides
// CHECK:         fusion.segment "generic"
func.func @any_strides(%x: tensor<4x5xf32>, %w: tensor<6x5xf32> {fusion.layout = "any"}) -> tensor<4x6xf32> {
  // expected-remark@+1 {{"generic" does: the right operand of the matrix product has any strides}}
  %0 = fusion.segment "library" (%a = %x : tensor<4x5xf32>, %b = %w : tensor<6x5xf32>) -> (tensor<4x6xf32>) {
    %1 = fusion.linear %a, %b : tensor<4x5xf32>, tensor<6x5xf32> to tensor<4x6xf32>
    fusion.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}
