// A block scans whole segments of columns. 160 and 289 rows are 40 and 73 leaves for 16 threads: with three each there was memory for one and a half segments, of which two were read.
// RUN: fuser-run %s --target sim --sim-check --check --entry=f --input=160x5000xi32=random:1 | FileCheck %s
// RUN: fuser-run %s --target sim --sim-check --check --entry=g --input=7x17x17xi32=random:1 --input=2x289x4400xi32=random:2 | FileCheck %s
// CHECK: right: largest difference from the reference 0

func.func @f(%x: tensor<160x5000xi32>) -> tensor<160x5000xi32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<160x5000xi32>
  return %0 : tensor<160x5000xi32>
}

// The class of the open length is at most 320.
func.func @g(%y: tensor<?x?x?xi32>, %x: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %0 = fusion.scan <max> %x dim 1 : tensor<?x?x?xi32>
  return %0 : tensor<?x?x?xi32>
}
