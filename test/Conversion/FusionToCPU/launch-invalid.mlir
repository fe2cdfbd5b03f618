// RUN: fuser-opt %s --fusion-to-host --verify-diagnostics

// A launch counts work items as the schedule says, so it has to fit though there is a kernel already.
module @kernels {
  func.func @f_0(%x: memref<?xf32>, %y: memref<?xf32>, %begin: index, %end: index) {
    return
  }
}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{schedule: expected 1 groups, one for the results of each shape, got 2}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>)
      attributes {kernel = @kernels::@f_0, schedule = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_tiles, #fusion.cpu_tiles]>} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
