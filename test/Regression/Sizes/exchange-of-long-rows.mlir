// What blocks exchange of the sums of long rows that are read element by element does not fit into shared memory: no row reduction takes them,
// which was an error of the kernel.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule=target=sm_90 | FileCheck %s
// RUN: fuser-run %s --entry=open --target=sim --check --exact --input=33x33x2x9xf32=bits:1
// RUN: fuser-run %s --entry=odd --target=sim --check --input=2x131073xf64=random:1
// RUN: fuser-run %s --entry=position --target=sim --check --exact --input=16x65x65xbf16=bits:1
// RUN: fuser-run %s --entry=odd --target=sim --explain --input=2x131073xf64=random:1 2>&1 | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: func.func @open
// CHECK-NOT: "row_reduction"
// CHECK-LABEL: func.func @odd
// CHECK-NOT: "row_reduction"
// CHECK-LABEL: func.func @fits
// CHECK: "row_reduction"
// CHECK-LABEL: func.func @position
// CHECK: fusion.segment "split_reduction"
// CHECK: fusion.segment "pointwise"
// WHY: rows of 131073 elements, read 1 at a time, need {{[0-9]+}} bytes of shared memory for what threads exchange of their sums, of 49152
func.func @open(%x: tensor<33x33x?x?xf32> {fusion.bounds = array<i64: 34, 34, 3, 82>}) -> tensor<1x1x1x1xf64> {
  %0 = fusion.cast %x : tensor<33x33x?x?xf32> to tensor<33x33x?x?xi32>
  %1 = fusion.cast %0 : tensor<33x33x?x?xi32> to tensor<33x33x?x?xf64>
  %2 = fusion.reduce <sum> %1 dims [0, 1, 2, 3] keep : tensor<33x33x?x?xf64> to tensor<1x1x1x1xf64>
  return %2 : tensor<1x1x1x1xf64>
}

func.func @odd(%x: tensor<2x131073xf64>) -> tensor<2x1xf64> {
  %m = fusion.reduce <mean> %x dims [1] keep : tensor<2x131073xf64> to tensor<2x1xf64>
  %e = fusion.expand %m : tensor<2x1xf64> to tensor<2x131073xf64>
  %d = fusion.sub %x, %e : tensor<2x131073xf64>
  %q = fusion.mul %d, %d : tensor<2x131073xf64>
  %s = fusion.reduce <sum> %q dims [1] keep : tensor<2x131073xf64> to tensor<2x1xf64>
  return %s : tensor<2x1xf64>
}

func.func @fits(%x: tensor<2x131072xf64>) -> tensor<2x1xf64> {
  %m = fusion.reduce <mean> %x dims [1] keep : tensor<2x131072xf64> to tensor<2x1xf64>
  %e = fusion.expand %m : tensor<2x1xf64> to tensor<2x131072xf64>
  %d = fusion.sub %x, %e : tensor<2x131072xf64>
  %q = fusion.mul %d, %d : tensor<2x131072xf64>
  %s = fusion.reduce <sum> %q dims [1] keep : tensor<2x131072xf64> to tensor<2x1xf64>
  return %s : tensor<2x1xf64>
}

// A position takes registers for the element and for where it is. That was counted as one where kernels are cut, so that one kernel was to find the
// position and repeat it, and had to find it for each element.
func.func @position(%x: tensor<16x65x65xbf16>) -> tensor<16x65x65xi64> {
  %m = fusion.argmin %x dims [0, 1, 2] keep : tensor<16x65x65xbf16> to tensor<1x1x1xi64>
  %e = fusion.expand %m : tensor<1x1x1xi64> to tensor<16x65x65xi64>
  return %e : tensor<16x65x65xi64>
}
