// Parts of one tensor are read where the part that counts is, and nowhere else, also where the way there is a division
// by a size that only a run knows: 16 reads of a vector, not those of all parts.
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize | FileCheck %s
// RUN: fuser-run %s --guard=begin --input 2x3x5xf32=random:1 --scalar 15 --check
// RUN: fuser-run %s --guard=end --input 2x3x5xf32=random:1 --scalar 15 --check
// CHECK-LABEL: func.func @f_0
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-16: memref.load
// CHECK-NOT: memref.load
// CHECK: vector.store
func.func @f(%x: tensor<2x?x?xf32> {fusion.layout = "any"}, %n: index) -> tensor<6x?xf32> {
  %0 = fusion.reshape %x sizes(%n) : tensor<2x?x?xf32> to tensor<2x?xf32>
  %1 = fusion.cat %0, %0, %0 dim 0 : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32> to tensor<6x?xf32>
  return %1 : tensor<6x?xf32>
}
