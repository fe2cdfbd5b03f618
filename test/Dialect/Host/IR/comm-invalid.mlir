// RUN: fuser-opt %s --split-input-file --verify-diagnostics

func.func @group_c1_none() {
  // expected-error @below {{expected a list of ranks, or nothing for all ranks, got no list}}
  %g = host.group []
  return
}

// -----

func.func @group_c1_empty() {
  // expected-error @below {{expected at least one rank in a list, got none}}
  %g = host.group [[0], []]
  return
}

// -----

func.func @group_c2_negative() {
  // expected-error @below {{expected ranks not to be negative, got -1}}
  %g = host.group [[0, -1]]
  return
}

// -----

func.func @group_c2_twice() {
  // expected-error @below {{expected each rank once, got 2 twice}}
  %g = host.group [[0, 2], [1, 2]]
  return
}

// -----

func.func @comm_c1_moved(%a: memref<4xi4>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected elements that are integers of 8, 32 or 64 bits, f64, f32, f16, bf16, f8E4M3FN or f8E5M2, got 'i4'}}
  %r = host.all_reduce <sum> %a, %a in %g : memref<4xi4>, memref<4xi4>
  return
}

// -----

func.func @comm_c1_combined(%a: memref<4xi16>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected elements that are integers of 8, 32 or 64 bits, f64, f32, f16, bf16, f8E4M3FN or f8E5M2, got 'i16'}}
  %r = host.all_reduce <max> %a, %a in %g : memref<4xi16>, memref<4xi16>
  return
}

// -----

func.func @comm_c1_received(%a: memref<4xi128>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected elements that are integers of 1, 8, 16, 32 or 64 bits, f64, f32, f16, bf16, f8E4M3FN or f8E5M2, got 'i128'}}
  %r = host.recv %a from %p in %g : memref<4xi128>
  return
}

// -----

func.func @all_gather_c1(%a: memref<4xf32>, %b: memref<8xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected a dimension of 'memref<4xf32>', got 1}}
  %r = host.all_gather %a, %b dim 1 in %g : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @all_gather_c2(%a: memref<4xf32>, %b: memref<9xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes (2 times in dimension 0), got 'memref<4xf32>' and 'memref<9xf32>'}}
  %r = host.all_gather %a, %b dim 0 in %g : memref<4xf32>, memref<9xf32>
  return
}

// -----

func.func @all_gather_c2_unknown(%a: memref<4x2xf32>, %b: memref<8x3xf32>) {
  %g = host.group
  // expected-error @below {{expected buffers of the same rank, element type and sizes (but for dimension 0), got 'memref<4x2xf32>' and 'memref<8x3xf32>'}}
  %r = host.all_gather %a, %b dim 0 in %g : memref<4x2xf32>, memref<8x3xf32>
  return
}

// -----

func.func @all_gather_c2_lists(%a: memref<4x2xf32>, %b: memref<8x3xf32>) {
  %g = host.group [[0, 1], [2]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes (but for dimension 0)}}
  %r = host.all_gather %a, %b dim 0 in %g : memref<4x2xf32>, memref<8x3xf32>
  return
}

// -----

func.func @all_reduce_c1(%a: memref<4xf32>, %b: memref<4xf16>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes, got 'memref<4xf32>' and 'memref<4xf16>'}}
  %r = host.all_reduce <sum> %a, %b in %g : memref<4xf32>, memref<4xf16>
  return
}

// -----

func.func @reduce_scatter_c1(%a: memref<4xf32>, %b: memref<8xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected a dimension of 'memref<8xf32>', got -1}}
  %r = host.reduce_scatter <sum> %b, %a dim -1 in %g : memref<8xf32>, memref<4xf32>
  return
}

// -----

func.func @reduce_scatter_c2(%a: memref<4xf32>, %b: memref<8xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{(2 times in dimension 0), got 'memref<8xf32>' and 'memref<4xf32>'}}
  %r = host.reduce_scatter <sum> %a, %b dim 0 in %g : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @broadcast_c1(%a: memref<4xf32>, %b: memref<4x1xf32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes}}
  %r = host.broadcast %a, %b root %p in %g : memref<4xf32>, memref<4x1xf32>
  return
}

// -----

func.func @reduce_c1(%a: memref<4xf32>, %b: memref<5xf32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes}}
  %r = host.reduce <min> %a, %b root %p in %g : memref<4xf32>, memref<5xf32>
  return
}

// -----

func.func @gather_c1(%a: memref<4xf32>, %b: memref<8xf32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected a dimension of 'memref<4xf32>', got 1}}
  %r = host.gather %a, %b dim 1 root %p in %g : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @gather_c2(%a: memref<4x2xf32>, %b: memref<8x3xf32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes (but for dimension 0)}}
  %r = host.gather %a, %b dim 0 root %p in %g : memref<4x2xf32>, memref<8x3xf32>
  return
}

// -----

func.func @scatter_c1(%a: memref<f32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected a dimension of 'memref<f32>', got 0}}
  %r = host.scatter %a, %a dim 0 root %p in %g : memref<f32>, memref<f32>
  return
}

// -----

func.func @scatter_c2(%a: memref<4x2xf32>, %b: memref<8x3xf32>, %p: index) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes (but for dimension 0)}}
  %r = host.scatter %b, %a dim 0 root %p in %g : memref<8x3xf32>, memref<4x2xf32>
  return
}

// -----

func.func @all_to_all_c1(%a: memref<f32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of rank 1 at least, got 'memref<f32>'}}
  %r = host.all_to_all %a, %a in %g : memref<f32>, memref<f32>
  return
}

// -----

func.func @all_to_all_c2(%a: memref<5xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected dimension 0 to have a part for each of 2 ranks, got 'memref<5xf32>'}}
  %r = host.all_to_all %a, %a in %g : memref<5xf32>, memref<5xf32>
  return
}

// -----

func.func @permute_c1(%a: memref<5xf32>, %b: memref<4xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected buffers of the same rank, element type and sizes}}
  %r = host.permute %a, %b from [0, 1] to [1, 0] in %g : memref<5xf32>, memref<4xf32>
  return
}

// -----

func.func @permute_c2_length(%a: memref<5xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected as many receivers as senders, got 1 and 2}}
  %r = host.permute %a, %a from [0, 1] to [1] in %g : memref<5xf32>, memref<5xf32>
  return
}

// -----

func.func @permute_c2_rank(%a: memref<5xf32>) {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected senders and receivers to be ranks of the group, none twice, got 2}}
  %r = host.permute %a, %a from [0, 1] to [1, 2] in %g : memref<5xf32>, memref<5xf32>
  return
}

// -----

func.func @permute_c2_twice(%a: memref<5xf32>) {
  %g = host.group
  // expected-error @below {{expected senders and receivers to be ranks of the group, none twice, got 0}}
  %r = host.permute %a, %a from [0, 0] to [1, 2] in %g : memref<5xf32>, memref<5xf32>
  return
}

// -----

func.func @coalesce_c1_effect(%a: memref<4xf32>) {
  %r = host.coalesce {
    // expected-error @below {{expected only communications, and ops without effects or regions, in host.coalesce}}
    host.copy %a, %a : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @coalesce_c1_request(%a: memref<4xf32>, %p: index, %g: !host.group) {
  %r = host.coalesce {
    // expected-error @below {{expected no use of its request in host.coalesce, whose own is the one to wait for}}
    %0 = host.send %a to %p in %g : memref<4xf32>
    %1 = builtin.unrealized_conversion_cast %0 : !host.request to index
  }
  return
}
