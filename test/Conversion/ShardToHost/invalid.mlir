// RUN: fuser-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},fusion-to-host,shard-to-host)'

shard.grid @g(shape = 4)
func.func @kind(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error@+1 {{expected the reduction sum, product, min, max or average, got bitwise_and}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = bitwise_and : tensor<8xi32> -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

shard.grid @g(shape = ?)
func.func @open(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a grid of known sizes, got @g}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @not_first(%x: tensor<8x8xf32>) -> tensor<8x32xf32> {
  // expected-error@+1 {{expected the ranks' parts along dimension 0, got 1: run fusion-normalize-collectives first}}
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @types(%x: tensor<8xbf16>) -> tensor<8xf32> {
  // expected-error@+1 {{expected one element type, got 'bf16' and 'f32': run fusion-normalize-collectives first}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xbf16> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What the shard dialect has besides collectives is for host programs.

shard.grid @g(shape = 4)
func.func @send(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected only ops of the fusion dialect and size arithmetic in a function that is cut into segments}}
  %0 = shard.send %x on @g grid_axes = [0] destination = [1] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// They lie in memory as bytes, which would be added as integers.

shard.grid @g(shape = 4)
func.func @float8(%x: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  // expected-error@+1 {{expected elements that lie in memory as they are, to be combined, got 'f8E5M2': cast to f32 and back}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf8E5M2> -> tensor<8xf8E5M2>
  return %0 : tensor<8xf8E5M2>
}

// -----

// Ranks compare signed integers.

shard.grid @g(shape = 4)
func.func @unsigned(%x: tensor<8xui8>) -> tensor<8xui8> {
  // expected-error@+1 {{expected elements with a sign, or floats, to be compared or averaged, got 'ui8'}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<8xui8> -> tensor<8xui8>
  return %0 : tensor<8xui8>
}
