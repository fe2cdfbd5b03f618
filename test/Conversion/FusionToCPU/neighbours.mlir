// Where sizes do not say whether neighbours lie side by side in a source, the kernel looks at the first and the last of a vector, and reads a
// vector if they do: of concatenations, slices and reshapes along rows that are open, or no multiple of vectors.

// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize --cse | FileCheck %s
// DEFINE: %{cat} = fuser-run %s --entry cat --guard=end --check
// RUN: %{cat} --input 3x100xf32=random:1 --input 3x61xf32=random:2 --input 3x7xf32=random:3
// RUN: %{cat} --input 3x3xf32=random:1 --input 3x1xf32=random:2 --input 3x2xf32=random:3
// RUN: %{cat} --input 2x0xf32=random:1 --input 2x33xf32=random:2 --input 2x0xf32=random:3
// RUN: %{cat} --input 0x5xf32=random:1 --input 0x33xf32=random:2 --input 0x6xf32=random:3
// RUN: fuser-run %s --entry odd --guard=end --check --input 5x33xf16=random:1 --input 5x64xf16=random:2
// DEFINE: %{reshape} = fuser-run %s --entry reshape --guard=end --check
// RUN: %{reshape} --input 6x200xf32=random:1
// RUN: %{reshape} --input 1x30xf32=random:1
// RUN: %{reshape} --input 7x10xf32=random:1
// DEFINE: %{pads} = fuser-run %s --entry pads --guard=end --check
// RUN: %{pads} --input 3x100xi32=random:1
// RUN: %{pads} --input 1x9xi32=random:1
// DEFINE: %{steps} = fuser-run %s --entry steps --guard=end --check
// RUN: %{steps} --input 4x70xf32=random:1 --scalar=1
// RUN: %{steps} --input 4x70xf32=random:1 --scalar=2
// RUN: %{steps} --input 4x70xf32=random:1 --scalar=3

// DEFINE: %{shifted} = fuser-run %s --entry shifted --guard=end --check
// RUN: %{shifted} --input 4x5xf32=random:1 --input 4x2xf32=random:2
// RUN: %{shifted} --input 4x40xf32=random:1 --input 4x2xf32=random:2
// DEFINE: %{deep} = fuser-run %s --entry deep --guard=end --check
// RUN: %{deep} --input 3x40xf32=random:1 --input 3x50xf32=random:2 --input 3x41xf32=random:3 --input 3x33xf32=random:4
// RUN: %{deep} --input 3x1xf32=random:1 --input 3x2xf32=random:2 --input 3x60xf32=random:3 --input 3x0xf32=random:4
// RUN: fuser-run %s --entry sums --guard=end --check --input 3x40xf32=random:1 --input 3x50xf32=random:2 --input 3x41x20xf32=random:3 --input 3x41x33xf32=random:4

// CHECK-LABEL: func.func @cat_0
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST:.*]], %c15 : index
// CHECK: %[[BEGINS:.*]] = arith.cmpi slt, %[[FIRST]], %[[SIZE:.*]] : index
// CHECK: %[[ENDS:.*]] = arith.cmpi slt, %[[LAST]], %[[SIZE]] : index
// CHECK: %[[SO_FAR:.*]] = arith.andi %{{.*}}, %[[BEGINS]] : i1
// CHECK: %[[TOGETHER:.*]] = arith.andi %[[SO_FAR]], %[[ENDS]] : i1
// CHECK: scf.if %[[TOGETHER]] -> (vector<16xf32>, i1) {
// CHECK-NEXT: vector.load %arg0[%{{.*}}, %[[FIRST]]] : memref<?x?xf32>, vector<16xf32>
func.func @cat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.cat %x, %y, %z dim 1 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @odd(%x: tensor<5x33xf16>, %y: tensor<5x64xf16>) -> tensor<5x97xf16> {
  %0 = fusion.cat %x, %y dim 1 : tensor<5x33xf16>, tensor<5x64xf16> to tensor<5x97xf16>
  return %0 : tensor<5x97xf16>
}

func.func @reshape(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %count = arith.muli %m, %n : index
  %rows = arith.divui %count, %c10 : index
  %t = fusion.permute %x [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  %0 = fusion.reshape %t sizes(%rows, %c10) : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @pads(%x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %c5 = arith.constant 5 : i32
  %0 = fusion.pad <reflect> %x low [0, 3] high [0, 8] : tensor<?x?xi32> to tensor<?x?xi32>
  %1 = fusion.pad <circular> %x low [0, 9] high [0, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %2 = fusion.pad <constant> %x low [0, 7] high [0, 20] value %c5 : tensor<?x?xi32> to tensor<?x?xi32>
  return %0, %1, %2 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// A step that a call decides: neighbours only if it is 1.
func.func @steps(%x: tensor<4x70xf32>, %step: i64) -> tensor<4x20xf32> {
  %s = arith.index_cast %step : i64 to index
  %0 = fusion.slice %x offsets [0, 3] sizes [4, 20] steps [1, %s] : tensor<4x70xf32> to tensor<4x20xf32>
  return %0 : tensor<4x20xf32>
}

// A vector of a slice begins anywhere in what is concatenated: that its first part has two columns then says nothing of pairs.
func.func @shifted(%x: tensor<?x?xf32>, %y: tensor<?x2xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0 = fusion.cat %y, %x, %y dim 1 : tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x2xf32> to tensor<?x?xf32>
  %n = tensor.dim %0, %c1 : tensor<?x?xf32>
  %k = arith.subi %n, %c1 : index
  %1 = fusion.slice %0 offsets [0, 1] sizes [%m, %k] steps [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %2 = fusion.slice %0 offsets [0, 0] sizes [%m, %k] steps [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %3 = fusion.sub %1, %2 : tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// A vector may be looked for in another, and so on: if one of them is not there, elements are read instead of the outermost one. They are there
// once, however many lie in each other: of each lane and each branch, where all of a vector is there and where it may be less.
// CHECK-LABEL: func.func @deep_0
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[OUTER:.*]]:2 = scf.if %{{.*}} -> (vector<16xf32>, i1) {
// CHECK: scf.if %{{.*}} -> (vector<16xf32>, i1) {
// CHECK: scf.if %{{.*}} -> (vector<16xf32>, i1) {
// CHECK-NEXT: vector.load %arg0
// CHECK: scf.if %[[FOUND:.*]] -> (vector<16xf32>) {
// CHECK-NEXT: vector.load %arg1
// CHECK: scf.yield %[[NONE]] : vector<16xf32>
// CHECK: scf.yield %{{.*}}, %[[FOUND]] : vector<16xf32>, i1
// CHECK: scf.if %[[OUTER]]#1 -> (vector<16xf32>) {
// CHECK-NEXT: scf.yield %[[OUTER]]#0 : vector<16xf32>
// CHECK-COUNT-128: memref.load
// CHECK-NOT: memref.load
// CHECK-LABEL: func.func @sums_0
func.func @deep(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.cat %a, %b dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  %1 = fusion.neg %0 : tensor<?x?xf32>
  %2 = fusion.cat %1, %c dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  %3 = fusion.exp %2 : tensor<?x?xf32>
  %4 = fusion.cat %3, %d dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// The loops of a reduction are no part of the vector that it is a part of.
func.func @sums(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.segment "generic" (%w = %x : tensor<?x?xf32>, %z = %y : tensor<?x?xf32>, %c = %a : tensor<?x?x?xf32>, %d = %b : tensor<?x?x?xf32>) -> (tensor<?x?xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 16>} {
    %1 = fusion.cat %c, %d dim 2 : tensor<?x?x?xf32>, tensor<?x?x?xf32> to tensor<?x?x?xf32>
    %2 = fusion.reduce <sum> %1 dims [2] : tensor<?x?x?xf32> to tensor<?x?xf32>
    %3 = fusion.cat %w, %2 dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
    %4 = fusion.cat %z, %3 dim 1 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
    fusion.yield %4 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}
