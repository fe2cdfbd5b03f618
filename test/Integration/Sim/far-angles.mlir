// Sines of any f32, most of them beyond 65,536: a loop over the lanes of a vector on a GPU, vectors of f64 on a CPU. Fewer than a vector, and tails.
// RUN: fuser-run %s --check --input=61x67xf32=bits:7 --input=5x3xbf16=bits:8 | FileCheck %s
// RUN: fuser-run %s --check --target=sim --input=61x67xf32=bits:7 --input=5x3xbf16=bits:8 | FileCheck %s
// RUN: fuser-run %s --check --target=sim --input=64x1024xf32=bits:9 --input=64x4096xbf16=bits:10 | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --check --target=cuda --input=64x1024xf32=bits:9 --input=64x4096xbf16=bits:10 | FileCheck %s %}
// CHECK: right

func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xbf16>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xbf16>) {
  %0 = fusion.sin %x : tensor<?x?xf32>
  %1 = fusion.cos %x : tensor<?x?xf32>
  %2 = fusion.sin %y : tensor<?x?xbf16>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xbf16>
}
