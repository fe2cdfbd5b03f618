// RUN: fuser-opt %s --fusion-schedule=target=cpu | FileCheck %s

// What stages of reductions keep for each other: each decision, and where it is not taken. No groups: rows.

// An exp is dear: it stays in scratch memory. The difference in front of it is not needed again.
// CHECK-LABEL: func.func @kept(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
// CHECK: fusion.exp {{.*}} {fusion.keep = #fusion.keep<scratch>}
func.func @kept(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x1024xf32>) -> (tensor<?x1024xf32>) {
    %1 = fusion.reduce <max> %a dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
    %2 = fusion.expand %1 : tensor<?x1xf32> to tensor<?x1024xf32>
    %3 = fusion.sub %a, %2 : tensor<?x1024xf32>
    %4 = fusion.exp %3 : tensor<?x1024xf32>
    %5 = fusion.reduce <sum> %4 dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
    %6 = fusion.expand %5 : tensor<?x1xf32> to tensor<?x1024xf32>
    %7 = fusion.div %4, %6 : tensor<?x1024xf32>
    fusion.yield %7 : tensor<?x1024xf32>
  }
  return %0 : tensor<?x1024xf32>
}

// A negation is cheap.
// CHECK-LABEL: func.func @cheap(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
// CHECK-NOT: fusion.keep
func.func @cheap(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x1024xf32>) -> (tensor<?x1024xf32>) {
    %1 = fusion.neg %a : tensor<?x1024xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x1024xf32>
    %4 = fusion.div %1, %3 : tensor<?x1024xf32>
    fusion.yield %4 : tensor<?x1024xf32>
  }
  return %0 : tensor<?x1024xf32>
}

// Scratch memory has a size that is known, and no more than caches hold: 2^18 elements of f32.
// CHECK-LABEL: func.func @lengths(
// CHECK-NOT: fusion.keep
// CHECK: fusion.exp {{.*}} {fusion.keep = #fusion.keep<scratch>} : tensor<1x262144xf32>
// CHECK-NOT: fusion.keep
func.func @lengths(%x: tensor<?x?xf32>, %y: tensor<1x262144xf32>, %z: tensor<1x262145xf32>, %n: index) -> (tensor<?x?xf32>, tensor<1x262144xf32>, tensor<1x262145xf32>) {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x?xf32>, %m = %n : index) -> (tensor<?x?xf32>) {
    %1 = fusion.exp %a : tensor<?x?xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 sizes(%m) : tensor<?x1xf32> to tensor<?x?xf32>
    %4 = fusion.div %1, %3 : tensor<?x?xf32>
    fusion.yield %4 : tensor<?x?xf32>
  }
  %5 = fusion.segment "row_reduction" (%a = %y : tensor<1x262144xf32>) -> (tensor<1x262144xf32>) {
    %1 = fusion.exp %a : tensor<1x262144xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<1x262144xf32> to tensor<1x1xf32>
    %3 = fusion.expand %2 : tensor<1x1xf32> to tensor<1x262144xf32>
    %4 = fusion.div %1, %3 : tensor<1x262144xf32>
    fusion.yield %4 : tensor<1x262144xf32>
  }
  %6 = fusion.segment "row_reduction" (%a = %z : tensor<1x262145xf32>) -> (tensor<1x262145xf32>) {
    %1 = fusion.exp %a : tensor<1x262145xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<1x262145xf32> to tensor<1x1xf32>
    %3 = fusion.expand %2 : tensor<1x1xf32> to tensor<1x262145xf32>
    %4 = fusion.div %1, %3 : tensor<1x262145xf32>
    fusion.yield %4 : tensor<1x262145xf32>
  }
  return %0, %5, %6 : tensor<?x?xf32>, tensor<1x262144xf32>, tensor<1x262145xf32>
}

// Row 0 is needed in all rows, whose scratch memory has no row but its own.
// CHECK-LABEL: func.func @moved(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
// CHECK-NOT: fusion.keep
func.func @moved(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>) {
    %1 = fusion.exp %a : tensor<4x8xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<4x8xf32> to tensor<4x1xf32>
    %3 = fusion.expand %2 : tensor<4x1xf32> to tensor<4x8xf32>
    %4 = fusion.div %1, %3 : tensor<4x8xf32>
    %5 = fusion.slice %1 offsets [0, 0] sizes [1, 8] steps [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %6 = fusion.expand %5 : tensor<1x8xf32> to tensor<4x8xf32>
    %7 = fusion.add %4, %6 : tensor<4x8xf32>
    fusion.yield %7 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// A result that has been stored is read back, even if it is cheap: two loads against one.
// CHECK-LABEL: func.func @read_back(
// CHECK: fusion.add {{.*}} {fusion.keep = #fusion.keep<result>}
func.func @read_back(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x64xf32>, %b = %y : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %1 = fusion.add %a, %b : tensor<?x64xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x64xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x64xf32>
    %4 = fusion.div %1, %3 : tensor<?x64xf32>
    fusion.yield %1, %4 : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// One load and a negation are no more than the load.
// CHECK-LABEL: func.func @not_read_back(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
// CHECK-NOT: fusion.keep
func.func @not_read_back(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %1 = fusion.neg %a : tensor<?x64xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x64xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x64xf32>
    %4 = fusion.div %1, %3 : tensor<?x64xf32>
    fusion.yield %1, %4 : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// In the memory of an input nothing is stored before the last stage, in which there is nothing to read back.
// CHECK-LABEL: func.func @in_place(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>} {
// CHECK-NOT: fusion.keep
func.func @in_place(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?x64xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?x64xf32>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x64xf32>, %b = %y : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %1 = fusion.add %a, %b : tensor<?x64xf32>
    %2 = fusion.reduce <sum> %1 dims [1] keep : tensor<?x64xf32> to tensor<?x1xf32>
    %3 = fusion.expand %2 : tensor<?x1xf32> to tensor<?x64xf32>
    %4 = fusion.div %1, %3 : tensor<?x64xf32>
    fusion.yield %1, %4 : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// All of a tensor is one row: wherever an op looks at what it is reduced to, there is nothing else.
// CHECK-LABEL: func.func @one_row(
// CHECK: schedule = #fusion.cpu<kind = "row_reduction", vector = 64>}
func.func @one_row(%x: tensor<?x?xf64>, %n: index) -> (tensor<?x?xf64>, tensor<1x1xf64>) {
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x?xf64>, %m = %n : index) -> (tensor<?x?xf64>, tensor<1x1xf64>) {
    %1 = fusion.add %a, %a : tensor<?x?xf64>
    %2 = fusion.reduce <min> %1 dims [0, 1] keep : tensor<?x?xf64> to tensor<1x1xf64>
    %3 = fusion.slice %2 offsets [%m, 0] sizes [1, 1] steps [1, 1] : tensor<1x1xf64> to tensor<1x1xf64>
    fusion.yield %1, %3 : tensor<?x?xf64>, tensor<1x1xf64>
  }
  return %0#0, %0#1 : tensor<?x?xf64>, tensor<1x1xf64>
}
