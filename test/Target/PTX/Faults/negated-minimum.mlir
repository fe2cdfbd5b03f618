// Minima and maxima of negated integers: ptxas 13.0 makes wrong code of them, so that no negation is written as such.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s --implicit-check-not=neg.s32
// RUN: %if ptxas %{ fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: %if cuda %{ fuser-run %s --target cuda --check --input 33x4xi32=random:7 --input 33x4xi32=random:8 --input 33x4xi32=random:9 %}
// RUN: %if cuda %{ fuser-run %s --target cuda --check --input 2x4xi32=random:1 --input 2x4xi32=random:2 --input 2x4xi32=random:3 %}

// CHECK: not.b32 [[N:%r[0-9]+]], %r{{[0-9]+}};
// CHECK-NEXT: add.s32 [[N]], [[N]], 1;
// CHECK: min.s32
func.func @f(%x: tensor<?x4xi32>, %y: tensor<?x4xi32>, %z: tensor<?x4xi32>) -> (tensor<4xi32>, tensor<?xi32>, tensor<?x4xi32>) {
  %nx = fusion.neg %x : tensor<?x4xi32>
  %ny = fusion.neg %y : tensor<?x4xi32>
  %nz = fusion.neg %z : tensor<?x4xi32>
  %0 = fusion.reduce <min> %nx dims [0] : tensor<?x4xi32> to tensor<4xi32>
  %1 = fusion.reduce <max> %ny dims [1] : tensor<?x4xi32> to tensor<?xi32>
  %2 = fusion.min %nx, %ny : tensor<?x4xi32>
  %3 = fusion.min %2, %nz : tensor<?x4xi32>
  return %0, %1, %3 : tensor<4xi32>, tensor<?xi32>, tensor<?x4xi32>
}
