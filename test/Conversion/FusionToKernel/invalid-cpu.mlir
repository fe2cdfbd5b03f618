// RUN: fuser-opt %s --fusion-to-kernel=target=cpu --split-input-file --verify-diagnostics

// A work item is a fibre: there is nothing to group.
func.func @groups_of_fibres(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{schedule: expected no groups for an op that computes fibres, or #fusion.cpu_order for one that puts them in order, got [#fusion.cpu_flat<chunk = 4096>]}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_flat<chunk = 4096>]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @order_of_a_scan(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{or #fusion.cpu_order for one that puts them in order, got [#fusion.cpu_order<items = 64>]}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_order<items = 64>]>} {
    %1 = fusion.scan <sum> %a dim 1 : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @order_of_elements(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{schedule, group of result 0: expected a loop over results, got #fusion.cpu_order<items = 64>}}
  %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_order<items = 64>]>} {
    %1 = fusion.exp %a : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

module attributes {fusion.ring} {
  func.func @in_the_ring(%x: tensor<?x8xf32>) -> tensor<?x8xi64> {
    // expected-error@+1 {{schedule: expected no #fusion.cpu_order, because integers that stand for floats have no keys}}
    %0 = fusion.segment "generic" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xi64>) attributes {schedule = #fusion.cpu<kind = "generic", vector = 8, groups = [#fusion.cpu_order<items = 64>]>} {
      %1 = fusion.argsort %a dim 1 : tensor<?x8xf32> to tensor<?x8xi64>
      fusion.yield %1 : tensor<?x8xi64>
    }
    return %0 : tensor<?x8xi64>
  }
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
