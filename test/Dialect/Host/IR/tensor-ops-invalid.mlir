// RUN: fuser-opt %s --split-input-file --verify-diagnostics

func.func @binary_c1(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<5xf32>) {
  // expected-error @below {{expected three buffers of the same rank, element type and sizes, got 'memref<4xf32>', 'memref<?xf32>' and 'memref<5xf32>'}}
  host.sub %a, %b, %c : memref<4xf32>, memref<?xf32>, memref<5xf32>
  return
}

// -----

func.func @binary_c1_element(%a: memref<4xf32>, %b: memref<4xf16>) {
  // expected-error @below {{expected three buffers of the same rank, element type and sizes}}
  host.div %a, %b, %a : memref<4xf32>, memref<4xf16>, memref<4xf32>
  return
}

// -----

func.func @reduction_c1(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected ascending dimensions of 'memref<4x8xf32>', got [2]}}
  host.reduction <sum> %a, %b dims [2] : memref<4x8xf32>, memref<4xf32>
  return
}

// -----

func.func @reduction_c1_order(%a: memref<4x8xf32>, %b: memref<f32>) {
  // expected-error @below {{expected ascending dimensions of 'memref<4x8xf32>', got [1, 0]}}
  host.reduction <sum> %a, %b dims [1, 0] : memref<4x8xf32>, memref<f32>
  return
}

// -----

func.func @reduction_c2(%a: memref<4x8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{expected a result of the source's type without dimensions [1], got 'memref<4x8xf32>' and 'memref<8xf32>'}}
  host.reduction <sum> %a, %b dims [1] : memref<4x8xf32>, memref<8xf32>
  return
}

// -----

func.func @reduction_c3_prod(%a: memref<4x8xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected sum, min, max, or avg of floats, got prod of 'f32'}}
  host.reduction <prod> %a, %b dims [1] : memref<4x8xf32>, memref<4xf32>
  return
}

// -----

func.func @reduction_c3_avg(%a: memref<4x8xi32>, %b: memref<4xi32>) {
  // expected-error @below {{expected sum, min, max, or avg of floats, got avg of 'i32'}}
  host.reduction <avg> %a, %b dims [1] : memref<4x8xi32>, memref<4xi32>
  return
}

// -----

func.func @fill_c1(%v: f16, %a: memref<4xf32>) {
  // expected-error @below {{expected a value of the buffer's element type, got 'f16' for 'memref<4xf32>'}}
  host.fill %v, %a : f16, memref<4xf32>
  return
}

// -----

func.func @linear_c1(%a: memref<4x8xf32>, %w: memref<8xf32>) {
  // expected-error @below {{expected a matrix of weights, and two buffers of the same rank of at least 1, got ranks 1, 2 and 2}}
  host.linear %a, %w, %a : memref<4x8xf32>, memref<8xf32>, memref<4x8xf32>
  return
}

// -----

func.func @linear_c2(%a: memref<4x8xf32>, %w: memref<3x9xf32>, %o: memref<4x3xf32>) {
  // expected-error @below {{expected sizes .. x K, N x K and .. x N, and operands of one element type}}
  host.linear %a, %w, %o : memref<4x8xf32>, memref<3x9xf32>, memref<4x3xf32>
  return
}

// -----

func.func @call_c1_name() {
  // expected-error @below {{expected a function with a body, got @nobody}}
  host.call @nobody()
  return
}

// -----

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

func.func @call_c1_number(%a: memref<4x8xf32>) {
  // expected-error @below {{expected 2 arguments of @callee, got 1}}
  %r = host.call @callee(%a : memref<4x8xf32>) -> memref<4x8xf32>
  return
}

// -----

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

func.func @call_c1_type(%a: memref<4x7xf32>, %n: index) {
  // expected-error @below {{expected arguments 0 of @callee to be as 'tensor<?x8xf32>' is, got 'memref<4x7xf32>'}}
  %r = host.call @callee(%a, %n : memref<4x7xf32>, index) -> memref<4x8xf32>
  return
}

// -----

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

func.func @call_c2_number(%a: memref<4x8xf32>, %n: index) {
  // expected-error @below {{expected 1 results of @callee, got 0}}
  host.call @callee(%a, %n : memref<4x8xf32>, index)
  return
}

// -----

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

func.func @call_c2_both(%a: memref<4x8xf32>, %n: index) {
  // expected-error @below {{expected results or outs, got both}}
  %r = host.call @callee(%a, %n : memref<4x8xf32>, index) outs(%a : memref<4x8xf32>) -> memref<4x8xf32>
  return
}

// -----

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

func.func @call_c2_type(%a: memref<4x8xf32>, %b: memref<4x8xf16>, %n: index) {
  // expected-error @below {{expected outs 0 of @callee to be as 'tensor<?x8xf32>' is, got 'memref<4x8xf16>'}}
  host.call @callee(%a, %n : memref<4x8xf32>, index) outs(%b : memref<4x8xf16>)
  return
}

// -----

llvm.func @native() {
  llvm.return
}
func.func @call_c1_native() {
  // expected-error @below {{expected a function with a body, got @native}}
  host.call @native()
  return
}
