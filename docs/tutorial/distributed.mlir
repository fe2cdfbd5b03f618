// Programs on whole tensors, which four ranks share: the gradient of a bias, of a batch that is spread over the ranks, and a linear layer whose
// weights are.

shard.grid @ranks(shape = 4)

func.func @bias_grad(%dy: tensor<?x256xf32>) -> tensor<256xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %dy to %rows : tensor<?x256xf32>
  %1 = fusion.reduce <sum> %0 dims [0] : tensor<?x256xf32> to tensor<256xf32>
  return %1 : tensor<256xf32>
}

func.func @parallel_linear(%x: tensor<?x128xf32>, %w: tensor<256x128xf32>) -> tensor<?x256xf32> {
  %rows = shard.sharding @ranks split_axes = [[0]] : !shard.sharding
  %all = shard.sharding @ranks split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<?x128xf32>
  %1 = shard.shard %w to %rows : tensor<256x128xf32>
  %2 = shard.shard %0 to %all annotate_for_users : tensor<?x128xf32>
  %3 = fusion.linear %2, %1 : tensor<?x128xf32>, tensor<256x128xf32> to tensor<?x256xf32>
  %4 = fusion.tanh %3 : tensor<?x256xf32>
  return %4 : tensor<?x256xf32>
}
