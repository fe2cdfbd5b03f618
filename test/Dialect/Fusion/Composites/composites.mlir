// RUN: fuser-opt %s --split-input-file | fuser-opt --split-input-file | FileCheck %s
// RUN: fuser-opt %s --split-input-file --mlir-print-op-generic | fuser-opt --split-input-file | FileCheck %s
// RUN: fuser-opt %s --split-input-file --fusion-expand-composites | FileCheck %s --check-prefix=EXPANDED

// Numbers stand where they are used; flags need no value.
// CHECK-LABEL: func.func @group_norm
// CHECK: fusion.composite "group_norm"(%{{.+}}, 1.000000e-05, %{{.+}}, %{{.+}}) {groups = 32 : i64, has_bias, has_weight} : (tensor<2x64x?xbf16>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x64x?xbf16>
// EXPANDED-LABEL: func.func @group_norm
// EXPANDED-NOT: fusion.composite
// EXPANDED: fusion.reduce <mean>
// EXPANDED: fusion.rsqrt
// EXPANDED: %[[Y:.+]] = fusion.cast %{{.+}} : tensor<2x64x?xf32> to tensor<2x64x?xbf16>
// EXPANDED: return %[[Y]]
func.func @group_norm(%x: tensor<2x64x?xbf16>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<2x64x?xbf16> {
  %0 = fusion.composite "group_norm"(%x, 1e-5, %w, %b) {groups = 32, has_weight, has_bias}
      : (tensor<2x64x?xbf16>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x64x?xbf16>
  return %0 : tensor<2x64x?xbf16>
}

// -----

// Several results; element types; lists; no operand; an index is an integer.
// CHECK-LABEL: func.func @others
// CHECK: %{{.+}}:2 = fusion.composite "var_mean"(%{{.+}}) {dims = [1], keep = true} : (tensor<4x8xf16>) -> (tensor<4x1xf16>, tensor<4x1xf16>)
// CHECK: fusion.composite "cast"(%{{.+}}) {type = i32} : (tensor<4x8xf16>) -> tensor<4x8xi32>
// CHECK: fusion.composite "eye"(1) {shape = [3, 3], type = f32} : () -> tensor<3x3xf32>
// CHECK: fusion.composite "add"(%{{.+}}, %{{.+}}) : (tensor<4x8xf16>, index) -> tensor<4x8xf16>
// CHECK: fusion.composite "clamp"(%{{.+}}, -inf, true) {has_max, has_min} : (tensor<4x8xf16>) -> tensor<4x8xf16>
// EXPANDED-LABEL: func.func @others
// EXPANDED-NOT: fusion.composite
func.func @others(%x: tensor<4x8xf16>, %n: index) {
  %v, %m = fusion.composite "var_mean"(%x) {dims = [1], keep = true} : (tensor<4x8xf16>) -> (tensor<4x1xf16>, tensor<4x1xf16>)
  %i = fusion.composite "cast"(%x) {type = i32} : (tensor<4x8xf16>) -> tensor<4x8xi32>
  %e = fusion.composite "eye"(1) {shape = [3, 3], type = f32} : () -> tensor<3x3xf32>
  %a = fusion.composite "add"(%x, %n) : (tensor<4x8xf16>, index) -> tensor<4x8xf16>
  %c = fusion.composite "clamp"(%x, -inf, true) {has_min, has_max} : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return
}

// -----

// What has none stays as it is.
// EXPANDED-LABEL: func.func @nothing
// EXPANDED-NEXT: fusion.neg
// EXPANDED-NEXT: return
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The name in place of `composite`; results have the types that follow, as many as are written.
// CHECK-LABEL: func.func @named
// CHECK: fusion.composite "softmax"(%{{.+}}) {dim = -1 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK: %{{.+}}:2 = fusion.composite "layer_norm"(%{{.+}}, 1.000000e-05) {ndim = 1 : i64} : (tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x1xf32>)
// CHECK: fusion.composite "eye"(3) {shape = [8, 8], type = f32} : () -> tensor<8x8xf32>
// EXPANDED-LABEL: func.func @named
// EXPANDED-NOT: fusion.composite
func.func @named(%x: tensor<?x8xf32>) {
  %0 = fusion.softmax %x {dim = -1} : tensor<?x8xf32>
  %1:2 = fusion.layer_norm %x, 1.0e-5 {ndim = 1} : tensor<?x8xf32>
  %2 = fusion.eye 3 {shape = [8, 8], type = f32}
  return
}

// -----

// With a type for each operand ops of the dialect promote and broadcast.
// CHECK-LABEL: func.func @lenient
// CHECK: %[[A:.+]] = fusion.composite "sub"(%{{.+}}, %{{.+}}) : (tensor<?x8xbf16>, tensor<?x1xf32>) -> tensor<?x8xf32>
// CHECK: fusion.composite "lt"(%[[A]], %{{.+}}) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xi1>
// CHECK: fusion.composite "where"(%{{.+}}, %{{.+}}, 1) : (tensor<?x8xi1>, tensor<8xf32>) -> tensor<?x8xf32>
// EXPANDED-LABEL: func.func @lenient
// EXPANDED-NOT: fusion.composite
// EXPANDED: fusion.expand
// EXPANDED: fusion.sub
func.func @lenient(%x: tensor<?x8xbf16>, %mean: tensor<?x1xf32>, %w: tensor<8xf32>) {
  %0 = fusion.sub %x, %mean : tensor<?x8xbf16>, tensor<?x1xf32>
  %1 = fusion.cmp <lt> %0, %w : tensor<?x8xf32>, tensor<8xf32>
  %2 = fusion.where %1, %w, 1 : tensor<?x8xi1>, tensor<8xf32>
  return
}

// -----

// As many results as parts, of their own sizes; where a part of an open size begins, is computed.
// CHECK-LABEL: func.func @parts
// CHECK: %{{.+}}:3 = fusion.composite "chunk"(%{{.+}}) {chunks = 4 : i64, dim = -1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x1xf32>)
// CHECK: %{{.+}}:3 = fusion.composite "chunk"(%{{.+}}) {chunks = 3 : i64, dim = 0 : i64} : (tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>)
// EXPANDED-LABEL: func.func @parts
// EXPANDED: fusion.slice %{{.+}} offsets [0, 4] sizes [%{{.+}}, 1] steps [1, 1] : tensor<?x5xf32> to tensor<?x1xf32>
// EXPANDED: %[[SECOND:.+]] = arith.minui
// EXPANDED: fusion.slice %{{.+}} offsets [%[[SECOND]], 0]
func.func @parts(%x: tensor<?x5xf32>) -> (tensor<?x1xf32>, tensor<?x5xf32>) {
  %a, %b, %c = fusion.chunk %x {chunks = 4, dim = -1} : tensor<?x5xf32>
  %0:3 = fusion.chunk %x {chunks = 3, dim = 0} : tensor<?x5xf32>
  return %c, %0#2 : tensor<?x1xf32>, tensor<?x5xf32>
}

// -----

// A size that the program leaves open may be known by what the op is made of.
// EXPANDED-LABEL: func.func @declared_open
// EXPANDED: %[[SUM:.+]] = fusion.add {{.*}} : tensor<3x4xf32>
// EXPANDED: %[[OPEN:.+]] = fusion.reshape %[[SUM]] : tensor<3x4xf32> to tensor<?x4xf32>
// EXPANDED: return %[[OPEN]]
func.func @declared_open(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {
  %n = arith.constant 3 : index
  %0 = fusion.broadcast_in_dim %y dims [1] sizes(%n) : tensor<4xf32> to tensor<?x4xf32>
  %1 = fusion.add %0, %x : tensor<?x4xf32>, tensor<4xf32>
  return %1 : tensor<?x4xf32>
}
