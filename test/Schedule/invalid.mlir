// RUN: fuser-opt %s --fusion-schedule="target=cuda explain=true" --split-input-file --verify-diagnostics
// RUN: fuser-opt %s --fusion-schedule="target=cpu explain=true" --split-input-file --verify-diagnostics
// RUN: not fuser-opt %s --fusion-schedule=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: invalid.mlir:[[@LINE+3]]:1: error: expected target cuda (sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a), cpu (cpu), or sim ({{.*}}), got 'tpu'

// A segment of a scheduler that is none.
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error-re@+1 {{expected a scheduler of target {{cuda|cpu}} ("pointwise", "row_reduction",{{( "outer_reduction", "inner_outer_reduction", "split_scan", "row_scan", "outer_scan", "row_order", "scatter", "split_reduction",)?}} "library", "communication", "generic"), got "other"}}
  %0 = fusion.segment "other" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = fusion.exp %a : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @pointwise_of_a_reduction(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  // expected-remark@+1 {{the scheduler "pointwise" does not take the segment, "row_reduction" does: there is a reduction}}
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x8xf32>) -> (tensor<?xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @pointwise_of_two_shapes(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // expected-remark@+1 {{the scheduler "pointwise" does not take the segment, "generic" does: the results have several shapes}}
  %0:2 = fusion.segment "pointwise" (%a = %x : tensor<4xf32>, %b = %y : tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
    %1 = fusion.exp %a : tensor<4xf32>
    %2 = fusion.exp %b : tensor<8xf32>
    fusion.yield %1, %2 : tensor<4xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}

// -----

func.func @rows_without_a_reduction(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "generic" does: it holds no reduction}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<?x8xf32>) {
    %1 = fusion.exp %a : tensor<?x8xf32>
    fusion.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @rows_of_columns(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  // expected-remark-re@+1 {{the scheduler "row_reduction" does not take the segment, {{"(outer_reduction|generic)"}} does: the last dimension stays}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<8xf32>) {
    %1 = fusion.reduce <sum> %a dims [0] : tensor<?x8xf32> to tensor<8xf32>
    fusion.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @rows_of_two_lengths(%x: tensor<?x8xf32>, %y: tensor<?x9xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "generic" does: its reductions are over different rows}}
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<?x9xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
    %2 = fusion.reduce <sum> %b dims [1] : tensor<?x9xf32> to tensor<?xf32>
    fusion.yield %1, %2 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

func.func @rows_and_another_shape(%x: tensor<?x8xf32>, %y: tensor<5xf32>) -> (tensor<?xf32>, tensor<5xf32>) {
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "generic" does: a result has neither an element for each element of a row nor one for each row}}
  %0:2 = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>, %b = %y : tensor<5xf32>) -> (tensor<?xf32>, tensor<5xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<?x8xf32> to tensor<?xf32>
    %2 = fusion.exp %b : tensor<5xf32>
    fusion.yield %1, %2 : tensor<?xf32>, tensor<5xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<5xf32>
}

// -----

// The sums change places: row i needs the sum of row 3 - i.
func.func @rows_that_meet_others(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "generic" does: the result of a reduction is needed in other rows}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<2x2xf32>) -> (tensor<2x2xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<2x2xf32> to tensor<2xf32>
    %2 = fusion.broadcast %1 dims [0] : tensor<2xf32> to tensor<1x2xf32>
    %3 = fusion.expand %2 : tensor<1x2xf32> to tensor<2x2xf32>
    %4 = fusion.add %a, %3 : tensor<2x2xf32>
    fusion.yield %4 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// -----

func.func @reductions_that_meet_others(%x: tensor<2x2xf32>) -> tensor<2xf32> {
  // expected-remark@+1 {{the scheduler "row_reduction" does not take the segment, "generic" does: the result of a reduction is needed in other rows}}
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<2x2xf32>) -> (tensor<2xf32>) {
    %1 = fusion.reduce <sum> %a dims [1] : tensor<2x2xf32> to tensor<2xf32>
    %2 = fusion.broadcast %1 dims [0] : tensor<2xf32> to tensor<1x2xf32>
    %3 = fusion.expand %2 : tensor<1x2xf32> to tensor<2x2xf32>
    %4 = fusion.reduce <max> %3 dims [1] : tensor<2x2xf32> to tensor<2xf32>
    fusion.yield %4 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
