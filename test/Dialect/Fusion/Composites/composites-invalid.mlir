// RUN: fuser-opt %s --split-input-file --fusion-expand-composites --verify-diagnostics

func.func @name(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected the name of an op, got 'softmaks'; did you mean 'softmax'?}}
  %0 = fusion.composite "softmaks"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @attribute(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax': expected attributes 'dim', got 'dims'}}
  %0 = fusion.composite "softmax"(%x) {dims = [0]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @value(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a flag, an integer of 64 bits, an element type, a string, or a list of numbers as 'dim', got 18446744073709551616 : i128}}
  %0 = fusion.composite "softmax"(%x) {dim = 18446744073709551616 : i128} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @list(%x: tensor<4xf32>) {
  // expected-error@+1 {{as 'dims', got [0, "a"]}}
  %0 = fusion.composite "reduce"(%x) {kind = "sum", dims = [0, "a"]} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @operand(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax': expected}}
  %0 = fusion.composite "softmax"(%x, 2) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax' has results of types ('tensor<4xf32>'), got ('tensor<4xbf16>')}}
  %0 = fusion.composite "softmax"(%x) : (tensor<4xf32>) -> tensor<4xbf16>
  return
}

// -----

func.func @too_many(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax' has results of types ('tensor<4xf32>'), got ('tensor<4xf32>', 'tensor<4xf32>')}}
  %0:2 = fusion.composite "softmax"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @size(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'add' has a meaning only if dimension 0 of argument 0 is 4: state it in the type, 'tensor<?xf32>'}}
  %0 = fusion.composite "add"(%x, %y) : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @literal(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected an integer of 64 bits}}
  %0 = fusion.composite "add"(%x, 18446744073709551616) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @name_alone(%x: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'fusion.softmaks' is unknown}}
  %0 = fusion.softmaks %x {dim = -1} : tensor<4xf32>
  return
}

// -----

func.func @attribute_of_name(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax': expected attributes 'dim', got 'dims': write 'dim'}}
  %0 = fusion.softmax %x {dims = -1} : tensor<4xf32>
  return
}

// -----

func.func @attribute_of_python(%x: tensor<4xf32>) {
  // expected-error@+1 {{'softmax': expected attributes 'dim', got 'axis': write 'dim'}}
  %0 = fusion.softmax %x {axis = -1} : tensor<4xf32>
  return
}

// -----

func.func @attribute_of_pytorch(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'group_norm': expected attributes 'groups', 'has_weight', 'has_bias', got 'num_groups': write 'groups'}}
  %0:3 = fusion.group_norm %x, 1e-5 {num_groups = 2} : tensor<4x8xf32>
  return
}

// -----

func.func @types_of_name(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a type for each tensor and scalar, got 0 for 1}}
  %0 = fusion.softmax %x {dim = -1}
  return
}

// -----

func.func @lenient_shapes(%x: tensor<?x8xf32>, %w: tensor<7xf32>) {
  // expected-error@+1 {{'add': expected shapes that broadcast, got size 8 in dimension 1 of 'tensor<?x8xf32>' and 7 in dimension 0}}
  %0 = fusion.add %x, %w : tensor<?x8xf32>, tensor<7xf32>
  return
}

// -----

func.func @lenient_types(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a type for each tensor and scalar, got 3 for 2}}
  %0 = fusion.add %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @results_of_name(%x: tensor<8xf32>) {
  // expected-error@+1 {{operation defines 1 results but was provided 3 to bind}}
  %0:3 = fusion.softmax %x {dim = -1} : tensor<8xf32>
  return
}

// -----

func.func @parts_of_known_size(%x: tensor<5xf32>) {
  // expected-error@+1 {{operation defines 3 results but was provided 4 to bind}}
  %0:4 = fusion.chunk %x {chunks = 4, dim = 0} : tensor<5xf32>
  return
}

// -----

// A flag is no integer.
func.func @flag_as_dimension(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'softmax': expected an integer as 'dim', got a flag}}
  %0 = fusion.softmax %x {dim} : tensor<4x8xf32>
  return
}

// -----

func.func @true_as_dimension(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'softmax': expected an integer as 'dim', got true}}
  %0 = fusion.softmax %x {dim = true} : tensor<4x8xf32>
  return
}

// -----

func.func @unit_as_dimension(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'softmax': expected an integer as 'dim', got a flag}}
  %0 = fusion.softmax %x {dim = unit} : tensor<4x8xf32>
  return
}

// -----

func.func @text_as_flag(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'var_mean': expected a flag as 'keep', got "yes"}}
  %0:2 = fusion.var_mean %x {dims = [1], keep = "yes"} : tensor<4x8xf32>
  return
}

// -----

// The number that stands for an open one is 'unit' in text.
func.func @least_integer(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected numbers greater than -2^63 in the list 'shifts', got -2^63: 'unit' stands for an operand}}
  %0 = fusion.roll %x {shifts = [-9223372036854775808], dims = [0]} : tensor<4xf32>
  return
}

// -----

// The number stands for an operand in every form of a list.
func.func @least_integer_of_a_dense_list(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected numbers greater than -2^63 in the list 'shape', got -2^63: 'unit' stands for an operand}}
  %0 = fusion.composite "reshape"(%x) {shape = array<i64: 2, -9223372036854775808>} : (tensor<8xf32>) -> tensor<2x4xf32>
  return
}

// -----

// Products of vectors are those of matrices, which have other dimensions.
func.func @product_of_vectors(%x: tensor<4xcomplex<f32>>, %y: tensor<5xcomplex<f32>>) {
  // expected-error@+1 {{'dot': expected dimension 0 of the right operand to be 4, as dimension 0 of the left operand is, got 5}}
  %0 = fusion.dot %x, %y : tensor<4xcomplex<f32>>, tensor<5xcomplex<f32>>
  return
}

// -----

func.func @product_with_a_matrix(%x: tensor<2x3x4xcomplex<f64>>, %y: tensor<5x6xcomplex<f64>>) {
  // expected-error@+1 {{'matmul': expected dimension 0 of the right operand to be 4, as dimension 2 of the left operand is, got 5}}
  %0 = fusion.composite "matmul"(%x, %y) : (tensor<2x3x4xcomplex<f64>>, tensor<5x6xcomplex<f64>>) -> tensor<2x3x6xcomplex<f64>>
  return
}

// -----

// What the ops expect that one is made of is what it expects.
func.func @too_many_of_top(%x: tensor<8xf32>) {
  // expected-error@+1 {{'topk': expected}}
  %0:2 = fusion.topk %x {k = 9, dim = 0} : tensor<8xf32>
  return
}

// -----

func.func @too_large_an_outer_product(%x: tensor<100000000000000xi8>) {
  // expected-error@+1 {{'outer': 'fusion.expand' op result #0 must be}}
  %0 = fusion.outer %x, %x : tensor<100000000000000xi8>, tensor<100000000000000xi8>
  return
}

// -----

func.func @own_name_once(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error-re@+1 {{{{^}}'take': expected an integer as 'dim', got none}}
  %0 = fusion.composite "take"(%x, %i) : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @bounds_of_clamp(%x: tensor<4xf32>) {
  // expected-error@+1 {{'clamp': expected 1 operand, got 3: the flags 'has_min' and 'has_max' say which bounds come behind the first one}}
  %0 = fusion.clamp %x, 0.0, 1.0 : tensor<4xf32>
  return
}

// -----

func.func @type_of_linspace() {
  // expected-error@+1 {{'linspace': expected an element type (f64, f32, f16,}}
  %0 = fusion.linspace 0.0, 1.0, 5
  return
}

// -----

func.func @no_eps(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'layer_norm': expected a scalar as operand 1, eps, got 'tensor<8xf32>'; its operands are x, eps, weight (with 'has_weight'), bias (with 'has_bias'), sizes}}
  %0:3 = fusion.layer_norm %x, %w {has_weight} : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @no_weight(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'batch_norm': expected a tensor as operand 2, weight, got 2 operands; its operands are x, eps, weight (with 'has_weight'), bias (with 'has_bias'), running_mean (with 'has_running'), running_var (with 'has_running'), momentum (with 'has_running')}}
  %0:3 = fusion.batch_norm %x, 1e-5 {has_weight, has_bias} : tensor<4x8xf32>
  return
}

// -----

func.func @no_flag(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'rms_norm': expected 2 operands, got 3; its operands are x, eps, weight (with 'has_weight'), sizes}}
  %0:2 = fusion.rms_norm %x, 1e-5, %w : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @no_target(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'cross_entropy': expected a tensor as operand 1, target, got 1 operand; its operands are logits, target, weight (with 'has_weight'), smoothing (with 'has_smoothing')}}
  %0:2 = fusion.cross_entropy %x : tensor<4x8xf32>
  return
}

// -----

// All of them are always there.

func.func @too_many(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'softmax': expected 1 operand, got 2; its operand is x}}
  %0 = fusion.softmax %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @too_few(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'softplus': expected 3 operands, got 2; its operands are x, beta, threshold}}
  %0 = fusion.softplus %x, 1.0 : tensor<4x8xf32>
  return
}

// -----

func.func @type_of_number(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a type for each tensor and scalar, got 2 for 1: a number has none}}
  %0:2 = fusion.rms_norm %x, 1e-5 : tensor<4x8xf32>, f64
  return
}

// -----

func.func @not_kept(%x: tensor<4x8xf32>) {
  %0 = fusion.reduce <max> %x dims [1] : tensor<4x8xf32>
  // expected-error@+1 {{'sub': expected shapes that broadcast, got size 8 in dimension 1 of 'tensor<4x8xf32>' and 4 in dimension 0 of 'tensor<4xf32>': 'tensor<4x1xf32>' would broadcast, as a reduction leaves it with 'keep' (keepdims=True)}}
  %1 = fusion.sub %x, %0 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @without_dimensions(%x: tensor<f32>) {
  // expected-error@+1 {{'softmax': expected no dimension of a tensor that has none, got 1}}
  %0 = fusion.softmax %x {dim = 1} : tensor<f32>
  return
}

// -----

func.func @packed(%x: tensor<4x4xf4E2M1FN>) {
  // expected-error@+1 {{'trace': expected numbers as elements, got 'f4E2M1FN'}}
  %0 = fusion.trace %x : tensor<4x4xf4E2M1FN>
  return
}

// -----

func.func @not_kept_of_open_rows(%x: tensor<?x8xf32>) {
  %0 = fusion.reduce <max> %x dims [1] : tensor<?x8xf32>
  // expected-error@+1 {{'sub' has a meaning only if dimension 0 of argument 0 is 8: state it in the type, 'tensor<?x8xf32>'; 'tensor<?x1xf32>' would broadcast, as a reduction leaves it with 'keep' (keepdims=True)}}
  %1 = fusion.composite "sub"(%x, %0) : (tensor<?x8xf32>, tensor<?xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @batches(%x: tensor<3x4x8xf32>, %y: tensor<2x8x16xf32>) {
  // expected-error@+1 {{'matmul': expected dimension 0 of the right operand to be 3, as dimension 0 of the left operand is, got 2, of 'tensor<3x4x8xf32>' and 'tensor<2x8x16xf32>': size 1 would broadcast}}
  %0 = fusion.composite "matmul"(%x, %y) : (tensor<3x4x8xf32>, tensor<2x8x16xf32>) -> tensor<3x4x16xf32>
  return
}

// -----

func.func @weight_of_a_vector(%x: tensor<4x8xf32>, %w: tensor<7xf32>) {
  // expected-error@+1 {{'linear': expected dimension 0 of the right operand to be 8, as dimension 1 of the left operand is, got 7, of 'tensor<4x8xf32>' and 'tensor<7xf32>'}}
  %0 = fusion.composite "linear"(%x, %w) : (tensor<4x8xf32>, tensor<7xf32>) -> tensor<4xf32>
  return
}

// -----

// A user of a loss has no other product to take: the error says what does not fit, and no more.
func.func @part_of_another(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %t: tensor<4xi64>) {
  // expected-error-re@+1 {{'linear_cross_entropy': expected dimension 1 of the right operand to be 8, as dimension 1 of the left operand is, got 16, of 'tensor<4x8xf32>' and 'tensor<8x16xf32>'{{$}}}}
  %0 = fusion.composite "linear_cross_entropy"(%x, %w, %t) {reduction = "mean"} : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4xi64>) -> tensor<f32>
  return
}
