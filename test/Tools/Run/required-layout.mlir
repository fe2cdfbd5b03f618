// RUN: fuser-run %s --entry ordered --input=4x6xf32=random:1,strides=1x4 --check | FileCheck %s --check-prefix=RIGHT
// RUN: not fuser-run %s --entry ordered --input=4x6xf32=random:1 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: fuser-run %s --entry in_place --input=8xf32=random:1 --input=8xf32=random:2 --check --preallocate | FileCheck %s --check-prefix=RIGHT
// RUN: not fuser-run %s --entry in_place --input=8xf32=random:1,strides=0 --input=8xf32=random:2 2>&1 | FileCheck %s --check-prefix=APART

// RIGHT: right: largest difference

// A stride order that a program requires is not mended by another variant.
// STRIDES: fuser-run: program 'ordered': input 0 '%x': expected strides [1, 4] (dense, dimensions from slowest to fastest [1, 0]) because the program requires it, got [6, 1]
func.func @ordered(%x: tensor<4x6xf32> {fusion.stride_order = array<i64: 1, 0>}) -> tensor<4x6xf32> {
  %z = fusion.exp %x : tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}

// APART: input 0 '%x': expected elements apart from each other because the program writes them, got sizes [8] and strides [0]
func.func @in_place(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %z = fusion.add %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
