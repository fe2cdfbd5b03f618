// RUN: fuser-opt %s --split-input-file --verify-diagnostics --fusion-partition

shard.grid @g(shape = 4)
func.func @size(%x: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{expected a size that can be cut into 4 equal parts, those of the ranks along the axes [0] of @g, in dimension 0 of 'tensor<10x8xf32>', got 10}}
  %0 = shard.shard %x to %rows : tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  // expected-error@+1 {{expected axes for the 1 dimensions of 'tensor<8xf32>', got some for dimension 1}}
  %0 = shard.shard %x to %columns : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @two_ways(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  // expected-error@+1 {{expected one distribution of argument 0, got another one: those of its users are marked annotate_for_users}}
  %0 = shard.shard %x to %rows : tensor<8x8xf32>
  %1 = shard.shard %x to %columns : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 4)
// expected-note@+3 {{@g is here}}
shard.grid @h(shape = 4)
func.func @two_grids(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{expected one grid in a function, got @h}}
  %b = shard.sharding @h split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  %1 = shard.shard %y to %b : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

shard.grid @g(shape = ?)
func.func @open_grid(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a grid of known sizes, got @g}}
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected equal parts of tensors, without halos or offsets}}
  %a = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @mixed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  // expected-error@+1 {{expected ops on whole tensors in a function with shardings}}
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  // expected-error@+1 {{expected ops of the fusion dialect on the tensors of a function with shardings, and size arithmetic}}
  %1 = math.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @branch(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  // expected-error@+1 {{expected ops without regions in a function with shardings}}
  %n = scf.if %c -> f32 {
    %one = arith.constant 1.0 : f32
    scf.yield %one : f32
  } else {
    %two = arith.constant 2.0 : f32
    scf.yield %two : f32
  }
  %f = fusion.full %n : tensor<8xf32>
  %1 = fusion.add %0, %f : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
// expected-error@+1 {{result 0 is written into argument 0: expected both to be distributed in the same way}}
func.func @reuse(%x: tensor<?x16xf32>) -> (tensor<?x16xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %all = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<?x16xf32>
  %1 = shard.shard %0 to %all : tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  // expected-error@+1 {{expected only shard.sharding and shard.shard of the shard dialect in a function with shardings}}
  %i = shard.process_linear_index on @g : index
  %1 = fusion.slice %0 offsets [%i] sizes [8] steps [1] : tensor<8xf32> to tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func private @take(!shard.sharding)
func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{expected ops of the fusion dialect on the tensors of a function with shardings, and size arithmetic}}
  func.call @take(%a) : (!shard.sharding) -> ()
  return %x : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @returned(%x: tensor<8xf32>) -> (tensor<8xf32>, !shard.sharding) {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{expected tensors and scalars as results of a function with shardings, got '!shard.sharding'}}
  return %x, %a : tensor<8xf32>, !shard.sharding
}

// -----

shard.grid @g(shape = 4)
func.func @no_return(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<8xf32>
  // expected-error@+1 {{expected func.return at the end of a function with shardings}}
  llvm.unreachable
}

// -----

shard.grid @g(shape = 4)
// expected-error@+1 {{expected a body of one block, got 2}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  cf.br ^next
^next:
  return %x : tensor<8xf32>
}

// -----

shard.grid @g(shape = 0)
func.func @no_ranks(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a grid of 1 to 65536 ranks, got @g of sizes [0]}}
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

shard.grid @g(shape = 3000x3000)
func.func @many_ranks(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a grid of 1 to 65536 ranks, got @g of sizes [3000, 3000]}}
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

shard.grid @g(shape = 2x2)
func.func @axis_twice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{grid axis duplicated}}
  %a = shard.sharding @g split_axes = [[0], [0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @dim(%x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
  %a = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<?xf32>
  // expected-error@+1 {{expected a constant dimension of a ranked tensor}}
  %n = tensor.dim %0, %d : tensor<?xf32>
  %c = arith.constant 1.0 : f32
  %1 = fusion.full %c sizes(%n) : tensor<?xf32>
  return %1 : tensor<?xf32>
}
