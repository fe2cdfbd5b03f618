// RUN: fuser-opt %s --fusion-expand-contractions | FileCheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: tensor<4x8xf32>, %[[B:.+]]: tensor<8x6xf32>)
// CHECK-NEXT:    %[[A1:.+]] = fusion.broadcast %[[A]] dims [1] : tensor<4x8xf32> to tensor<4x1x8xf32>
// CHECK-NEXT:    %[[AE:.+]] = fusion.expand %[[A1]] : tensor<4x1x8xf32> to tensor<4x6x8xf32>
// CHECK-NEXT:    %[[BT:.+]] = fusion.permute %[[B]] [1, 0] : tensor<8x6xf32> to tensor<6x8xf32>
// CHECK-NEXT:    %[[B1:.+]] = fusion.broadcast %[[BT]] dims [0] : tensor<6x8xf32> to tensor<1x6x8xf32>
// CHECK-NEXT:    %[[BE:.+]] = fusion.expand %[[B1]] : tensor<1x6x8xf32> to tensor<4x6x8xf32>
// CHECK-NEXT:    %[[M:.+]] = fusion.mul %[[AE]], %[[BE]]
// CHECK-NEXT:    %[[R:.+]] = fusion.reduce <sum> %[[M]] dims [2] : tensor<4x6x8xf32> to tensor<4x6xf32>
// CHECK-NEXT:    return %[[R]]
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %r = fusion.matmul %a, %b : tensor<4x8xf32>, tensor<8x6xf32> to tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// f16 and bf16 are summed in f32. What one type knows and another does not is a slice.
// CHECK-LABEL: func.func @types(
// CHECK-SAME:    %[[A:.+]]: tensor<2x?x?xbf16>, %[[W:.+]]: tensor<6x8xbf16>)
// CHECK:         %[[AC:.+]] = fusion.cast %[[A]] : tensor<2x?x?xbf16> to tensor<2x?x?xf32>
// CHECK:         fusion.slice %[[AC]] offsets [0, 0, 0] sizes [2, %{{.+}}, 8] steps [1, 1, 1] : tensor<2x?x?xf32> to tensor<2x?x8xf32>
// CHECK:         %[[S:.+]] = fusion.reduce <sum> %{{.+}} dims [3] : tensor<2x?x6x8xf32> to tensor<2x?x6xf32>
// CHECK:         %[[D:.+]] = fusion.slice %[[S]] offsets [0, 0, 0] sizes [2, %{{.+}}, %{{.+}}] steps [1, 1, 1] : tensor<2x?x6xf32> to tensor<2x?x?xf32>
// CHECK:         %[[R:.+]] = fusion.cast %[[D]] : tensor<2x?x?xf32> to tensor<2x?x?xbf16>
// CHECK:         return %[[R]]
func.func @types(%a: tensor<2x?x?xbf16>, %w: tensor<6x8xbf16>) -> tensor<2x?x?xbf16> {
  %r = fusion.linear %a, %w : tensor<2x?x?xbf16>, tensor<6x8xbf16> to tensor<2x?x?xbf16>
  return %r : tensor<2x?x?xbf16>
}

// Also in segments.
// CHECK-LABEL: func.func @segment(
// CHECK:         fusion.segment "generic"
// CHECK-NOT:     fusion.matmul
// CHECK:         fusion.reduce <sum> %{{.+}} dims [3] : tensor<2x3x5x4xf64> to tensor<2x3x5xf64>
func.func @segment(%x: tensor<2x3x4xf64>, %y: tensor<2x4x5xf64>) -> tensor<2x3x5xf64> {
  %r = fusion.segment "generic" (%a = %x : tensor<2x3x4xf64>, %b = %y : tensor<2x4x5xf64>) -> (tensor<2x3x5xf64>) {
    %p = fusion.matmul %a, %b : tensor<2x3x4xf64>, tensor<2x4x5xf64> to tensor<2x3x5xf64>
    fusion.yield %p : tensor<2x3x5xf64>
  }
  return %r : tensor<2x3x5xf64>
}

// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT:    fusion.neg
// CHECK-NEXT:    return
func.func @nothing(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = fusion.neg %x : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Integers are multiplied in the result's type.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xui8>, %[[B:.*]]: tensor<6x8xui8>)
// CHECK: %[[L:.*]] = fusion.cast %[[A]] : tensor<4x8xui8> to tensor<4x8xi32>
// CHECK: %[[R:.*]] = fusion.cast %[[B]] : tensor<6x8xui8> to tensor<6x8xi32>
// CHECK: %[[P:.*]] = fusion.mul {{.*}} : tensor<4x6x8xi32>
// CHECK: %[[S:.*]] = fusion.reduce <sum> %[[P]] dims [2] : tensor<4x6x8xi32> to tensor<4x6xi32>
// CHECK: return %[[S]]
func.func @integers(%a: tensor<4x8xui8>, %b: tensor<6x8xui8>) -> tensor<4x6xi32> {
  %0 = fusion.linear %a, %b : tensor<4x8xui8>, tensor<6x8xui8> to tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
