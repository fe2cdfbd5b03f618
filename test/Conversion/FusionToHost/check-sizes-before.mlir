// Of functions that decompositions change, checks are written before: of the program as it is written, and others come behind them.
// RUN: fuser-opt %s --fusion-check-sizes=before-decomposition | FileCheck %s

// CHECK-LABEL: func.func @complex(
// CHECK-NOT:     sizes_checked
// CHECK:         fusion.check %{{.+}}, "fusion.mul: expected dimension 0 of input 1 'arg1' to be {0}, as dimension 0 of input 0 'arg0', got {1}"
// CHECK-NEXT:    return
func.func @complex(%x: tensor<?xcomplex<f32>>, %y: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %0 = fusion.mul %x, %y : tensor<?xcomplex<f32>>
  return %0 : tensor<?xcomplex<f32>>
}

// CHECK-LABEL: func.func @packed(
// CHECK:         fusion.check
func.func @packed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>
  %1 = fusion.cast %0 : tensor<?xf32> to f4E2M1FN
  %2 = fusion.cast %1 : tensor<?xf4E2M1FN> to f32
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func.func @real(
// CHECK-NOT:     fusion.check
// CHECK:         return
func.func @real(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
