// RUN: not fuser-opt --pass-pipeline='builtin.module(func.func(fusion-segment{target=bogus}))' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: fuser-opt --pass-pipeline='builtin.module(func.func(fusion-segment{target=sm_80}))' %s -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// What was decided for one processor is not gone on with for another. Nothing said, or the target of that processor, is the same one.
// RUN: fuser-opt %t.mlir --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-opt %t.mlir --fusion-schedule=target=cuda --fusion-to-kernel=target=sm_80 | FileCheck %s
// RUN: not fuser-opt %t.mlir --fusion-schedule=target=cpu 2>&1 | FileCheck %s --check-prefix=OTHER -DOTHER=cpu
// RUN: not fuser-opt %t.mlir --fusion-schedule=target=sm_90 2>&1 | FileCheck %s --check-prefix=OTHER -DOTHER=sm_90
// RUN: not fuser-opt %t.mlir --fusion-schedule --fusion-to-kernel=target=cpu 2>&1 | FileCheck %s --check-prefix=OTHER -DOTHER=cpu
// RUN: not fuser-run %t.mlir --input 8xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHER -DOTHER=cpu

// UNKNOWN: segment-target.mlir:[[@LINE+4]]:1: error: expected target cuda (sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a), cpu (cpu), or sim ({{.*}}), got 'bogus'
// OTHER: error: expected decisions for [[OTHER]], got some for sm_80 (fusion.target): compile for that target, or from the program without segments
// CHECK: func.func @f({{.*}} attributes {fusion.target = "sm_80"} {
// CHECK: fusion.segment "pointwise"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fusion.exp %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
