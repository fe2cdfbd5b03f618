// REQUIRES: numpy

// What fuser-run makes of whole tensors: each rank gets its parts, and the parts of results are put together.

shard.grid @grid(shape = 2x2)

func.func @rows(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %s = shard.sharding @grid split_axes = [[1, 0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<?x6xf32>
  %1 = fusion.neg %0 : tensor<?x6xf32>
  return %1 : tensor<?x6xf32>
}

// RUN: fuser-run %s --entry rows --ranks 4 --input=8x6xf32=iota --output=%t.npy --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference from the reference 0
// RUN: %python -c "import numpy as np; assert (np.load('%t.npy') == -np.arange(48, dtype=np.float32).reshape(8, 6)).all()"

// Parts may be read and written, too. Rank 1 is at (0, 1) of the grid, and has part 2 of the axes [1, 0].
// RUN: fuser-run %s --entry rows --ranks 4 --input=8x6xf32=iota '--output=%t{rank}.npy'
// RUN: %python -c "import numpy as np; assert (np.load('%t1.npy') == -np.arange(24, 36, dtype=np.float32).reshape(2, 6)).all()"
// RUN: fuser-run %s --entry rows --ranks 4 '--input=%t{rank}.npy' --output=%t.again.npy
// RUN: %python -c "import numpy as np; assert (np.load('%t.again.npy') == np.arange(48, dtype=np.float32).reshape(8, 6)).all()"

// The reference is of the program without ranks.
// RUN: fuser-run %s --entry rows --reference --input=8x6xf32=iota --output=%t.reference.npy
// RUN: %python -c "import numpy as np; assert (np.load('%t.reference.npy') == -np.arange(48).reshape(8, 6)).all()"

// A program of one rank has its communications itself, and takes and gives what a rank has.
func.func @wrong(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// RUN: fuser-run %s --entry wrong --ranks 4 '--input=8xf32=iota' '--output=%t.w{rank}.npy'
// RUN: %python -c "import numpy as np; assert (np.load('%t.w3.npy') == 2 * np.arange(8, dtype=np.float32)).all()"

// RUN: not fuser-run %s --entry rows --ranks 4 --input=6x6xf32=iota 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: fuser-run: input 0: expected a size that can be cut into 4 equal parts in dimension 0, got 6

// RUN: %python -c "import numpy as np; [np.save(f'%t.u{r}.npy', np.ones((1 + (r == 2), 6), np.float32)) for r in range(4)]"
// RUN: not fuser-run %s --entry rows --ranks 4 '--input=%t.u{rank}.npy' 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// UNEQUAL: fuser-run: input 0: expected parts of one shape, got another one for rank 2 than for rank 0

// Sizes are those of whole tensors, before they are cut.
func.func @sizes(%x: tensor<?x6xf32>, %b: tensor<?x6xf32>, %w: tensor<12xf32>) -> (tensor<?x6xf32>, tensor<12xf32>) {
  %s = shard.sharding @grid split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<?x6xf32>
  %1 = fusion.add %0, %b : tensor<?x6xf32>
  %2 = shard.shard %w to %s : tensor<12xf32>
  return %1, %2 : tensor<?x6xf32>, tensor<12xf32>
}
// RUN: not fuser-run %s --entry sizes --ranks 4 --input=8x6xf32=iota --input=16x6xf32=iota --input=12xf32=iota 2>&1 | FileCheck %s --check-prefix=AGREE
// AGREE: fuser-run: program 'sizes': input 1 '%b': expected dimension 0 of the whole tensor to be 8 because input 0 '%x' dimension 0 is 8, got 16
// RUN: not fuser-run %s --entry sizes --ranks 4 --input=8x6xf32=iota --input=8x6xf32=iota --input=8xf32=iota 2>&1 | FileCheck %s --check-prefix=STATED
// STATED: fuser-run: program 'sizes': input 2 '%w': expected dimension 0 of the whole tensor to be 12, got 8

// RUN: not fuser-run %s --entry rows --ranks 3 --input=8x6xf32=iota 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not fuser-run %s --entry rows --input=8x6xf32=iota 2>&1 | FileCheck %s --check-prefix=NONE
// RANKS: fuser-run: program 'rows': expected --ranks 4, as its grid has, got 3
// NONE: fuser-run: program 'rows': expected --ranks 4, as its grid has, got none

// A program that has communications itself, or asks for a rank's index, says so when it runs.
// RUN: not fuser-run %s --entry index --ranks 2 --input=8xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHERS
func.func @index(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = shard.all_slice %x on @grid grid_axes = [0, 1] slice_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// RUN: not fuser-run %s --entry wrong --ranks 2 --input=8xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: expected 4 ranks, as the grid @grid has, got 2

// RUN: not fuser-run %s --entry rows --ranks 4 '--input=%t{rank}.npy' --check 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: fuser-run: --check: expected whole inputs, without {rank}

func.func @two(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = shard.sharding @grid split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8xf32>
  %1 = fusion.neg %0 : tensor<8xf32>
  %2 = fusion.abs %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// RUN: not fuser-run %s --entry two --ranks 4 --input=8xf32=iota '--output=%t{rank}.npy' --output=%t.npy 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: fuser-run: --output: expected {rank} in the names of all files, which parts are written to, or of none

// RUN: not fuser-run %s --entry two --ranks 4 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: fuser-run: program 'two': expected 1 input tensor

