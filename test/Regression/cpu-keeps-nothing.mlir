// Rows of no elements are kept in a buffer of none, for which the kernel has memory all the same.
// RUN: fuser-run %s --check --input=4x0xf64=normal:1
// RUN: fuser-run %s --target=sim --check --sim-check --input=4x0xf64=normal:1

func.func @f(%x: tensor<?x0xf64>) -> tensor<?x0xf64> {
  %0 = fusion.tanh %x : tensor<?x0xf64>
  %1 = fusion.reduce <sum> %0 dims [1] keep : tensor<?x0xf64> to tensor<?x1xf64>
  %2 = fusion.expand %1 : tensor<?x1xf64> to tensor<?x0xf64>
  %3 = fusion.mul %2, %0 : tensor<?x0xf64>
  return %3 : tensor<?x0xf64>
}
