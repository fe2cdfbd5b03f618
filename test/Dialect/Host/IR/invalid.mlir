// RUN: fuser-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected 'host.program' on a function, got it on another op}}
module @program_c1 attributes {host.program} {}

// -----

// expected-error @below {{expected argument 0 of a host program to be a memref, index, or an integer or float of at most 64 bits, got 'tensor<4xf32>'}}
func.func @program_c2(%x: tensor<4xf32>) attributes {host.program} { return }

// -----

// expected-error @below {{expected result 0 of a host program to be a memref, got 'index'}}
func.func @program_c2_result(%x: index) -> index attributes {host.program} { return %x : index }

// -----

// expected-error @below {{expected no attribute 'host.programme' of the host dialect on an op, it has only 'host.program' and 'host.sizes'}}
func.func @program_attribute() attributes {host.programme} { return }

// -----

func.func @alloc_c1(%n: index) {
  // expected-error @below {{expected 2 sizes, one for each dynamic dimension of 'memref<?x4x?xf32>', got 1}}
  %a = host.alloc (%n) : memref<?x4x?xf32>
  return
}

// -----

func.func @alloc_c2(%n: index) {
  // expected-error @below {{expected stride_order to be a permutation of the 2 dimensions of 'memref<4x4xf32>', got [0, 0]}}
  %a = host.alloc () {stride_order = array<i64: 0, 0>} : memref<4x4xf32>
  return
}

// -----

func.func @alloc_c3(%n: index) {
  // expected-error @below {{expected stride 0 of 'memref<4x8xf32, strided<[16, 1]>>' to be 8 or dynamic (from row-major order), got 16}}
  %a = host.alloc () : memref<4x8xf32, strided<[16, 1]>>
  return
}

// -----

func.func @alloc_c3_order(%n: index) {
  // expected-error @below {{to be 1 or dynamic (from stride_order), got 8}}
  %a = host.alloc () {stride_order = array<i64: 1, 0>} : memref<4x8xf32>
  return
}

// -----

func.func @alloc_c3_dynamic(%n: index) {
  // expected-error @below {{to be dynamic, since it depends on dynamic sizes (from row-major order), got 8}}
  %a = host.alloc (%n) : memref<4x?xf32, strided<[8, 1]>>
  return
}

// -----

func.func @alloc_c4(%n: index) {
  // expected-error @below {{expected a new buffer to have offset 0}}
  %a = host.alloc () : memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @workspace_c1(%n: index) {
  // expected-error @below {{expected 1 sizes, one for each dynamic dimension of 'memref<?xf32>', got 0}}
  %w = host.workspace 0 () : memref<?xf32>
  return
}

// -----

func.func @workspace_c2(%n: index) {
  // expected-error @below {{expected a new buffer to have offset 0}}
  %w = host.workspace 0 () : memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @workspace_c3(%n: index) {
  // expected-error @below {{expected a number of at least 0, got -1}}
  %w = host.workspace -1 () zeroed : memref<4xf32>
  return
}

// -----

func.func @dealloc_c1_workspace() {
  // expected-note @below {{the workspace is here}}
  %w = host.workspace 0 () : memref<4xf32>
  // expected-error @below {{expected a buffer of one call, got a workspace, which the program keeps}}
  host.dealloc %w : memref<4xf32>
  return
}

// -----

func.func @dealloc_c1(
  // expected-note @below {{the input is here}}
    %x: memref<4xf32>) {
  // expected-error @below {{expected a buffer of the program, got an input}}
  host.dealloc %x : memref<4xf32>
  return
}

// -----

func.func @dealloc_c1_output() {
  // expected-note @below {{the output is here}}
  %o = host.output 0 () : memref<4xf32>
  // expected-error @below {{expected a buffer of the program, got an output}}
  host.dealloc %o : memref<4xf32>
  return
}

// -----

func.func @output_c1(%n: index) {
  // expected-error @below {{expected 1 sizes, one for each dynamic dimension}}
  %a = host.output 0 () : memref<?xf32>
  return
}

// -----

func.func @output_c2() {
  // expected-error @below {{expected stride_order to be a permutation of the 1 dimensions}}
  %a = host.output 0 () {stride_order = array<i64: 1>} : memref<4xf32>
  return
}

// -----

func.func @output_c3() {
  // expected-error @below {{expected stride 0 of 'memref<4xf32, strided<[2]>>' to be 1 or dynamic (from row-major order), got 2}}
  %a = host.output 0 () : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @output_c4() {
  // expected-error @below {{expected a new buffer to have offset 0}}
  %a = host.output 0 () : memref<4xf32, strided<[1], offset: 3>>
  return
}

// -----

// expected-note @below {{the program is here}}
func.func @output_c5() -> memref<4xf32> attributes {host.program} {
  // expected-error @below {{expected the number of one of 1 results of the program, got 1}}
  %a = host.output 1 () : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

// expected-note @below {{the program is here}}
func.func @output_c5_type(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  // expected-error @below {{expected rank and element type of result 0, 'memref<4xf32>', got 'memref<4xf16>'}}
  %a = host.output 0 () : memref<4xf16>
  return %x : memref<4xf32>
}

// -----

// expected-note @below {{the program is here}}
func.func @output_view_c1(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  // expected-error @below {{expected the number of one of 1 results of the program, got 2}}
  host.output_view 2, %x input 0 : memref<4xf32>
  return %x : memref<4xf32>
}

// -----

// expected-note @below {{the program is here}}
func.func @output_view_c2(%n: index, %x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  // expected-error @below {{expected the number of one of 1 memref arguments of the program as input, got 1}}
  host.output_view 0, %x input 1 : memref<4xf32>
  return %x : memref<4xf32>
}

// -----

func.func @declare_c1(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-note @below {{the name was declared here}}
  %t = host.declare "t" : memref<4xf32>
  // expected-note @below {{the name was aliased here}}
  host.alias %t, %x : memref<4xf32>, memref<4xf32>
  // expected-error @below {{expected one alias for the name 't', got a second one}}
  host.alias %t, %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @alias_c1_input(
  // expected-note @below {{the input is here}}
    %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{expected a name of host.declare to alias, got an input, which is a buffer already}}
  host.alias %x, %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @alias_c1_buffer(%y: memref<4xf32>) {
  // expected-note @below {{the buffer is here}}
  %x = host.alloc () : memref<4xf32>
  // expected-error @below {{expected a name of host.declare to alias, got a buffer that exists already}}
  host.alias %x, %y : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @alias_c2(%y: memref<8xf32>) {
  // expected-note @below {{the name was declared here}}
  %x = host.declare "x" : memref<4xf32>
  // expected-error @below {{expected a buffer whose type fits the name's, 'memref<4xf32>', got 'memref<8xf32>'}}
  host.alias %x, %y : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @select_c1(%x: memref<4xf32>, %i: index) {
  // expected-error @below {{expected a dimension of 'memref<4xf32>', got 1}}
  %a = host.select %x dim 1 at %i : memref<4xf32>
  return
}

// -----

func.func @select_c2(%x: memref<4x8xf32>, %i: index) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'memref<8xf32, strided<[1], offset: ?>>' are incompatible}}
  %a = "host.select"(%x, %i) {dim = 0 : i64} : (memref<4x8xf32>, index) -> memref<8xf32>
  return
}

// -----

func.func @slice_c1(%x: memref<4xf32>, %i: index) {
  // expected-error @below {{expected a dimension of 'memref<4xf32>', got -1}}
  %a = host.slice %x dim -1 from %i size %i : memref<4xf32>
  return
}

// -----

func.func @slice_c2(%x: memref<4xf32>, %i: index) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'memref<?xf32, strided<[1], offset: ?>>' are incompatible}}
  %a = "host.slice"(%x, %i, %i) {dim = 0 : i64} : (memref<4xf32>, index, index) -> memref<4xf32>
  return
}

// -----

func.func @strided(%x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>, %i: index) {
  // expected-error @below {{must be ranked memref with a strided layout}}
  %a = "host.slice"(%x, %i, %i) {dim = 0 : i64} : (memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>, index, index) -> memref<4xf32>
  return
}

// -----

func.func @launch_c1(%n: index) {
  // expected-error @below {{expected block to have three sizes, each at least 1, got (128, 0, 1)}}
  host.launch @k::@f grid(%n, %n, %n) block(128, 0, 1) args()
  return
}

// -----

func.func @launch_c1_cluster(%n: index) {
  // expected-error @below {{expected cluster to have three sizes, each at least 1, got (2)}}
  host.launch @k::@f grid(%n, %n, %n) block(128, 1, 1) cluster(2) args()
  return
}

// -----

func.func @launch_c2(%n: index, %x: vector<4xf32>) {
  // expected-error @below {{expected argument 0 to be a memref, index, or an integer or float of at most 64 bits, got 'vector<4xf32>'}}
  host.launch @k::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : vector<4xf32>)
  return
}

// -----

func.func @launch_c3(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{expected writes to hold positions of memref arguments, ascending, got 1}}
  host.launch @k::@f grid(%n, %n, %n) block(1, 1, 1) args(%x, %n : memref<4xf32>, index) writes [0, 1]
  return
}

// -----

// expected-note @below {{looked for in this module}}
module @kernels {
}
func.func @launch_c4(%n: index) {
  // expected-error @below {{expected a kernel, got the unknown symbol @kernels::@f}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

func.func @launch_c4_flat(%n: index) {
  // expected-error @below {{expected a kernel, got the unknown symbol @f}}
  host.launch @f grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<4xf32>) kernel { gpu.return }
}
func.func @launch_c5(%n: index) {
  // expected-error @below {{expected 1 arguments, as the kernel has, got 0}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<4xf32>) kernel { gpu.return }
}
func.func @launch_c5_type(%n: index, %x: memref<4xf16>) {
  // expected-error @below {{expected argument 0 to fit the kernel's, 'memref<4xf32>', got 'memref<4xf16>'}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4xf16>)
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<8x8xf32>) kernel { gpu.return }
}
func.func @launch_c5_sizes(%n: index, %x: memref<64x100xf32>) {
  // expected-error @below {{expected argument 0 to fit the kernel's, 'memref<8x8xf32>', got 'memref<64x100xf32>'}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<64x100xf32>)
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<64x100xf32, strided<[1, 64]>>) kernel { gpu.return }
}
func.func @launch_c5_strides(%n: index, %x: memref<64x100xf32>) {
  // expected-error @below {{expected argument 0 to fit the kernel's, 'memref<64x100xf32, strided<[1, 64]>>', got 'memref<64x100xf32>'}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<64x100xf32>)
  return
}

// -----

// What the kernel knows must be known of the buffer.
module @kernels {
  // expected-note @below {{the kernel is here}}
  func.func @f(%a: memref<?x8xf32>, %begin: index, %end: index) { return }
}
func.func @launch_c5_dynamic_stride(%n: index, %x: memref<?x8xf32, strided<[?, 1]>>) {
  // expected-error @below {{expected argument 0 to fit the kernel's, 'memref<?x8xf32>', got 'memref<?x8xf32, strided<[?, 1]>>'}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<?x8xf32, strided<[?, 1]>>)
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<4xf32>) kernel { gpu.return }
}
func.func @launch_c5_dynamic_size(%n: index, %x: memref<?xf32>) {
  // expected-error @below {{expected argument 0 to fit the kernel's, 'memref<4xf32>', got 'memref<?xf32>'}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<?xf32>)
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f(%a: memref<4x4xf32, affine_map<(i, j) -> (i, j mod 2)>>) kernel { gpu.return }
}
func.func @launch_c5_layout(%n: index, %x: memref<4x4xf32>) {
  // expected-error @below {{expected argument 0 to fit the kernel's}}
  host.launch @kernels::@f grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4x4xf32>)
  return
}

// -----

func.func @copy_c1(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @below {{expected buffers of the same rank, element type and sizes, got 'memref<4xf32>' and 'memref<8xf32>'}}
  host.copy %x, %y : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @check_c1(%ok: i1, %n: index) {
  // expected-error @below {{expected a value for {1} of the message, got 1 values}}
  host.check %ok, "{ {0} {x} {{7} {1}" (%n : index)
  return
}

// -----

// expected-error @below {{'host.tensor': expected elements that are integers or floats, got 'index'}}
func.func @tensor_c1(%x: memref<4xf32> {host.tensor = #host.tensor<index [4] order [0] align 4>}) { return }

// -----

// expected-error @below {{'host.tensor': expected an order of 2 dimensions, each once, got [0, 0]}}
func.func @tensor_c2(%x: memref<4x4xf32> {host.tensor = #host.tensor<f32 [4, 4] order [0, 0] align 4>}) { return }

// -----

// expected-error @below {{'func.func' op expected 'host.sizes' on a function, an array of #host.size, each of another symbol, got [#host.size<symbol = 0>, #host.size<symbol = 0, divisor = 8>]}}
func.func @sizes_c1() attributes {host.sizes = [#host.size<symbol = 0>, #host.size<symbol = 0, divisor = 8>]} { return }

// -----

// expected-error @below {{expected 'host.sizes' on a function, an array of #host.size, each of another symbol}}
func.func @sizes_c1_largest() attributes {host.sizes = [#host.size<symbol = 9223372036854775807>, #host.size<symbol = 9223372036854775807>]} { return }

// -----

// expected-error @below {{expected a symbol and a lower bound of at least 0, divisors of at least 1 and bounds of at least -1, got symbol 0, lower bound 0, divisors 0 and 1, bounds -1 and -1}}
func.func @size_c1() attributes {host.sizes = [#host.size<symbol = 0, divisor = 0>]} { return }

// -----

// expected-error @below {{got symbol 0, lower bound -4, divisors 1 and 1, bounds -1 and -1}}
func.func @size_c1_lower() attributes {host.sizes = [#host.size<symbol = 0, lowerBound = -4>]} { return }

// -----

// expected-error @below {{expected a divisor that is a multiple of the required one, and a bound within the required one, got 4 and -1, required 8 and -1}}
func.func @size_c2() attributes {host.sizes = [#host.size<symbol = 0, divisor = 4, requiredDivisor = 8>]} { return }

// -----

// expected-error @below {{expected a divisor that is a multiple of the required one, and a bound within the required one, got 1 and -1, required 1 and 16}}
func.func @size_c2_bound() attributes {host.sizes = [#host.size<symbol = 0, requiredBound = 16>]} { return }

// -----

// expected-error @below {{'host.tensor': expected an alignment that is a power of two, got 12}}
func.func @tensor_c3(%x: memref<4xf32> {host.tensor = #host.tensor<f32 [4] order [0] align 12>}) { return }

// -----

// expected-error @below {{expected a size or a symbol such as s0}}
func.func @tensor_symbol(%x: memref<4xf32> {host.tensor = #host.tensor<f32 [t0] order [0] align 4>}) { return }

// -----

// expected-error @below {{argument 0: 'host.tensor': expected a #host.tensor with the sizes of a memref, got #host.tensor<f32 [s0] order [0] align 4> on 'memref<4xf32>'}}
func.func @signature_c1(%x: memref<4xf32> {host.tensor = #host.tensor<f32 [s0] order [0] align 4>}) { return }

// -----

// expected-error @below {{argument 0: 'host.tensor': expected a #host.tensor with the sizes of a memref, got #host.tensor<f32 [4] order [0] align 4> on 'f32'}}
func.func @signature_c1_scalar(%x: f32 {host.tensor = #host.tensor<f32 [4] order [0] align 4>}) { return }

// -----

// expected-error @below {{result 0: 'host.name': expected a string that is not empty, got ""}}
func.func private @signature_c1_name() -> (memref<4xf32> {host.name = ""})

// -----

// expected-error @below {{argument 0: 'host.users': expected a string for each dimension of a memref, got ["", ""] on 'memref<4xf32>'}}
func.func private @signature_c1_users_of_more(memref<4xf32> {host.users = ["", ""]})

// -----

// expected-error @below {{result 0: 'host.users': expected it on an argument: sizes of results are those that the program computes}}
func.func private @signature_c1_users_of_a_result() -> (memref<4xf32> {host.users = [""]})

// -----

// expected-error @below {{argument 0: 'host.users': expected a string for each dimension of a memref, got [1] on 'memref<4xf32>'}}
func.func private @signature_c1_users_that_are_numbers(memref<4xf32> {host.users = [1]})

// -----

// expected-error @below {{argument 0: 'host.other': unknown attribute}}
func.func @signature_c1_unknown(%x: memref<4xf32> {host.other}) { return }

// -----

func.func @matmul_c1(%a: memref<4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected three matrices, or three batches of them, got ranks 1, 2 and 2}}
  host.matmul %a, %b, %b : memref<4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @matmul_c2(%a: memref<4x5xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected sizes M x K, K x N and M x N, got 'memref<4x5xf32>', 'memref<4x4xf32>' and 'memref<4x4xf32>'}}
  host.matmul %a, %b, %b : memref<4x5xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @matmul_c2_batch(%a: memref<2x4x4xf32>, %b: memref<3x4x4xf32>, %o: memref<?x4x4xf32>) {
  // expected-error @below {{expected sizes M x K, K x N and M x N}}
  host.matmul %a, %b, %o : memref<2x4x4xf32>, memref<3x4x4xf32>, memref<?x4x4xf32>
  return
}

// -----

func.func @matmul_c3(%a: memref<4x4xf32>, %b: memref<4x4xbf16>) {
  %o = host.alloc () : memref<4x4xf16>
  // expected-error @below {{got elements of 'bf16', 'bf16' and 'f16'}}
  host.matmul %b, %b, %o : memref<4x4xbf16>, memref<4x4xbf16>, memref<4x4xf16>
  return
}

// -----

func.func @matmul_c4(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{expected a result that is neither operand}}
  host.matmul %a, %b, %a : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

// expected-error @below {{expected the elements and the static strides of 'memref<?xf32>' to be those of its #host.tensor, got #host.tensor<i8 [s0] order [0] align 1>}}
func.func @signature_c2(%x: memref<?xf32> {host.tensor = #host.tensor<i8 [s0] order [0] align 1>}) { return }

// -----

// expected-error @below {{expected the elements and the static strides of 'memref<?x?xf32>' to be those}}
func.func @signature_c2_order(%x: memref<?x?xf32> {host.tensor = #host.tensor<f32 [s0, s1] order [1, 0] align 4>}) { return }

// -----

// expected-error @below {{expected the elements and the static strides of 'memref<?x?xf32>' to be those}}
func.func @signature_c2_any(%x: memref<?x?xf32> {host.tensor = #host.tensor<f32 [s0, s1] any align 4>}) { return }

// -----

func.func @alloc_c5_dim() {
  // expected-error @below {{expected stream to name a dimension of 'memref<8xf32>', got 1}}
  %a = host.alloc () stream <1> : memref<8xf32>
  return
}

// -----

func.func @output_c6() -> memref<8xf32> attributes {host.program} {
  // expected-error @below {{expected a number of chunks, got -2}}
  %a = host.output 0 () stream <0 chunks -2> : memref<8xf32>
  return %a : memref<8xf32>
}

// -----

// What is marked is what a program makes.

// expected-error @below {{'host.stream': unknown attribute}}
func.func @input(%x: memref<4xf32> {host.stream = #host.stream_dim<0>}) attributes {host.program} {
  return
}
