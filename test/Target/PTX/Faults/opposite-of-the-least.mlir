// The opposite and the magnitude of the least integer of 16 bits, which are itself: ptxas 13.0 takes 32768 for them where they are extended, so that
// there are no instructions for them.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s --implicit-check-not=neg.s16 --implicit-check-not=abs.s16
// RUN: %if ptxas %{ fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: %if cuda %{ fuser-run %s --target cuda --check --input 64x4096xi16=bits:7 %}

// CHECK: .reg .b16 [[N:%opposite]];
// CHECK-NEXT: not.b16 [[N]], [[X:%rs[0-9]+]];
// CHECK-NEXT: add.s16 [[N]], [[N]], 1;
// CHECK: cvt.s32.s16 %wide_a, [[X]];
// CHECK-NEXT: cvt.s32.s16 %wide_b, [[N]];
// CHECK-NEXT: max.s32 %wide_a, %wide_a, %wide_b;
func.func @f(%x: tensor<64x4096xi16>) -> (tensor<64x4096xi64>, tensor<64x4096xi32>, tensor<64x4096xi32>) {
  %0 = fusion.abs %x : tensor<64x4096xi16>
  %1 = fusion.cast %0 : tensor<64x4096xi16> to tensor<64x4096xi64>
  %2 = fusion.cast %0 : tensor<64x4096xi16> to tensor<64x4096xi32>
  %3 = fusion.neg %x : tensor<64x4096xi16>
  %4 = fusion.cast %3 : tensor<64x4096xi16> to tensor<64x4096xi32>
  return %1, %2, %4 : tensor<64x4096xi64>, tensor<64x4096xi32>, tensor<64x4096xi32>
}
