// RUN: fuser-opt %s --fusion-to-kernel=target=cpu --split-input-file --verify-diagnostics

// Schedules that do not fit their segments.

func.func @too_many_groups(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule: expected 1 groups, one for the results of each shape, got 2}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles, #fusion.cpu_tiles]>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @no_groups(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule: expected 1 groups, one for the results of each shape, got 0}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = []>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @order(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected an order of the 2 dimensions of 'tensor<?x7xf32>', got array<i64: 1, 0, 2>}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles<order = [1, 0, 2]>]>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @item_dims(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected at most the 2 dimensions of 'tensor<?x7xf32>' as item_dims, got 3}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles<item_dims = 3>]>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @dim(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected dim to be another dimension of 'tensor<?x7xf32>' than the last, got 1}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_squares<dim = 1, lanes = 2, chunk = 2>]>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @order_of_squares(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected an order of the 2 dimensions of 'tensor<?x7xf32>', got array<i64: 1, 0, 2>}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_squares<dim = 0, lanes = 2, chunk = 2, order = [1, 0, 2]>]>} {
    %1 = fusion.exp %a : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

func.func @no_reductions(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x7xf32>) -> (tensor<?x7xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64>} {
    // expected-error@+1 {{'fusion.keep': expected reductions over the same dimensions of one shape, looked at in their own row, and no groups in the schedule}}
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<scratch>} : tensor<?x7xf32>
    fusion.yield %1 : tensor<?x7xf32>
  }
  return %0 : tensor<?x7xf32>
}

// -----

// The second group.
func.func @not_flat(%x: tensor<?x8xf32>, %y: tensor<1x9xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x9xf32>) {
  // expected-error@+1 {{schedule, group of result 1: expected tensors that all lie in the same dense order, and ops that keep it, for #fusion.cpu_flat<chunk = 8>}}
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<1x9xf32>, %m = %n : index) -> (tensor<?x8xf32>, tensor<?x9xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_flat<chunk = 8>, #fusion.cpu_flat<chunk = 8>]>} {
    %1 = fusion.exp %a : tensor<?x8xf32>
    %2 = fusion.expand %b sizes(%m) : tensor<1x9xf32> to tensor<?x9xf32>
    fusion.yield %1, %2 : tensor<?x8xf32>, tensor<?x9xf32>
  }
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<?x9xf32>
}

// -----

func.func @unknown_size(%x: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x?xf32>, %m = %n : index) -> (tensor<?x?xf32>, tensor<?x?xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    // expected-error@+1 {{'fusion.keep': expected reduced dimensions of static sizes, got 'tensor<?x?xf32>'}}
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<scratch>} : tensor<?x?xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
    %4 = fusion.div %1, %3 : tensor<?x?xf32>
    fusion.yield %1, %4 : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

func.func @too_large(%x: tensor<?x1073741824xf32>, %n: index) -> (tensor<?x1073741824xf32>, tensor<?x1073741824xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x1073741824xf32>, %m = %n : index) -> (tensor<?x1073741824xf32>, tensor<?x1073741824xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    // expected-error@+1 {{'fusion.keep': expected work items of at most 134217728 elements, got 1073741824}}
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<scratch>} : tensor<?x1073741824xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x1073741824xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x1073741824xf32>
    %4 = fusion.div %1, %3 : tensor<?x1073741824xf32>
    fusion.yield %1, %4 : tensor<?x1073741824xf32>, tensor<?x1073741824xf32>
  }
  return %0#0, %0#1 : tensor<?x1073741824xf32>, tensor<?x1073741824xf32>
}

// -----

// The slice takes elements of another row, whose scratch memory is another one, or which is not stored yet.
func.func @moved(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    // expected-error@+1 {{'fusion.keep': expected an op whose elements are needed at their own positions only}}
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<scratch>} : tensor<4x8xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<4x8xf32> to tensor<4x1xf32>
    %3 = fusion.expand %2 : tensor<4x1xf32> to tensor<4x8xf32>
    %4 = fusion.div %1, %3 : tensor<4x8xf32>
    %5 = fusion.neg %1 : tensor<4x8xf32>
    %6 = fusion.slice %5 offsets [0, 0] sizes [1, 8] steps [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %7 = fusion.expand %6 : tensor<1x8xf32> to tensor<4x8xf32>
    %8 = fusion.add %4, %7 : tensor<4x8xf32>
    fusion.yield %1, %8 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @moved_result(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
    // expected-error@+1 {{'fusion.keep': expected an op whose elements are needed at their own positions only}}
    %1 = fusion.exp %a {fusion.keep = #fusion.keep<result>} : tensor<4x8xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<4x8xf32> to tensor<4x1xf32>
    %3 = fusion.expand %2 : tensor<4x1xf32> to tensor<4x8xf32>
    %4 = fusion.div %1, %3 : tensor<4x8xf32>
    %5 = fusion.neg %1 : tensor<4x8xf32>
    %6 = fusion.slice %5 offsets [0, 0] sizes [1, 8] steps [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %7 = fusion.expand %6 : tensor<1x8xf32> to tensor<4x8xf32>
    %8 = fusion.add %4, %7 : tensor<4x8xf32>
    fusion.yield %1, %8 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Where parts end is not known.
func.func @open_parts(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected two dimensions or more, and elements of a 'fusion.cat' along the last one of operands of known sizes, for #fusion.cpu_parts<chunk = 4>, got results of 'tensor<4x?xf32>'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<4x?xf32>) -> (tensor<4x?xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_parts<chunk = 4>]>} {
    %1 = fusion.cat %a, %a dim 1 : tensor<4x?xf32>, tensor<4x?xf32> to tensor<4x?xf32>
    fusion.yield %1 : tensor<4x?xf32>
  }
  return %0 : tensor<4x?xf32>
}

// -----

// Somebody looks at it elsewhere.
func.func @moved_parts(%x: tensor<4x6xf32>) -> tensor<4x12xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected two dimensions or more, and elements of a 'fusion.cat'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<4x6xf32>) -> (tensor<4x12xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_parts<chunk = 4>]>} {
    %1 = fusion.cat %a, %a dim 1 : tensor<4x6xf32>, tensor<4x6xf32> to tensor<4x12xf32>
    %2 = fusion.reshape %1 : tensor<4x12xf32> to tensor<12x4xf32>
    %3 = fusion.permute %2 [1, 0] : tensor<12x4xf32> to tensor<4x12xf32>
    %4 = fusion.add %1, %3 : tensor<4x12xf32>
    fusion.yield %4 : tensor<4x12xf32>
  }
  return %0 : tensor<4x12xf32>
}

// -----

func.func @row_of_parts(%x: tensor<6xf32>) -> tensor<12xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected two dimensions or more, and elements of a 'fusion.cat'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<6xf32>) -> (tensor<12xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_parts<chunk = 4>]>} {
    %1 = fusion.cat %a, %a dim 0 : tensor<6xf32>, tensor<6xf32> to tensor<12xf32>
    fusion.yield %1 : tensor<12xf32>
  }
  return %0 : tensor<12xf32>
}
