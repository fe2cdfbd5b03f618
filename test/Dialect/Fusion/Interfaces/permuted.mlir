// An op of another dialect whose index map is a permutation becomes what `permute` becomes: a view of what is reduced.
// REQUIRES: build-tree
// DEFINE: %{to_kernels} = --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize --cse
// RUN: fuser-test-opt %s %{to_kernels} | grep -v test_fusion.turn > %t.turn
// RUN: sed 's/test_fusion.turn \(%[a-z]*\)/fusion.permute \1 [1, 0]/' %s | fuser-test-opt %{to_kernels} | grep -v fusion.permute > %t.permute
// RUN: cmp %t.turn %t.permute
// RUN: FileCheck %s --input-file=%t.turn

// CHECK-LABEL: func.func @columns_0(%arg0: memref<500x300xf32>
// CHECK: %[[T:.*]] = memref.transpose %arg0
// CHECK: vector.load %[[T]][%{{.*}}, %{{.*}}] : memref<500x300xf32, strided<[300, 1]>>, vector<16xf32>
func.func @columns(%x: tensor<500x300xf32>) -> tensor<500xf32> {
  %t = test_fusion.turn %x : tensor<500x300xf32> to tensor<300x500xf32>
  %e = fusion.exp %t : tensor<300x500xf32>
  %0 = fusion.reduce <sum> %e dims [0] : tensor<300x500xf32> to tensor<500xf32>
  return %0 : tensor<500xf32>
}
