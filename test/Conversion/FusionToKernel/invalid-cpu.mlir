// RUN: fuser-opt %s --fusion-to-kernel=target=cpu --split-input-file --verify-diagnostics

func.func @of_another_target(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule for cpu kernels, those of target cpu, got #fusion.generic<threads = 256>, which is for gpu kernels}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.generic<threads = 256>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
