// REQUIRES: cuda
// RUN: fuser-run %s --target cuda --input 7x4096xf32=random:1 --check --entry four_warps | FileCheck %s
// RUN: fuser-run %s --target cuda --input 7x768xf32=random:1 --check --entry three_warps | FileCheck %s
// RUN: fuser-run %s --target cuda --input 7x4096xf32=random:1 --check --entry two_reductions | FileCheck %s
// CHECK: right: largest difference from the reference

// The warps of a block put their sums together in shared memory. Only the first lanes of each warp, as many as there are warps, had
// the sum afterwards; the others had what the last warp had added. It showed where all elements of a row need the sum.

func.func @four_warps(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x4096xf32>) -> (tensor<?x4096xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w2]], repeat = [1, 4]>} {
    %1 = fusion.reduce <sum> %a dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
    %2 = fusion.expand %1 : tensor<?x1xf32> to tensor<?x4096xf32>
    %3 = fusion.sub %a, %2 : tensor<?x4096xf32>
    fusion.yield %3 : tensor<?x4096xf32>
  }
  return %0 : tensor<?x4096xf32>
}

// As many warps as are no power of two.
func.func @three_warps(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x768xf32>) -> (tensor<?x768xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w2], [r3, l5]], repeat = [1, 3]>} {
    %1 = fusion.reduce <max> %a dims [1] keep : tensor<?x768xf32> to tensor<?x1xf32>
    %2 = fusion.expand %1 : tensor<?x1xf32> to tensor<?x768xf32>
    %3 = fusion.sub %a, %2 : tensor<?x768xf32>
    fusion.yield %3 : tensor<?x768xf32>
  }
  return %0 : tensor<?x768xf32>
}

// As it is scheduled, with two reductions that follow each other.
func.func @two_reductions(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = fusion.reduce <max> %x dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %1 = fusion.expand %0 : tensor<?x1xf32> to tensor<?x4096xf32>
  %2 = fusion.sub %x, %1 : tensor<?x4096xf32>
  %3 = fusion.reduce <sum> %2 dims [1] keep : tensor<?x4096xf32> to tensor<?x1xf32>
  %4 = fusion.expand %3 : tensor<?x1xf32> to tensor<?x4096xf32>
  %5 = fusion.add %2, %4 : tensor<?x4096xf32>
  return %5 : tensor<?x4096xf32>
}
