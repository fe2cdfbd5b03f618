// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s

// CHECK-LABEL: func.func @two_results(
func.func @two_results(%x: tensor<?x8xf32>, %d: index) {
  // CHECK: %[[R:.*]]:2 = fusion.segment "row_reduction" (%[[A:.*]] = %{{.*}} : tensor<?x8xf32>, %[[N:.*]] = %{{.*}} : index) -> (tensor<?x8xf32>, tensor<?x1xf32>)
  // CHECK-SAME{LITERAL}: attributes {host_function = @f_0_host, result_hints = [array<i64: 1, 0>, unit], schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w3]], repeat = [1, 4], stages = 1>} {
  %r:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>, %n = %d : index) -> (tensor<?x8xf32>, tensor<?x1xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5, w3]], repeat = [1, 4], stages = 1>,
                  host_function = @f_0_host, result_hints = [array<i64: 1, 0>, unit]} {
    // CHECK: fusion.reduce <sum> %[[A]]
    %0 = fusion.reduce <sum> %a dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
    %c = arith.constant 1.0 : f32
    %m = arith.muli %n, %n : index
    %c1 = arith.constant 0 : index
    %rows = tensor.dim %0, %c1 : tensor<?x1xf32>
    %1 = fusion.full %c sizes(%rows) : tensor<?x1xf32>
    %2 = fusion.add %0, %1 : tensor<?x1xf32>
    // CHECK: fusion.yield %[[A]], %{{.*}} : tensor<?x8xf32>, tensor<?x1xf32>
    fusion.yield %a, %2 : tensor<?x8xf32>, tensor<?x1xf32>
  }
  return
}

// CHECK-LABEL: func.func @schedules(
func.func @schedules(%x: tensor<8xf32>, %y: tensor<8x8xf32>) {
  // CHECK: schedule = #fusion.generic<threads = 256>
  %0 = fusion.segment "generic" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) attributes {schedule = #fusion.generic<threads = 256>} {
    fusion.yield %a : tensor<8xf32>
  }
  // CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[r3, l5, w2]], repeat = [2]>
  %1 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[r3, l5, w2]], repeat = [2]>} {
    fusion.yield %a : tensor<8xf32>
  }
  // CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>
  %t = fusion.segment "pointwise" (%a = %y : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [0], [1]], layout = [[], [w3, r2], [l5]], staged = [[], [l5], [w3, r2]], reads = [0]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  // CHECK{LITERAL}: schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [l2, w1], [l3]], staged = [[], [l3:0], [l2:3, w1]], results = [0]>
  %u = fusion.segment "pointwise" (%a = %y : tensor<8x8xf32>) -> (tensor<8x8xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [l2, w1], [l3]], staged = [[], [l3:0], [l2:3, w1]], results = [0]>} {
    fusion.yield %a : tensor<8x8xf32>
  }
  // CHECK: schedule = #fusion.cpu<kind = "pointwise", vector = 64>
  %2 = fusion.segment "pointwise" (%a = %x : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #fusion.cpu<kind = "pointwise", vector = 64>} {
    fusion.yield %a : tensor<8xf32>
  }
  // CHECK: fusion.segment "generic" () -> (tensor<2xf32>) {
  %3 = fusion.segment "generic" () -> (tensor<2xf32>) {
    %c = arith.constant 1.0 : f32
    %f = fusion.full %c : tensor<2xf32>
    fusion.yield %f : tensor<2xf32>
  }
  return
}
