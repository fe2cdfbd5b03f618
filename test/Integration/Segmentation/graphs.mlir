// Programs whose graphs are hard to cut: diamonds, cycles through two candidates, reductions that feed each other.
// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry diamond --input 5x8xf32=random:1
// RUN: %{run} --entry diamond_reduce --input 5x8xf32=random:1
// RUN: %{run} --entry cat_reduce_input --input 5x8xf32=random:1
// RUN: %{run} --entry cat_rows --input 4x8xf32=random:1
// RUN: %{run} --entry cycle --input 5x8xf32=random:1
// RUN: %{run} --entry cycle2 --input 5x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry dead --input 5x8xf32=random:1
// RUN: %{run} --entry chain_reductions --input 6x5x8xf32=random:1
// RUN: %{run} --entry horizontal --input 5x8xf32=random:1 --input 3x4xf32=random:2
// RUN: %{run} --entry multi_consumer --input 5x8xf32=random:1
// RUN: %{run} --entry slices_of_reduction --input 4x8xf32=random:1
// RUN: %{run} --entry two_row_spaces --input 5x8xf32=random:1 --input 5x16xf32=random:3
// RUN: %{run} --entry reduction_to_outer --input 4x6xf32=random:1
// RUN: %{run} --entry big_3d_mixed --input 2x3x4xf32=random:1
// RUN: %{run} --entry reshape_dyn --input 6x8xf32=random:1 --scalar 12
// RUN: %{run} --entry many_producers --input 3x33xf32=random:1
// RUN: %{run} --entry where_full --input 5x8xf32=random:1
// RUN: %{run} --entry computed_size --input 3x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry by_hand --input 4x8xf32=random:1

func.func @diamond(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.neg %a : tensor<?x8xf32>
  %c = fusion.tanh %a : tensor<?x8xf32>
  %d = fusion.add %b, %c : tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

func.func @diamond_reduce(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = fusion.exp %x : tensor<?x8xf32>
  %m = fusion.reduce <sum> %a dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %e = fusion.expand %m : tensor<?x1xf32> to tensor<?x8xf32>
  %n = fusion.reduce <max> %a dims [0] keep : tensor<?x8xf32> to tensor<1x8xf32>
  %c0 = arith.constant 0 : index
  %r = tensor.dim %x, %c0 : tensor<?x8xf32>
  %f = fusion.expand %n sizes(%r) : tensor<1x8xf32> to tensor<?x8xf32>
  %d = fusion.add %e, %f : tensor<?x8xf32>
  %g = fusion.mul %d, %a : tensor<?x8xf32>
  return %g : tensor<?x8xf32>
}

func.func @cat_reduce_input(%x: tensor<?x8xf32>) -> tensor<?x9xf32> {
  %m = fusion.reduce <sum> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %c = fusion.cat %x, %m dim 1 : tensor<?x8xf32>, tensor<?x1xf32> to tensor<?x9xf32>
  return %c : tensor<?x9xf32>
}

func.func @cat_rows(%x: tensor<4x8xf32>) -> tensor<5x8xf32> {
  %m = fusion.reduce <sum> %x dims [0] keep : tensor<4x8xf32> to tensor<1x8xf32>
  %c = fusion.cat %x, %m dim 0 : tensor<4x8xf32>, tensor<1x8xf32> to tensor<5x8xf32>
  %s = fusion.reduce <sum> %c dims [1] : tensor<5x8xf32> to tensor<5xf32>
  %e = fusion.broadcast %s dims [1] : tensor<5xf32> to tensor<5x1xf32>
  %f = fusion.expand %e : tensor<5x1xf32> to tensor<5x8xf32>
  %g = fusion.div %c, %f : tensor<5x8xf32>
  return %g : tensor<5x8xf32>
}

// %a is needed by both of what a boundary separates: one segment for %a, %d and %g would depend on itself.
func.func @cycle(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.segment_set %a : tensor<?x8xf32>
  %c = fusion.neg %b : tensor<?x8xf32>
  %d = fusion.add %a, %c : tensor<?x8xf32>
  %e = fusion.tanh %a : tensor<?x8xf32>
  %g = fusion.mul %e, %c : tensor<?x8xf32>
  return %d, %g : tensor<?x8xf32>, tensor<?x8xf32>
}

// Each boundary alone could be honoured with one segment on either side; both together cannot.
func.func @cycle2(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.tanh %y : tensor<?x8xf32>
  %as = fusion.segment_set %a : tensor<?x8xf32>
  %bs = fusion.segment_set %b : tensor<?x8xf32>
  %c = fusion.add %a, %bs : tensor<?x8xf32>
  %d = fusion.mul %as, %b : tensor<?x8xf32>
  return %c, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// Nothing of what is not returned is computed.
func.func @dead(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.neg %x : tensor<?x8xf32>
  %c = fusion.segment_set %b : tensor<?x8xf32>
  %d = fusion.tanh %c : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

func.func @chain_reductions(%x: tensor<?x5x8xf32>) -> (tensor<?xf32>, tensor<?x5xf32>) {
  %a = fusion.reduce <sum> %x dims [2] : tensor<?x5x8xf32> to tensor<?x5xf32>
  %b = fusion.exp %a : tensor<?x5xf32>
  %c = fusion.reduce <max> %b dims [1] : tensor<?x5xf32> to tensor<?xf32>
  return %c, %b : tensor<?xf32>, tensor<?x5xf32>
}

func.func @horizontal(%x: tensor<?x8xf32>, %y: tensor<3x4xf32>) -> (tensor<?x8xf32>, tensor<3x4xf32>, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.exp %y : tensor<3x4xf32>
  %c = fusion.neg %x : tensor<?x8xf32>
  return %a, %b, %c : tensor<?x8xf32>, tensor<3x4xf32>, tensor<?x8xf32>
}

func.func @multi_consumer(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8x?xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
  %c = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
  %d = fusion.permute %a [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  return %a, %b, %c, %d : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>, tensor<8x?xf32>
}

// A reduction of one row is used in another.
func.func @slices_of_reduction(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %r = fusion.reduce <sum> %x dims [1] : tensor<4x8xf32> to tensor<4xf32>
  %a = fusion.slice %r offsets [0] sizes [2] steps [1] : tensor<4xf32> to tensor<2xf32>
  %b = fusion.slice %r offsets [2] sizes [2] steps [1] : tensor<4xf32> to tensor<2xf32>
  %c = fusion.cat %b, %a dim 0 : tensor<2xf32>, tensor<2xf32> to tensor<4xf32>
  %d = fusion.broadcast %c dims [1] : tensor<4xf32> to tensor<4x1xf32>
  %e = fusion.expand %d : tensor<4x1xf32> to tensor<4x8xf32>
  %f = fusion.add %x, %e : tensor<4x8xf32>
  return %f : tensor<4x8xf32>
}

func.func @two_row_spaces(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>) -> (tensor<?xf32>) {
  %a = fusion.reduce <sum> %x dims [1] : tensor<?x8xf32> to tensor<?xf32>
  %b = fusion.reduce <sum> %y dims [1] : tensor<?x16xf32> to tensor<?xf32>
  %c = fusion.add %a, %b : tensor<?xf32>
  return %c : tensor<?xf32>
}

func.func @reduction_to_outer(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>) {
  %m = fusion.reduce <mean> %x dims [0] keep : tensor<4x6xf32> to tensor<1x6xf32>
  %e = fusion.expand %m : tensor<1x6xf32> to tensor<4x6xf32>
  %c = fusion.sub %x, %e : tensor<4x6xf32>
  %s = fusion.mul %c, %c : tensor<4x6xf32>
  %v = fusion.reduce <mean> %s dims [0] keep : tensor<4x6xf32> to tensor<1x6xf32>
  %r = fusion.rsqrt %v : tensor<1x6xf32>
  %f = fusion.expand %r : tensor<1x6xf32> to tensor<4x6xf32>
  %o = fusion.mul %c, %f : tensor<4x6xf32>
  return %o : tensor<4x6xf32>
}

func.func @big_3d_mixed(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>) {
  %a = fusion.reduce <sum> %x dims [0, 2] : tensor<2x3x4xf32> to tensor<3xf32>
  %b = fusion.broadcast %a dims [0, 2] : tensor<3xf32> to tensor<1x3x1xf32>
  %c = fusion.expand %b : tensor<1x3x1xf32> to tensor<2x3x4xf32>
  %d = fusion.sub %x, %c : tensor<2x3x4xf32>
  %e = fusion.permute %d [2, 1, 0] : tensor<2x3x4xf32> to tensor<4x3x2xf32>
  %g = fusion.reduce <max> %e dims [2] : tensor<4x3x2xf32> to tensor<4x3xf32>
  %h = fusion.reduce <max> %g dims [0] : tensor<4x3xf32> to tensor<3xf32>
  return %d, %h : tensor<2x3x4xf32>, tensor<3xf32>
}

func.func @reshape_dyn(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x4xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %s = fusion.reshape %a sizes(%n) : tensor<?x8xf32> to tensor<?x4xf32>
  %q = fusion.reduce <sum> %s dims [1] keep : tensor<?x4xf32> to tensor<?x1xf32>
  %e = fusion.expand %q : tensor<?x1xf32> to tensor<?x4xf32>
  %t = fusion.div %s, %e : tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}

func.func @where_full(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %z = fusion.full %v sizes(%n) : tensor<?x8xf32>
  %c = fusion.cmp <gt> %x, %z : tensor<?x8xf32>
  %w = fusion.where %c, %x, %z : tensor<?x8xf32>
  %i = fusion.cast %w : tensor<?x8xf32> to tensor<?x8xi32>
  %r = fusion.reduce <sum> %w dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %re = fusion.expand %r : tensor<?x1xf32> to tensor<?x8xf32>
  %d = fusion.sub %w, %re : tensor<?x8xf32>
  return %d, %i : tensor<?x8xf32>, tensor<?x8xi32>
}

// Many groups meet in one, one after the other.
func.func @many_producers(%x: tensor<?x33xf32>) -> (tensor<?x17xf32>, tensor<?x33xf32>, tensor<?x16xf32>, tensor<?x33xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x33xf32>
  %lo = fusion.slice %x offsets [0, 0] sizes [%n, 16] steps [1, 1] : tensor<?x33xf32> to tensor<?x16xf32>
  %hi = fusion.slice %x offsets [0, 16] sizes [%n, 17] steps [1, 1] : tensor<?x33xf32> to tensor<?x17xf32>
  %c = fusion.cat %hi, %lo dim 1 : tensor<?x17xf32>, tensor<?x16xf32> to tensor<?x33xf32>
  return %hi, %c, %lo, %c : tensor<?x17xf32>, tensor<?x33xf32>, tensor<?x16xf32>, tensor<?x33xf32>
}

// The size of an intermediate is a sum of sizes.
func.func @computed_size(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.exp %y : tensor<?x8xf32>
  %c = fusion.cat %a, %b dim 0 : tensor<?x8xf32>, tensor<?x8xf32> to tensor<?x8xf32>
  %s = fusion.segment_set %c : tensor<?x8xf32>
  %m = fusion.reduce <mean> %s dims [0] keep : tensor<?x8xf32> to tensor<1x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : tensor<?x8xf32>
  %e = fusion.expand %m sizes(%n) : tensor<1x8xf32> to tensor<?x8xf32>
  %d = fusion.sub %c, %e : tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// A segment that the program brings stays as it is: it yields a value twice, its input too, and is returned twice.
func.func @by_hand(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %e = fusion.tanh %x : tensor<4x8xf32>
  %0:4 = fusion.segment "generic" (%a = %e : tensor<4x8xf32>)
      -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
    %1 = fusion.exp %a : tensor<4x8xf32>
    %2 = fusion.reduce <sum> %1 dims [1] : tensor<4x8xf32> to tensor<4xf32>
    fusion.yield %1, %1, %a, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
  }
  return %0#0, %0#2, %0#0, %0#3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
}
