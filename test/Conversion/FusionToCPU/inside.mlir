// No access leaves its tensor. In the tail of a row a reshape leads lanes that do not exist to the next row, which may
// not exist either: each coordinate but that of a loop is held against its size.
// RUN: fuser-run %s --entry reshape --guard=end --input 6x200xf32=random:1 --check
// RUN: fuser-run %s --entry strided --guard=end --input 6x200xf32=random:1,strides=1x6 --check
// RUN: fuser-run %s --entry row --guard=end --input 6x200xf32=random:1 --check
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @reshape_0
// CHECK: %[[ROW:.*]] = arith.divui {{.*}} : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %c6 : index
// CHECK: %[[COUNT:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0 : index
// CHECK: vector.create_mask %[[COUNT]] : vector<2xi1>
func.func @reshape(%x: tensor<6x200xf32>) -> tensor<10x12x10xf32> {
  %0 = fusion.reshape %x : tensor<6x200xf32> to tensor<10x12x10xf32>
  return %0 : tensor<10x12x10xf32>
}

func.func @strided(%x: tensor<6x200xf32> {fusion.layout = "any"}) -> tensor<10x12x10xf32> {
  %0 = fusion.reshape %x : tensor<6x200xf32> to tensor<10x12x10xf32>
  return %0 : tensor<10x12x10xf32>
}

func.func @row(%x: tensor<6x200xf32>) -> tensor<10x12x10xf32> {
  %0 = fusion.reshape %x : tensor<6x200xf32> to tensor<10x12x10xf32>
  %1 = fusion.reduce <sum> %0 dims [2] keep : tensor<10x12x10xf32> to tensor<10x12x1xf32>
  %2 = fusion.expand %1 : tensor<10x12x1xf32> to tensor<10x12x10xf32>
  %3 = fusion.sub %0, %2 : tensor<10x12x10xf32>
  return %3 : tensor<10x12x10xf32>
}

// The position of a loop over rows is right as it is.
// CHECK-LABEL: func.func @positions_0
// CHECK: vector.maskedload
// CHECK-NOT: arith.cmpi ult
// CHECK-NOT: arith.select
// CHECK: return
func.func @positions(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0 = fusion.broadcast %y dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %1 = fusion.expand %0 sizes(%rows) : tensor<1x?xf32> to tensor<?x?xf32>
  %2 = fusion.add %x, %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
