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
  // expected-error@+1 {{expected a type for each of 1 tensors and scalars, got 0}}
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
  // expected-error@+1 {{expected a type for each of 2 tensors and scalars, got 3}}
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
