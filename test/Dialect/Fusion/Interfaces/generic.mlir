// As row-reduction.mlir, with rows of unknown length: the generic scheduler reduces them on a GPU.
// REQUIRES: build-tree, numpy
// DEFINE: %{to_kernels} = --fusion-decide-exactness --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-test-opt %s --canonicalize --cse --fusion-infer-allocation-order --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" | FileCheck %s
// RUN: fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-test-opt %s --fuser-pipeline="target=cpu arch=x86-64-v3" | FileCheck %s --check-prefix=LLVM --implicit-check-not=fusion.
// RUN: fuser-test-run %s --target cpu --emit %t.fx
// RUN: %python %S/Inputs/families.py generic %t.fx %t

// CHECK: fusion.segment "generic"
// CHECK-SAME: schedule = #fusion.generic<
// CHECK: test_fusion.reverse
// CHECK: test_fusion.lerp
// CHECK: test_fusion.variance

// PTX: .entry
// PTX: ld.global
// PTX: st.global

// LLVM: llvm.func @families_0(
func.func @families(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = test_fusion.reverse %y : tensor<?x?xf32>
  %l = test_fusion.lerp %x, %r by 2.5e-1 : tensor<?x?xf32>
  %v = test_fusion.variance %l : tensor<?x?xf32> to tensor<?xf32>
  return %v : tensor<?xf32>
}
