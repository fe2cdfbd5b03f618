// The divisor of a row's length that is a product of sizes is asked of these: of the first as much as the quotient needs, of others 8. So is a bound of
// each of its factors, of which a size that is its bound is a multiple. With bounds a row is one tile.

// RUN: fuser-run %s --target sim --check --dump-ir-after=fusion-segment --input=2x64x8x16xf32=normal:1 2>&1 | FileCheck %s --check-prefixes=ALL,RIGHT
// RUN: fuser-run %s --target sim --check --dump-ir-after=fusion-segment --input=2x64x7x5xf32=normal:1 2>&1 | FileCheck %s --check-prefixes=FIRST,RIGHT
// RUN: fuser-run %s --target sim --check --dump-ir-after=fusion-schedule --input=2x64x8x16xf32=normal:1 2>&1 | FileCheck %s --check-prefix=TILE
// ALL: fusion.class_bounds = array<i64: -1, 64, 8, 16>
// ALL-SAME: fusion.class_divisors = array<i64: 1, 64, 8, 16>
// FIRST: fusion.class_bounds = array<i64: -1, 64, 8, 8>
// FIRST-SAME: fusion.class_divisors = array<i64: 1, 64, 1, 1>
// TILE: fusion.class_bounds
// TILE: schedule = #fusion.tile<kind = "row_reduction", axes = {{\[\[}}0, 1], [2]]
// RIGHT: right: largest difference
func.func @groups(%x: tensor<?x?x?x?xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %c = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %plane = arith.muli %c, %h : index
  %all = arith.muli %plane, %w : index
  %each = arith.divui %all, %c32 : index
  %0 = fusion.reshape %x sizes(%n, %each) : tensor<?x?x?x?xf32> to tensor<?x32x?xf32>
  %1 = fusion.reduce <sum> %0 dims [2] : tensor<?x32x?xf32> to tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// Of one row of everything no factor is asked.
// RUN: fuser-run %s --entry all --target sim --check --dump-ir-after=fusion-segment --input=24x40xf32=normal:1 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: fusion.class_bounds
// WHOLE: right: largest difference
func.func private @all(%x: tensor<?x?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size = arith.muli %n, %m : index
  %0 = fusion.reshape %x sizes(%size) : tensor<?x?xf32> to tensor<?xf32>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<?xf32> to tensor<f32>
  return %1 : tensor<f32>
}
