// An op of an unknown dialect that computes fibres and reads back what it has stored: both targets give what the reference gives, and no pass or
// emitter knows it.
// REQUIRES: build-tree
// RUN: fuser-test-run %s --target cpu --check --input 50x9xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target sim --sim-check --check --input 50x9xf32=random:1 | FileCheck %s
// RUN: fuser-test-run %s --target cpu --exact --check --input 50x9xf32=bits:1 | FileCheck %s
// RUN: fuser-test-run %s --target sim --exact --check --input 50x9xf32=bits:1 | FileCheck %s
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}

// What is read only goes by another way than what is written, and read back.
// PTX-LABEL: .visible .entry f_0(
// PTX-DAG: ld.global.nc.b32
// PTX-DAG: ld.global.b32
// PTX: st.global.b32

// CHECK: {{^}}right: largest difference from the reference
func.func @f(%x: tensor<?x9xf32>) -> (tensor<?x9xf32>, tensor<?x9xf32>) {
  %0 = test_fusion.smooth %x : tensor<?x9xf32>
  %1 = fusion.exp %0 : tensor<?x9xf32>
  %2 = test_fusion.smooth %1 : tensor<?x9xf32>
  return %1, %2 : tensor<?x9xf32>, tensor<?x9xf32>
}
