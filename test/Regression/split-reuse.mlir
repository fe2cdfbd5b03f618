// What a block computes with all of its threads and stores with one may lie over an input that the others read: the fold of a split reduction
// did not wait for them, and blocks behind the last element read, too, what another block stores. No result was wrong.
// RUN: fuser-run %s --entry=split --target=sim --check --sim-check --sim-seed=4 --input=3x2x31xf32=random:1 --input=1x2x1xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --entry=groups --target=sim --check --sim-check --sim-seed=4 --input=4x40xf32=random:1 --input=1000x40xf32=random:2 \
// RUN:   --input=4xf32=random:3 | FileCheck %s

// CHECK: right
func.func @split(%x: tensor<?x2x31xf32>, %m: tensor<1x2x1xf32>) -> (tensor<1x2x1xf32>, tensor<1x2x1xf32> {fusion.alias = #fusion.alias<reuse, 1>}) {
  %0 = fusion.reduce <mean> %x dims [0, 2] keep : tensor<?x2x31xf32> to tensor<1x2x1xf32>
  %1 = fusion.max %m, %0 : tensor<1x2x1xf32>
  return %0, %1 : tensor<1x2x1xf32>, tensor<1x2x1xf32>
}

func.func @groups(%x: tensor<4x40xf32>, %y: tensor<1000x40xf32>, %m: tensor<4xf32>)
    -> (tensor<4xf32> {fusion.alias = #fusion.alias<reuse, 2>}, tensor<1000xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<4x40xf32>, %b = %y : tensor<1000x40xf32>, %c = %m : tensor<4xf32>)
      -> (tensor<4xf32>, tensor<1000xf32>) attributes {schedule = #fusion.generic<threads = 128, parts = 32>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<4x40xf32> to tensor<4xf32>
    %2 = fusion.add %c, %1 : tensor<4xf32>
    %3 = fusion.reduce <sum> %b dims [1] : tensor<1000x40xf32> to tensor<1000xf32>
    fusion.yield %2, %3 : tensor<4xf32>, tensor<1000xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<1000xf32>
}
