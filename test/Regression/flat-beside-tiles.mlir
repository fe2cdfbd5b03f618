// A group that takes tensors by positions in memory comes first: the next one has the same tensors by their indices.
// RUN: fuser-run %s --input 7x9xf64=random:1 --scalar 0 --check
func.func @f(%x: tensor<?x?xf64>, %n: index) -> (tensor<1x1xf64>, tensor<?x?xf64>) {
  %0 = fusion.add %x, %x : tensor<?x?xf64>
  %1 = fusion.reduce <min> %0 dims [0, 1] keep : tensor<?x?xf64> to tensor<1x1xf64>
  %2 = fusion.slice %1 offsets [%n, 0] sizes [1, 1] steps [1, 1] : tensor<1x1xf64> to tensor<1x1xf64>
  return %2, %0 : tensor<1x1xf64>, tensor<?x?xf64>
}
