// Sizes that a pad needs are checked when the program runs.
// RUN: fuser-run %s --entry f --input=4x3xf32=random:1 --scalar=4 --scalar=2 --check | FileCheck %s
// CHECK: right: largest difference from the reference
// RUN: not fuser-run %s --entry f --input=4x3xf32=random:1 --scalar=0 --scalar=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: pad-sizes.mlir:16:8: expected a size of fusion.pad to be at least 0, got -1
// RUN: not fuser-run %s --entry f --input=4x3xf32=random:1 --scalar=5 --scalar=2 2>&1 | FileCheck %s --check-prefix=REFLECT
// REFLECT: fusion.pad, dimension 0: expected enough elements to add 4 and 2 in the mode reflect, got 4
// RUN: not fuser-run %s --entry f --input=4x0xf32=random:1 --scalar=4 --scalar=2 2>&1 | FileCheck %s --check-prefix=REPLICATE
// REPLICATE: fusion.pad, dimension 1: expected enough elements to add 1 and 0 in the mode replicate, got 0
// RUN: not fuser-run %s --entry f --input=4x2xf32=random:1 --scalar=4 --scalar=2 2>&1 | FileCheck %s --check-prefix=CIRCULAR
// CIRCULAR: fusion.pad, dimension 1: expected enough elements to add 3 and 0 in the mode circular, got 2
// RUN: not fuser-run %s --entry f --input=4x3xf32=random:1 --scalar=4 --scalar=9223372036854775807 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: fusion.pad, dimension 0: expected less than 2^63 elements, got the sum of 3, 4 and 9223372036854775807
func.func @f(%x: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %l = arith.subi %m, %c1 : index
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x?xf32> to tensor<?xf32>
  %1 = fusion.pad <reflect> %0 low [%l] high [%n] : tensor<?xf32>
  %2 = fusion.pad <replicate> %x low [0, 1] high [1, 0] : tensor<?x?xf32>
  %3 = fusion.pad <circular> %x low [0, 3] high [0, 0] : tensor<?x?xf32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// So is a step.
// RUN: not fuser-run %s --entry range --scalar=0 --scalar=10 --scalar=0 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: pad-sizes.mlir:[[#@LINE+3]]:8: 'arange': expected a step that is not 0, got 0
// RUN: fuser-run %s --entry range --scalar=0 --scalar=10 --scalar=-1 --check | FileCheck %s
func.func @range(%a: i64, %b: i64, %c: i64) -> tensor<?xi64> {
  %0 = fusion.arange %a, %b, %c {type = i64} : i64, i64, i64
  return %0 : tensor<?xi64>
}
