// The same views, as they come out of a program.
// REQUIRES: build-tree
// DEFINE: %{run} = fuser-test-run %s --target cpu
// RUN: %{run} --check --entry every --input 40xf32=random:1 --scalar 3
// RUN: %{run} --check --entry every --input 0xf32=random:1 --scalar 3
// RUN: %{run} --check --entry flatten --input 5x8xf32=random:1 --scalar 40
// RUN: %{run} --check --entry flatten_and_new --input 5x8xf32=random:1 --scalar 40
// RUN: not %{run} --entry flatten --input 5x8xf32=random:1 --scalar 41 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: not %{run} --reference --entry flatten --input 5x8xf32=random:1 --scalar 39 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: %{run} --reference --entry flatten --input 5x8xf32=random:1 --scalar 40

// CHECKED: test_fusion.flatten: expected size 40, got 41
// REFERENCE: views-run.mlir:[[# @LINE + 9]]:8: error: expected sizes that agree at run time

func.func @every(%x: tensor<?xf32>, %step: index) -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = test_fusion.every %x step %step : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The reference counts elements: with too few it would read the first ones.
func.func @flatten(%x: tensor<?x?xf32>, %size: index) -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {
  %0 = test_fusion.flatten %x size %size : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @flatten_and_new(%x: tensor<?x?xf32>, %size: index)
    -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}, tensor<?xf32>) {
  %0 = test_fusion.flatten %x size %size : tensor<?x?xf32> to tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
