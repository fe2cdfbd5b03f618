// The last, single lane of a row was stored with the width from before a cast, over what lies behind (LLVM issue 179489, with AVX-512).
// RUN: fuser-run %s --entry=narrow --check --guard --input=9xi64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry=narrow --check --guard --quick --input=9xi64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry=repeat --check --exact --guard --quick --num-threads=1 --input=17x65xf16=bits:1 | FileCheck %s

// CHECK: right
func.func @narrow(%x: tensor<9xi64>) -> tensor<9xi32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<9xi64>) -> (tensor<9xi32>) attributes {schedule = #fusion.cpu<kind = "row_reduction", vector = 8>} {
    %1 = fusion.reduce <max> %a dims [0] keep : tensor<9xi64> to tensor<1xi64>
    %2 = fusion.expand %1 : tensor<1xi64> to tensor<9xi64>
    %3 = fusion.add %2, %a : tensor<9xi64>
    %4 = fusion.cast %3 : tensor<9xi64> to tensor<9xi32>
    fusion.yield %4 : tensor<9xi32>
  }
  return %0 : tensor<9xi32>
}

func.func @repeat(%x: tensor<17x65xf16>) -> (tensor<1105xf16>, tensor<1105xf16>) {
  %0 = fusion.reshape %x : tensor<17x65xf16> to tensor<1105xf16>
  %1 = fusion.reduce <sum> %0 dims [0] keep : tensor<1105xf16> to tensor<1xf16>
  %2 = fusion.expand %1 : tensor<1xf16> to tensor<1105xf16>
  return %0, %2 : tensor<1105xf16>, tensor<1105xf16>
}
