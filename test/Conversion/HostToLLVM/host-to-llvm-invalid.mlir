// RUN: fuser-opt %s -host-to-llvm -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-note @below {{the first one is here}}
func.func @one() attributes {host.program} { return }
// expected-error @below {{expected one host program in a module, got a second one}}
func.func @two() attributes {host.program} { return }

// -----

// expected-error @below {{expected the name 'fuser_host_entry' to be free for the host program's entry}}
llvm.func @fuser_host_entry()
func.func @name() attributes {host.program} { return }

// -----

// expected-error @below {{expected a host program to have a body, got a declaration}}
func.func private @declaration() attributes {host.program}

// -----

func.func @complex(%n: index) -> memref<?xcomplex<f32>> attributes {host.program} {
  // expected-error @below {{expected no complex buffers in a host program: pairs of real numbers along one more dimension are the same memory}}
  %r = host.output 0 (%n) : memref<?xcomplex<f32>>
  return %r : memref<?xcomplex<f32>>
}

// -----

// expected-error @below {{expected no complex buffers in a host program}}
func.func @complex_input(%x: memref<4xcomplex<f64>>) attributes {host.program} { return }

// -----

func.func @offset(
  // expected-error @below {{expected input 0 to have offset 0 or a dynamic one, got 'memref<4xf32, strided<[1], offset: 2>>'}}
    %x: memref<4xf32, strided<[1], offset: 2>>) attributes {host.program} { return }

// -----

func.func @layout(
  // expected-error @below {{expected input 0 to have a strided layout}}
    %x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) attributes {host.program} { return }

// -----

func.func @communication_of_a_column(%x: memref<4x1xf32, strided<[8, 1]>>, %y: memref<4x1xf32>) attributes {host.program} {
  %all = host.group
  // expected-error @below {{'host.all_reduce' op expected a contiguous source, row-major, got 'memref<4x1xf32, strided<[8, 1]>>'; host-stage-communications copies it}}
  %r = host.all_reduce <sum> %x, %y in %all : memref<4x1xf32, strided<[8, 1]>>, memref<4x1xf32>
  return
}

// -----

func.func @gathered_columns(%x: memref<4x2xf32, strided<[1, 4]>>, %y: memref<4x4xf32>) attributes {host.program} {
  %all = host.group
  // expected-error @below {{'host.all_gather' op expected a contiguous result, row-major with dimension 1 first, got 'memref<4x4xf32>'}}
  %r = host.all_gather %x, %y dim 1 in %all : memref<4x2xf32, strided<[1, 4]>>, memref<4x4xf32>
  return
}

// -----

func.func @element(%x: memref<4xf32>, %i: index) attributes {host.program} {
  // expected-error @below {{'memref.load' op expected no access to elements and no host memory in a host program}}
  %0 = memref.load %x[%i] : memref<4xf32>
  return
}

// -----

func.func @host_memory(%i: index) attributes {host.program} {
  // expected-error @below {{'memref.alloc' op expected no access to elements and no host memory in a host program}}
  %0 = memref.alloc(%i) : memref<?xf32>
  return
}

// -----

func.func @unresolved(%x: memref<4xf32>) attributes {host.program} {
  // expected-error @below {{'host.declare' op is not resolved: expected host-resolve-aliases before host-to-llvm}}
  %t = host.declare "t" : memref<4xf32>
  return
}

// -----

func.func private @callee()
func.func @leftover() attributes {host.program} {
  // expected-error @below {{expected ops of a host program that can be lowered to LLVM, got 'func.call'}}
  call @callee() : () -> ()
  return
}

// -----

func.func @leftovers(%x: f32) attributes {host.program} {
  // expected-error @below {{expected ops of a host program that can be lowered to LLVM, got 'math.exp'}}
  %0 = math.exp %x : f32
  // expected-error @below {{expected ops of a host program that can be lowered to LLVM, got 'test.unknown'}}
  "test.unknown"(%0) : (f32) -> ()
  return
}

// -----

// expected-error @below {{expected host.output or host.output_view for output 0, got none}}
func.func @no_output(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  return %x : memref<4xf32>
}

// -----

func.func @two_outputs(%x: memref<4xf32>) -> memref<4xf32> attributes {host.program} {
  // expected-note @below {{it was made here}}
  %o = host.output 0 () : memref<4xf32>
  // expected-error @below {{expected output 0 to be made once, got it twice}}
  host.output_view 0, %x input 0 : memref<4xf32>
  return %o : memref<4xf32>
}

// -----

func.func @wrong_output(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) attributes {host.program} {
  // expected-note @below {{the output is made here}}
  %o = host.output 0 () : memref<4xf32>
  // expected-note @below {{the returned buffer comes from here}}
  %p = host.output 1 () : memref<4xf32>
  // expected-error @below {{expected result 0 to be what makes output 0, got another buffer}}
  return %p, %o : memref<4xf32>, memref<4xf32>
}

// -----

func.func @unknown_kernel(%n: index) attributes {host.program} {
  // expected-error @below {{expected a host.kernel, got @kernels::@f_0: kernels are lowered, and emit-kernels has run, before host-to-llvm}}
  host.launch @kernels::@f_0 grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

gpu.module @kernels {
  gpu.func @f_0() kernel { gpu.return }
}
func.func @kernel_that_is_not_lowered(%n: index) attributes {host.program} {
  // expected-error @below {{expected a host.kernel, got @kernels::@f_0}}
  host.launch @kernels::@f_0 grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

// Buffers that are freed.

func.func @freed_twice() attributes {host.program} {
  %a = host.alloc () : memref<4xf32>
  %v = memref.cast %a : memref<4xf32> to memref<?xf32>
  // expected-note @below {{it is freed here}}
  host.dealloc %a : memref<4xf32>
  // expected-error @below {{'host.dealloc' op expected to free a buffer once, got it twice}}
  host.dealloc %v : memref<?xf32>
  return
}

// -----

func.func @freed_and_copied(%x: memref<4xf32>) attributes {host.program} {
  %a = host.alloc () : memref<4xf32>
  // expected-note @below {{it is freed here}}
  host.dealloc %a : memref<4xf32>
  // expected-error @below {{'host.copy' op expected to use a buffer before it is freed, got a use after that}}
  host.copy %a, %x : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @freed_and_viewed(%x: memref<2xf32, strided<[1], offset: ?>>, %n: index) attributes {host.program} {
  %a = host.alloc () : memref<4x2xf32>
  // expected-note @below {{it is freed here}}
  host.dealloc %a : memref<4x2xf32>
  %v = host.select %a dim 0 at %n : memref<4x2xf32>
  // expected-error @below {{'host.copy' op expected to use a buffer before it is freed, got a use after that}}
  host.copy %x, %v : memref<2xf32, strided<[1], offset: ?>>, memref<2xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func @freed_and_nested(%x: memref<4xf32>, %c: i1) attributes {host.program} {
  %a = host.alloc () : memref<4xf32>
  // expected-note @below {{it is freed here}}
  host.dealloc %a : memref<4xf32>
  scf.if %c {
    // expected-error @below {{'host.copy' op expected to use a buffer before it is freed, got a use after that}}
    host.copy %x, %a : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @freed_and_given() -> memref<4xf32> attributes {host.program} {
  %a = host.alloc () : memref<4xf32>
  // expected-note @below {{it is freed here}}
  host.dealloc %a : memref<4xf32>
  // expected-error @below {{'host.output_view' op expected to use a buffer before it is freed, got a use after that}}
  host.output_view 0, %a : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

func.func @given_and_freed() -> memref<4xf32> attributes {host.program} {
  %a = host.alloc () : memref<4xf32>
  // expected-note @below {{it is given here}}
  host.output_view 0, %a : memref<4xf32>
  // expected-error @below {{'host.dealloc' op expected a buffer of the program, got one that was given to an output}}
  host.dealloc %a : memref<4xf32>
  return %a : memref<4xf32>
}
