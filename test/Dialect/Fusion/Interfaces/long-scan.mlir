// Integers of a scan whose parts do not commute, in a row of 256 blocks of 128 threads, which are one group: a thread combines two neighbours of those before.
// REQUIRES: build-tree
// RUN: fuser-test-opt %s --fusion-segment=target=sm_90 --fusion-schedule=target=cuda | FileCheck %s
// RUN: fuser-test-run %s --target sim --quick --check --input 1048576xi64=random:1,below=3 | FileCheck %s --check-prefix=DONE
// DONE: {{^}}right
// CHECK: fusion.segment "split_scan"
// CHECK-SAME: layout = {{\[\[}}], [r1, l5, w2]], repeat = [1, 16]
func.func @f(%x: tensor<1048576xi64>) -> tensor<1048576xi64> {
  %0 = fusion.segment "split_scan" (%a = %x : tensor<1048576xi64>) -> (tensor<1048576xi64>) attributes {schedule = #fusion.tile<kind = "split_scan", axes = [[], [0]], layout = [[], [r1, l5, w2]], repeat = [1, 16]>} {
    %1 = test_fusion.forward_fill %a : tensor<1048576xi64>
    fusion.yield %1 : tensor<1048576xi64>
  }
  return %0 : tensor<1048576xi64>
}
