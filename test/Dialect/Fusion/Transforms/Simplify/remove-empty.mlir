// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-remove-empty),canonicalize)' | FileCheck %s

// Of each family: what only led to empty tensors goes too.

// CHECK-LABEL: func.func @all(
// CHECK-NOT:     fusion.{{exp|cmp|reduce|cat|argsort}}
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[FALSE:.+]] = arith.constant false
// CHECK-DAG:     %[[E:.+]] = fusion.full %[[ZERO]] : tensor<0x8xf32>
// CHECK-DAG:     %[[C:.+]] = fusion.full %[[FALSE]] : tensor<0x8xi1>
// CHECK-DAG:     %[[R:.+]] = fusion.full %[[ZERO]] : tensor<0xf32>
// CHECK-DAG:     %[[K:.+]] = fusion.full %[[ZERO]] : tensor<0x16xf32>
// CHECK-DAG:     %[[O:.+]] = fusion.full %{{.*}} : tensor<0x8xi64>
// CHECK:         return %[[E]], %[[C]], %[[R]], %[[K]], %[[O]]
func.func @all(%x: tensor<0x8xf32>) -> (tensor<0x8xf32>, tensor<0x8xi1>, tensor<0xf32>, tensor<0x16xf32>, tensor<0x8xi64>) {
  %0 = fusion.exp %x : tensor<0x8xf32>
  %1 = fusion.cmp <lt> %0, %x : tensor<0x8xf32>
  %2 = fusion.reduce <sum> %0 dims [1] : tensor<0x8xf32> to tensor<0xf32>
  %3 = fusion.cat %0, %x dim 1 : tensor<0x8xf32>, tensor<0x8xf32> to tensor<0x16xf32>
  %4 = fusion.argsort %0 dim 1 : tensor<0x8xf32> to tensor<0x8xi64>
  return %0, %1, %2, %3, %4 : tensor<0x8xf32>, tensor<0x8xi1>, tensor<0xf32>, tensor<0x16xf32>, tensor<0x8xi64>
}

// -----

// The sum of nothing is written; copies are asked for; a view is no work; sizes that are not known are still compared.

// CHECK-LABEL: func.func @do_nothing(
// CHECK-NEXT:    %[[R:.+]] = fusion.reduce <sum>
// CHECK-NEXT:    %[[S:.+]] = fusion.set
// CHECK-NEXT:    %[[P:.+]] = fusion.permute
// CHECK-NEXT:    %[[A:.+]] = fusion.add
// CHECK-NEXT:    return %[[R]], %[[S]], %[[P]], %[[A]]
func.func @do_nothing(%x: tensor<8x0xf32>, %y: tensor<0x?xf32>, %z: tensor<0x?xf32>)
    -> (tensor<8xf32>, tensor<8x0xf32>, tensor<0x8xf32>, tensor<0x?xf32>) {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<8x0xf32> to tensor<8xf32>
  %1 = fusion.set %x : tensor<8x0xf32>
  %2 = fusion.permute %x [1, 0] : tensor<8x0xf32> to tensor<0x8xf32>
  %3 = fusion.add %y, %z : tensor<0x?xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8x0xf32>, tensor<0x8xf32>, tensor<0x?xf32>
}

// -----

// A check when the program runs is not lost: these lead to what is empty.

// CHECK-LABEL: func.func @checked(
// CHECK-NEXT:    fusion.reshape
// CHECK-NEXT:    fusion.neg
// CHECK-NEXT:    fusion.slice
// CHECK-NEXT:    fusion.neg
// CHECK-NEXT:    fusion.exp
// CHECK-NEXT:    return
func.func @checked(%x: tensor<?xf32>, %y: tensor<0x8xf32>, %o: index) -> (tensor<0x4xf32>, tensor<0x4xf32>) {
  %0 = fusion.reshape %x : tensor<?xf32> to tensor<0x4xf32>
  %1 = fusion.neg %0 : tensor<0x4xf32>
  %2 = fusion.slice %y offsets [0, %o] sizes [0, 4] steps [1, 1] : tensor<0x8xf32> to tensor<0x4xf32>
  %3 = fusion.neg %2 : tensor<0x4xf32>
  %4 = fusion.exp %3 : tensor<0x4xf32>
  return %1, %4 : tensor<0x4xf32>, tensor<0x4xf32>
}

// -----

// What a schedule was chosen for stays as it is.

// CHECK-LABEL: func.func @segments(
// CHECK-NEXT:    fusion.segment
// CHECK-NEXT:      fusion.reduce
func.func @segments(%x: tensor<0x16xf32>) -> tensor<0xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<0x16xf32>) -> (tensor<0xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<0x16xf32> to tensor<0xf32>
    fusion.yield %1 : tensor<0xf32>
  }
  return %0 : tensor<0xf32>
}

// -----

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<0xf32>) -> tensor<0xf32>

// -----

// Of unsigned integers, too, whose zero has no sign.

// CHECK-LABEL: func.func @unsigned(
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : i8
// CHECK:         fusion.full %[[ZERO]] : tensor<0x8xui8>
// CHECK-NOT:     fusion.add
func.func @unsigned(%x: tensor<0x8xui8>) -> tensor<0x8xui8> {
  %0 = fusion.add %x, %x : tensor<0x8xui8>
  return %0 : tensor<0x8xui8>
}
