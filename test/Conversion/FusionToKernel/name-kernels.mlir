// A function may have the name that kernels' modules have, and be called beside one that has.
// RUN: fuser-run %s --input 7xf32=random:1 --check --entry kernels
// RUN: fuser-run %s --target cuda --arch sm_90 --emit %t.fx --entry kernels
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s
func.func @kernels(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @kernels_0(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
