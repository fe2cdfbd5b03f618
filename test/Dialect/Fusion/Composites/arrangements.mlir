// RUN: fuser-opt %s --split-input-file --fusion-expand-composites --canonicalize | FileCheck %s

// Parts are slices of known bounds.
// CHECK-LABEL: func.func @split(
// CHECK: %[[A:.+]] = fusion.slice %arg0 offsets [0, 2] sizes [4, 2] steps [1, 1]
// CHECK: %[[B:.+]] = fusion.slice %arg0 offsets [3, 0] sizes [1, 6] steps [1, 1]
// CHECK: %[[C:.+]] = fusion.slice %arg0 offsets [0, 4] sizes [4, 2] steps [1, 1]
// CHECK: %[[D:.+]] = fusion.slice %arg0 offsets [0, 3] sizes [4, 3] steps [1, 1]
// CHECK: %[[E:.+]] = fusion.slice %arg0 offsets [2, 0] sizes [1, 6] steps [1, 1]
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @split(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<1x6xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<1x6xf32>) {
  %0:3 = fusion.composite "split"(%x) {dim = 1, sections = 3} : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %1:2 = fusion.split %x {length = 3} : tensor<4x6xf32>
  %2:3 = fusion.split %x {indices = [1, -2], dim = -1} : tensor<4x6xf32>
  %3:3 = fusion.split %x {sizes = [3, 0, 3], dim = 1} : tensor<4x6xf32>
  %4:3 = fusion.split %x {sections = 3, uneven} : tensor<4x6xf32>
  return %0#1, %1#1, %2#2, %3#2, %4#1 : tensor<4x2xf32>, tensor<1x6xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<1x6xf32>
}

// -----

// That a number of parts divides an open size is checked.
// CHECK-LABEL: func.func @open(
// CHECK: %[[SIZE:.+]] = tensor.dim %arg0, %c0
// CHECK: %[[REST:.+]] = arith.remui %[[SIZE]], %c2
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: fusion.check %[[IS]], "'split': expected a number of parts that divides the {0} elements of dimension 0, got {1}: array_split takes others" (%[[SIZE]], %c2 : index, index)
// CHECK: %[[HALF:.+]] = arith.divui %[[SIZE]], %c2
// CHECK: fusion.slice %arg0 offsets [%[[HALF]]] sizes [%[[HALF]]] steps [1]
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = fusion.split %x {sections = 2} : tensor<?xf32>
  return %0#1 : tensor<?xf32>
}

// -----

// With uneven parts nothing is checked.
// CHECK-LABEL: func.func @uneven(
// CHECK-NOT: fusion.check
// CHECK: %[[MORE:.+]] = arith.addi %[[SIZE:.+]], %c1
// CHECK: %[[FIRST:.+]] = arith.divui %[[MORE]], %c2
// CHECK: %[[SECOND:.+]] = arith.divui %[[SIZE]], %c2
// CHECK: fusion.slice %arg0 offsets [%[[FIRST]]] sizes [%[[SECOND]]] steps [1]
func.func @uneven(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = fusion.split %x {sections = 2, uneven} : tensor<?xf32>
  return %0#1 : tensor<?xf32>
}

// -----

// The sum of sizes of the program is checked.
// CHECK-LABEL: func.func @sizes(
// CHECK: %[[FIRST:.+]] = arith.index_cast %arg1
// CHECK: %[[SUM:.+]] = arith.addi %[[FIRST]], %c2
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[SUM]], %c6
// CHECK: fusion.check %[[IS]], "'split': expected sizes of parts whose sum is {0}, that of dimension 0, got {1}" (%c6, %[[SUM]] : index, index)
// CHECK: fusion.slice %arg0 offsets [%[[FIRST]]] sizes [2] steps [1] : tensor<6xf32> to tensor<2xf32>
func.func @sizes(%x: tensor<6xf32>, %n: i64) -> tensor<2xf32> {
  // The least integer stands for an operand.
  %0:2 = fusion.composite "split"(%x, %n) {sizes = [unit, 2]} : (tensor<6xf32>, i64) -> (tensor<?xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}

// -----

// What is there already.
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @nothing(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fusion.split %x {sections = 1} : tensor<4x8xf32>
  %1 = fusion.split %x {length = 9, dim = 1} : tensor<4x8xf32>
  %2 = fusion.swapaxes %x {dims = [1, -1]} : tensor<4x8xf32>
  %3 = fusion.moveaxis %x {source = [1, 0], destination = [-1, 0]} : tensor<4x8xf32>
  %4 = fusion.rot90 %x {k = -4, dims = [0, 1]} : tensor<4x8xf32>
  %5 = fusion.atleast %x {rank = 2} : tensor<4x8xf32>
  %6 = fusion.diff %x {n = 0} : tensor<4x8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @unstack(
// CHECK: %[[PART:.+]] = fusion.slice %arg0 offsets [0, 1] sizes [%{{.+}}, 1] steps [1, 1] : tensor<?x2xf32> to tensor<?x1xf32>
// CHECK: %[[ROW:.+]] = fusion.reshape %[[PART]] : tensor<?x1xf32> to tensor<?xf32>
// CHECK: return %[[ROW]]
func.func @unstack(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %0:2 = fusion.unstack %x {dim = -1} : tensor<?x2xf32>
  return %0#1 : tensor<?xf32>
}

// -----

// Of no element there are no differences; of flags it is whether they differ.
// The second of two neighbours is at a number that is known.
// CHECK-LABEL: func.func @diff(
// CHECK: %[[SIZE:.+]] = tensor.dim %arg0, %c0
// CHECK: %[[FIRST:.+]] = arith.minui %[[SIZE]], %c1
// CHECK: %[[REST:.+]] = arith.subi %[[SIZE]], %[[FIRST]]
// CHECK: %[[AFTER:.+]] = fusion.slice %arg0 offsets [1] sizes [%[[REST]]]
// CHECK: %[[BEFORE:.+]] = fusion.slice %arg0 offsets [0] sizes [%[[REST]]]
// CHECK: fusion.sub %[[AFTER]], %[[BEFORE]]
// CHECK: fusion.cmp <ne> %{{.+}}, %{{.+}} : tensor<3xi1>
func.func @diff(%x: tensor<?xf32>, %y: tensor<4xi1>) -> (tensor<?xf32>, tensor<3xi1>, tensor<0xi1>) {
  %0 = fusion.diff %x : tensor<?xf32>
  %1 = fusion.diff %y : tensor<4xi1>
  %2 = fusion.diff %y {n = 5} : tensor<4xi1>
  return %0, %1, %2 : tensor<?xf32>, tensor<3xi1>, tensor<0xi1>
}

// -----

// CHECK-LABEL: func.func @order(
// CHECK-DAG: fusion.permute %arg0 [3, 0, 1, 2] : tensor<2x3x4x?xf32> to tensor<?x2x3x4xf32>
// CHECK-DAG: fusion.permute %arg0 [0, 3, 2, 1] : tensor<2x3x4x?xf32> to tensor<2x?x4x3xf32>
func.func @order(%x: tensor<2x3x4x?xf32>) -> (tensor<?x2x3x4xf32>, tensor<2x?x4x3xf32>) {
  %0 = fusion.moveaxis %x {source = [-1], destination = [0]} : tensor<2x3x4x?xf32>
  %1 = fusion.swapaxes %x {dims = [1, -1]} : tensor<2x3x4x?xf32>
  return %0, %1 : tensor<?x2x3x4xf32>, tensor<2x?x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @stacks(
// CHECK: fusion.broadcast %arg0 dims [0] : tensor<4xf32> to tensor<1x4xf32>
// CHECK: fusion.cat %{{.+}}, %arg1 dim 0 : tensor<1x4xf32>, tensor<?x4xf32> to tensor<?x4xf32>
// CHECK: fusion.cat %{{.+}} dim 1 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32> to tensor<4x3xf32>
// CHECK: fusion.cat %{{.+}} dim 1 : tensor<4x1xf32>, tensor<4x1xf32> to tensor<4x2xf32>
// CHECK: fusion.broadcast %arg0 dims [0, 2] : tensor<4xf32> to tensor<1x4x1xf32>
// CHECK: fusion.cat %{{.+}} dim 2 : tensor<1x4x1xf32>, tensor<1x4x1xf32> to tensor<1x4x2xf32>
// CHECK: fusion.cat %arg0, %arg0 dim 0
func.func @stacks(%x: tensor<4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<1x4x2xf32>, tensor<8xf32>) {
  %0 = fusion.composite "vstack"(%x, %y) : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = fusion.composite "column_stack"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %2 = fusion.composite "stack"(%x, %x) {dim = -1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  %3 = fusion.composite "dstack"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>
  %4 = fusion.composite "hstack"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<1x4x2xf32>, tensor<8xf32>
}

// -----

// Each along its own dimension: the first along the second with "xy".
// CHECK-LABEL: func.func @grid(
// CHECK: fusion.expand %{{.+}} sizes(%{{.+}}) : tensor<1x4xf32> to tensor<?x4xf32>
// CHECK: fusion.expand %{{.+}} : tensor<?x1xf32> to tensor<?x4xf32>
func.func @grid(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0:2 = fusion.composite "meshgrid"(%x, %y) {indexing = "xy"} : (tensor<4xf32>, tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %0#0, %0#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// One element of the sorted ones, or NaN, which is the last.
// CHECK-LABEL: func.func @quantile(
// CHECK: %[[ORDER:.+]] = fusion.argsort %arg0 dim 1
// CHECK: %[[SORTED:.+]] = fusion.take_along_axis %arg0, %[[ORDER]] dim 1
// CHECK: fusion.round
// CHECK: %[[Y:.+]] = fusion.take %[[SORTED]], %{{.+}} dim 1
// CHECK: %[[LAST:.+]] = fusion.take %[[SORTED]], %{{.+}} dim 1
// CHECK: %[[IS:.+]] = fusion.isnan %[[LAST]]
// CHECK: %[[R:.+]] = fusion.where %[[IS]], %[[LAST]], %[[Y]]
// CHECK: return %[[R]]
func.func @quantile(%x: tensor<?x8xbf16>) -> tensor<?xbf16> {
  %0 = fusion.quantile %x {fractions = [0.5], dims = [1], method = "nearest"} : tensor<?x8xbf16>
  return %0 : tensor<?xbf16>
}

// -----

// Of several over two dimensions these are sorted as one, once, and both read at once.
// CHECK-LABEL: func.func @quantiles(
// CHECK: fusion.constant dense<[2.500000e-01, 7.500000e-01]> : tensor<2xf64>
// CHECK: fusion.permute %arg0 [1, 0, 2]
// CHECK: fusion.reshape %{{.+}} : tensor<?x2x3xf32> to tensor<?x6xf32>
// CHECK-COUNT-1: fusion.argsort
// CHECK-NOT: fusion.argsort
// CHECK: fusion.take %{{.+}}, %{{.+}} dim 1 : tensor<?x6xf32>, tensor<2xi64> to tensor<?x2xf32>
// CHECK: fusion.permute %{{.+}} [1, 0] : tensor<?x2xf32> to tensor<2x?xf32>
// CHECK: fusion.broadcast %{{.+}} dims [1, 3] : tensor<2x?xf32> to tensor<2x1x?x1xf32>
func.func @quantiles(%x: tensor<2x?x3xf32>) -> tensor<2x1x?x1xf32> {
  %0 = fusion.quantile %x {fractions = [0.25, 0.75], dims = [0, 2], method = "linear", keep, stack} : tensor<2x?x3xf32>
  return %0 : tensor<2x1x?x1xf32>
}

// -----

// What is no fraction is where no element is.
// CHECK-LABEL: func.func @quantiles_at(
// CHECK: %[[Q:.+]] = fusion.cast %arg1 : tensor<?xf32> to tensor<?xf64>
// CHECK: fusion.cmp <ge> %[[Q]]
// CHECK: fusion.cmp <le> %[[Q]]
// CHECK: fusion.where
// CHECK: return %{{.+}} : tensor<?x4xi32>
func.func @quantiles_at(%x: tensor<4x8xi32>, %q: tensor<?xf32>) -> tensor<?x4xi32> {
  %0 = fusion.composite "quantile"(%x, %q) {dims = [1], method = "lower"} : (tensor<4x8xi32>, tensor<?xf32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// -----

// A place that is open is checked.
// CHECK-LABEL: func.func @kthvalue(
// CHECK: %[[IS:.+]] = arith.cmpi ugt, %{{.+}}, %c1
// CHECK: fusion.check %[[IS]], "'kthvalue': expected a k of 1 to {0}, the elements of dimension 0, got {1}"
// CHECK: return %{{.+}}, %{{.+}} : tensor<1x4xf32>, tensor<1x4xi64>
func.func @kthvalue(%x: tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>) {
  %0:2 = fusion.composite "kthvalue"(%x) {k = [2], dim = 0, keep} : (tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>)
  return %0#0, %0#1 : tensor<1x4xf32>, tensor<1x4xi64>
}

// -----

// CHECK-LABEL: func.func @unflatten(
// CHECK: fusion.check %{{.+}}, "'unflatten': expected a multiple of 2 as the size of dimension 0, for [2, -1], got {0}"
// CHECK: fusion.reshape
// CHECK: fusion.reshape %arg1 : tensor<4x6xf32> to tensor<4x2x3xf32>
func.func @unflatten(%x: tensor<?x6xf32>, %y: tensor<4x6xf32>) -> (tensor<2x?x6xf32>, tensor<4x2x3xf32>) {
  %0 = fusion.composite "unflatten"(%x) {dim = 0, shape = [2, -1]} : (tensor<?x6xf32>) -> tensor<2x?x6xf32>
  %1 = fusion.composite "unflatten"(%y) {dim = 1, shape = [-1, 3]} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return %0, %1 : tensor<2x?x6xf32>, tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_as(
// CHECK-SAME: %[[X:.*]]: tensor<?x6xf32>, %[[Y:.*]]: tensor<2x?x3xi1>
// CHECK: %[[N:.*]] = tensor.dim %[[Y]], %c1
// CHECK: fusion.reshape %[[X]] sizes(%[[N]]) : tensor<?x6xf32> to tensor<2x?x3xf32>
func.func @reshape_as(%x: tensor<?x6xf32>, %y: tensor<2x?x3xi1>) -> tensor<2x?x3xf32> {
  %0 = fusion.reshape_as %x, %y : tensor<?x6xf32>, tensor<2x?x3xi1>
  return %0 : tensor<2x?x3xf32>
}

// -----

// Of integers in f32.
// CHECK-LABEL: func.func @median(
// CHECK: fusion.cast %{{.+}} : tensor<?x?xi32> to tensor<?x?xf32>
// CHECK: fusion.argsort %{{.+}} dim 0 : tensor<?xf32> to tensor<?xi64>
// CHECK: return %{{.+}} : tensor<f32>
func.func @median(%x: tensor<?x?xi32>) -> tensor<f32> {
  %0 = fusion.composite "median"(%x) : (tensor<?x?xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @matrix_norm(
// CHECK: fusion.abs
// CHECK: fusion.reduce <sum> %{{.+}} dims [0]
// CHECK: fusion.reduce <max> %{{.+}} dims [1]
// CHECK: fusion.reduce <sum> %{{.+}} dims [1]
// CHECK: fusion.reduce <min> %{{.+}} dims [0]
func.func @matrix_norm(%x: tensor<4x?xf32>) -> (tensor<f32>, tensor<1x1xf32>) {
  %0 = fusion.composite "matrix_norm"(%x) {order = [1.0], dims = [0, 1]} : (tensor<4x?xf32>) -> tensor<f32>
  %1 = fusion.composite "matrix_norm"(%x) {order = [0xFFF0000000000000 : f64], dims = [0, 1], keep} : (tensor<4x?xf32>) -> tensor<1x1xf32>
  return %0, %1 : tensor<f32>, tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @flatten(
// CHECK: fusion.reshape %arg0 sizes(%{{.+}}) : tensor<2x?x4xf32> to tensor<2x?xf32>
// CHECK: fusion.reshape %arg1 : tensor<f32> to tensor<1xf32>
func.func @flatten(%x: tensor<2x?x4xf32>, %y: tensor<f32>) -> (tensor<2x?xf32>, tensor<1xf32>) {
  %0 = fusion.composite "flatten"(%x) {start = 1} : (tensor<2x?x4xf32>) -> tensor<2x?xf32>
  %1 = fusion.composite "flatten"(%y) : (tensor<f32>) -> tensor<1xf32>
  return %0, %1 : tensor<2x?xf32>, tensor<1xf32>
}

// -----

// An open size is not 1: what a type says of the result would not be so.
// CHECK-LABEL: func.func @squeeze_ones(
// CHECK: %[[IS:.+]] = arith.cmpi ne, %{{.+}}, %c1
// CHECK: fusion.check %[[IS]], "'squeeze': expected dimension 1, whose size is open, not to have size 1, got {0}
// CHECK: fusion.reshape %arg0 {{.*}}: tensor<1x?x4x1xf32> to tensor<?x4xf32>
func.func @squeeze_ones(%x: tensor<1x?x4x1xf32>) -> tensor<?x4xf32> {
  %0 = fusion.composite "squeeze"(%x) {ones} : (tensor<1x?x4x1xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Differences of integers are computed in f64.
// CHECK-LABEL: func.func @isclose(
// CHECK: %[[X:.+]] = fusion.cast %arg0 : tensor<4xui8> to tensor<4xf64>
// CHECK: %[[Y:.+]] = fusion.cast %arg1 : tensor<4xui8> to tensor<4xf64>
// CHECK: fusion.sub %[[X]], %[[Y]]
func.func @isclose(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xi1> {
  %r = arith.constant 1.0e-5 : f64
  %a = arith.constant 1.0 : f64
  %0 = fusion.composite "isclose"(%x, %y, %r, %a) : (tensor<4xui8>, tensor<4xui8>, f64, f64) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// A shift that is computed is a remainder, and without dimensions the elements
// are in one row.
// CHECK-LABEL: func.func @roll(
// CHECK: %[[ROW:.+]] = fusion.reshape %arg0 : tensor<4x6xf32> to tensor<24xf32>
// CHECK: %[[B:.+]] = fusion.slice %[[ROW]]
// CHECK: %[[A:.+]] = fusion.slice %[[ROW]]
// CHECK: fusion.cat
// CHECK: return %{{.+}} : tensor<4x6xf32>
func.func @roll(%x: tensor<4x6xf32>, %n: i64) -> tensor<4x6xf32> {
  %0 = fusion.composite "roll"(%x, %n) {shifts = [unit]} : (tensor<4x6xf32>, i64) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @tile(
// CHECK: fusion.reshape %{{.+}} : tensor<1x?x3x4xf32> to tensor<?x12xf32>
func.func @tile(%x: tensor<?x4xf32>) -> tensor<?x12xf32> {
  %0 = fusion.composite "tile"(%x) {repeats = [3]} : (tensor<?x4xf32>) -> tensor<?x12xf32>
  return %0 : tensor<?x12xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast(
// CHECK: fusion.broadcast %arg0 dims [0, 2]
func.func @broadcast(%x: tensor<?xf32>) -> tensor<1x?x1xf32> {
  %0 = fusion.composite "broadcast"(%x) {is_new = [1, 0, 1]} : (tensor<?xf32>) -> tensor<1x?x1xf32>
  return %0 : tensor<1x?x1xf32>
}

// -----

// Below the diagonal a column is what a row is above it.
// CHECK-LABEL: func.func @diag_embed(
// CHECK: fusion.pad
// CHECK: fusion.broadcast %{{.+}} dims [1] : tensor<2x5xf32> to tensor<2x1x5xf32>
// CHECK: fusion.where
// CHECK: return %{{.+}} : tensor<2x5x5xf32>
func.func @diag_embed(%x: tensor<2x3xf32>) -> tensor<2x5x5xf32> {
  %0 = fusion.composite "diag_embed"(%x) {offset = -2} : (tensor<2x3xf32>) -> tensor<2x5x5xf32>
  return %0 : tensor<2x5x5xf32>
}

// -----

// One element of each row that is sorted, and where it is.
// CHECK-LABEL: func.func @one_of_each_row(
// CHECK: fusion.argsort
// CHECK: fusion.isnan
// CHECK: fusion.argsort
// CHECK: fusion.scan <max>
// CHECK: fusion.argmax
func.func @one_of_each_row(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<1x4xf32>, tensor<1x4xi64>) {
  %0:2 = fusion.composite "median_low"(%x) : (tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  %1:2 = fusion.composite "mode"(%x) {dim = 0, keep} : (tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<?xf32>, tensor<?xi64>, tensor<1x4xf32>, tensor<1x4xi64>
}

// -----

// What does not count reads an element all the same, and is 0.
// CHECK-LABEL: func.func @nll_loss(
// CHECK: fusion.take_along_axis
// CHECK: fusion.neg
// CHECK: fusion.where
// CHECK: return %{{.+}} : tensor<?xbf16>
func.func @nll_loss(%x: tensor<?x8xbf16>, %target: tensor<?xi64>) -> tensor<?xbf16> {
  %0 = fusion.composite "nll_loss"(%x, %target) {reduction = "none"} : (tensor<?x8xbf16>, tensor<?xi64>) -> tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// -----

// Where a list says `unit` the next of the last operands is meant, in the order of the lists.
// CHECK-LABEL: func.func @values_in_lists(
// CHECK: %[[LENGTH:.+]] = arith.subi %arg2, %arg1
// CHECK: fusion.slice %arg0 offsets [%arg1] sizes [%[[LENGTH]]] steps [1]
func.func @values_in_lists(%x: tensor<?xf32>, %start: index, %stop: index) -> tensor<?xf32> {
  %0 = fusion.composite "slice"(%x, %start, %stop) {starts = [unit], stops = [unit]} : (tensor<?xf32>, index, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
