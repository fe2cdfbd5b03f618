// Concatenations along rows of operands of known sizes: each has loops of its own, and no element asks which operand it is of.

// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize --cse | FileCheck %s
// DEFINE: %{run} = fuser-run %s --target cpu --guard=end --check --entry
// DEFINE: %{columns} = %{run} columns
// RUN: %{columns} --input 37x3xf32=random:1 --input 37xf32=random:2
// RUN: %{columns} --input 32x3xf32=random:1 --input 32xf32=random:2
// RUN: %{columns} --input 2000x3xf32=random:1 --input 2000xf32=random:2
// RUN: %{columns} --input 1x3xf32=random:1 --input 1xf32=random:2
// RUN: %{columns} --input 0x3xf32=random:1 --input 0xf32=random:2
// RUN: %{columns} --input 37x3xf32=random:1,strides=1x40 --input 37xf32=random:2,strides=3
// DEFINE: %{sides} = %{run} sides --input 3x70x16xf64=random:1 --input 3x70x5xf64=random:2
// RUN: %{sides} --input 3x70x1xf64=random:3 --input 22xf64=random:4
// RUN: %{run} few_rows --input 3x1xbf16=random:1 --input 3x2xbf16=random:2
// RUN: %{run} two --input 5x33xf32=random:1 --input 5x8xf32=random:2 --input 5x8xf32=random:3 --input 5x33xf32=random:4
// RUN: %{run} taken --input 40x9xf32=random:1 --input 40xi64=iota
// RUN: %{run} squares --input 100x33xf32=random:1
// RUN: %{run} squares --input 16x33xf32=random:1
// RUN: %{run} rotated --input 6x64xf32=random:1 --input 6x64xf32=random:2 --input 6x64xf32=random:3
// RUN: %{run} by_hand --input 13x5xf32=random:1 --input 13x2xf32=random:2
// RUN: %{run} by_hand --input 0x5xf32=random:1 --input 0x2xf32=random:2

// A vector has a column of 16 rows, read where they lie, and stored there; what is left of the rows follows element by element.
// CHECK-LABEL: func.func @columns_0
// CHECK: scf.for %{{.*}} = %[[FIRST:.*]] to %[[WHOLE:.*]] step %c16 {
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: vector.from_elements
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%c0, %{{.*}}] : memref<3x?xf32, strided<[1, 3]>>
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END:.*]] step %c1 {
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: math.exp %{{.*}} : f32
// CHECK: memref.store %{{.*}}, %arg3[%{{.*}}, %c0] : memref<?x3xf32>
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[WHOLE]] step %c16 {
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: vector.load %arg2[%[[I]]] : memref<?xf32>, vector<16xf32>
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%c1, %{{.*}}] : memref<3x?xf32, strided<[1, 3]>>
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END]] step %c1 {
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: scf.for %[[J:.*]] = %[[FIRST]] to %[[WHOLE]] step %c16 {
// CHECK: vector.load %arg2[%[[J]]] : memref<?xf32>, vector<16xf32>
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%c2, %{{.*}}] : memref<3x?xf32, strided<[1, 3]>>
func.func @columns(%x: tensor<?x3xf32>, %y: tensor<?xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %a = fusion.slice %x offsets [0, 0] sizes [%n, 1] steps [1, 1] : tensor<?x3xf32> to tensor<?x1xf32>
  %b = fusion.slice %x offsets [0, 2] sizes [%n, 1] steps [1, 1] : tensor<?x3xf32> to tensor<?x1xf32>
  %e = fusion.exp %a : tensor<?x1xf32>
  %v = fusion.broadcast %y dims [1] : tensor<?xf32> to tensor<?x1xf32>
  %s = fusion.mul %v, %b : tensor<?x1xf32>
  %0 = fusion.cat %e, %s, %v dim 1 : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// Wide and narrow ones, and what is the same in all rows.
func.func @sides(%x: tensor<3x70x16xf64>, %y: tensor<3x70x5xf64>, %z: tensor<3x70x1xf64>, %w: tensor<22xf64>) -> (tensor<3x70x22xf64>, tensor<3x70x22xf64>) {
  %0 = fusion.cat %x, %y, %z dim 2 : tensor<3x70x16xf64>, tensor<3x70x5xf64>, tensor<3x70x1xf64> to tensor<3x70x22xf64>
  %b = fusion.broadcast_in_dim %w dims [2] : tensor<22xf64> to tensor<3x70x22xf64>
  %1 = fusion.mul %0, %b : tensor<3x70x22xf64>
  return %0, %1 : tensor<3x70x22xf64>, tensor<3x70x22xf64>
}

func.func @few_rows(%x: tensor<3x1xbf16>, %y: tensor<3x2xbf16>) -> tensor<3x3xbf16> {
  %0 = fusion.cat %x, %y dim 1 : tensor<3x1xbf16>, tensor<3x2xbf16> to tensor<3x3xbf16>
  %1 = fusion.exp %0 : tensor<3x3xbf16>
  return %1 : tensor<3x3xbf16>
}

// Parts end where an operand of either ends.
func.func @two(%x: tensor<?x33xf32>, %y: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<?x33xf32>) -> tensor<?x41xf32> {
  %0 = fusion.cat %x, %y dim 1 : tensor<?x33xf32>, tensor<?x8xf32> to tensor<?x41xf32>
  %1 = fusion.cat %z, %w dim 1 : tensor<?x8xf32>, tensor<?x33xf32> to tensor<?x41xf32>
  %2 = fusion.mul %0, %1 : tensor<?x41xf32>
  return %2 : tensor<?x41xf32>
}

// Rows that indices give are no neighbours.
func.func @taken(%x: tensor<40x9xf32>, %i: tensor<40xi64>) -> tensor<40x3xf32> {
  %t = fusion.take %x, %i dim 0 : tensor<40x9xf32>, tensor<40xi64> to tensor<40x9xf32>
  %a = fusion.slice %t offsets [0, 4] sizes [40, 1] steps [1, 1] : tensor<40x9xf32> to tensor<40x1xf32>
  %b = fusion.slice %x offsets [0, 1] sizes [40, 2] steps [1, 3] : tensor<40x9xf32> to tensor<40x2xf32>
  %0 = fusion.cat %a, %b dim 1 : tensor<40x1xf32>, tensor<40x2xf32> to tensor<40x3xf32>
  return %0 : tensor<40x3xf32>
}

// As many columns as lanes, and more.
func.func @squares(%x: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x33xf32>
  %a = fusion.slice %x offsets [0, 0] sizes [%n, 11] steps [1, 1] : tensor<?x33xf32> to tensor<?x11xf32>
  %b = fusion.slice %x offsets [0, 11] sizes [%n, 11] steps [1, 1] : tensor<?x33xf32> to tensor<?x11xf32>
  %c = fusion.slice %x offsets [0, 22] sizes [%n, 11] steps [1, 1] : tensor<?x33xf32> to tensor<?x11xf32>
  %e = fusion.exp %a : tensor<?x11xf32>
  %f = fusion.sqrt %b : tensor<?x11xf32>
  %0 = fusion.cat %c, %e, %f dim 1 : tensor<?x11xf32>, tensor<?x11xf32>, tensor<?x11xf32> to tensor<?x33xf32>
  return %0 : tensor<?x33xf32>
}

func.func @rotated(%x: tensor<?x64xf32>, %c: tensor<?x64xf32>, %s: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %a = fusion.slice %x offsets [0, 0] sizes [%n, 32] steps [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %b = fusion.slice %x offsets [0, 32] sizes [%n, 32] steps [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %m = fusion.neg %b : tensor<?x32xf32>
  %r = fusion.cat %m, %a dim 1 : tensor<?x32xf32>, tensor<?x32xf32> to tensor<?x64xf32>
  %p = fusion.mul %x, %c : tensor<?x64xf32>
  %q = fusion.mul %r, %s : tensor<?x64xf32>
  %0 = fusion.add %p, %q : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// Vectors of two columns, and of four rows of the part that has one.
// CHECK-LABEL: func.func @by_hand_0
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : memref<?x5xf32>, vector<2xf32>
// CHECK-COUNT-4: memref.load %arg0[%{{.*}}, %c1] : memref<?x5xf32>
// CHECK: vector.load %arg1[%{{.*}}, %c0] : memref<?x2xf32>, vector<2xf32>
func.func @by_hand(%x: tensor<?x5xf32>, %y: tensor<?x2xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x5xf32>
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x5xf32>, %b = %y : tensor<?x2xf32>, %n = %m : index) -> (tensor<?x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 2, groups = [#fusion.cpu_parts<chunk = 8, lanes = 4, narrow = 1>]>} {
    %s = fusion.slice %a offsets [0, 1] sizes [%n, 1] steps [1, 1] : tensor<?x5xf32> to tensor<?x1xf32>
    %c = fusion.cat %a, %s, %b dim 1 : tensor<?x5xf32>, tensor<?x1xf32>, tensor<?x2xf32> to tensor<?x8xf32>
    fusion.yield %c : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// The schedule says which parts are narrow: that of two columns, too.
// CHECK-LABEL: func.func @narrow_by_hand_0
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : memref<?x5xf32>, vector<2xf32>
// CHECK-COUNT-4: memref.load %arg0[%{{.*}}, %c1] : memref<?x5xf32>
// CHECK-COUNT-4: memref.load %arg1[
func.func @narrow_by_hand(%x: tensor<?x5xf32>, %y: tensor<?x2xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x5xf32>
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x5xf32>, %b = %y : tensor<?x2xf32>, %n = %m : index) -> (tensor<?x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 2, groups = [#fusion.cpu_parts<chunk = 8, lanes = 4, narrow = 2>]>} {
    %s = fusion.slice %a offsets [0, 1] sizes [%n, 1] steps [1, 1] : tensor<?x5xf32> to tensor<?x1xf32>
    %c = fusion.cat %a, %s, %b dim 1 : tensor<?x5xf32>, tensor<?x1xf32>, tensor<?x2xf32> to tensor<?x8xf32>
    fusion.yield %c : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
