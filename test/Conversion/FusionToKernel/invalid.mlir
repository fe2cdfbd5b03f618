// RUN: fuser-opt %s --fusion-to-kernel=target=cuda --split-input-file --verify-diagnostics
// RUN: not fuser-opt %s --fusion-to-kernel=target=tpu 2>&1 | FileCheck %s
// CHECK: invalid.mlir:[[@LINE+3]]:1: error: expected target cuda (sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a), cpu (cpu), or sim ({{.*}}), got 'tpu'

// What computes fibres is never fused.
func.func @fused_fibres(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.generic<threads = 256>} {
    %1 = fusion.exp %a : tensor<?x8xf32>
    // expected-error@+1 {{expected a segment of its own for 'fusion.scan', which computes fibres, got one with other ops}}
    %2 = fusion.scan <sum> %1 dim 1 : tensor<?x8xf32>
    fusion.yield %2 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

// Without a schedule there is nothing to obey.
func.func @unscheduled(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule, got none: run fusion-schedule first}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @of_another_target(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule for gpu kernels, those of target cuda, got #fusion.cpu<kind = "pointwise", vector = 8>, which is for cpu kernels}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Schedules by hand that do not cover what they are for.

func.func @pointwise_of_two_shapes(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // expected-error@+1 {{does not fit its pointwise schedule: the results have several shapes}}
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<4xf32>, %b = %y : tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[l5, w2]]>} {
    %1 = fusion.exp %a : tensor<4xf32>
    %2 = fusion.exp %b : tensor<8xf32>
    fusion.yield %1, %2 : tensor<4xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}

// -----

func.func @transpose_of_nothing(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error@+1 {{does not fit its pointwise schedule: operand 0 is not known to lie in memory along dimension 0, across dimension 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    %1 = fusion.exp %a : tensor<64x64xf32>
    fusion.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @transpose_of_two_shapes(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  // expected-error@+1 {{does not fit its pointwise schedule: the results have several shapes}}
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<4x8xf32>, %b = %y : tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<4x8xf32> to tensor<8x4xf32>
    %2 = fusion.exp %b : tensor<8xf32>
    fusion.yield %1, %2 : tensor<8x4xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8xf32>
}

// -----

// Squares of 128 by 128 elements of 4 bytes.
func.func @transpose_tile(%x: tensor<256x512xf32>) -> tensor<512x256xf32> {
  // expected-error@+1 {{does not fit its pointwise schedule: what is staged takes 65536 bytes of shared memory, more than 49152}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<256x512xf32>) -> (tensor<512x256xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w1, r6], [l5, w2]], staged = [[], [l5, w2:0], [w1:2, r6]], reads = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<256x512xf32> to tensor<512x256xf32>
    fusion.yield %1 : tensor<512x256xf32>
  }
  return %0 : tensor<512x256xf32>
}

// -----

// They are read somewhere, but not everywhere.
func.func @transpose_of_halves(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> {
  // expected-error@+1 {{does not fit its pointwise schedule: operand 1 is nowhere read for all elements of the results, at their coordinates as they are}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) -> (tensor<128x64xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [1]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %2 = fusion.permute %b [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    %3 = fusion.cat %1, %2 dim 0 : tensor<64x64xf32>, tensor<64x64xf32> to tensor<128x64xf32>
    fusion.yield %3 : tensor<128x64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// -----

func.func @transpose_of_result(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error@+1 {{does not fit its pointwise schedule: result 0 is not known to lie in memory along dimension 0, across dimension 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0], results = [0]>} {
    %1 = fusion.permute %a [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    fusion.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Neighbours of the last dimension lie apart.
func.func @pointwise_vector(%x: tensor<64x64xf32>) -> (tensor<64x64xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  // expected-error@+1 {{expected the last axis of the schedule to end with the last dimension, because vectors have neighbours in it}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[1, 0]], layout = [[r2, l5, w2]]>} {
    %1 = fusion.exp %a : tensor<64x64xf32>
    fusion.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @row_axes(%x: tensor<4x8x16xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{expected the axes of a row_reduction schedule to be the dimensions of rows, [0, 1], and those that are reduced, [2]}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<4x8x16xf32>) -> (tensor<4x8xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1, 2]], layout = [[w2], [r2, l5]]>} {
    %1 = fusion.reduce <sum> %a dims [2] : tensor<4x8x16xf32> to tensor<4x8xf32>
    fusion.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @rows_of_columns(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{does not fit a row_reduction schedule: the last dimension stays}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[l5], [r3]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @rows_of_any_length(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected rows of static length, or with a bound of it (fusion.bounds), for a row_reduction schedule}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<4x?xf32>) -> (tensor<4xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l5, w2]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<4x?xf32> to tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @rows_that_are_longer(%x: tensor<?x513xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a tile of at least 513 columns, the length of a row, for a row_reduction schedule, got 512}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x513xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l5, w2]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x513xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @outer_of_rows(%x: tensor<8x?xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{does not fit an outer_reduction schedule: the last dimension is reduced}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<8x?xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], []], layout = [[], [w4, r3], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x?xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @rows_need_columns(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{does not fit an inner_outer_reduction schedule: a row needs what columns are reduced to}}
  %0 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x64xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r1, l5]], fold = [[], [], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] keep : tensor<8x64xf32> to tensor<1x64xf32>
    %2 = fusion.expand %1 : tensor<1x64xf32> to tensor<8x64xf32>
    %3 = fusion.reduce <sum> %2 dims [1] : tensor<8x64xf32> to tensor<8xf32>
    fusion.yield %3 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @only_columns(%x: tensor<8x64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{does not fit an inner_outer_reduction schedule: not both rows and columns are reduced}}
  %0 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x64xf32>) -> (tensor<64xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r1, l5]], fold = [[], [], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<8x64xf32> to tensor<64xf32>
    fusion.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func @other_columns(%x: tensor<8x4x64xf32>) -> (tensor<8x4xf32>, tensor<4x64xf32>) {
  // expected-error@+1 {{does not fit an inner_outer_reduction schedule: what stays of its rows is not what is reduced of its columns}}
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x4x64xf32>) -> (tensor<8x4xf32>, tensor<4x64xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0, 1], [2]], layout = [[], [w4], [r1, l5]], fold = [[], [], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [2] : tensor<8x4x64xf32> to tensor<8x4xf32>
    %2 = fusion.reduce <sum> %a dims [0] : tensor<8x4x64xf32> to tensor<4x64xf32>
    fusion.yield %1, %2 : tensor<8x4xf32>, tensor<4x64xf32>
  }
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<4x64xf32>
}

// -----

func.func @few_columns_of_a_tile(%x: tensor<8x65xf32>) -> (tensor<8xf32>, tensor<65xf32>) {
  // expected-error@+1 {{expected an inner_outer_reduction schedule with a tile of at least 65 columns, the length of a row, got 64}}
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x65xf32>) -> (tensor<8xf32>, tensor<65xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [l5]], repeat = [1, 1, 2], fold = [[], [], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x65xf32> to tensor<8xf32>
    %2 = fusion.reduce <sum> %a dims [0] : tensor<8x65xf32> to tensor<65xf32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<65xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<65xf32>
}

// -----

func.func @rows_of_open_length(%x: tensor<8x?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  // expected-error@+1 {{expected an inner_outer_reduction schedule for rows of static length}}
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x?xf32>) -> (tensor<8xf32>, tensor<?xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [l5]], repeat = [1, 1, 2], fold = [[], [], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x?xf32> to tensor<8xf32>
    %2 = fusion.reduce <sum> %a dims [0] : tensor<8x?xf32> to tensor<?xf32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<?xf32>
}

// -----

func.func @outer_axes(%x: tensor<4x8x16xf32>) -> tensor<4x16xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule whose axis 0 is [0]}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<4x8x16xf32>) -> (tensor<4x16xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [1], [0, 2]], layout = [[], [w4, r3], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<4x8x16xf32> to tensor<4x16xf32>
    fusion.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// -----

func.func @outer_of_any_length(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule with fold, or a tile of all rows, or of 1024 of at most 8192, got 1024}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r6], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @outer_of_many(%x: tensor<8193x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule with fold, or a tile of all rows, or of 1024 of at most 8192, got 1024}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<8193x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r6], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<8193x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @outer_of_more(%x: tensor<513x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule with fold, or a tile of all rows, or of 1024 of at most 8192, got 512}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<513x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r5], [l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<513x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @outer_parts(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule with fold to have a tile of 16 to 128 rows, got 256}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r4], [l5]], fold = [[], [r3, l2, w5], [l3]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @outer_vectors(%x: tensor<100x7xf32>) -> tensor<7xf32> {
  // expected-error@+1 {{expected an outer_reduction schedule with vectors that divide the last dimension, got 4}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<100x7xf32>) -> (tensor<7xf32>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<100x7xf32> to tensor<7xf32>
    fusion.yield %1 : tensor<7xf32>
  }
  return %0 : tensor<7xf32>
}

// -----

func.func @outer_shared(%x: tensor<100x1024xf64>) -> tensor<1024xf64> {
  // expected-error@+1 {{expected an outer_reduction schedule that takes at most 49152 bytes of shared memory, got 65536}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<100x1024xf64>) -> (tensor<1024xf64>) attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r4, l5]]>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<100x1024xf64> to tensor<1024xf64>
    fusion.yield %1 : tensor<1024xf64>
  }
  return %0 : tensor<1024xf64>
}

// -----

func.func @split_of_columns(%x: tensor<70000x8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{does not fit its split_reduction schedule: its reductions are over other dimensions than the last one}}
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<70000x8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<70000x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @split_of_two_spaces(%x: tensor<8x70000xf32>) -> (tensor<8xf32>, tensor<f32>) {
  // expected-error@+1 {{does not fit its split_reduction schedule: its reductions are over different dimensions, or of different shapes}}
  %0:2 = fusion.segment "split_reduction" (%a = %x : tensor<8x70000xf32>) -> (tensor<8xf32>, tensor<f32>) attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x70000xf32> to tensor<8xf32>
    %2 = fusion.reduce <sum> %a dims [0, 1] : tensor<8x70000xf32> to tensor<f32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
}

// -----

func.func @split_of_dependent(%x: tensor<8x70000xf32>) -> tensor<8x1xf32> {
  // expected-error@+1 {{does not fit its split_reduction schedule: a reduction is made of another one}}
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<8x70000xf32>) -> (tensor<8x1xf32>) attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %1 = fusion.reduce <sum> %a dims [1] keep : tensor<8x70000xf32> to tensor<8x1xf32>
    %2 = fusion.expand %1 : tensor<8x1xf32> to tensor<8x70000xf32>
    %3 = fusion.sub %a, %2 : tensor<8x70000xf32>
    %4 = fusion.reduce <max> %3 dims [1] keep : tensor<8x70000xf32> to tensor<8x1xf32>
    fusion.yield %4 : tensor<8x1xf32>
  }
  return %0 : tensor<8x1xf32>
}

// -----

func.func @row_beyond_the_tile(%x: tensor<8x65544xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a tile of at least 65544 columns, the length of a row, for a row_reduction schedule, got 65536}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8x65544xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w5]], repeat = [1, 8]>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x65544xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @stages_that_do_not_fit(%x: tensor<8x8192xf32> {fusion.alignment = 16 : i64}) -> (tensor<8xf32>, tensor<8192xf32>) {
  // expected-error@+1 {{expected a schedule whose stages take at most 232448 bytes of shared memory, with what else is shared, got 262400}}
  %0:2 = fusion.segment "inner_outer_reduction" (%a = %x : tensor<8x8192xf32>) -> (tensor<8xf32>, tensor<8192xf32>) attributes {schedule = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [], [r3, l5, w4]], repeat = [1, 1, 2], fold = [[], [r3, w1], [l5]], stages = 8>} {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x8192xf32> to tensor<8xf32>
    %2 = fusion.reduce <sum> %a dims [0] : tensor<8x8192xf32> to tensor<8192xf32>
    fusion.yield %1, %2 : tensor<8xf32>, tensor<8192xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8192xf32>
}

// -----

// With f32 for each bf16, and what is before each leaf.
func.func @leaves_that_do_not_fit(%x: tensor<100000xbf16>) -> tensor<100000xbf16> {
  // expected-error@+1 {{expected a schedule whose stages take at most 49152 bytes of shared memory, with what else is shared, got 56096}}
  %0 = fusion.segment "split_scan" (%a = %x : tensor<100000xbf16>) -> (tensor<100000xbf16>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r3, l5, w2]], repeat = [1, 16], stages = 3>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<100000xbf16>
    fusion.yield %1 : tensor<100000xbf16>
  }
  return %0 : tensor<100000xbf16>
}

// -----

func.func @sections_out_of_order(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  // expected-error@+1 {{expected a tile of one section of a scan of floating-point numbers, 8192 elements, got 16384}}
  %0 = fusion.segment "split_scan" (%a = %x : tensor<100000xf32>) -> (tensor<100000xf32>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r2, l5, w3]], repeat = [1, 16]>} {
    %1 = fusion.scan <sum> %a dim 0 : tensor<100000xf32>
    fusion.yield %1 : tensor<100000xf32>
  }
  return %0 : tensor<100000xf32>
}

// -----

// A row has more elements than a tile.
func.func @tiles_of_four_rows(%x: tensor<?x300xf32>) -> tensor<?x300xi64> {
  // expected-error@+1 {{expected tiles of one row in its schedule, because a row has several, or is not of the last dimension, got tiles of 4}}
  %0 = fusion.segment "row_order" (%a = %x : tensor<?x300xf32>) -> (tensor<?x300xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[w2], [r2, l5]]>} {
    %1 = fusion.argsort %a dim 1 : tensor<?x300xf32> to tensor<?x300xi64>
    fusion.yield %1 : tensor<?x300xi64>
  }
  return %0 : tensor<?x300xi64>
}

// -----

func.func @axes_of_another_sort(%x: tensor<?x300xf32>) -> tensor<?x300xi64> {
  // expected-error@+1 {{expected the axes of its row_order schedule to be all dimensions but the one that is sorted, and that one}}
  %0 = fusion.segment "row_order" (%a = %x : tensor<?x300xf32>) -> (tensor<?x300xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [r2, l5, w4]]>} {
    %1 = fusion.argsort %a dim 0 : tensor<?x300xf32> to tensor<?x300xi64>
    fusion.yield %1 : tensor<?x300xi64>
  }
  return %0 : tensor<?x300xi64>
}

// -----

func.func @a_scatter_by_tiles_of_four_rows(%x: tensor<?x300xf32>, %i: tensor<?x500xi64>, %u: tensor<?x500xf32>) -> tensor<?x300xf32> {
  // expected-error@+1 {{expected tiles of one row in its schedule, because a row has several, or is not of the last dimension, got tiles of 4}}
  %0 = fusion.segment "scatter" (%a = %x : tensor<?x300xf32>, %j = %i : tensor<?x500xi64>, %v = %u : tensor<?x500xf32>) -> (tensor<?x300xf32>) attributes {schedule = #fusion.tile<kind = "scatter", axes = [[0], [1]], layout = [[w2], [r2, l5]]>} {
    %1 = fusion.scatter_along_axis %a, %j, %v dim 1 : tensor<?x300xf32>, tensor<?x500xi64>, tensor<?x500xf32>
    fusion.yield %1 : tensor<?x300xf32>
  }
  return %0 : tensor<?x300xf32>
}

// -----

func.func @axes_of_another_scatter(%x: tensor<?x300xf32>, %i: tensor<?xi64>, %u: tensor<?x300xf32>) -> tensor<?x300xf32> {
  // expected-error@+1 {{expected the axes of its scatter schedule to be all dimensions but the one that is sorted, and that one}}
  %0 = fusion.segment "scatter" (%a = %x : tensor<?x300xf32>, %j = %i : tensor<?xi64>, %v = %u : tensor<?x300xf32>) -> (tensor<?x300xf32>) attributes {schedule = #fusion.tile<kind = "scatter", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.scatter %a, %j, %v dim 0 : tensor<?x300xf32>, tensor<?xi64>, tensor<?x300xf32>
    fusion.yield %1 : tensor<?x300xf32>
  }
  return %0 : tensor<?x300xf32>
}

// -----

// The first elements of several tiles of a row are sorted again, and a block has one of them.
func.func @several_rows_of_several_tiles(%x: tensor<?x100xf32>) -> tensor<?x1xi64> {
  // expected-error@+1 {{expected tiles of one row in its schedule, because a row has several, or is not of the last dimension, got tiles of 128}}
  %0 = fusion.segment "row_order" (%a = %x : tensor<?x100xf32>) -> (tensor<?x1xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[l5, w2], [r1]]>} {
    %1 = fusion.argtopk 1 %a dim 1 : tensor<?x100xf32> to tensor<?x1xi64>
    fusion.yield %1 : tensor<?x1xi64>
  }
  return %0 : tensor<?x1xi64>
}

// -----

func.func @integers_of_a_library(%a: tensor<4x8xi32>, %b: tensor<8x4xi32>) -> tensor<4x4xi32> {
  // expected-error@+1 {{expected tensors that a library takes as matrices for #fusion.library: no library multiplies integers}}
  %0 = fusion.segment "library" (%x = %a : tensor<4x8xi32>, %y = %b : tensor<8x4xi32>) -> (tensor<4x4xi32>) attributes {schedule = #fusion.library} {
    %1 = fusion.matmul %x, %y : tensor<4x8xi32>, tensor<8x4xi32>
    fusion.yield %1 : tensor<4x4xi32>
  }
  return %0 : tensor<4x4xi32>
}
