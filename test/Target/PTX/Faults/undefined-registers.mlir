// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s

// Where one half of a word does not matter, LLVM writes a register that nothing
// has written. It has 0 here: ptxas crashes on some of these words.

// CHECK-LABEL: .entry f_0(
// CHECK: mov.b16 [[FIRST:%rs[0-9]+]], 0;
// CHECK-NEXT: mov.b16 [[SECOND:%rs[0-9]+]], 0;
// CHECK-NEXT: mov.b16 [[THIRD:%rs[0-9]+]], 0;
// CHECK-NOT: mov.b16 %rs{{[0-9]+}}, 0;
// CHECK: mov.b32 {{.*}}, [[FIRST]]};
// CHECK-NEXT: mov.b32 {{.*}}{[[SECOND]],
// CHECK: mov.b32 {{.*}}[[THIRD]]
func.func @f(%x: tensor<4x4xbf16> {fusion.layout = "any"}) -> tensor<4x4xbf16> {
  %0 = fusion.exp %x : tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}
