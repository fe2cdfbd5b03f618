// A target of another project: one record, which the tools are given (test/lib/TestFusion/StubTarget.cpp).
// RUN: fuser-test-run %s --target stub --input 33x70xf32=random:1 --check | FileCheck %s --check-prefix=RAN
// RUN: fuser-test-opt %s --fusion-segment=target=stub --fusion-schedule --fusion-to-kernel --fusion-to-host | FileCheck %s
// RUN: fuser-test-opt %s --fuser-pipeline=target=stub | FileCheck %s --check-prefix=LLVM --implicit-check-not=fusion. --implicit-check-not=host.launch
// RUN: not fuser-run %s --target stub 2>&1 | FileCheck %s --check-prefix=NONE

// RAN: target stub ({{.*}}), 3 segments
// RAN: right: largest difference
// CHECK: module @f_0
// CHECK: module @f_1
// CHECK: module @f_2
// CHECK: func.func @f({{.*}}fusion.target = "stub"
// CHECK-COUNT-3: host.launch
// LLVM: llvm.func @fuser_host_entry
// NONE: --target: expected cuda, cpu or sim, got 'stub'
func.func @f(%x: tensor<?x70xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x70xf32>
  %1 = fusion.reduce <sum> %0 dims [1] : tensor<?x70xf32> to tensor<?xf32>
  %2 = fusion.neg %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
