// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' \
// RUN:   | fuser-opt --split-input-file --pass-pipeline='builtin.module(func.func(fusion-forward-factories,fusion-segment{target=sm_90}))' | FileCheck %s

// Nothing to cut.

// CHECK-LABEL: func.func @do_nothing
// CHECK-NEXT:    return
func.func @do_nothing() {
  return
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<?xf32>) -> tensor<?xf32>

// CHECK-LABEL: func.func @only_scalars
// CHECK-NOT:     fusion.segment
func.func @only_scalars(%n: index) -> index {
  %c2 = arith.constant 2 : index
  %m = arith.muli %n, %c2 : index
  return %m : index
}

// -----

// Everything pointwise of one shape is one segment.

// CHECK-LABEL: func.func @pointwise_chain
// CHECK-SAME:    (%[[X:.+]]: tensor<?x8xf32>, %[[Y:.+]]: tensor<?x8xf32>)
// CHECK-NEXT:    %[[R:.+]] = fusion.segment "pointwise" (%[[A:.+]] = %[[X]] : tensor<?x8xf32>, %[[B:.+]] = %[[Y]] : tensor<?x8xf32>) -> (tensor<?x8xf32>) {
// CHECK-NEXT:      %[[E:.+]] = fusion.exp %[[A]]
// CHECK-NEXT:      %[[S:.+]] = fusion.add %[[E]], %[[B]]
// CHECK-NEXT:      %[[N:.+]] = fusion.neg %[[S]]
// CHECK-NEXT:      fusion.yield %[[N]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @pointwise_chain(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.add %0, %y : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// A tensor that is used outside of its segment is a result of it.

// CHECK-LABEL: func.func @two_results
// CHECK:         %[[R:.+]]:2 = fusion.segment "pointwise"
// CHECK-NOT:     fusion.segment
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @two_results(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.tanh %0 : tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Groups that read the same tensor read it once.

// CHECK-LABEL: func.func @siblings
// CHECK:         fusion.segment "pointwise"
// CHECK-NOT:     fusion.segment
func.func @siblings(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.tanh %x : tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @sibling_reductions
// CHECK:         fusion.segment "inner_outer_reduction"
// CHECK-COUNT-5:   fusion.reduce
// CHECK-NOT:     fusion.segment
func.func @sibling_reductions(%x: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<64xf32>, tensor<?xf32>, tensor<64xf32>, tensor<?xf32>) {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x64xf32> to tensor<?xf32>
  %1 = fusion.reduce <sum> %x dims [0] : tensor<?x64xf32> to tensor<64xf32>
  %2 = fusion.reduce <max> %x dims [1] : tensor<?x64xf32> to tensor<?xf32>
  %3 = fusion.reduce <max> %x dims [0] : tensor<?x64xf32> to tensor<64xf32>
  %4 = fusion.reduce <min> %x dims [1] : tensor<?x64xf32> to tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<64xf32>, tensor<?xf32>, tensor<64xf32>, tensor<?xf32>
}

// Not if one needs the other, by way of a third.

// CHECK-LABEL: func.func @siblings_in_a_row
// CHECK:         fusion.segment "outer_reduction"
// CHECK:         fusion.segment "pointwise"
// CHECK-NEXT:      fusion.expand
// CHECK-NOT:     fusion.segment
func.func @siblings_in_a_row(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %0 = fusion.reduce <sum> %x dims [0] keep : tensor<?x64xf32> to tensor<1x64xf32>
  %1 = fusion.expand %0 sizes(%n) : tensor<1x64xf32> to tensor<?x64xf32>
  %2 = fusion.sub %x, %1 : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}

// Groups without a tensor in common stay apart.

// CHECK-LABEL: func.func @strangers
// CHECK-COUNT-2: fusion.segment "pointwise"
func.func @strangers(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.tanh %y : tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Softmax: two reductions over the same rows.

// CHECK-LABEL: func.func @softmax
// CHECK:         fusion.segment "row_reduction"
// CHECK-NOT:     fusion.segment
func.func @softmax(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x4096xf32>
  %d = fusion.sub %x, %mx : tensor<?x4096xf32>
  %e = fusion.exp %d : tensor<?x4096xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %sx = fusion.expand %s : tensor<?x1xf32> to tensor<?x4096xf32>
  %y = fusion.div %e, %sx : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// -----

// Rows that no registers hold: streaming pieces, cut at the reductions.

// CHECK-LABEL: func.func @softmax_too_long
// CHECK:         fusion.segment "split_reduction"
// CHECK:           fusion.reduce <max>
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.exp
// CHECK:         fusion.segment "split_reduction"
// CHECK-NEXT:      fusion.reduce <sum>
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.div
// CHECK-NOT:     fusion.segment
func.func @softmax_too_long(%x: tensor<?x1048576xf32>) -> tensor<?x1048576xf32> {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x1048576xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x1048576xf32>
  %d = fusion.sub %x, %mx : tensor<?x1048576xf32>
  %e = fusion.exp %d : tensor<?x1048576xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1048576xf32> to tensor<?x1xf32>
  %sx = fusion.expand %s : tensor<?x1xf32> to tensor<?x1048576xf32>
  %y = fusion.div %e, %sx : tensor<?x1048576xf32>
  return %y : tensor<?x1048576xf32>
}

// -----

// RMSNorm that also returns what it normalises by: a full-size and a per-row result.

// CHECK-LABEL: func.func @rmsnorm
// CHECK:         %[[R:.+]]:2 = fusion.segment "row_reduction"
// CHECK-SAME:      -> (tensor<?x1xf32>, tensor<?x4096xf32>)
// CHECK-NOT:     fusion.segment
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func @rmsnorm(%x: tensor<?x4096xf32>, %w: tensor<4096xf32>) -> (tensor<?x4096xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %sq = fusion.mul %x, %x : tensor<?x4096xf32>
  %ms = fusion.reduce <mean> %sq dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %r = fusion.rsqrt %ms : tensor<?x1xf32>
  %rx = fusion.expand %r : tensor<?x1xf32> to tensor<?x4096xf32>
  %h = fusion.mul %x, %rx : tensor<?x4096xf32>
  %w1 = fusion.broadcast %w dims [0] : tensor<4096xf32> to tensor<1x4096xf32>
  %wx = fusion.expand %w1 sizes(%n) : tensor<1x4096xf32> to tensor<?x4096xf32>
  %y = fusion.mul %h, %wx : tensor<?x4096xf32>
  return %y, %r : tensor<?x4096xf32>, tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @layernorm
// CHECK:         fusion.segment "row_reduction"
// CHECK-NOT:     fusion.segment
func.func @layernorm(%x: tensor<8x?x1024xf32>) -> tensor<8x?x1024xf32> {
  %m = fusion.reduce <mean> %x dims [2] keep : tensor<8x?x1024xf32> to tensor<8x?x1xf32>
  %mx = fusion.expand %m : tensor<8x?x1xf32> to tensor<8x?x1024xf32>
  %d = fusion.sub %x, %mx : tensor<8x?x1024xf32>
  %q = fusion.mul %d, %d : tensor<8x?x1024xf32>
  %v = fusion.reduce <mean> %q dims [2] keep : tensor<8x?x1024xf32> to tensor<8x?x1xf32>
  %r = fusion.rsqrt %v : tensor<8x?x1xf32>
  %rx = fusion.expand %r : tensor<8x?x1xf32> to tensor<8x?x1024xf32>
  %y = fusion.mul %d, %rx : tensor<8x?x1024xf32>
  return %y : tensor<8x?x1024xf32>
}

// -----

// Any chain of reductions over the same rows, nothing matched by pattern.

// CHECK-LABEL: func.func @max_sum_mean
// CHECK:         %[[R:.+]]:3 = fusion.segment "row_reduction"
// CHECK-NOT:     fusion.segment
func.func @max_sum_mean(%x: tensor<?x512xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x512xf32>
  %a = fusion.sub %x, %mx : tensor<?x512xf32>
  %s = fusion.reduce <sum> %a dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
  %sx = fusion.expand %s : tensor<?x1xf32> to tensor<?x512xf32>
  %b = fusion.mul %a, %sx : tensor<?x512xf32>
  %e = fusion.reduce <mean> %b dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
  return %m, %s, %e : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// Rows and columns are reduced in one kernel, if the columns are of all rows.

// CHECK-LABEL: func.func @rows_and_columns
// CHECK:         fusion.segment "inner_outer_reduction"
// CHECK:           fusion.reduce <sum> %{{.+}} dims [1]
// CHECK:           fusion.reduce <sum> %{{.+}} dims [0]
// CHECK-NOT:     fusion.segment
func.func @rows_and_columns(%x: tensor<?x512xf32>) -> tensor<512xf32> {
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m : tensor<?x1xf32> to tensor<?x512xf32>
  %a = fusion.sub %x, %mx : tensor<?x512xf32>
  %s = fusion.reduce <sum> %a dims [0] : tensor<?x512xf32> to tensor<512xf32>
  return %s : tensor<512xf32>
}

// Rows that need what columns are reduced to wait for another kernel.

// CHECK-LABEL: func.func @columns_then_rows
// CHECK:         fusion.segment "inner_outer_reduction" {{.*}} -> (tensor<?xf32>, tensor<512xf32>)
// CHECK:         fusion.segment "row_reduction"
// CHECK-NOT:     fusion.segment
func.func @columns_then_rows(%x: tensor<?x512xf32>, %n: index) -> (tensor<?x512xf32>, tensor<512xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r = fusion.reduce <sum> %x dims [1] : tensor<?x512xf32> to tensor<?xf32>
  %c = fusion.reduce <max> %x dims [0] : tensor<?x512xf32> to tensor<512xf32>
  %y = fusion.exp %x : tensor<?x512xf32>
  %cb = fusion.broadcast %c dims [0] : tensor<512xf32> to tensor<1x512xf32>
  %ce = fusion.expand %cb sizes(%n) : tensor<1x512xf32> to tensor<?x512xf32>
  %z = fusion.mul %y, %ce : tensor<?x512xf32>
  %q = fusion.reduce <sum> %z dims [1] : tensor<?x512xf32> to tensor<?xf32>
  return %y, %c, %r, %q : tensor<?x512xf32>, tensor<512xf32>, tensor<?xf32>, tensor<?xf32>
}

// Columns of some of the dimensions that rows keep: no scheduler takes both.

// CHECK-LABEL: func.func @different_dims
// CHECK:         fusion.segment "row_reduction"
// CHECK:           fusion.reduce <sum> %{{.+}} dims [2]
// CHECK:         fusion.segment "outer_reduction"
// CHECK:           fusion.reduce <sum> %{{.+}} dims [0]
// CHECK-NOT:     fusion.segment
func.func @different_dims(%x: tensor<?x4x512xf32>) -> tensor<4x512xf32> {
  %m = fusion.reduce <sum> %x dims [2] keep : tensor<?x4x512xf32> to tensor<?x4x1xf32>
  %mx = fusion.expand %m : tensor<?x4x1xf32> to tensor<?x4x512xf32>
  %a = fusion.sub %x, %mx : tensor<?x4x512xf32>
  %s = fusion.reduce <sum> %a dims [0] : tensor<?x4x512xf32> to tensor<4x512xf32>
  return %s : tensor<4x512xf32>
}

// -----

// Pointwise work goes into an outer reduction and behind it; what spreads its result over the columns again does not.

// CHECK-LABEL: func.func @outer_reduction
// CHECK:         fusion.segment "outer_reduction"
// CHECK:           fusion.exp
// CHECK:           fusion.reduce <sum>
// CHECK:           fusion.neg
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.expand
// CHECK:           fusion.mul
// CHECK-NOT:     fusion.segment
func.func @outer_reduction(%x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xf32>
  %e = fusion.exp %x : tensor<?x512xf32>
  %s = fusion.reduce <sum> %e dims [0] keep : tensor<?x512xf32> to tensor<1x512xf32>
  %t = fusion.neg %s : tensor<1x512xf32>
  %tx = fusion.expand %t sizes(%n) : tensor<1x512xf32> to tensor<?x512xf32>
  %y = fusion.mul %x, %tx : tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// -----

// The result of a reduction that is used in another row cannot stay in registers.

// CHECK-LABEL: func.func @other_row
// CHECK:         fusion.segment "row_reduction"
// CHECK:         fusion.segment "pointwise"
// CHECK-NOT:     fusion.segment
func.func @other_row(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<64x64xf32> to tensor<64xf32>
  %b = fusion.broadcast %s dims [0] : tensor<64xf32> to tensor<1x64xf32>
  %e = fusion.expand %b : tensor<1x64xf32> to tensor<64x64xf32>
  %y = fusion.mul %x, %e : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// The same with rows that are used where they were reduced.

// CHECK-LABEL: func.func @same_row
// CHECK:         fusion.segment "row_reduction"
// CHECK-NOT:     fusion.segment
func.func @same_row(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = fusion.reduce <sum> %x dims [1] : tensor<64x64xf32> to tensor<64xf32>
  %b = fusion.broadcast %s dims [1] : tensor<64xf32> to tensor<64x1xf32>
  %e = fusion.expand %b : tensor<64x1xf32> to tensor<64x64xf32>
  %y = fusion.mul %x, %e : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Slices and cat are index arithmetic: rotary embedding of a computed tensor is one segment, although the slices cannot join
// the group of what they slice before their users do.

// CHECK-LABEL: func.func @rope
// CHECK:         fusion.segment "pointwise"
// CHECK-NOT:     fusion.segment
func.func @rope(%q: tensor<?x128xf32>, %bias: tensor<?x128xf32>, %cos: tensor<?x128xf32>, %sin: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %q, %c0 : tensor<?x128xf32>
  %h = fusion.add %q, %bias : tensor<?x128xf32>
  %u = fusion.mul %h, %cos : tensor<?x128xf32>
  %lo = fusion.slice %h offsets [0, 0] sizes [%n, 64] steps [1, 1] : tensor<?x128xf32> to tensor<?x64xf32>
  %hi = fusion.slice %h offsets [0, 64] sizes [%n, 64] steps [1, 1] : tensor<?x128xf32> to tensor<?x64xf32>
  %nhi = fusion.neg %hi : tensor<?x64xf32>
  %rot = fusion.cat %nhi, %lo dim 1 : tensor<?x64xf32>, tensor<?x64xf32> to tensor<?x128xf32>
  %v = fusion.mul %rot, %sin : tensor<?x128xf32>
  %y = fusion.add %u, %v : tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// A diamond: %a feeds an outer reduction, and its result's use. One segment for both would depend on itself through the reduction:
// the first one also writes %a, which the second one reads. What else is made of %a is computed where it is used.

// CHECK-LABEL: func.func @diamond
// CHECK:         %[[A:.+]]:2 = fusion.segment "outer_reduction"
// CHECK:           fusion.exp
// CHECK-NEXT:      fusion.reduce <sum>
// CHECK:         fusion.segment "pointwise" ({{.*}}%[[A]]#0
// CHECK:           fusion.tanh
// CHECK:           fusion.add
// CHECK-NOT:     fusion.segment
func.func @diamond(%x: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %a = fusion.exp %x : tensor<256x256xf32>
  %t = fusion.tanh %a : tensor<256x256xf32>
  %s = fusion.reduce <sum> %a dims [0] keep : tensor<256x256xf32> to tensor<1x256xf32>
  %sx = fusion.expand %s : tensor<1x256xf32> to tensor<256x256xf32>
  %y = fusion.add %t, %sx : tensor<256x256xf32>
  return %y, %a : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

// A vector is not computed again for each row of a matrix if that takes longer than to pass it.

// CHECK-LABEL: func.func @expensive_again
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.tanh
// CHECK:         fusion.segment "pointwise"
// CHECK:           fusion.mul
// CHECK-NOT:     fusion.segment
func.func @expensive_again(%x: tensor<8192x8192xbf16>, %w: tensor<8192xbf16>) -> tensor<8192x8192xbf16> {
  %0 = fusion.tanh %w : tensor<8192xbf16>
  %1 = fusion.exp %0 : tensor<8192xbf16>
  %2 = fusion.tanh %1 : tensor<8192xbf16>
  %3 = fusion.exp %2 : tensor<8192xbf16>
  %b = fusion.broadcast %3 dims [0] : tensor<8192xbf16> to tensor<1x8192xbf16>
  %e = fusion.expand %b : tensor<1x8192xbf16> to tensor<8192x8192xbf16>
  %y = fusion.mul %x, %e : tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}

// -----

// ... and is if it does not.

// CHECK-LABEL: func.func @cheap_again
// CHECK:         fusion.segment "pointwise"
// CHECK-NOT:     fusion.segment
func.func @cheap_again(%x: tensor<8192x8192xbf16>, %w: tensor<8192xbf16>) -> tensor<8192x8192xbf16> {
  %0 = fusion.add %w, %w : tensor<8192xbf16>
  %b = fusion.broadcast %0 dims [0] : tensor<8192xbf16> to tensor<1x8192xbf16>
  %e = fusion.expand %b : tensor<1x8192xbf16> to tensor<8192x8192xbf16>
  %y = fusion.mul %x, %e : tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}

// -----

// What a column has once is computed once, however much is computed of its elements.

// CHECK-LABEL: func.func @once_a_column
// CHECK:         fusion.segment "outer_reduction"
// CHECK:           fusion.reduce <sum>
// CHECK-NEXT:      fusion.cast
// CHECK-NOT:     fusion.segment
func.func @once_a_column(%x: tensor<8192x8192xbf16>) -> tensor<8192xbf16> {
  %h = fusion.cast %x : tensor<8192x8192xbf16> to tensor<8192x8192xf32>
  %0 = fusion.tanh %h : tensor<8192x8192xf32>
  %1 = fusion.exp %0 : tensor<8192x8192xf32>
  %2 = fusion.tanh %1 : tensor<8192x8192xf32>
  %s = fusion.reduce <sum> %2 dims [0] : tensor<8192x8192xf32> to tensor<8192xf32>
  %y = fusion.cast %s : tensor<8192xf32> to tensor<8192xbf16>
  return %y : tensor<8192xbf16>
}
