// RUN: fuser-run %s --target=sim --input=31x31xi64=random:1 --check --sim-check | FileCheck %s
// CHECK: right: largest difference

// Rows of one element have the shape of what is one element a row: vectors must not run on into other rows, and over the end of the input.
func.func @rows(%x: tensor<?x?xi64>) -> tensor<?x?x?x1xi64> attributes {fusion.target = "sm_90"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x?xi64>, %i = %m : index, %j = %n : index) -> (tensor<?x?x?x1xi64>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0, 1, 2], [3]], layout = [[], [r2, l5, w3]], repeat = [1, 5]>} {
    %one = arith.constant 1 : index
    %1 = fusion.reshape %a sizes(%i, %j, %one, %one) {fusion.equal_dims = array<i64: 0, -1, -1, -1>} : tensor<?x?xi64> to tensor<?x?x?x?xi64>
    %2 = fusion.reduce <max> %1 dims [3] keep : tensor<?x?x?x?xi64> to tensor<?x?x?x1xi64>
    fusion.yield %2 : tensor<?x?x?x1xi64>
  }
  return %0 : tensor<?x?x?x1xi64>
}
