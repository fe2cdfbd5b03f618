// The greater of a number of 16 bits and a constant, compared with the constant: ptxas 13.0 to 13.3 make wrong code of it, of pairs above all, so that
// minima and maxima are of 32 bits.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s --implicit-check-not=max.s16 --implicit-check-not=min.s16 --implicit-check-not=max.u16 --implicit-check-not=min.u16
// RUN: %if ptxas %{ fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: %if cuda %{ fuser-run %s --target cuda --check --input 64x4096xi16=bits:7 --input 64x4096xui16=bits:8 --input 64x4096xi8=bits:9 %}

// CHECK: .reg .b32 %wide_a, %wide_b;
// CHECK: mov.b32 {%low_a, %high_a}, %r{{[0-9]+}};
// CHECK: cvt.s32.s16 %wide_a, %low_a;
// CHECK-NEXT: cvt.s32.s16 %wide_b, %low_b;
// CHECK-NEXT: max.s32 %wide_a, %wide_a, %wide_b;
// CHECK-NEXT: cvt.u16.u32 %low_a, %wide_a;
// CHECK: mov.b32 %r{{[0-9]+}}, {%low_a, %high_a};
func.func @f(%x: tensor<64x4096xi16>, %y: tensor<64x4096xui16>, %z: tensor<64x4096xi8>)
    -> (tensor<64x4096xi1>, tensor<64x4096xi1>, tensor<64x4096xui16>, tensor<64x4096xi8>, tensor<64x4096xi1>) {
  %0 = fusion.add %x, %x : tensor<64x4096xi16>
  %1 = fusion.max %0, 1 : tensor<64x4096xi16>
  // LLVM knows 1 / n, and then compares n with 1.
  %2 = fusion.div 1, %1 : tensor<64x4096xi16>
  %3 = fusion.cmp <eq> %2, %1 : tensor<64x4096xi16>
  %4 = fusion.min %1, 7 : tensor<64x4096xi16>
  %5 = fusion.cmp <eq> %4, 7 : tensor<64x4096xi16>
  %6 = fusion.max %y, 65535 : tensor<64x4096xui16>
  %7 = fusion.min %y, %6 : tensor<64x4096xui16>
  %8 = fusion.max %z, -3 : tensor<64x4096xi8>
  %9 = fusion.div -3, %8 : tensor<64x4096xi8>
  %10 = fusion.cmp <eq> %9, %8 : tensor<64x4096xi8>
  return %3, %5, %7, %8, %10 : tensor<64x4096xi1>, tensor<64x4096xi1>, tensor<64x4096xui16>, tensor<64x4096xi8>, tensor<64x4096xi1>
}
