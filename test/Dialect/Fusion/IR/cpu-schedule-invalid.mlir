// RUN: fuser-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected groups to be #fusion.cpu_flat, #fusion.cpu_tiles, #fusion.cpu_squares, #fusion.cpu_parts or #fusion.cpu_order, got #fusion.generic<threads = 256>}}
func.func private @schedule_c9() attributes {s = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.generic<threads = 256>]>}

// -----

// expected-error@+1 {{expected chunk to be 1 to 1073741824, got 0}}
func.func private @schedule_c10() attributes {s = #fusion.cpu_flat<chunk = 0>}

// -----

// expected-error@+1 {{expected chunk to be 1 to 1073741824, got 4611686018427387904}}
func.func private @schedule_c10() attributes {s = #fusion.cpu_tiles<chunk = 4611686018427387904>}

// -----

// expected-error@+1 {{expected chunk to be 1 to 1073741824, got 0}}
func.func private @schedule_c10() attributes {s = #fusion.cpu_squares<dim = 0, lanes = 16, chunk = 0>}

// -----

// expected-error@+1 {{expected order to have each dimension once, got array<i64: 1, 1, 2>}}
func.func private @schedule_c11() attributes {s = #fusion.cpu_tiles<order = [1, 1, 2]>}

// -----

// expected-error@+1 {{expected the last dimension, 2, to be the last of the order, because lanes are its neighbours, got array<i64: 2, 1, 0>}}
func.func private @schedule_c11() attributes {s = #fusion.cpu_tiles<order = [2, 1, 0]>}

// -----

// expected-error@+1 {{expected order to have each dimension once, got array<i64: 0, 2>}}
func.func private @schedule_c11() attributes {s = #fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64, order = [0, 2]>}

// -----

// expected-error@+1 {{expected item_dims to be a number of dimensions, got -2}}
func.func private @schedule_c12() attributes {s = #fusion.cpu_tiles<item_dims = -2>}

// -----

// expected-error@+1 {{expected item_dims to be a number of dimensions, got 4}}
func.func private @schedule_c12() attributes {s = #fusion.cpu_tiles<order = [1, 0, 2], item_dims = 4>}

// -----

// expected-error@+1 {{expected lanes to be a power of two up to 256, got 12}}
func.func private @schedule_c12() attributes {s = #fusion.cpu_tiles<lanes = 12>}

// -----

// expected-error@+1 {{expected lanes to be a power of two up to 256, got 512}}
func.func private @schedule_c12() attributes {s = #fusion.cpu_tiles<lanes = 512>}

// -----

// expected-error@+1 {{expected lanes to be a power of two from 2 to 64, got 128}}
func.func private @schedule_c13() attributes {s = #fusion.cpu_squares<dim = 0, lanes = 128, chunk = 128>}

// -----

// expected-error@+1 {{expected chunk to be a multiple of the 16 lanes, got 24}}
func.func private @schedule_c13() attributes {s = #fusion.cpu_squares<dim = 0, lanes = 16, chunk = 24>}

// -----

// expected-error@+1 {{expected dim to be another dimension than the last, got 2}}
func.func private @schedule_c13() attributes {s = #fusion.cpu_squares<dim = 2, lanes = 16, chunk = 64, order = [1, 0, 2]>}

// -----

// expected-error@+1 {{expected dim to be another dimension than the last, got -1}}
func.func private @schedule_c13() attributes {s = #fusion.cpu_squares<dim = -1, lanes = 16, chunk = 64>}

// -----

// expected-error@+1 {{expected counted to be 0 to 1024, got 1025}}
func.func private @schedule_c32() attributes {s = #fusion.cpu_order<counted = 1025>}

// -----

// expected-error@+1 {{expected sorted to be 0 or more, got -2}}
func.func private @schedule_c32() attributes {s = #fusion.cpu_order<sorted = -2>}

// -----

// expected-error@+1 {{expected items to be 0 to 65536, got 65537}}
func.func private @schedule_c32() attributes {s = #fusion.cpu_order<items = 65537>}

// -----

func.func @schedule_c33(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected no reduction in a segment with a pointwise schedule, got 'fusion.reduce'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<8x4xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>} {
    // expected-note@+1 {{reduced here}}
    %1 = fusion.reduce <sum> %a dims [1] : tensor<8x4xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @schedule_c33(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a reduction in a segment with a schedule of kind "row_reduction", got none}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 8>} {
    %1 = fusion.neg %a : tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{expected lanes to be a power of two up to 64, got 12}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 24, lanes = 12>}

// -----

// expected-error@+1 {{expected lanes to be a power of two up to 64, got 128}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 128, lanes = 128>}

// -----

// expected-error@+1 {{expected chunk to be a multiple of the 16 lanes, got 24}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 24, lanes = 16>}

// -----

// expected-error@+1 {{expected narrow to be 0 or, with several lanes, more, got 2}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 24, narrow = 2>}

// -----

// expected-error@+1 {{expected narrow to be 0 or, with several lanes, more, got -1}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 24, lanes = 8, narrow = -1>}

// -----

// expected-error@+1 {{expected chunk to be 1 to 1073741824, got 0}}
func.func private @schedule_c34() attributes {s = #fusion.cpu_parts<chunk = 0>}
