// RUN: fuser-opt %s --fusion-to-kernel=target=cpu --split-input-file --verify-diagnostics

func.func @of_another_target(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule for target cpu, got #fusion.generic<threads = 256>, which is for cuda}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.generic<threads = 256>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Kernels of another target stand where those of the CPU would.
// expected-error@+1 {{expected 'kernels' to be a module of cpu kernels}}
gpu.module @kernels {
}
func.func @taken(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 8>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
