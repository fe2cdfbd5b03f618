// RUN: fuser-opt --kernel-floats-to-ring --split-input-file --verify-diagnostics %s

gpu.module @kernels {
  gpu.func @no_number(%x: memref<4xf32>, %y: memref<4xi1>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<4xf32>
    // expected-error @below {{has no meaning in the exact arithmetic: expected an op that moves floats, or one of arith or math that gives one}}
    %0 = math.isnormal %v : f32
    memref.store %0, %y[%i] : memref<4xi1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @matrix(%x: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{has no meaning in the exact arithmetic}}
    %0 = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

// Floats are looked for wherever types have them.
// expected-error @below {{expected floats of 8, 16, 32 or 64 bits in the exact arithmetic, got 'f80'}}
func.func @too_wide(%x: memref<4xf80>) {
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no meaning in the exact arithmetic}}
  %0 = fusion.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @library(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) attributes {host.program} {
  // expected-error @below {{a library computes with floats}}
  host.matmul %a, %b, %c : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

// expected-error @below {{is code already, which the exact arithmetic cannot change: expected kernels that are generated}}
host.kernel @k(pointer 0) threads 32 image "code"
func.func @code(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @k grid(%c1, %c1, %c1) block(32, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

func.func @average(%x: memref<4xf32>, %y: memref<4xf32>) attributes {host.program} {
  %g = host.group [[0, 1]]
  // expected-error @below {{expected a sum, a product, a maximum or a minimum of f32 or f64 over ranks in the exact arithmetic, got another one}}
  %r = host.all_reduce <avg> %x, %y in %g : memref<4xf32>, memref<4xf32>
  host.wait %r
  return
}
