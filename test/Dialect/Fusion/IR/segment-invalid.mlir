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
  // expected-error@+1 {{expected a schedule of scheduler "generic", got #fusion.pointwise<threads = 128, vector = 8, unroll = 2> of "pointwise"}}
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.pointwise<threads = 128, vector = 8, unroll = 2>} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @segment_c4_pointwise(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected no reduction in a segment with a pointwise schedule, got 'fusion.reduce'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<f32>)
      attributes {schedule = #fusion.pointwise<threads = 128, vector = 8, unroll = 2>} {
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
      attributes {schedule = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [0]>} {
    // expected-note@+1 {{reduced here}}
    %1 = fusion.reduce <sum> %a dims [0] : tensor<8xf32> to tensor<f32>
    fusion.yield %1 : tensor<f32>
  }
  return
}

// -----

func.func @segment_c4_row_reduction(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a reduction in a segment with a row_reduction schedule, got none}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.row_reduction<threads = 32, rows_per_block = 1, vector = 1, unroll = 1>} {
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
  // expected-error@+1 {{operand #0 must be variadic of ranked tensor of at most 2^48 f64, f32, f16, bf16, i1, i32 or i64 elements without an encoding or 64-bit float or 32-bit float or 16-bit float or bfloat16 type or 1-bit signless integer or 32-bit signless integer or 64-bit signless integer or index, but got 'memref<8xf32>'}}
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

// expected-error@+1 {{expected min_blocks to be 0 to 2 because a block has 1024 threads and a multiprocessor at most 2048, got -1}}
func.func private @schedule_c6() attributes {s = #fusion.row_reduction<threads = 256, rows_per_block = 4, vector = 8, unroll = 1, min_blocks = -1>}

// -----

// expected-error@+1 {{expected parts to be a power of two, got 6}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 96, parts = 6>}

// -----

// expected-error@+1 {{expected at most 32 parts because stride is not 1, got 64}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 256, parts = 64, stride = 4>}

// -----

// expected-error@+1 {{expected parts to be 1, 32 or all 256 threads, because stride is 1, got 64}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 256, parts = 64>}

// -----

// expected-error@+1 {{expected whole warps of threads because neighbours share an element, got 16 threads}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 16, parts = 16>}

// -----

// expected-error@+1 {{expected stride to be 1 or threads / parts, 32, got 16}}
func.func private @schedule_c1() attributes {s = #fusion.generic<threads = 256, parts = 8, stride = 16>}

// -----

// expected-error@+1 {{expected 1 to 1024 threads a block, got 2048}}
func.func private @schedule_c1() attributes {s = #fusion.row_reduction<threads = 512, rows_per_block = 4, vector = 8, unroll = 4>}

// -----

// expected-error@+1 {{expected 1 to 1024 rows a block, got 0}}
func.func private @schedule_c4() attributes {s = #fusion.row_reduction<threads = 512, rows_per_block = 0, vector = 8, unroll = 4>}

// -----

// expected-error@+1 {{expected vector to be a power of two up to 256, got 6}}
func.func private @schedule_c2() attributes {s = #fusion.pointwise<threads = 512, vector = 6, unroll = 4>}

// -----

// expected-error@+1 {{expected unroll to be at least 1, got 0}}
func.func private @schedule_c3() attributes {s = #fusion.pointwise<threads = 512, vector = 8, unroll = 0>}

// -----

// expected-error@+1 {{expected kind to be the name of a scheduler, got ""}}
func.func private @schedule_c5() attributes {s = #fusion.cpu<kind = "", vector = 8>}

// -----

// expected-error@+1 {{expected vector to be a power of two up to 256, got 1099511627776}}
func.func private @schedule_c2() attributes {s = #fusion.pointwise<threads = 128, vector = 1099511627776, unroll = 1>}

// -----

// expected-error@+1 {{expected vector to be a power of two up to 256, got 512}}
func.func private @schedule_c2() attributes {s = #fusion.row_reduction<threads = 128, rows_per_block = 1, vector = 512, unroll = 1>}

// -----

// expected-error@+1 {{expected vector to be a power of two up to 256, got 1048576}}
func.func private @schedule_c2() attributes {s = #fusion.cpu<kind = "pointwise", vector = 1048576>}

// -----

// expected-error@+1 {{expected unroll to be at most 32 without a reduction, got 1000000000000}}
func.func private @schedule_c3() attributes {s = #fusion.pointwise<threads = 128, vector = 4, unroll = 1000000000000>}

// -----

// expected-error@+1 {{expected unroll to be at most 64 because a thread has at most 512 elements in vectors of 8, got 65}}
func.func private @schedule_c3() attributes {s = #fusion.row_reduction<threads = 128, rows_per_block = 1, vector = 8, unroll = 65>}

// -----

// expected-error@+1 {{expected unroll to be at most 64 because a thread has at most 512 elements in vectors of 8, got 9223372036854775807}}
func.func private @schedule_c3() attributes {s = #fusion.row_reduction<threads = 128, rows_per_block = 1, vector = 8, unroll = 9223372036854775807>}

// -----

// expected-error@+1 {{expected unroll to be at most 16 because a thread has at most 512 elements in vectors of 32, got 17}}
func.func private @schedule_c3() attributes {s = #fusion.pointwise<threads = 128, vector = 32, unroll = 17>}

// -----

// expected-error@+1 {{expected tile to be a power of two from 8 to 128, got 48}}
func.func private @schedule_c7() attributes {s = #fusion.transpose<threads = 192, tile = 48, along = 1, across = 0, reads = [0]>}

// -----

// expected-error@+1 {{expected tile to be a power of two from 8 to 128, got 256}}
func.func private @schedule_c7() attributes {s = #fusion.transpose<threads = 256, tile = 256, along = 1, across = 0, reads = [0]>}

// -----

// expected-error@+1 {{expected threads to be a multiple of the 32 elements of a row that divides the 1024 of a tile, got 16}}
func.func private @schedule_c7() attributes {s = #fusion.transpose<threads = 16, tile = 32, along = 1, across = 0, reads = [0]>}

// -----

// expected-error@+1 {{expected threads to be a multiple of the 32 elements of a row that divides the 1024 of a tile, got 96}}
func.func private @schedule_c7() attributes {s = #fusion.transpose<threads = 96, tile = 32, along = 1, across = 0, reads = [0]>}

// -----

// expected-error@+1 {{expected 1 to 1024 threads a block, got 4096}}
func.func private @schedule_c1() attributes {s = #fusion.transpose<threads = 4096, tile = 64, along = 1, across = 0, reads = [0]>}

// -----

// expected-error@+1 {{expected along and across to be two dimensions, got 1 and 1}}
func.func private @schedule_c17() attributes {s = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 1, reads = [0]>}

// -----

// expected-error@+1 {{expected along and across to be two dimensions, got 1 and -1}}
func.func private @schedule_c17() attributes {s = #fusion.transpose<threads = 256, tile = 32, along = 1, across = -1, reads = [0]>}

// -----

// expected-error@+1 {{expected reads or results that lie across, got none}}
func.func private @schedule_c18() attributes {s = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = []>}

// -----

// expected-error@+1 {{expected reads to be numbers from 0 on, each once, got array<i64: 0, 0>}}
func.func private @schedule_c18() attributes {s = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [0, 0]>}

// -----

// expected-error@+1 {{expected results to be numbers from 0 on, each once, got array<i64: -1>}}
func.func private @schedule_c18() attributes {s = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, results = [-1]>}

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
  // expected-error@+1 {{expected along and across to be dimensions of results of rank 1, got 1 and 0}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [0]>} {
    fusion.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @schedule_c19_scalar(%x: tensor<8x8xf32>, %s: f32) {
  // expected-error@+1 {{expected reads to be numbers of operands that are tensors, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>, %b = %s : f32) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [0, 1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

func.func @schedule_c19_operand(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected reads to be numbers of operands that are tensors, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, reads = [1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

func.func @schedule_c19_result(%x: tensor<8x8xf32>) {
  // expected-error@+1 {{expected results to be below the number of results, 1, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.transpose<threads = 256, tile = 32, along = 1, across = 0, results = [1]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  return
}

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

// expected-error@+1 {{expected vector to be at most 8, the leaves of a reduction, got 16}}
func.func private @schedule_c14() attributes {s = #fusion.row_reduction<threads = 128, rows_per_block = 1, vector = 16, unroll = 1>}

// -----

// expected-error@+1 {{expected threads to be a power of two up to 32, or a multiple of 32 with rows_per_block = 1, got threads = 24, rows_per_block = 4}}
func.func private @schedule_c15() attributes {s = #fusion.row_reduction<threads = 24, rows_per_block = 4, vector = 1, unroll = 1>}

// -----

// expected-error@+1 {{expected threads to be a power of two up to 32, or a multiple of 32 with rows_per_block = 1, got threads = 64, rows_per_block = 2}}
func.func private @schedule_c15() attributes {s = #fusion.row_reduction<threads = 64, rows_per_block = 2, vector = 1, unroll = 1>}

// -----

// expected-error@+1 {{expected threads * rows_per_block to be a multiple of 32, got 24}}
func.func private @schedule_c15() attributes {s = #fusion.row_reduction<threads = 8, rows_per_block = 3, vector = 1, unroll = 1>}

// -----

// expected-error@+1 {{expected threads to be a power of two of at least 256 because unroll is 2 and vector 1, got 128}}
func.func private @schedule_c16() attributes {s = #fusion.row_reduction<threads = 128, rows_per_block = 1, vector = 1, unroll = 2>}

// -----

// expected-error@+1 {{expected threads to be a power of two of at least 64 because unroll is 3 and vector 4, got 96}}
func.func private @schedule_c16() attributes {s = #fusion.row_reduction<threads = 96, rows_per_block = 1, vector = 4, unroll = 3>}
