// As row-reduction.mlir, without a reduction: a pointwise kernel, in bf16, with a map that has no affine form (the size of the
// dimension that it turns round is a value).
// REQUIRES: build-tree, numpy
// DEFINE: %{to_kernels} = --fusion-decide-exactness --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-test-opt %s --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" | FileCheck %s
// RUN: fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-test-opt %s --fuser-pipeline="target=cpu arch=x86-64-v3" | FileCheck %s --check-prefix=LLVM --implicit-check-not=fusion.
// RUN: fuser-test-run %s --target cpu --emit %t.fx
// RUN: %python %S/Inputs/families.py pointwise %t.fx %t

// The input that is only turned round is read where it is.
// CHECK: fusion.segment "pointwise"
// CHECK-SAME: schedule = #fusion.tile<kind = "pointwise"
// CHECK: test_fusion.reverse
// CHECK: test_fusion.lerp
// CHECK: test_fusion.iota
// CHECK: fusion.yield
// CHECK-NOT: fusion.segment

// PTX-COUNT-1: .entry
// PTX: ld.global
// PTX: st.global

// LLVM: llvm.func @families_0(
func.func @families(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %columns = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %i = test_fusion.iota sizes(%rows, %columns) : tensor<?x?xbf16>
  %r = test_fusion.reverse %y : tensor<?x?xbf16>
  %l = test_fusion.lerp %x, %r by 2.5e-1 : tensor<?x?xbf16>
  %o = fusion.add %l, %i : tensor<?x?xbf16>
  return %o : tensor<?x?xbf16>
}
