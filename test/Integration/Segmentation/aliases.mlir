// Results that are views of inputs, or written into them, or in a stride order of their own.
// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry two_views --input 5x8xf32=random:1
// RUN: %{run} --entry same_view_twice --input 5x8xf32=random:1
// RUN: %{run} --entry view_and_new --input 5x8xf32=random:1
// RUN: %{run} --entry view_of_bool --input 4x8xi1=random:1
// RUN: %{run} --entry view_expand --input 4x1xf32=random:1
// RUN: %{run} --entry view_of_dyn_slice --input 5x8xf32=random:1 --scalar 1 --scalar 3
// RUN: %{run} --entry dyn_slice_scalar --input 5x8xf32=random:1 --scalar 1 --scalar 3
// RUN: %{run} --entry reuse --input 5x8xf32=random:1
// RUN: %{run} --entry reuse_softmax --input 5x8xf32=random:1
// RUN: %{run} --entry reuse_swap --input 5x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry reuse_swap_plain --input 5x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry reuse_self --input 5x8xf32=random:1
// RUN: %{run} --entry reuse_reverse --input 8x8xf32=random:1
// RUN: %{run} --entry reuse_chain --input 5x8xf32=random:1
// RUN: %{run} --entry reuse_behind_boundary --input 5x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry reuse_by_segment --input 8x8xf32=random:1 --input 8x8xf32=random:2
// RUN: %{run} --entry permuted_required --input 4x5x6xf32=random:1
// RUN: %{run} --entry permuted_in_inter --input 4x5x6xf32=random:1,strides=30x1x5
// RUN: %{run} --entry return_input_permuted_order --input 4x5x6xf32=random:1,strides=30x1x5

func.func @two_views(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<?x8xf32>) {
  %p = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  %a = fusion.exp %x : tensor<?x8xf32>
  return %x, %p, %a : tensor<?x8xf32>, tensor<8x?xf32>, tensor<?x8xf32>
}

func.func @same_view_twice(%x: tensor<?x8xf32>) -> (tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %p = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  return %p, %p : tensor<8x?xf32>, tensor<8x?xf32>
}

// The same value as a view, and as memory of its own.
func.func @view_and_new(%x: tensor<?x8xf32>) -> (tensor<8x?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<8x?xf32>) {
  %p = fusion.permute %x [1, 0] : tensor<?x8xf32> to tensor<8x?xf32>
  return %p, %p : tensor<8x?xf32>, tensor<8x?xf32>
}

func.func @view_of_bool(%x: tensor<4x8xi1>) -> (tensor<2x4xi1> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %s = fusion.slice %x offsets [1, 0] sizes [2, 4] steps [1, 2] : tensor<4x8xi1> to tensor<2x4xi1>
  return %s : tensor<2x4xi1>
}

func.func @view_expand(%x: tensor<4x1xf32>) -> (tensor<4x3xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %s = fusion.expand %x : tensor<4x1xf32> to tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

func.func @view_of_dyn_slice(%x: tensor<?x8xf32>, %o: index, %n: index) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<?xf32>) {
  %s = fusion.slice %x offsets [%o, 0] sizes [%n, 8] steps [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %r = fusion.reduce <sum> %s dims [1] : tensor<?x8xf32> to tensor<?xf32>
  return %s, %r : tensor<?x8xf32>, tensor<?xf32>
}

func.func @dyn_slice_scalar(%x: tensor<?x8xf32>, %o: index, %n: index) -> (tensor<?x8xf32>) {
  %s = fusion.slice %x offsets [%o, 0] sizes [%n, 8] steps [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %q = fusion.segment_set %s : tensor<?x8xf32>
  %r = fusion.exp %q : tensor<?x8xf32>
  %t = fusion.add %r, %s : tensor<?x8xf32>
  return %t : tensor<?x8xf32>
}

func.func @reuse(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %a = fusion.exp %x : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

func.func @reuse_softmax(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x8xf32>) {
  %m = fusion.reduce <max> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
  %e = fusion.expand %m : tensor<?x1xf32> to tensor<?x8xf32>
  %s = fusion.sub %x, %e : tensor<?x8xf32>
  %z = fusion.exp %s : tensor<?x8xf32>
  %w = fusion.neg %x : tensor<?x8xf32>
  return %z, %w : tensor<?x8xf32>, tensor<?x8xf32>
}

// Each result goes where the other one is read from.
func.func @reuse_swap(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 1>}, tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.neg %y : tensor<?x8xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @reuse_swap_plain(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 1>}, tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  return %x, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @reuse_self(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  return %x, %a : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @reuse_reverse(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %a = fusion.permute %x [1, 0] : tensor<8x8xf32> to tensor<8x8xf32>
  return %a : tensor<8x8xf32>
}

// The input is read by a segment behind the one that computes what overwrites it.
func.func @reuse_chain(%x: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %s = fusion.segment_set %a : tensor<?x8xf32>
  %b = fusion.add %s, %x : tensor<?x8xf32>
  %t = fusion.segment_set %b : tensor<?x8xf32>
  %c = fusion.mul %t, %a : tensor<?x8xf32>
  return %c, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @permuted_required(%x: tensor<4x5x6xf32>) -> (tensor<4x5x6xf32> {fusion.stride_order = array<i64: 2, 0, 1>}) {
  %a = fusion.exp %x : tensor<4x5x6xf32>
  return %a : tensor<4x5x6xf32>
}

func.func @permuted_in_inter(%x: tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 2, 1>}) -> (tensor<4x5x6xf32>, tensor<4x6xf32>) {
  %a = fusion.exp %x : tensor<4x5x6xf32>
  %s = fusion.segment_set %a : tensor<4x5x6xf32>
  %b = fusion.neg %s : tensor<4x5x6xf32>
  %r = fusion.reduce <sum> %s dims [1] : tensor<4x5x6xf32> to tensor<4x6xf32>
  return %b, %r : tensor<4x5x6xf32>, tensor<4x6xf32>
}

func.func @return_input_permuted_order(%x: tensor<4x5x6xf32> {fusion.stride_order = array<i64: 0, 2, 1>}) -> (tensor<4x5x6xf32>) {
  return %x : tensor<4x5x6xf32>
}

// Behind a boundary it is the input that is read, and overwritten.
func.func @reuse_behind_boundary(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>)
    -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x8xf32>) {
  %b = fusion.segment_set %x : tensor<?x8xf32>
  %0 = fusion.mul %y, %b : tensor<?x8xf32>
  %1 = fusion.exp %b : tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// A segment that is there already reads the input elsewhere: what is made of its result is nothing new.
func.func @reuse_by_segment(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {fusion.alias = #fusion.alias<reuse, 1>}) {
  %0 = fusion.segment "generic" (%a = %x : tensor<8x8xf32>, %b = %y : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    %2 = fusion.matmul %a, %b : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
    fusion.yield %2 : tensor<8x8xf32>
  }
  %1 = fusion.min %0, %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
