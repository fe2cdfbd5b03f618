// A group that takes tensors by positions in memory comes first: the next one has the same tensors by their indices.
// RUN: fuser-run %s --input 7x9xf64=random:1 --scalar 0 --check
func.func @f(%x: tensor<?x?xf64>, %n: index) -> (tensor<1x1xf64>, tensor<?x?xf64>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?x?xf64>, %m = %n : index) -> (tensor<?x?xf64>, tensor<1x1xf64>) {
    %1 = fusion.add %a, %a : tensor<?x?xf64>
    %2 = fusion.reduce <min> %1 dims [1] keep : tensor<?x?xf64> to tensor<?x1xf64>
    %3 = fusion.slice %2 offsets [%m, 0] sizes [1, 1] steps [1, 1] : tensor<?x1xf64> to tensor<1x1xf64>
    fusion.yield %1, %3 : tensor<?x?xf64>, tensor<1x1xf64>
  }
  return %0#1, %0#0 : tensor<1x1xf64>, tensor<?x?xf64>
}
