// Rows of an open length have code of their own where they turn out to be of 1 to 16 elements: one vector of 16 lanes each. The bits are those of
// rows of a known length.

// RUN: fuser-opt %s --fusion-expand-composites --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize --cse | FileCheck %s
// DEFINE: %{n} = 3
// DEFINE: %{run} = fuser-run %s --target cpu --guard=end --check --input 70x%{n}xf32=normal:1
// DEFINE: %{open} = %{run} --entry softmax --output %t.open.npy && %{run} --entry argmax
// RUN: %{open} && %{run} --entry known3 --output %t.known.npy && cmp %t.open.npy %t.known.npy
// REDEFINE: %{n} = 16
// RUN: %{open} && %{run} --entry known16 --output %t.known.npy && cmp %t.open.npy %t.known.npy
// REDEFINE: %{n} = 1
// RUN: %{open}
// REDEFINE: %{n} = 0
// RUN: %{run} --entry softmax
// REDEFINE: %{n} = 17
// RUN: %{open}

// CHECK-LABEL: func.func @softmax_0
// CHECK: %[[SIZE:.*]] = memref.dim %arg0, %c1
// CHECK: %[[LESS:.*]] = arith.subi %[[SIZE]], %c1 : index
// CHECK: %[[SHORT:.*]] = arith.cmpi ult, %[[LESS]], %c16 : index
// CHECK: scf.if %[[SHORT]] {
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: vector<64xf32>
// CHECK: vector.create_mask {{.*}} : vector<16xi1>
// CHECK-NOT: vector<64xf32>
// CHECK: } else {
// CHECK: vector<64xf32>
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.softmax %x {dim = 1} : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @argmax(%x: tensor<?x?xf32>) -> tensor<?xi64> {
  %0 = fusion.argmax %x dims [1] : tensor<?x?xf32> to tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: func.func @known3_0
// CHECK-NOT: scf.if
// CHECK: vector<4xf32>
func.func @known3(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = fusion.softmax %x {dim = 1} : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

func.func @known16(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %0 = fusion.softmax %x {dim = 1} : tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
