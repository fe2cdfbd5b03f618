// RUN: fuser-opt %s --fusion-segment=target=cuda --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule --fusion-to-kernel | fuser-opt --fusion-to-host | FileCheck %s --check-prefix=HOST

// A product becomes a call of a library on both targets, and no kernel.

// CHECK-NOT: module @

// Matrices as they are.
// CHECK-LABEL: func.func @plain(
// CHECK:         fusion.segment "library" {{.*}} attributes {host_function = @plain_0_host, schedule = #fusion.library}
func.func @plain(%a: tensor<3x?x5xf32>, %b: tensor<3x5x7xf32>) -> tensor<3x?x7xf32> {
  %p = fusion.matmul %a, %b : tensor<3x?x5xf32>, tensor<3x5x7xf32> to tensor<3x?x7xf32>
  return %p : tensor<3x?x7xf32>
}

func.func @linear(%x: tensor<?x4x?xbf16>, %w: tensor<6x?xbf16>) -> tensor<?x4x6xf32> {
  %p = fusion.linear %x, %w : tensor<?x4x?xbf16>, tensor<6x?xbf16> to tensor<?x4x6xf32>
  return %p : tensor<?x4x6xf32>
}

func.func @vector(%x: tensor<8xf64>, %w: tensor<6x8xf64>) -> tensor<6xf64> {
  %p = fusion.linear %x, %w : tensor<8xf64>, tensor<6x8xf64> to tensor<6xf64>
  return %p : tensor<6xf64>
}

func.func @batches(%a: tensor<2x?x3x4xf16> {fusion.stride_order = array<i64: 2, 0, 1, 3>}, %b: tensor<2x?x4x5xf16>) -> tensor<2x?x3x5xf16> {
  %p = fusion.matmul %a, %b : tensor<2x?x3x4xf16>, tensor<2x?x4x5xf16> to tensor<2x?x3x5xf16>
  return %p : tensor<2x?x3x5xf16>
}

// CHECK-LABEL: func.func private @plain_0_host(
// CHECK-SAME:    %[[A:.+]]: memref<3x?x5xf32>, %[[B:.+]]: memref<3x5x7xf32>, %[[OUT:.+]]: memref<3x?x7xf32>)
// CHECK:         host.matmul %[[A]], %[[B]], %[[OUT]]

// Rows are one dimension, weights are transposed.
// CHECK-LABEL: func.func private @linear_0_host(
// CHECK-SAME:    %[[X:.+]]: memref<?x4x?xbf16>, %[[W:.+]]: memref<6x?xbf16>, %[[OUT:.+]]: memref<?x4x6xf32>)
// CHECK:         %[[XV:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.+}}, %{{.+}}], strides: [%{{.+}}, 1]
// CHECK:         %[[WV:.+]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [%{{.+}}, 6], strides: [1, %{{.+}}]
// CHECK:         %[[OV:.+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [%{{.+}}, 6], strides: [6, 1]
// CHECK:         host.matmul %[[XV]], %[[WV]], %[[OV]]

// A vector is one row.
// CHECK-LABEL: func.func private @vector_0_host(
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [1, 8], strides: [1, 1] : memref<8xf64>
// CHECK:         host.matmul

// Batches that are one dimension in memory.
// CHECK-LABEL: func.func private @batches_0_host(
// A dimension that is open may have size 1, whose stride says nothing.
// CHECK:         %[[ONE:.+]] = arith.cmpi eq, %[[SIZE:.+]], %{{.+}} : index
// CHECK:         %[[STRIDE:.+]] = arith.select %[[ONE]], %{{.+}}, %{{.+}} : index
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [%{{.+}}, 3, 4], strides: [%[[STRIDE]], %{{.+}}, 1]
// CHECK:         host.matmul %{{.+}} : memref<?x3x4xf16, strided<[?, ?, 1]>>, memref<?x4x5xf16, strided<[?, 5, 1]>>, memref<?x3x5xf16, strided<[?, 5, 1]>>

// HOST-LABEL: func.func @linear(
// HOST:         host.output 0
// HOST:         host.matmul
// HOST-NOT:     host.launch
// HOST:         return
