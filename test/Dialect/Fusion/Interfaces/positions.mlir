// A reduction of an unknown dialect that needs positions and whose accumulators, of different types, are neither floats nor idempotent: all ways of
// reducing on both targets give what the reference gives.
// REQUIRES: build-tree
// RUN: fuser-test-run %s --target cpu --check --entry small --input 5x37x9xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target sim --sim-check --check --entry small --input 5x37x9xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target cpu --check --entry rows --input 3x1000xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target sim --sim-check --check --entry rows --input 3x1000xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target cpu --check --entry long --input 2x140001xf32=random:1 --input 9000x6xf32=random:2 | FileCheck %s
// RUN: fuser-test-run %s --target sim --check --entry long --input 2x140001xf32=random:1 --input 9000x6xf32=random:2 | FileCheck %s
// RUN: fuser-test-run %s --target cpu --exact --check --entry rows --input 3x1000xf32=bits:1 | FileCheck %s
// RUN: fuser-test-run %s --target sim --exact --check --entry rows --input 3x1000xf32=bits:1 | FileCheck %s

// CHECK: {{^}}right: largest difference from the reference 0,
func.func @small(%x: tensor<?x?x9xf32>) -> (tensor<?x?xi64>, tensor<?x9xi64>, tensor<9xi64>, tensor<i64>, tensor<?xi64>) {
  %a = test_fusion.places %x dims [2] : tensor<?x?x9xf32> to tensor<?x?xi64>
  %b = test_fusion.places %x dims [0] : tensor<?x?x9xf32> to tensor<?x9xi64>
  %c = test_fusion.places %x dims [0, 1] : tensor<?x?x9xf32> to tensor<9xi64>
  %d = test_fusion.places %x dims [0, 1, 2] : tensor<?x?x9xf32> to tensor<i64>
  %e = test_fusion.places %x dims [0, 2] : tensor<?x?x9xf32> to tensor<?xi64>
  return %a, %b, %c, %d, %e : tensor<?x?xi64>, tensor<?x9xi64>, tensor<9xi64>, tensor<i64>, tensor<?xi64>
}

// Beside other reductions of the same rows.
func.func @rows(%x: tensor<?x1000xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xf32>) {
  %p = test_fusion.places %x dims [1] : tensor<?x1000xf32> to tensor<?xi64>
  %a = fusion.argmin %x dims [1] : tensor<?x1000xf32> to tensor<?xi64>
  %m = fusion.reduce <max> %x dims [1] : tensor<?x1000xf32> to tensor<?xf32>
  return %p, %a, %m : tensor<?xi64>, tensor<?xi64>, tensor<?xf32>
}

// By blocks that share a row, or columns.
func.func @long(%x: tensor<?x140001xf32>, %y: tensor<?x?xf32>) -> (tensor<?xi64>, tensor<?xi64>) {
  %a = test_fusion.places %x dims [1] : tensor<?x140001xf32> to tensor<?xi64>
  %b = test_fusion.places %y dims [0] : tensor<?x?xf32> to tensor<?xi64>
  return %a, %b : tensor<?xi64>, tensor<?xi64>
}
