// As pointwise.mlir, with a tensor that lies across: what the element-wise ops of another dialect read goes through shared memory, what
// an index map turns round is read where it is.
// REQUIRES: build-tree
// DEFINE: %{to_kernels} = --fusion-decide-exactness --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-test-opt %s --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" | FileCheck %s
// RUN: fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}

// CHECK: fusion.segment "pointwise" (%[[Y:.*]] = %arg1 : {{.*}}, %[[X:.*]] = %arg0 : {{.*}})
// CHECK-SAME{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [r2, w3, r1], [l5]], staged = [[], [r2, l4:0], [l1:4, w3, r1]], reads = [1]>
// CHECK: fusion.permute %[[X]]
// CHECK: fusion.permute %[[Y]]
// CHECK: test_fusion.reverse
// CHECK: test_fusion.lerp
// CHECK: fusion.yield
// CHECK-NOT: fusion.segment

// One tile of 64 by 32.
// PTX: .entry
// PTX: .shared {{.*}}[8192]
// PTX: ld.global
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared
// PTX: st.global
func.func @families(%x: tensor<?x96xf32>, %y: tensor<?x96xf32>) -> tensor<96x?xf32> {
  %t = fusion.permute %x [1, 0] : tensor<?x96xf32> to tensor<96x?xf32>
  %u = fusion.permute %y [1, 0] : tensor<?x96xf32> to tensor<96x?xf32>
  %r = test_fusion.reverse %u : tensor<96x?xf32>
  %l = test_fusion.lerp %t, %r by 2.5e-1 : tensor<96x?xf32>
  return %l : tensor<96x?xf32>
}
