// Ops that no pass knows by name, one of each family, become one row reduction on both targets.
// REQUIRES: build-tree, numpy
// DEFINE: %{to_kernels} = --fusion-decide-exactness --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-test-opt %s --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" | FileCheck %s
// RUN: fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-test-opt %s --fuser-pipeline="target=cpu arch=x86-64-v3" | FileCheck %s --check-prefix=LLVM --implicit-check-not=fusion.
// RUN: fuser-test-run %s --target cpu --emit %t.fx
// RUN: %python %S/Inputs/families.py row-reduction %t.fx %t

// CHECK: %[[IN:.*]]:2 = fusion.segment "row_reduction"
// CHECK-SAME: schedule = #fusion.tile<kind = "row_reduction"
// CHECK: test_fusion.reverse
// CHECK: test_fusion.lerp
// CHECK: test_fusion.variance
// CHECK: test_fusion.iota
// CHECK: fusion.yield
// CHECK-NOT: fusion.segment

// One kernel, in which threads exchange the three accumulators.
// PTX-COUNT-1: .entry
// PTX-NOT: .entry
// PTX: ld.global
// PTX: shfl.sync
// PTX: st.global

// LLVM: llvm.func @families_0(
func.func @families(%x: tensor<?x96xf32>, %y: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x96xf32>
  %i = test_fusion.iota sizes(%rows) : tensor<?x96xf32>
  %r = test_fusion.reverse %y : tensor<?x96xf32>
  %l = test_fusion.lerp %x, %r by 2.5e-1 : tensor<?x96xf32>
  %v = test_fusion.variance %l : tensor<?x96xf32> to tensor<?x1xf32>
  %e = fusion.expand %v : tensor<?x1xf32> to tensor<?x96xf32>
  %d = fusion.mul %l, %e : tensor<?x96xf32>
  %o = fusion.add %d, %i : tensor<?x96xf32>
  return %o, %v : tensor<?x96xf32>, tensor<?x1xf32>
}
