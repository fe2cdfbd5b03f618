// The backward of a norm, as sizes of M rows of N elements ask for it.
// RUN: sed 's/MxN/131072x1024/g; s/Mx/131072x/g; s/Nx/1024x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=FULL
// RUN: sed 's/MxN/223696x600/g; s/Mx/223696x/g; s/Nx/600x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=UNUSED
// RUN: sed 's/MxN/174763x768/g; s/Mx/174763x/g; s/Nx/768x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=FEW
// RUN: sed 's/MxN/1342177x100/g; s/Mx/1342177x/g; s/Nx/100x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/MxN/32760x4097/g; s/Mx/32760x/g; s/Nx/4097x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=ODD
// RUN: sed 's/MxN/2671x50257/g; s/Mx/2671x/g; s/Nx/50257x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=ODD-OF-BLOCKS
// RUN: sed 's/MxN/512x262144/g; s/Mx/512x/g; s/Nx/262144x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=LONGEST
// RUN: sed 's/MxN/16384x8192/g; s/Mx/16384x/g; s/Nx/8192x/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=EVEN
// RUN: sed 's/MxN/10923x12288/g; s/Mx/10923x/g; s/Nx/12288x/g; s/xf32/xf64/g; s/bf16/f32/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=WIDE-SUM
// RUN: sed 's/MxN/2048x65536/g; s/Mx/2048x/g; s/Nx/65536x/g; s/xf32/xf64/g; s/bf16/f32/g' %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=WIDE-LONG

// Rows that vectors fill are in registers.
// FULL: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [w3], [r3, l5]], repeat = [1, 1, 4], fold = {{.*}} min_blocks = 2>

// Where vectors leave elements unused, fewer do if they have 8 bytes, and rows are in shared memory.
// UNUSED: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [w2], [r2, l5, w1]], repeat = [1, 1, 3], fold = {{.*}} min_blocks = 4, stages = 2>

// Where registers read too few bytes at a time, too.
// FEW: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [w3], [r3, l5]], repeat = [1, 1, 3], fold = {{.*}} min_blocks = 3, stages = 2>

// Not rows that are too short to be copied.
// SHORT: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [l2, w2], [r2, l3]], repeat = [1, 1, 4], fold = {{.*}} min_blocks = 4>

// Rows that begin anywhere: many elements of few threads.
// ODD: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [], [r3, l5, w2]], repeat = [1, 1, 5], fold = {{.*}} min_blocks = 2, stages = 2>

// As many blocks share one as their turns leave.
// ODD-OF-BLOCKS: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [], [r3, l5, w2, b3]], repeat = [1, 1, 7], fold = {{.*}} min_blocks = 3, stages = 2>

// Vectors of 16 bytes of fewer threads before narrower ones.
// LONGEST: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [], [r3, l5, w3, b4]], repeat = [1, 1, 8], fold = {{.*}} min_blocks = 1, stages = 3>

// Longer rows, too, as far as registers have room for two blocks.
// EVEN: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [], [r3, l5, w3]], repeat = [1, 1, 4], fold = {{.*}} min_blocks = 2>

// One sum of f64 is one, though it takes two registers: no row is reduced while the one before it is finished, and eight blocks that are alone have chains in turn.
// WIDE-SUM: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [], [r2, l5, w4, b1]], repeat = [1, 1, 3], fold = {{.*}} min_blocks = 1, stages = 2>}
// WIDE-LONG: kind = "inner_outer_reduction", {{.*}}layout = {{\[\[}}], [r1], [r2, l5, w3, b3]], repeat = [1, 1, 8], fold = {{.*}} min_blocks = 1, stages = 2>}

func.func @backward(%x: tensor<MxNxbf16>, %g: tensor<MxNxbf16>) -> (tensor<MxNxbf16>, tensor<Nxf32>) {
  %h = fusion.cast %x : tensor<MxNxbf16> to tensor<MxNxf32>
  %f = fusion.cast %g : tensor<MxNxbf16> to tensor<MxNxf32>
  %p = fusion.mul %h, %f : tensor<MxNxf32>
  %s = fusion.reduce <sum> %p dims [1] keep : tensor<MxNxf32> to tensor<Mx1xf32>
  %e = fusion.expand %s : tensor<Mx1xf32> to tensor<MxNxf32>
  %d = fusion.sub %f, %e : tensor<MxNxf32>
  %o = fusion.cast %d : tensor<MxNxf32> to tensor<MxNxbf16>
  %w = fusion.reduce <sum> %p dims [0] : tensor<MxNxf32> to tensor<Nxf32>
  return %o, %w : tensor<MxNxbf16>, tensor<Nxf32>
}
