// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s

// Four neighbours are the four words of one call of the generator, and a thread has eight: two calls of ten rounds of two products, of which the first
// rounds have parts in common. Each by itself they would be 160.
// CHECK-LABEL: .entry
// CHECK-COUNT-32: mul.hi.u32
// CHECK-NOT: mul.hi.u32
func.func @uniform(%seed: i64, %offset: i64) -> tensor<1024x1024xf32> {
  %0 = fusion.uniform seed %seed offset %offset : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
