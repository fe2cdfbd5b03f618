// Kernels that were made for other buffers than they would be launched on.
// RUN: fuser-opt %s --split-input-file --fusion-to-host -verify-diagnostics

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f_0(%x: memref<64x100xf32>, %r: memref<64x100xf32, strided<[1, 64]>>) kernel {
    gpu.return
  }
}
func.func @no_hint_any_more(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  // expected-error @below {{its tensors do not lie as its kernel @kernels::@f_0 takes them: expected argument 1 to fit the kernel's, 'memref<64x100xf32, strided<[1, 64]>>', got 'memref<64x100xf32>'}}
  %0 = fusion.segment "generic" (%a = %x : tensor<64x100xf32>) -> (tensor<64x100xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, kernel = @kernels::@f_0} {
    %1 = fusion.exp %a : tensor<64x100xf32>
    fusion.yield %1 : tensor<64x100xf32>
  }
  return %0 : tensor<64x100xf32>
}

// -----

// A buffer of which the program knows less than the kernel does.
module @kernels {
  // expected-note @below {{the kernel is here}}
  func.func @f_0(%x: memref<?x8xf32>, %r: memref<?x8xf32>, %begin: index, %end: index) {
    return
  }
}
func.func @any_strides(%x: tensor<?x8xf32> {fusion.layout = "any"}) -> tensor<?x8xf32> {
  // expected-error @below {{its tensors do not lie as its kernel @kernels::@f_0 takes them: expected argument 0 to fit the kernel's, 'memref<?x8xf32>', got 'memref<?x8xf32, strided<[?, ?]>>'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>, kernel = @kernels::@f_0} {
    %1 = fusion.exp %a : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

gpu.module @kernels {
  // expected-note @below {{the kernel is here}}
  gpu.func @f_0(%x: memref<64xf32>) kernel {
    gpu.return
  }
}
func.func @number(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{expected 1 arguments, as the kernel has, got 2}}
  %0 = fusion.segment "generic" (%a = %x : tensor<64xf32>) -> (tensor<64xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, kernel = @kernels::@f_0} {
    %1 = fusion.exp %a : tensor<64xf32>
    fusion.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
