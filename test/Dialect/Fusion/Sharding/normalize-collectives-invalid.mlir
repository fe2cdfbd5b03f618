// RUN: fuser-opt %s --split-input-file --verify-diagnostics --fusion-normalize-collectives

shard.grid @g(shape = 4)
func.func @exchange(%x: tensor<10x10xf32>) -> tensor<40x?xf32> {
  // expected-error@+1 {{expected 4 equal parts of dimension 1 of 'tensor<10x10xf32>'}}
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<10x10xf32> -> tensor<40x?xf32>
  return %0 : tensor<40x?xf32>
}

// -----

shard.grid @g(shape = ?)
func.func @open(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a grid of known sizes, got @g}}
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
