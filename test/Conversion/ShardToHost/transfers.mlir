// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,shard-to-host)' | FileCheck %s

// Each communication becomes one of the host program, of the grid's groups; that there are as many ranks as the grid has is checked once.

// CHECK-NOT: shard.grid
shard.grid @g(shape = 2x3)

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME:    %[[X:[^ ,:]+]]: memref<8xf32>
// CHECK:         %[[ALL:[^ ,:]+]] = host.group{{$}}
// CHECK:         %[[N:[^ ,:]+]] = host.size %[[ALL]]
// CHECK:         %[[SIX:[^ ,:]+]] = arith.constant 6 : index
// CHECK:         %[[OK:[^ ,:]+]] = arith.cmpi eq, %[[N]], %[[SIX]]
// CHECK:         host.check %[[OK]], "expected {0} ranks, as the grid @g has, got {1}" (%[[SIX]], %[[N]] : index, index)
// CHECK:         %[[G:[^ ,:]+]] = host.group {{\[\[}}0, 3], [1, 4], [2, 5]]
// CHECK:         host.all_reduce <max> %[[X]], %[[T:[^ ,:]+]] in %[[G]] :
// CHECK-NOT:     host.check
// CHECK:         %[[H:[^ ,:]+]] = host.group {{\[\[}}0, 1, 2], [3, 4, 5]]
// CHECK:         host.all_reduce <sum> %[[T]], %{{.+}} in %[[H]] :
func.func @reduce(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The order of the axes is that of the ranks.

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:[^ ,:]+]]: memref<?x8xf32>
// CHECK:         host.group {{\[\[}}0, 3, 1, 4, 2, 5]]
// CHECK:         host.all_gather %[[X]], %[[A:[^ ,:]+]] dim 0 in
// CHECK:         host.group {{\[\[}}0, 1, 2, 3, 4, 5]]
// CHECK:         host.reduce_scatter <prod> %[[A]], %[[B:[^ ,:]+]] dim 0 in
// CHECK:         host.all_to_all %{{.+}}, %{{.+}} in
func.func @parts(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [1, 0] gather_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0, 1] reduction = product scatter_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %2 = shard.all_to_all %0 on @g grid_axes = [1] split_axis = 0 concat_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  return %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>
}

// Roots are numbers in the group.

// CHECK-LABEL: func.func @roots(
// CHECK-SAME:    %[[X:[^ ,:]+]]: memref<6xf32> {{.*}}, %[[I:[^ ,:]+]]: index)
// CHECK-DAG:     %[[FIVE:[^ ,:]+]] = arith.constant 5 : index
// CHECK-DAG:     %[[NEXT:[^ ,:]+]] = arith.addi %[[I]], %{{.+}} : index
// CHECK-DAG:     host.broadcast %[[X]], %{{.+}} root %[[FIVE]] in
// CHECK-DAG:     host.reduce <min> %[[X]], %{{.+}} root %[[NEXT]] in
// CHECK-DAG:     host.gather %[[X]], %{{.+}} dim 0 root %{{.+}} in
// CHECK-DAG:     host.scatter %[[X]], %{{.+}} dim 0 root %{{.+}} in
func.func @roots(%x: tensor<6xf32>, %i: index) -> (tensor<6xf32>, tensor<6xf32>, tensor<12xf32>, tensor<2xf32>) {
  %0 = shard.broadcast %x on @g grid_axes = [0, 1] root = [1, 2] : (tensor<6xf32>) -> tensor<6xf32>
  %1 = shard.reduce %x on @g grid_axes = [0, 1] reduction = min root = [1, %i] : (tensor<6xf32>, index) -> tensor<6xf32>
  %2 = shard.gather %x on @g grid_axes = [0] gather_axis = 0 root = [1] : (tensor<6xf32>) -> tensor<12xf32>
  %3 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [0] : (tensor<6xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<12xf32>, tensor<2xf32>
}

// Data moves up an axis; around its end, or not.

// CHECK-LABEL: func.func @shift(
// CHECK:         host.permute %{{.+}}, %{{.+}} from [0, 1, 2] to [1, 2, 0] in
// CHECK:         host.permute %{{.+}}, %{{.+}} from [1, 2, 4, 5] to [0, 1, 3, 4] in
func.func @shift(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<6xf32> -> tensor<6xf32>
  %1 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 1 offset = -1 : tensor<6xf32> -> tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}

// A rank's indices; ranks are numbered in row-major order.

// CHECK-LABEL: func.func @indices(
// CHECK:         %[[ALL:[^ ,:]+]] = host.group{{$}}
// CHECK:         %[[RANK:[^ ,:]+]] = host.rank %[[ALL]]
// CHECK:         %[[THREE:[^ ,:]+]] = arith.constant 3 : index
// CHECK:         %[[ROW:[^ ,:]+]] = arith.divui %[[RANK]], %[[THREE]]
// CHECK:         arith.remui %[[ROW]], %{{.+}}
// CHECK:         arith.remui %[[RANK]], %[[THREE]]
// CHECK-NOT:     host.rank
// CHECK-NOT:     shard.
func.func @indices(%x: tensor<6x3xf32>) -> tensor<2x1xf32> {
  %i:2 = shard.process_multi_index on @g : index, index
  %l = shard.process_linear_index on @g : index
  %s = shard.grid_shape @g axes = [1] : index
  %0 = arith.muli %i#0, %s : index
  %1 = arith.subi %l, %i#1 : index
  %2 = arith.addi %0, %1 : index
  %c2 = arith.constant 2 : index
  %3 = arith.divui %2, %c2 : index
  %4 = fusion.slice %x offsets [%3, %i#1] sizes [2, 1] steps [1, 1] : tensor<6x3xf32> to tensor<2x1xf32>
  return %4 : tensor<2x1xf32>
}

// Groups of programs by hand are merged, too, but for those that run only sometimes.

// CHECK-LABEL: func.func @plain(
// CHECK:         %[[G:[^ ,:]+]] = host.group
// CHECK-NOT:     host.group
// CHECK:         host.all_reduce <sum> %{{[^ ,:]+}}, %{{[^ ,:]+}} in %[[G]] :
// CHECK:         scf.if
// CHECK:           host.group
func.func @plain(%x: memref<8xf32>, %c: i1) -> memref<8xf32> attributes {host.program} {
  %0 = host.group
  %y = host.output 0 () : memref<8xf32>
  %1 = host.group
  %r = host.all_reduce <sum> %x, %y in %1 : memref<8xf32>, memref<8xf32>
  scf.if %c {
    %2 = host.group
    %3 = host.all_reduce <sum> %y, %y in %2 : memref<8xf32>, memref<8xf32>
    %4 = host.all_reduce <sum> %y, %y in %0 : memref<8xf32>, memref<8xf32>
  }
  return %y : memref<8xf32>
}
