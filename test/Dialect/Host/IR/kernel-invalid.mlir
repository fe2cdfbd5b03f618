// RUN: fuser-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected a dimension ('dim') of a size, got none}}
host.kernel @param_c1(size 0)

// -----

// expected-error @below {{expected no dimension ('dim') of a pointer, got one}}
host.kernel @param_c1_pointer(pointer 0 dim 1)

// -----

// expected-error @below {{expected pointer, size, stride, scalar or tensor_map, got 'ptr'}}
host.kernel @kind(ptr 0)

// -----

// expected-error @below {{expected no dimension ('dim') of a tensor_map, got one}}
host.kernel @param_c1_tensor_map(tensor_map 0 dim 1 as !nvgpu.tensormap.descriptor<tensor = memref<32x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected an !nvgpu.tensormap.descriptor ('as') of a tensor_map, got none}}
host.kernel @param_c2(tensor_map 0) image ".version 8.0"

// -----

// expected-error @below {{expected an !nvgpu.tensormap.descriptor ('as') of a tensor_map, got another type}}
host.kernel @param_c2_type(tensor_map 0 as memref<32x32xf32>) image ".version 8.0"

// -----

// expected-error @below {{expected no descriptor ('as') of a pointer, got one}}
host.kernel @param_c2_pointer(pointer 0 as !nvgpu.tensormap.descriptor<tensor = memref<32x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected a box of rank 1 to 5 of a tensor map, got 'memref<f32>'}}
host.kernel @param_c3(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<f32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected a box of rank 1 to 5 of a tensor map, got 'memref<1x1x1x1x1x4xf32>'}}
host.kernel @param_c3_rank(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<1x1x1x1x1x4xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected a box of rank 3 to 5 of a tensor map, got 'memref<8x8xf32>'}}
host.kernel @param_c3_interleave(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32>, swizzle = none, l2promo = none, oob = zero, interleave = interleave_16b>) image ".version 8.0"

// -----

// expected-error @below {{expected a box with sizes of 1 to 256 of a tensor map, got 'memref<257x32xf32>'}}
host.kernel @param_c3_size(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<257x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected a box with sizes of 1 to 256 of a tensor map, got 'memref<0x32xf32>'}}
host.kernel @param_c3_zero(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<0x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected a box with sizes of 1 to 256 of a tensor map, got 'memref<?x32xf32>'}}
host.kernel @param_c3_open(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<?x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected elements of a tensor map to be integers of 1, 8, 16, 32 or 64 bits, f16, bf16, f32 or f64, got 'i4'}}
host.kernel @param_c4(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32xi4>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected elements of a tensor map to be integers of 1, 8, 16, 32 or 64 bits, f16, bf16, f32 or f64, got 'f8E5M2'}}
host.kernel @param_c4_float(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32xf8E5M2>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected elements of a tensor map to be integers of 1, 8, 16, 32 or 64 bits, f16, bf16, f32 or f64, got 'complex<f32>'}}
host.kernel @param_c4_complex(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32xcomplex<f32>>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected the last dimension of a tensor map's box to take a multiple of 16 bytes, got 12 bytes of 'memref<8x3xf32>'}}
host.kernel @param_c5(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x3xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected the last dimension of a tensor map's box to take at most the 64 bytes of its swizzle, got 128 bytes of 'memref<8x32xf32>'}}
host.kernel @param_c5_swizzle(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32>, swizzle = swizzle_64b, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{expected swizzle_32b of a tensor map with interleave_32b, got none}}
host.kernel @param_c5_interleave(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x8x8xf32>, swizzle = none, l2promo = none, oob = zero, interleave = interleave_32b>) image ".version 8.0"

// -----

// expected-error @below {{expected zeros out of the bounds of a tensor map of 'i32', got NaN, which only a float can be}}
host.kernel @param_c6(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x8xi32>, swizzle = none, l2promo = none, oob = nan, interleave = none>) image ".version 8.0"

// -----

// expected-error @below {{'host.kernel' op expected an image of a kernel that takes a tensor map, which only a GPU reads, got native code}}
host.kernel @kernel_c3(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error @below {{'host.kernel' op expected 1 to 1024 threads, got 2048}}
host.kernel @kernel_c1() threads 2048

// -----

// expected-error @below {{'host.kernel' op expected 1 to 1024 threads, got -1}}
host.kernel @kernel_c1_negative() threads -1

// -----

// expected-error @below {{'host.kernel' op expected no fewer than 0 bytes of scratch, got -8}}
host.kernel @kernel_c1_scratch() scratch -8

// -----

// expected-error @below {{'host.kernel' op expected an image of some bytes, or no image}}
host.kernel @kernel_c2() image ""

// -----

// expected-error @below {{failed to satisfy constraint: parameters}}
"host.kernel"() <{sym_name = "no_params", params = [7]}> : () -> ()

// -----

// expected-note @below {{the kernel's parameter 'pointer 0' asks for it here}}
host.kernel @k(pointer 0)
func.func @launch_c6_argument(%n: index) attributes {host.program} {
  // expected-error @below {{expected an argument 0, got 0 arguments}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

// expected-note @below {{the kernel's parameter 'scalar 0' asks for it here}}
host.kernel @k(scalar 0)
func.func @launch_c6_scalar(%n: index, %x: memref<4xf32>) attributes {host.program} {
  // expected-error @below {{expected argument 0 to be a scalar, got 'memref<4xf32>'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

// expected-note @below {{the kernel's parameter 'stride 0 dim 1' asks for it here}}
host.kernel @k(stride 0 dim 1)
func.func @launch_c6_dimension(%n: index, %x: memref<4xf32>) attributes {host.program} {
  // expected-error @below {{expected argument 0 to have a dimension 1, got 'memref<4xf32>'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

// expected-note @below {{the kernel is made for no more}}
host.kernel @k() threads 128
func.func @launch_c6_threads(%n: index) attributes {host.program} {
  // expected-error @below {{expected a block of at most 128 threads, got 256}}
  host.launch @k grid(%n, %n, %n) block(64, 4, 1) args()
  return
}

// -----

host.kernel @k()
func.func @launch_c7(%n: index) attributes {host.program} {
  // expected-error @below {{expected a cooperative launch or a programmatic one, got both}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) cooperative programmatic args()
  return
}

// -----

// expected-note @below {{the kernel's parameter 'tensor_map 0 as }}
host.kernel @k(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"
func.func @launch_c8(%n: index, %x: memref<4xf32>) attributes {host.program} {
  // expected-error @below {{expected argument 0 to have the rank and the elements of the tensor map's box, 'memref<8x32xf32>', got 'memref<4xf32>'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

// expected-note @below {{the kernel's parameter 'tensor_map 0 as }}
host.kernel @k(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"
func.func @launch_c8_elements(%n: index, %x: memref<4x4xi32>) attributes {host.program} {
  // expected-error @below {{expected argument 0 to have the rank and the elements of the tensor map's box, 'memref<8x32xf32>', got 'memref<4x4xi32>'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4x4xi32>)
  return
}

// -----

// expected-note @below {{the kernel's parameter 'tensor_map 0 as }}
host.kernel @k(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"
func.func @launch_c8_stride(%n: index, %x: memref<4x?xf32, strided<[1, 4]>>) attributes {host.program} {
  // expected-error @below {{expected elements of the last dimension of argument 0 side by side, as a tensor map asks for, got 'memref<4x?xf32, strided<[1, 4]>>'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4x?xf32, strided<[1, 4]>>)
  return
}

// -----

// expected-note @below {{the kernel's parameter 'tensor_map 0 as }}
host.kernel @k(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<8x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"
func.func @launch_c6_tensor_map(%n: index) attributes {host.program} {
  // expected-error @below {{expected argument 0 to be a memref, got 'index'}}
  host.launch @k grid(%n, %n, %n) block(1, 1, 1) args(%n : index)
  return
}

// -----

gpu.module @m {
  // expected-note @below {{the kernel relies on its size}}
  gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}
func.func @launch_c9(%n: index) attributes {host.program} {
  // expected-error @below {{expected a block of (128, 1, 1) threads, got (64, 2, 1)}}
  host.launch @m::@k grid(%n, %n, %n) block(64, 2, 1) args()
  return
}
