// A program that was decomposed before, of whose inputs none is complex: its result still is, also to the reference.
// RUN: fuser-run %s --target cpu --check --input 5xf32=random:1 --input 5xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --target sim --check --exact --input 5xf32=bits:1 --input 5xf32=bits:2 | FileCheck %s
// CHECK: {{^}}right
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?x2xf32> {fusion.complex}) {
  %0 = fusion.broadcast %x dims [1] : tensor<?xf32> to tensor<?x1xf32>
  %1 = fusion.broadcast %y dims [1] : tensor<?xf32> to tensor<?x1xf32>
  %2 = fusion.cat %0, %1 dim 1 : tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}
