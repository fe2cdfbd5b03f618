// RUN: fuser-opt %s --fusion-to-kernel=target=cpu --split-input-file --verify-diagnostics

// A work item is a fibre: there is nothing to group.
func.func @groups_of_fibres(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{schedule: expected no groups for an op that computes fibres, got 1}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_flat<chunk = 4096>]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @of_another_target(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule for cpu kernels, those of target cpu, got #fusion.generic<threads = 256>, which is for gpu kernels}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #fusion.generic<threads = 256>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
