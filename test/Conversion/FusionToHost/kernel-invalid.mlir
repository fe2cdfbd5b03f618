// Host functions that were made for other buffers than they would be given.
// RUN: fuser-opt %s --split-input-file --fusion-to-host -verify-diagnostics

// expected-note @below {{the kernel is here}}
func.func private @f_0_host(%x: memref<64x100xf32>, %r: memref<64x100xf32, strided<[1, 64]>>) {
  return
}
func.func @no_hint_any_more(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  // expected-error @below {{its tensors do not lie as its host function @f_0_host takes them: expected argument 1 to fit the kernel's, 'memref<64x100xf32, strided<[1, 64]>>', got 'memref<64x100xf32>'}}
  %0 = fusion.segment "generic" (%a = %x : tensor<64x100xf32>) -> (tensor<64x100xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_0_host} {
    %1 = fusion.exp %a : tensor<64x100xf32>
    fusion.yield %1 : tensor<64x100xf32>
  }
  return %0 : tensor<64x100xf32>
}

// -----

// A buffer of which the program knows less than the function does.
// expected-note @below {{the kernel is here}}
func.func private @f_0_host(%x: memref<?x8xf32>, %r: memref<?x8xf32>) {
  return
}
func.func @any_strides(%x: tensor<?x8xf32> {fusion.layout = "any"}) -> tensor<?x8xf32> {
  // expected-error @below {{its tensors do not lie as its host function @f_0_host takes them: expected argument 0 to fit the kernel's, 'memref<?x8xf32>', got 'memref<?x8xf32, strided<[?, ?]>>'}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>, host_function = @f_0_host} {
    %1 = fusion.exp %a : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

// expected-note @below {{the kernel is here}}
func.func private @f_0_host(%x: memref<64xf32>) {
  return
}
func.func @number(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{expected 1 arguments, as the kernel has, got 2}}
  %0 = fusion.segment "generic" (%a = %x : tensor<64xf32>) -> (tensor<64xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_0_host} {
    %1 = fusion.exp %a : tensor<64xf32>
    fusion.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// What is named is no function that could be inlined.
func.func private @declared(%x: memref<64xf32>, %y: memref<64xf32>)
func.func @declaration(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{expected @declared to be a function of one block and without results, which launches the segment's kernels}}
  %0 = fusion.segment "generic" (%a = %x : tensor<64xf32>) -> (tensor<64xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @declared} {
    %1 = fusion.exp %a : tensor<64xf32>
    fusion.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func private @f_0_host(%x: memref<8xf32>, %r: memref<8xf32>) {
  return
}
func.func @operand_of_no_segment(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fusion.exp %x : tensor<8xf32>
  // expected-error @below {{expected operands that are arguments or results of segments, got a result of 'fusion.exp'; run fusion-segment first}}
  %1 = fusion.segment "generic" (%a = %0 : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.generic<threads = 128>, host_function = @f_0_host} {
    %2 = fusion.neg %a : tensor<8xf32>
    fusion.yield %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
