// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-to-kernel=target=cuda --verify-diagnostics
// RUN: fuser-test-opt %s --fusion-to-kernel=target=cpu --verify-diagnostics

// A schedule of another project, which has registered no emitter of it.
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected a schedule with an emitter, got #test_fusion.by_hand: the emitters of its target are not registered}}
  %0 = fusion.segment "by_hand" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) attributes {schedule = #test_fusion.by_hand} {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
