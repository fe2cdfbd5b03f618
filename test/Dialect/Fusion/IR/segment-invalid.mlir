// RUN: fuser-opt %s -split-input-file -verify-diagnostics

func.func @segment_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected the operands' types for the block's arguments, ('tensor<8xf32>'), got ('tensor<7xf32>')}}
  %0 = "fusion.segment"(%x) <{scheduler = "generic"}> ({
  ^bb0(%a: tensor<7xf32>):
    fusion.yield %a : tensor<7xf32>
  }) : (tensor<8xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @segment_c2(%x: tensor<8xf32>) {
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<7xf32>) {
    // expected-error@+1 {{expected the types of the segment's results, ('tensor<7xf32>'), got ('tensor<8xf32>')}}
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c3(%x: tensor<8xf32>) {
  // expected-note@+1 {{segment begins here}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    // expected-error@+1 {{expected an op that computes tensors, or one without effects and regions on scalars, in a segment}}
    %1 = arith.addf %a, %a : tensor<8xf32>
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c3_nested(%x: tensor<8xf32>) {
  // expected-note@+1 {{segment begins here}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) {
    // expected-error@+1 {{expected an op that computes tensors}}
    %1 = fusion.segment "generic" (%b = %a : tensor<8xf32>) -> (tensor<8xf32>) {
      fusion.yield %b : tensor<8xf32>
    }
    fusion.yield %1 : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c4_name(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a schedule of scheduler "generic", got #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[r3, l5, w2]], repeat = [2]> of "pointwise"}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[r3, l5, w2]], repeat = [2]>} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c4_pointwise(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected no reduction in a segment with a pointwise schedule, got 'fusion.reduce'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<f32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[]], layout = [[r3, l5, w2]], repeat = [2]>} {
    // expected-note@+1 {{reduced here}}
    %1 = fusion.reduce <sum> %a dims [0] : tensor<8xf32> to tensor<f32>
    fusion.yield %1 : tensor<f32>
  }
  return
}

// -----

func.func @segment_c4_transpose(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected no reduction in a segment with a pointwise schedule, got 'fusion.reduce'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<f32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    // expected-note@+1 {{reduced here}}
    %1 = fusion.reduce <sum> %a dims [0] : tensor<8xf32> to tensor<f32>
    fusion.yield %1 : tensor<f32>
  }
  return
}

// -----

func.func @segment_c4_row_reduction(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a reduction in a segment with a schedule of kind "row_reduction", got none}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[], [0]], layout = [[], [l5]]>} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c5(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 1 result_hints, one a result, got 2}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) attributes {result_hints = [unit, unit]} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c5_order(%x: tensor<8xf32>) {
  // expected-error@+1 {{result_hints, result 0: expected each of the 1 dimensions of 'tensor<8xf32>' once, got array<i64: 1>}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) attributes {result_hints = [array<i64: 1>]} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c6(%x: memref<8xf32>) {
  // expected-error@+1 {{operand #0 must be variadic of ranked tensor of at most 2^48 f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or f8E8M0FNU elements without an encoding or f64, f32, f16, bf16, i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2 or f8E8M0FNU or index, but got 'memref<8xf32>'}}
  %0 = "fusion.segment"(%x) <{scheduler = "generic"}> ({
  ^bb0(%a: memref<8xf32>):
    %c = arith.constant 1.0 : f32
    %f = fusion.full %c : tensor<2xf32>
    fusion.yield %f : tensor<2xf32>
  }) : (memref<8xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @segment_c7(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected at least one result because a kernel is there for what it writes, got none}}
  fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> () {
    fusion.yield
  }
  return
}

// -----

func.func @no_yield(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'fusion.yield' at the end, got 'llvm.unreachable'}}
  %0 = "fusion.segment"(%x) <{scheduler = "generic"}> ({
  ^bb0(%a: tensor<8xf32>):
    llvm.unreachable
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @outside(%x: tensor<8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = fusion.segment "generic" () -> (tensor<8xf32>) {
    // expected-error@+1 {{using value defined outside the region}}
    fusion.yield %x : tensor<8xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected 1 to 1024 threads a block, got 0}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 0>}

// -----

// expected-error@+1 {{expected parts that divide the 256 threads, got 3}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 256, parts = 3>}

// -----

func.func @segment_c4_split(%x: tensor<8x70000xf32>) -> tensor<8x70000xf32> {
  // expected-error@+1 {{expected a reduction in the segment of a split_reduction schedule, got none}}
  %0 = fusion.segment "split_reduction" (%a = %x : tensor<8x70000xf32>) -> (tensor<8x70000xf32>) attributes {schedule = #fusion.split_reduction<threads = 256, fold_threads = 64>} {
    %1 = fusion.exp %a : tensor<8x70000xf32>
    fusion.yield %1 : tensor<8x70000xf32>
  }
  return %0 : tensor<8x70000xf32>
}

// -----

// expected-error@+1 {{expected threads to be a power of two from 32 to 1024, got 96}}
func.func private @schedule_c1() attributes {s = #fusion.split_reduction<threads = 96, fold_threads = 64>}

// -----

// expected-error@+1 {{expected fold_threads to be a power of two from 32 to 256, got 512}}
func.func private @schedule_c1() attributes {s = #fusion.split_reduction<threads = 256, fold_threads = 512>}

// -----

// expected-error@+1 {{expected min_blocks to be 0 to 8 because a block has 256 threads and a multiprocessor at most 2048, got 9}}
func.func private @schedule_c6() attributes {s = #fusion.generic<threads = 256, min_blocks = 9>}

// -----

// expected-error@+1 {{expected parts to be a power of two, got 6}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 96, parts = 6>}

// -----

// expected-error@+1 {{expected parts to be 1, 32 or all 256 threads, got 64}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 256, parts = 64>}

// -----

// expected-error@+1 {{expected whole warps of threads because neighbours share an element, got 16 threads}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 16, parts = 16>}

// -----

// expected-error@+1 {{expected kind to be pointwise, row_reduction or generic, got "rows"}}
func.func private @schedule_c5() attributes {s = #fusion.cpu<kind = "rows", vector = 8>}

// -----

// expected-error@+1 {{expected vector to be a power of two up to 256, got 1048576}}
func.func private @schedule_c2() attributes {s = #fusion.cpu<kind = "pointwise", vector = 1048576>}

// -----

func.func @schedule_c20(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected one matrix product, whose result is the segment's, and nothing else in a segment with a library schedule}}
  %0 = fusion.segment "library" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {schedule = #fusion.library} {
    %1 = fusion.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
    %2 = fusion.neg %1 : tensor<8x8xf32>
    fusion.yield %2 : tensor<8x8xf32>
  }
  return
}

// -----

shard.grid @g(shape = 4)

func.func @schedule_c21(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected one communication, whose result is the segment's, and nothing else in a segment with a communication schedule}}
  %0 = fusion.segment "communication" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.communication} {
    %1 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %2 = fusion.neg %1 : tensor<8xf32>
    fusion.yield %2 : tensor<8xf32>
  }
  return
}

// -----

func.func @schedule_c20_result(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected one matrix product, whose result is the segment's}}
  %0:2 = fusion.segment "library" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {schedule = #fusion.library} {
    %1 = fusion.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32> to tensor<8x8xf32>
    fusion.yield %1, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return
}

// -----

func.func @schedule_c19(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected axes with the dimensions of results of rank 1, got 2 dimensions}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @schedule_c19_scalar(%x: tensor<8x8xf32>, %s: f32) {
  // expected-error@+1 {{expected reads to be numbers of operands that are tensors, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>, %b = %s : f32) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0, 1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

func.func @schedule_c19_operand(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected reads to be numbers of operands that are tensors, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

func.func @schedule_c19_result(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected results to be below the number of results, 1, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], results = [1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected at most 5 bits of lanes and 10 of threads, and warps only if lanes have 5, in layout, got 5 of lanes and 6 of warps}}
func.func private @schedule_c1() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5, w6]]>}

// -----

// expected-error@+1 {{expected at most 5 bits of lanes and 10 of threads, and warps only if lanes have 5, in layout, got 4 of lanes and 1 of warps}}
func.func private @schedule_c1() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l4, w1]]>}

// -----

// expected-error@+1 {{expected at most 5 bits of lanes and 10 of threads, and warps only if lanes have 5, in layout, got 6 of lanes and 0 of warps}}
func.func private @schedule_c1() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l6]]>}

// -----

// expected-error@+1 {{expected at most r8 to begin the last axis of layout, got r9}}
func.func private @schedule_c2() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r9, l5]]>}

// -----

// expected-error@+1 {{expected repeat to be 1 numbers from 1 to 512, one for each of axes, got array<i64: 0>}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5]], repeat = [0]>}

// -----

// expected-error@+1 {{expected repeat to be 1 numbers from 1 to 512, one for each of axes, got array<i64: 1, 2>}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5]], repeat = [1, 2]>}

// -----

// expected-error@+1 {{expected repeat to be 2 numbers from 1 to 512, one for each of axes, got array<i64: 1, 9223372036854775807>}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w2]], repeat = [1, 9223372036854775807]>}

// -----

// expected-error@+1 {{expected at most 512 elements a thread, got 520}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w2]], repeat = [1, 65]>}

// -----

// expected-error@+1 {{expected at most 512 elements a thread, got more than twice as many}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r8, l5, r3]]>}

// -----

// expected-error@+1 {{expected at most 32 vectors a thread without a reduction, got 33}}
func.func private @schedule_c3() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5, w2]], repeat = [33]>}

// -----

// expected-error@+1 {{expected axes with each dimension once, got array<i64: 0>, array<i64: 0>}}
func.func private @schedule_c4() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [0]], layout = [[], [r3, l5]]>}

// -----

// expected-error@+1 {{expected axes with each dimension once, got array<i64: 0, 2>}}
func.func private @schedule_c4() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 2]], layout = [[r3, l5]]>}

// -----

// expected-error@+1 {{expected axes with each dimension once, got array<i64: -1, 0>}}
func.func private @schedule_c4() attributes {s = #fusion.tile<kind = "pointwise", axes = [[-1, 0]], layout = [[r3, l5]]>}

// -----

// expected-error@+1 {{expected axes with each dimension once, got }}
func.func private @schedule_c4() attributes {s = #fusion.tile<kind = "pointwise", axes = [], layout = []>}

// -----

// expected-error@+1 {{expected kind to be "pointwise", "row_reduction", "outer_reduction", "inner_outer_reduction", "row_scan", "split_scan", "outer_scan", "row_order" or "scatter", got "generic"}}
func.func private @schedule_c5() attributes {s = #fusion.tile<kind = "generic", axes = [[0, 1]], layout = [[r3, l5, w2]]>}

// -----

// expected-error@+1 {{expected min_blocks to be 0 to 2 because a block has 1024 threads and a multiprocessor at most 2048, got -1}}
func.func private @schedule_c6() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[l5, w5]], min_blocks = -1>}

// -----

// expected-error@+1 {{expected 1 to 10 bits in layout, got r40}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r40, l5, w2]]>}

// -----

// expected-error@+1 {{expected 1 to 10 bits in layout, got l0}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l0]]>}

// -----

// expected-error@+1 {{expected 1 axes in layout, as in axes, got 2}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2], [l5]]>}

// -----

// expected-error@+1 {{expected each bit of l once in layout, from bit 0 on}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l2:0, l3:1]]>}

// -----

// expected-error@+1 {{expected each bit of w once in layout, from bit 0 on}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l5, w2:1]]>}

// -----

// expected-error@+1 {{expected each bit of l once in staged, from bit 0 on}}
func.func private @schedule_c7() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5:70], [w3, r2]], reads = [0]>}

// -----

// expected-error@+1 {{expected vectors of at most 8, the leaves of a reduction, got 16}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r4, l5, w2]]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0, 1]], layout = [[r2, l5]]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[r1], [r2, l5]]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l5]], repeat = [2, 1]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, w2, l5]]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r2, l2, r1, l3]]>}

// -----

// expected-error@+1 {{expected whole warps because threads share a row, got 16 threads}}
func.func private @schedule_c15() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[l1], [r3, l3]]>}

// -----

// expected-error@+1 {{expected staged together with reads or results, got neither}}
func.func private @schedule_c17() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = []>}

// -----

// expected-error@+1 {{expected staged together with reads or results, got no staged}}
func.func private @schedule_c17() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], reads = [0]>}

// -----

// expected-error@+1 {{expected staged to have the bits of layout along each axis, and its threads}}
func.func private @schedule_c17() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r3]], reads = [0]>}

// -----

// expected-error@+1 {{expected staged to have the bits of layout along each axis, and its threads}}
func.func private @schedule_c17() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w2, r3]], reads = [0]>}

// -----

// expected-error@+1 {{expected nothing staged with kind = "row_reduction"}}
func.func private @schedule_c17() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [l5]], staged = [[], [l5]], reads = [0]>}

// -----

// expected-error@+1 {{expected reads to be numbers from 0 on, each once, got array<i64: 0, 0>}}
func.func private @schedule_c18() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0, 0]>}

// -----

// expected-error@+1 {{expected results to be numbers from 0 on, each once, got array<i64: -1>}}
func.func private @schedule_c18() attributes {s = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], results = [-1]>}

// -----

// expected-error@+1 {{expected r, l, w or b and a number of bits, such as r3, got 'q3'}}
func.func private @tile_place() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[q3, l5, w2]]>}

// -----

// expected-error@+1 {{expected r, l, w or b and a number of bits, such as r3, got 'l'}}
func.func private @tile_bits() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[l]]>}

// -----

// expected-error@+1 {{expected one row because blocks of a cluster share it, got 2}}
func.func private @schedule_c15() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[w1], [r3, l5, b1]]>}

// -----

// expected-error@+1 {{expected at most 16 blocks in a cluster, got 32}}
func.func private @schedule_c16() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, b5]]>}

// -----

// expected-error@+1 {{expected at most 1 block without a row that blocks share, got 2}}
func.func private @schedule_c16() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5, b1]]>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, b1, w1]]>}

// -----

// expected-error@+1 {{expected layout to have at most 32768 columns, a round of a reduction, got 65536}}
func.func private @schedule_c14() attributes {s = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w4, b4]]>}

// -----

// expected-error@+1 {{expected three axes, no b bits, and no r bits along the first axis of layout}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[0], [1]], layout = [[l5, w2], [r2]]>}

// -----

// expected-error@+1 {{expected three axes, no b bits, and no r bits along the first axis of layout}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], [2]], layout = [[r1], [w4, r3], [r2, l5]]>}

// -----

// expected-error@+1 {{expected vectors of at most 16 in layout, got 32}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r5, l5]]>}

// -----

// expected-error@+1 {{expected whole warps in layout, got 16 threads}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [r4, r3], [r2, l4]]>}

// -----

// expected-error@+1 {{expected at most 1024 along the second axis of layout, got 2048}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3, r4], [r2, l5]]>}

// -----

// expected-error@+1 {{expected bits 4 to 6 of the second axis of layout, the rows of a chain, to be r bits}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w5, r2], [r2, l5]]>}

// -----

// expected-error@+1 {{expected no repeat with kind = "outer_reduction", got array<i64: 1, 2, 1>}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], repeat = [1, 2, 1]>}

// -----

// expected-error@+1 {{expected nothing staged with kind = "outer_reduction"}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], staged = [[], [w4, r3], [r2, l5]], reads = [0]>}

// -----

// expected-error@+1 {{expected at most 1024 along the second axis of fold, got 2048}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], fold = [[], [w5, r6], [l5]]>}

// -----

// expected-error@+1 {{expected no late_reads with kind = "outer_reduction"}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], late_reads = true>}

// -----

// expected-error@+1 {{expected three axes, no b bits, and no r bits along the first axis of fold}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], [2]], layout = [[], [w4, r3], [r2, l5]], fold = [[r1], [r3], [l5]]>}

// -----

// expected-error@+1 {{expected whole warps in fold, got 8 threads}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[0], [1], [2]], layout = [[], [w4, r3], [r2, l5]], fold = [[], [r3], [l3]]>}

// -----

func.func @segment_c4_outer_reduction(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a reduction in a segment with a schedule of kind "outer_reduction", got none}}
  %0 = fusion.segment "outer_reduction" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [r3], [l5]]>} {
    %1 = fusion.exp %a : tensor<8x8xf32>
    fusion.yield %1 : tensor<8x8xf32>
  }
  return
}

// -----

// expected-error@+1 {{expected programmatic together with fold, got no fold}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "outer_reduction", axes = [[], [0], [1]], layout = [[], [w4, r3], [r2, l5]], programmatic = true>}

// -----

// expected-error@+1 {{expected no fold with kind = "pointwise"}}
func.func private @schedule_c22() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l5]], fold = [[l5]]>}

// -----

func.func @segment_c3_dimension(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %c5 = arith.constant 5 : index
    // expected-error@+1 {{expected a constant dimension below the rank of a ranked tensor, 1, in a segment, got 5}}
    %n = tensor.dim %a, %c5 : tensor<?xf32>
    %v = arith.constant 1.0 : f32
    %f = fusion.full %v sizes(%n) : tensor<?xf32>
    fusion.yield %f : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected 3 axes, rows without repeat and r but at the begin, and columns of r, l, w and b in this order}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w1, r1], [r3, l5]], fold = [[], [r3, w5], [l5]]>}

// -----

// expected-error@+1 {{expected no bits along the first axis of layout, got a tile of 4}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[0], [1], [2]], layout = [[w2], [], [r3, l5]], fold = [[], [r3, w5], [l5]]>}

// -----

// expected-error@+1 {{expected at most 16 rows, the chains of a part, got 32}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w5], [r3, l5]], fold = [[], [r3, w5], [l5]]>}

// -----

// expected-error@+1 {{expected a fold because blocks have a part of the rows, got none}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r3, l5]]>}

// -----

// expected-error@+1 {{expected no late_reads with kind = "inner_outer_reduction"}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r3, l5]], fold = [[], [r3, w5], [l5]], late_reads = true>}

// -----

// expected-error@+1 {{expected at most 1024 along the second axis of fold, got 2048}}
func.func private @schedule_c23() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r3, l5]], fold = [[], [w5, r6], [l5]]>}

// -----

// expected-error@+1 {{expected 0 to 8 stages with kind = "inner_outer_reduction", got 9}}
func.func private @schedule_c24() attributes {s = #fusion.tile<kind = "inner_outer_reduction", axes = [[], [0], [1]], layout = [[], [w4], [r3, l5]], fold = [[], [r3, w5], [l5]], stages = 9>}

// -----

// expected-error@+1 {{expected 0 to 3 stages with kind = "split_scan", got 4}}
func.func private @schedule_c24() attributes {s = #fusion.tile<kind = "split_scan", axes = [[0], [1]], layout = [[], [r2, l5, w2]], repeat = [1, 16], stages = 4>}

// -----

// expected-error@+1 {{expected 0 to 0 stages with kind = "pointwise", got -1}}
func.func private @schedule_c24() attributes {s = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l5]], stages = -1>}

// -----

// expected-error@+1 {{expected 2 axes, rows without r and repeat, and columns of r, l, w and b in this order}}
func.func private @schedule_c25() attributes {s = #fusion.tile<kind = "row_scan", axes = [[0, 1]], layout = [[r2, l5]]>}

// -----

// expected-error@+1 {{expected at most 1 block without a row that blocks share, got 2}}
func.func private @schedule_c25() attributes {s = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5, w1, b1]]>}

// -----

// expected-error@+1 {{expected the first bits of lanes and warps in columns, because lanes have neighbours of a row}}
func.func private @schedule_c25() attributes {s = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[l1:0, w2], [r2, l4:1]]>}

// -----

// expected-error@+1 {{expected no repeat of fewer than the 32 lanes of a segment of a scan, got 16}}
func.func private @schedule_c25() attributes {s = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[l1, w2], [r2, l4]], repeat = [1, 2]>}

// -----

// expected-error@+1 {{expected at most 256 segments of a scan in a tile, got 288}}
func.func private @schedule_c25() attributes {s = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5, w5]], repeat = [1, 9]>}

// -----

// expected-error@+1 {{expected a tile of 1 to 4 sections of a scan, each of 2048 leaves of one row, got 1024 leaves of 1 rows}}
func.func private @schedule_c30() attributes {s = #fusion.tile<kind = "split_scan", axes = [[0], [1]], layout = [[], [r2, l5, w3]], repeat = [1, 4]>}

// -----

// expected-error@+1 {{expected a tile of 1 to 4 sections of a scan, each of 2048 leaves of one row, got 2048 leaves of 2 rows}}
func.func private @schedule_c30() attributes {s = #fusion.tile<kind = "split_scan", axes = [[0], [1]], layout = [[w1], [r2, l5, w3]], repeat = [1, 8]>}

// -----

func.func @schedule_c26(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a scan in a segment with a schedule of kind "row_scan", got none}}
  %0 = fusion.segment "row_scan" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {schedule = #fusion.tile<kind = "row_scan", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.exp %a : tensor<8x8xf32>
    fusion.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{expected three axes, the first without r bits, r bits of the others before l and w, and a repeat of the second one only}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[0], [1]], layout = [[r2, w4], [l5]]>}

// -----

// expected-error@+1 {{expected three axes, the first without r bits, r bits of the others before l and w, and a repeat of the second one only}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [w4, r2], [l5]]>}

// -----

// expected-error@+1 {{expected three axes, the first without r bits, r bits of the others before l and w, and a repeat of the second one only}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w4], [l5]], repeat = [1, 1, 2]>}

// -----

// expected-error@+1 {{expected whole warps, got 8 threads}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2], [l3]]>}

// -----

// expected-error@+1 {{expected vectors of at most 8, got 16}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w4], [r4, l5]]>}

// -----

// expected-error@+1 {{expected at most 6144 leaves of scans in a tile, with one more column, got 8448}}
func.func private @schedule_c27() attributes {s = #fusion.tile<kind = "outer_scan", axes = [[], [0], [1]], layout = [[], [r2, w5], [l5]], repeat = [1, 8, 1]>}

// -----

// expected-error@+1 {{expected the first bits of lanes and warps in columns, because lanes have neighbours of a row}}
func.func private @schedule_c28() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[l1:0], [r2, l4:1]]>}

// -----

// expected-error@+1 {{expected no repeat with kind = "row_order", got array<i64: 1, 2>}}
func.func private @schedule_c28() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [r2, l5]], repeat = [1, 2]>}

// -----

// expected-error@+1 {{expected no repeat with kind = "scatter", got array<i64: 1, 2>}}
func.func private @schedule_c28() attributes {s = #fusion.tile<kind = "scatter", axes = [[], [0]], layout = [[], [r2, l5]], repeat = [1, 2]>}

// -----

// expected-error@+1 {{expected at most 4096 elements in a tile that is sorted, got 8192}}
func.func private @schedule_c28() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[w1], [r3, l5, w4]]>}

// -----

// expected-error@+1 {{expected a layout of [[], [l5, r, w3]], by which rows are sorted by digits}}
func.func private @schedule_c31() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r2, w2]]>}

// -----

// expected-error@+1 {{expected a layout of [[], [l5, r, w3]], by which rows are sorted by digits}}
func.func private @schedule_c31() attributes {s = #fusion.tile<kind = "scatter", axes = [[], [0]], layout = [[], [l5, w3, r2]]>}

// -----

// expected-error@+1 {{expected a layout of [[], [l5, r, w3]], by which rows are sorted by digits}}
func.func private @schedule_c31() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[r1], [l5, r1, w3]]>}

// -----

// expected-error@+1 {{expected at most 8192 elements in a tile that is sorted, got 16384}}
func.func private @schedule_c31() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r6, w3]]>}

// -----

// expected-error@+1 {{expected no repeat with kind = "row_order", got array<i64: 1, 2>}}
func.func private @schedule_c31() attributes {s = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r2, w3]], repeat = [1, 2]>}

// -----

func.func @schedule_c29(%x: tensor<8x8xf32>) -> tensor<8x8xi64> {
  // expected-error@+1 {{expected one scatter in a segment with a schedule of kind "scatter"}}
  %0 = fusion.segment "scatter" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xi64>) attributes {schedule = #fusion.tile<kind = "scatter", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.argsort %a dim 1 : tensor<8x8xf32> to tensor<8x8xi64>
    fusion.yield %1 : tensor<8x8xi64>
  }
  return %0 : tensor<8x8xi64>
}

// -----

func.func @schedule_c29(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected one sort in a segment with a schedule of kind "row_order"}}
  %0 = fusion.segment "row_order" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [r2, l5]]>} {
    %1 = fusion.exp %a : tensor<8x8xf32>
    fusion.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}
