// Programs at the edge: nothing to do, nothing to compute with, the same value twice, tensors without dimensions or elements.
// DEFINE: %{run} = fuser-run %s --target cpu --check
// RUN: %{run} --entry empty --input 5x8xf32=random:1
// RUN: %{run} --entry empty0
// RUN: %{run} --entry return_input --input 5x8xf32=random:1
// RUN: %{run} --entry return_input_twice --input 5x8xf32=random:1
// RUN: %{run} --entry return_twice --input 5x8xf32=random:1
// RUN: %{run} --entry return_thrice --input 5x8xf32=random:1
// RUN: %{run} --entry bool --input 5x8xf32=random:1 --input 5x8xf32=random:2
// RUN: %{run} --entry bool_in --input 5x8xi1=random:2 --input 5x8xf32=random:1
// RUN: %{run} --entry zero_d --input f32=random:1
// RUN: %{run} --entry reduce_to_zero_d --input 5x8xf32=random:1
// RUN: %{run} --entry reduce_none --input 5x8xf32=random:1
// RUN: %{run} --entry zero_rows --input 0x8xf32=random:1
// RUN: %{run} --entry zero_cols --input 4x0xf32=random:1
// RUN: %{run} --entry zero_cols_static --input 4x0xf32=random:1
// RUN: %{run} --entry full_only
// RUN: %{run} --entry full_scalar --scalar 3 --scalar 2.5
// RUN: %{run} --entry seg_set_input --input 5x8xf32=random:1
// RUN: %{run} --entry seg_set_return --input 5x8xf32=random:1
// RUN: %{run} --entry seg_set_of_input_returned --input 5x8xf32=random:1
// RUN: %{run} --entry set_op --input 5x8xf32=random:1
// RUN: %{run} --entry int_ops --input 5x8xi64=random:1 --input 5x8xi32=random:1
// RUN: %{run} --entry f64 --input 5x8xf64=random:1

func.func @empty(%x: tensor<?x8xf32>) {
  return
}

func.func @empty0() {
  return
}

func.func @return_input(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

func.func @return_input_twice(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  return %x, %x : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @return_twice(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  return %a, %a : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @return_thrice(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %s = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
  return %a, %x, %a, %s : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>
}

func.func @bool(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xi1>, tensor<?x8xf32>) {
  %c = fusion.cmp <lt> %x, %y : tensor<?x8xf32>
  %cs = fusion.segment_set %c : tensor<?x8xi1>
  %w = fusion.where %cs, %x, %y : tensor<?x8xf32>
  return %c, %w : tensor<?x8xi1>, tensor<?x8xf32>
}

func.func @bool_in(%c: tensor<?x8xi1>, %x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xi1>) {
  %n = fusion.neg %x : tensor<?x8xf32>
  %w = fusion.where %c, %x, %n : tensor<?x8xf32>
  return %w, %c : tensor<?x8xf32>, tensor<?x8xi1>
}

func.func @zero_d(%x: tensor<f32>) -> tensor<f32> {
  %a = fusion.exp %x : tensor<f32>
  return %a : tensor<f32>
}

func.func @reduce_to_zero_d(%x: tensor<?x8xf32>) -> (tensor<f32>, tensor<?x8xf32>) {
  %a = fusion.reduce <sum> %x dims [0, 1] : tensor<?x8xf32> to tensor<f32>
  %c0 = arith.constant 0 : index
  %r = tensor.dim %x, %c0 : tensor<?x8xf32>
  %b = fusion.broadcast %a dims [0, 1] : tensor<f32> to tensor<1x1xf32>
  %e = fusion.expand %b sizes(%r) : tensor<1x1xf32> to tensor<?x8xf32>
  %d = fusion.div %x, %e : tensor<?x8xf32>
  return %a, %d : tensor<f32>, tensor<?x8xf32>
}

func.func @reduce_none(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
  %a = fusion.reduce <sum> %x dims [] : tensor<?x8xf32> to tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

func.func @zero_rows(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %b = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
  %c = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
  return %a, %b, %c : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>
}

func.func @zero_cols(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = fusion.exp %x : tensor<?x?xf32>
  %b = fusion.reduce <sum> %a dims [1] : tensor<?x?xf32> to tensor<?xf32>
  %c = fusion.reduce <max> %a dims [0] : tensor<?x?xf32> to tensor<?xf32>
  return %a, %b, %c : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The greatest of nothing, and a tensor without elements between others.
func.func @zero_cols_static(%x: tensor<4x0xf32>) -> (tensor<4x0xf32>, tensor<4xf32>, tensor<4x3xf32>) {
  %a = fusion.exp %x : tensor<4x0xf32>
  %b = fusion.reduce <max> %a dims [1] : tensor<4x0xf32> to tensor<4xf32>
  %z = arith.constant 3.0 : f32
  %g = fusion.full %z : tensor<4x3xf32>
  %d = fusion.cat %a, %g dim 1 : tensor<4x0xf32>, tensor<4x3xf32> to tensor<4x3xf32>
  return %a, %b, %d : tensor<4x0xf32>, tensor<4xf32>, tensor<4x3xf32>
}

func.func @full_only() -> tensor<4x8xf32> {
  %z = arith.constant 3.0 : f32
  %g = fusion.full %z : tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

func.func @full_scalar(%n: index, %v: f32) -> (tensor<?x8xf32>, tensor<?xi1>) {
  %g = fusion.full %v sizes(%n) : tensor<?x8xf32>
  %t = arith.constant true
  %h = fusion.full %t sizes(%n) : tensor<?xi1>
  return %g, %h : tensor<?x8xf32>, tensor<?xi1>
}

func.func @seg_set_input(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = fusion.segment_set %x : tensor<?x8xf32>
  %a = fusion.exp %s : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

func.func @seg_set_return(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>,tensor<?x8xf32>) {
  %a = fusion.exp %x : tensor<?x8xf32>
  %s = fusion.segment_set %a : tensor<?x8xf32>
  %t = fusion.segment_set %s : tensor<?x8xf32>
  return %t, %s : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @seg_set_of_input_returned(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
  %s = fusion.segment_set %x : tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

func.func @set_op(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
  %s = fusion.set %x : tensor<?x8xf32>
  %a = fusion.set %s : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

func.func @int_ops(%x: tensor<?x8xi64>, %y: tensor<?x8xi32>) -> (tensor<?xi64>, tensor<?x8xi64>) {
  %c = fusion.cast %y : tensor<?x8xi32> to tensor<?x8xi64>
  %a = fusion.add %x, %c : tensor<?x8xi64>
  %r = fusion.reduce <sum> %a dims [1] : tensor<?x8xi64> to tensor<?xi64>
  return %r, %a : tensor<?xi64>, tensor<?x8xi64>
}

func.func @f64(%x: tensor<?x8xf64>) -> (tensor<?x8xf64>) {
  %m = fusion.reduce <mean> %x dims [1] keep : tensor<?x8xf64> to tensor<?x1xf64>
  %e = fusion.expand %m : tensor<?x1xf64> to tensor<?x8xf64>
  %a = fusion.sub %x, %e : tensor<?x8xf64>
  return %a : tensor<?x8xf64>
}
