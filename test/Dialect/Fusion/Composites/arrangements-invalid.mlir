// RUN: fuser-opt %s --split-input-file --fusion-expand-composites --verify-diagnostics

func.func @no_chunks(%x: tensor<4xf32>) {
  // expected-error@+1 {{'chunk': expected 1 to 65536 as 'chunks', got 0}}
  %0 = fusion.composite "chunk"(%x) {chunks = 0, dim = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_sections(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected 1 to 65536 as 'sections', got 0}}
  %0 = fusion.composite "split"(%x) {sections = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @many_sections(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected 1 to 65536 as 'sections', got 65537}}
  %0 = fusion.composite "split"(%x) {sections = 65537, uneven} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sections(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'split': expected a number of parts that divides the 6 elements of dimension 1, got 4: array_split takes others}}
  %0 = fusion.composite "split"(%x) {sections = 4, dim = -1} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @nothing_of_split(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected one of 'sections', 'indices', 'sizes' and 'length'}}
  %0 = fusion.composite "split"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_of_sizes(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'split': expected sizes of parts whose sum is 6, that of dimension 1, got 5}}
  %0 = fusion.composite "split"(%x) {sizes = [2, 3], dim = 1} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_size(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected 'sizes' that are not negative, got -1}}
  %0 = fusion.composite "split"(%x) {sizes = [5, -1]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @open_sizes(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected an operand for each open number of 'sizes'}}
  %0 = fusion.composite "split"(%x) {sizes = [unit, 1]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @open_indices(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected an operand for each open number of 'indices'}}
  %0 = fusion.composite "split"(%x) {indices = [1, unit]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @float_index(%x: tensor<4xf32>, %n: f32) {
  // expected-error@+1 {{expected an integer scalar as a size or bound, got a value of 'f32'}}
  %0 = fusion.composite "split"(%x, %n) {indices = [unit]} : (tensor<4xf32>, f32) -> tensor<4xf32>
  return
}

// -----

func.func @no_length(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected at least 1 as 'length', got 0}}
  %0 = fusion.composite "split"(%x) {length = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @length_of_an_open_size(%x: tensor<?x6xf32>) {
  // expected-error@+1 {{'split': expected the sizes of all parts, as that of dimension 0 is open, or a number of parts, got parts of 2}}
  %0 = fusion.composite "split"(%x) {length = 2} : (tensor<?x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @many_lengths(%x: tensor<65537xf32>) {
  // expected-error@+1 {{'split': expected at most 65536 parts, got 65537}}
  %0 = fusion.composite "split"(%x) {length = 1} : (tensor<65537xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dimension_of_parts(%x: tensor<4xf32>) {
  // expected-error@+1 {{'split': expected a dimension of -1 to 0, of a tensor of 1 dimensions, got 1}}
  %0 = fusion.composite "split"(%x) {sections = 2, dim = 1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unstack_of_an_open_size(%x: tensor<?x6xf32>) {
  // expected-error@+1 {{'unstack': expected a dimension whose size is known, got dimension 0 of 'tensor<?x6xf32>'}}
  %0 = fusion.composite "unstack"(%x) : (tensor<?x6xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unstack_into_many(%x: tensor<2x65537xf32>) {
  // expected-error@+1 {{'unstack': expected at most 65536 parts, got 65537}}
  %0 = fusion.composite "unstack"(%x) {dim = 1} : (tensor<2x65537xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @negative_differences(%x: tensor<4xf32>) {
  // expected-error@+1 {{'diff': expected n to be at least 0, got -1}}
  %0 = fusion.composite "diff"(%x) {n = -1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_prepend(%x: tensor<4xf32>) {
  // expected-error@+1 {{'diff': expected}}
  %0 = fusion.composite "diff"(%x) {has_prepend} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @moved_twice(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'moveaxis': expected each dimension once, got dimension 0 twice}}
  %0 = fusion.composite "moveaxis"(%x) {source = [0, -2], destination = [0, 1]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @moved_to_one_place(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'moveaxis': expected each dimension once, got dimension 1 twice}}
  %0 = fusion.composite "moveaxis"(%x) {source = [0, 1], destination = [1, -1]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @places(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'moveaxis': expected as many places as dimensions, got [0, 1] and [1]}}
  %0 = fusion.composite "moveaxis"(%x) {source = [0, 1], destination = [1]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @three_dimensions(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'swapaxes': expected two dimensions, got [0, 1, 0]}}
  %0 = fusion.composite "swapaxes"(%x) {dims = [0, 1, 0]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @no_dimension(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'swapaxes': expected a dimension of -2 to 1, of a tensor of 2 dimensions, got 2}}
  %0 = fusion.composite "swapaxes"(%x) {dims = [0, 2]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @one_dimension_twice(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'rot90': expected two dimensions, got 1 twice}}
  %0 = fusion.composite "rot90"(%x) {dims = [1, -1]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{'atleast': expected 1 to 3 as 'rank', got 4}}
  %0 = fusion.composite "atleast"(%x) {rank = 4} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operands_of_rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{'atleast': expected 1 operand, got 2}}
  %0 = fusion.composite "atleast"(%x, %x) {rank = 1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_tensor() {
  // expected-error@+1 {{'stack': expected at least one tensor, got none}}
  %0 = fusion.composite "stack"() : () -> tensor<4xf32>
  return
}

// -----

func.func @ranks(%x: tensor<4x6xf32>, %y: tensor<6xf32>) {
  // expected-error@+1 {{'stack': expected tensors of one shape, got 'tensor<4x6xf32>' and, as operand 1, 'tensor<6xf32>'}}
  %0 = fusion.composite "stack"(%x, %y) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @indexing(%x: tensor<4xf32>) {
  // expected-error@+1 {{'meshgrid': expected 'xy' or 'ij' as 'indexing', got 'xz'}}
  %0 = fusion.composite "meshgrid"(%x) {indexing = "xz"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @grid_of_a_matrix(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'meshgrid': expected tensors of one dimension, got 'tensor<4x6xf32>'}}
  %0 = fusion.composite "meshgrid"(%x) {indexing = "ij"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @factors(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected 2 operands for 'ij,jk', got 1}}
  %0 = fusion.composite "einsum"(%x) {equation = "ij,jk->ik"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @letters(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected a letter for each dimension, got 'ijk' for an array of 2}}
  %0 = fusion.composite "einsum"(%x) {equation = "ijk"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @digits(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected a letter for each dimension, got 'i1' for an array of 2}}
  %0 = fusion.composite "einsum"(%x) {equation = "i1"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @letters_beside_dots(%x: tensor<4xf32>) {
  // expected-error@+1 {{'einsum': expected a letter for each dimension, got 'i...j' for an array of 1}}
  %0 = fusion.composite "einsum"(%x) {equation = "i...j"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @letter_of_the_result(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected each letter of the result once, and in an operand, got 'ik'}}
  %0 = fusion.composite "einsum"(%x) {equation = "ij->ik"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @letter_twice_in_the_result(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected each letter of the result once, and in an operand, got 'ii'}}
  %0 = fusion.composite "einsum"(%x) {equation = "ij->ii"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @diagonal(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected one size of 'i', got 4 and 6}}
  %0 = fusion.composite "einsum"(%x) {equation = "ii->i"} : (tensor<4x6xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @letter_of_two_sizes(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'einsum': expected one size of 'j', got 6 and 4}}
  %0 = fusion.composite "einsum"(%x, %x) {equation = "ij,jk"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dots_of_two_sizes(%x: tensor<4x6xf32>, %y: tensor<3x6xf32>) {
  // expected-error@+1 {{'einsum': expected one size of '...', got 4 and 3}}
  %0 = fusion.composite "einsum"(%x, %y) {equation = "...j,...j"} : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @letter_of_an_open_size(%x: tensor<?x?xf32>, %y: tensor<6x2xf32>) {
  // expected-error@+1 {{'einsum' has a meaning only if dimension 1 of argument 0 is 6: state it in the type, 'tensor<?x?xf32>'}}
  %0 = fusion.composite "einsum"(%x, %y) {equation = "ij,jk"} : (tensor<?x?xf32>, tensor<6x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @axes(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tensordot': expected 0 to 2 as axes, got 3}}
  %0 = fusion.composite "tensordot"(%x, %x) {axes = 3} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pairs(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tensordot': expected as many dimensions of both, got [0, 1] and [0]}}
  %0 = fusion.composite "tensordot"(%x, %x) {lhs_dims = [0, 1], rhs_dims = [0]} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @sizes_of_pairs(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tensordot': expected one size of dimension 1, got 6 and 4}}
  %0 = fusion.composite "tensordot"(%x, %x) {axes = 1} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @one_factor(%x: tensor<4xf32>) {
  // expected-error@+1 {{'outer': expected a tensor or a number as operand 1, got 1 operand}}
  %0 = fusion.composite "outer"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @three_elements(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'cross': expected 3 elements along dimension 0, got 4}}
  %0 = fusion.composite "cross"(%x, %x) {dim = 0} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dimension_of_products(%x: tensor<4xf32>) {
  // expected-error@+1 {{'vecdot': expected a dimension of -1 to 0, of a tensor of 1 dimensions, got 1}}
  %0 = fusion.composite "vecdot"(%x, %x) {dim = 1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @method(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quantile': expected 'linear', 'lower', 'higher', 'nearest' or 'midpoint' as 'method', got 'neares'; did you mean 'nearest'?}}
  %0 = fusion.composite "quantile"(%x) {fractions = [0.5], method = "neares"} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @no_method(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quantile': expected 'linear', 'lower', 'higher', 'nearest' or 'midpoint' as 'method', got 'hazen'}}
  %0 = fusion.composite "quantile"(%x) {fractions = [0.5], method = "hazen"} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @fraction(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quantile': expected fractions from 0 to 1, got 1.5}}
  %0 = fusion.composite "quantile"(%x) {fractions = [1.5], method = "linear"} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @fractions(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quantile': expected one of 'fractions', or several with 'stack', got 2}}
  %0 = fusion.composite "quantile"(%x) {fractions = [0.25, 0.75], method = "linear"} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @places_over_one_dimension(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'median': expected each dimension once, got dimension 0 twice}}
  %0 = fusion.composite "median"(%x) {dims = [0, -2]} : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @dimensions_of_a_norm(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'matrix_norm': expected two dimensions, got [0]}}
  %0 = fusion.composite "matrix_norm"(%x) {order = [1.0], dims = [0]} : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @order_of_a_norm(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'matrix_norm': expected 1, -1, inf or -inf as the order of a norm of matrices, got 2}}
  %0 = fusion.composite "matrix_norm"(%x) {order = [2.0], dims = [0, 1]} : (tensor<4x6xf32>) -> tensor<f32>
  return
}

// -----

func.func @no_fractions(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quantile': expected one of 'fractions', or several with 'stack', got 0}}
  %0 = fusion.composite "quantile"(%x) {fractions = array<f64>, stack, method = "linear"} : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @fractions_that_are_none(%x: tensor<4xf32>, %q: tensor<2xi1>) {
  // expected-error@+1 {{'quantile': expected fractions as floats, got 'tensor<2xi1>'}}
  %0 = fusion.composite "quantile"(%x, %q) {method = "linear"} : (tensor<4xf32>, tensor<2xi1>) -> tensor<2xf32>
  return
}

// -----

func.func @a_place_before_the_first(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kthvalue': expected a k of at least 1, got 0}}
  %0:2 = fusion.composite "kthvalue"(%x) {k = [0]} : (tensor<4xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func @a_place_behind_the_last(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kthvalue': expected a k of 1 to 4, the elements of dimension 0, got 5}}
  %0:2 = fusion.composite "kthvalue"(%x) {k = [5]} : (tensor<4xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func @places(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kthvalue': expected one number as 'k', got 2}}
  %0:2 = fusion.composite "kthvalue"(%x) {k = [1, 2]} : (tensor<4xf32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func @other_elements(%x: tensor<4x6xf32>, %y: tensor<5x5xf32>) {
  // expected-error@+1 {{'reshape_as': expected as many elements in the result as in the input, got 'tensor<4x6xf32>' and 'tensor<5x5xf32>'}}
  %0 = fusion.composite "reshape_as"(%x, %y) : (tensor<4x6xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @another_product(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'unflatten': expected sizes whose product is 6, that of dimension 1, got 8}}
  %0 = fusion.composite "unflatten"(%x) {dim = 1, shape = [2, 4]} : (tensor<4x6xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @another_size(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'unflatten': expected a multiple of 4 as the size of dimension 1, for [4, -1], got 6}}
  %0 = fusion.composite "unflatten"(%x) {dim = 1, shape = [4, -1]} : (tensor<4x6xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

func.func @no_part(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'unflatten': expected no size of 0 beside -1, which would be any size}}
  %0 = fusion.composite "unflatten"(%x) {dim = 1, shape = [0, -1]} : (tensor<4x6xf32>) -> tensor<4x0x6xf32>
  return
}

// -----

func.func @two_unknown(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'unflatten': expected sizes that are not negative, and one -1 at most, got -1}}
  %0 = fusion.composite "unflatten"(%x) {dim = 1, shape = [-1, -1]} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @shape_of_a_norm(%x: tensor<4x6xf32>) {
  %eps = arith.constant 1.0e-5 : f32
  // expected-error@+1 {{'rms_norm': expected size 5, that of the shape, in dimension 1, got 6}}
  %0:2 = fusion.composite "rms_norm"(%x, %eps) {shape = [5]} : (tensor<4x6xf32>, f32) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @sizes_of_a_norm(%x: tensor<4x6xf32>) {
  %eps = arith.constant 1.0e-5 : f32
  // expected-error@+1 {{'layer_norm': expected 1 to 2 sizes as 'shape', for 'tensor<4x6xf32>', got 3}}
  %0:3 = fusion.composite "layer_norm"(%x, %eps) {shape = [1, 4, 6]} : (tensor<4x6xf32>, f32) -> (tensor<4x6xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
  return
}

// -----

func.func @a_number_as_a_vector(%x: tensor<f32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{'cross': expected vectors of 3 elements, got 'tensor<f32>'}}
  %0 = fusion.composite "cross"(%x, %y) : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @start_behind_end(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'flatten': expected 'start' not behind 'end', got dimensions 2 and 1}}
  %0 = fusion.composite "flatten"(%x) {start = 2, end = 1} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  return
}

// -----

func.func @decimals(%x: tensor<2xf32>) {
  // expected-error@+1 {{'around': expected -308 to 308 as 'decimals', got 400}}
  %0 = fusion.composite "around"(%x) {decimals = 400} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @operands_of_isclose(%x: tensor<2xf32>) {
  // expected-error@+1 {{'isclose': expected 4 operands, got 2}}
  %0 = fusion.composite "isclose"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @shifts_of_no_dimension(%x: tensor<2xf32>) {
  // expected-error@+1 {{'roll': expected as many 'shifts' as 'dims', got 2 and 1}}
  %0 = fusion.composite "roll"(%x) {shifts = [1, 2], dims = [0]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @flags_of_dimensions(%x: tensor<2xf32>) {
  // expected-error@+1 {{'broadcast': expected a 0 in 'is_new' for each of the 1 dimensions of 'tensor<2xf32>', got 2}}
  %0 = fusion.composite "broadcast"(%x) {is_new = [0, 1, 0]} : (tensor<2xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @diagonal_of_none(%x: tensor<f32>) {
  // expected-error@+1 {{'diag_embed': expected a tensor with a dimension, and two dimensions of the result as 'dims', got 'tensor<f32>' and [-2, -1]}}
  %0 = fusion.composite "diag_embed"(%x) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @target_of_floats(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nll_loss': expected integers as the target, got 'tensor<2x3xf32>'}}
  %0 = fusion.composite "nll_loss"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  return
}
