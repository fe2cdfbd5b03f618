// RUN: fuser-run %s --target cpu --check --entry kept --input 4x8xf32=random:1
// RUN: fuser-run %s --target cpu --check --entry stored --input 4x8xf32=random:1

// One row of what a stage keeps for the next, in scratch memory or as a result, is needed in all rows.

func.func @kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = fusion.exp %x : tensor<4x8xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<4x8xf32> to tensor<4x1xf32>
  %sb = fusion.expand %s : tensor<4x1xf32> to tensor<4x8xf32>
  %d = fusion.div %e, %sb : tensor<4x8xf32>
  %r = fusion.slice %e offsets [0, 0] sizes [1, 8] steps [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %rb = fusion.expand %r : tensor<1x8xf32> to tensor<4x8xf32>
  %o = fusion.add %d, %rb : tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

func.func @stored(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = fusion.exp %x : tensor<4x8xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<4x8xf32> to tensor<4x1xf32>
  %sb = fusion.expand %s : tensor<4x1xf32> to tensor<4x8xf32>
  %d = fusion.div %e, %sb : tensor<4x8xf32>
  %r = fusion.slice %e offsets [3, 0] sizes [1, 8] steps [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %rb = fusion.expand %r : tensor<1x8xf32> to tensor<4x8xf32>
  %o = fusion.add %d, %rb : tensor<4x8xf32>
  return %e, %o : tensor<4x8xf32>, tensor<4x8xf32>
}
