// Packed sums of 16-bit integers by a constant: ptxas 13.0 makes wrong code of them, so that there are none.
// RUN: fuser-run %s --exact --target=cuda --arch=sm_90 --emit %t.fx
// RUN: grep -a add.s16 %t.fx | FileCheck %s --implicit-check-not=add.s16x2
// RUN: %if cuda %{ fuser-run %s --exact --target=cuda --check --input=65xf16=bits:70006 %}

// CHECK: add.s16
func.func @f(%x: tensor<65xf16>) -> (tensor<65xf16>, tensor<65xf16>) {
  %c = arith.constant 3.099610e+00 : f16
  %0 = fusion.full %c : tensor<65xf16>
  %1 = fusion.add %x, %0 : tensor<65xf16>
  %2 = fusion.tanh %1 : tensor<65xf16>
  return %1, %2 : tensor<65xf16>, tensor<65xf16>
}
