// What a program asks of its inputs and promises of its outputs is on the host program.
// RUN: fuser-opt %s -split-input-file --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel --fusion-to-host | FileCheck %s

// Equal sizes are one symbol, and it is said which op needs them to be equal. An alignment of the variant is not required, one of the program is.

// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %arg0: memref<?x8xi8> {host.name = "mask", host.tensor = #host.tensor<i1 [s0, 8] order [0, 1] align 1>}
// CHECK-SAME: %arg1: memref<?x8xf32> {host.tensor = #host.tensor<f32 [s0, 8] order [0, 1] align 16>, host.users = ["{{.*}}signature.mlir:[[#@LINE+8]]:8: fusion.cmp: ", ""]}
// CHECK-SAME: %arg2: f32 {host.name = "scale"}
// CHECK-SAME: -> (memref<?x8xi8> {host.name = "y", host.tensor = #host.tensor<i1 [s0, 8] order [0, 1] align 32 required>})
func.func @sizes(%x: tensor<?x8xi1> {fusion.name = "mask"},
                 %y: tensor<?x8xf32> {fusion.alignment = 16 : i64, fusion.specialized},
                 %s: f32 {fusion.name = "scale"})
    -> (tensor<?x8xi1> {fusion.name = "y", fusion.alignment = 32 : i64}) {
  %0 = fusion.cmp <lt> %y, %y : tensor<?x8xf32>
  %1 = fusion.cmp <eq> %x, %0 : tensor<?x8xi1>
  return %1 : tensor<?x8xi1>
}

// -----

// CHECK-LABEL: func.func @layouts(
// CHECK-SAME: #host.tensor<f32 [4, 8] any align 4>
// CHECK-SAME: #host.tensor<f32 [8, 4] order [1, 0] required align 4>
// CHECK-SAME: #host.tensor<f32 [] order [] align 4>
// CHECK-SAME: -> (memref<8x4xf32, strided<[1, 8]>> {host.tensor = #host.tensor<f32 [8, 4] order [1, 0] required align 4 reuse 1>}
func.func @layouts(%x: tensor<4x8xf32> {fusion.layout = "any"},
                   %y: tensor<8x4xf32> {fusion.stride_order = array<i64: 1, 0>}, %z: tensor<f32>)
    -> (tensor<8x4xf32> {fusion.alias = #fusion.alias<reuse, 1>, fusion.stride_order = array<i64: 1, 0>}) {
  %0 = fusion.permute %x [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
  %1 = fusion.add %0, %y : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// What is written into an input lies as that does, also where only the input says how.

// CHECK-LABEL: func.func @reused(
// CHECK-SAME: -> (memref<8x4xf32, strided<[1, 8]>> {host.tensor = #host.tensor<f32 [8, 4] order [1, 0] align 4 reuse 0>}
func.func @reused(%x: tensor<8x4xf32> {fusion.stride_order = array<i64: 1, 0>})
    -> (tensor<8x4xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.neg %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// What the program asks of open sizes: of its own and for the variant; of equal ones together.

// CHECK-LABEL: func.func @stated(
// CHECK-SAME: #host.tensor<f32 [s0, s1]
// CHECK-SAME: #host.tensor<f32 [s1]
// CHECK-SAME: host.program, host.sizes = [#host.size<symbol = 0, bound = 64, requiredBound = 64>, #host.size<symbol = 1, divisor = 24, bound = 4096, requiredDivisor = 12, lowerBound = 3073>]}
func.func @stated(%x: tensor<?x?xf32> {fusion.divisors = array<i64: 1, 4>, fusion.bounds = array<i64: 64, -1>, fusion.class_divisors = array<i64: 1, 8>},
                  %y: tensor<?xf32> {fusion.divisors = array<i64: 6>, fusion.class_bounds = array<i64: 4096>, fusion.class_lower_bounds = array<i64: 3073>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %row = fusion.broadcast %y dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %1 = fusion.add %x, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// What follows for sizes that computed ones have to be equal to is asked of nobody: that they are equal is checked, and
// no other variant takes a call that breaks it.

// CHECK-LABEL: func.func @less(
// CHECK-SAME: #host.tensor<f32 [s0]
// CHECK-SAME: #host.tensor<f32 [s1]
// CHECK-SAME: #host.tensor<f32 [s2]
// CHECK-SAME: host.program, host.sizes = [#host.size<symbol = 0, divisor = 8, bound = 24, lowerBound = 17>]}
func.func @less(%x: tensor<?xf32> {fusion.class_divisors = array<i64: 8>, fusion.class_bounds = array<i64: 24>, fusion.class_lower_bounds = array<i64: 17>},
                %y: tensor<?xf32>, %z: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c-16 = arith.constant -16 : index
  %f = arith.constant 2.0 : f32
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %fewer = arith.addi %size, %c-16 : index
  %other = arith.addi %size, %n : index
  %0 = fusion.full %f sizes(%fewer) : tensor<?xf32>
  %1 = fusion.add %0, %y : tensor<?xf32>
  %2 = fusion.full %f sizes(%other) : tensor<?xf32>
  %3 = fusion.add %2, %z : tensor<?xf32>
  return %1, %3 : tensor<?xf32>, tensor<?xf32>
}
