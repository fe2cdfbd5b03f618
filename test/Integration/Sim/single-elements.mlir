// Rows of one element each, which lie in another order: their vectors are of neighbours along another dimension.
// RUN: fuser-run %s --target=sim --check --exact --quick --sim-check --sim-seed=1000000000567 --input=64x130xf16=bits:1000000000567 --input=16x8xf16=bits:1000000000568,strides=1x16 --input=16xf32=bits:1000000000569,strides=1 --scalar=4 --scalar=1 | FileCheck %s
// CHECK: right

module {
  func.func @f(%arg0: tensor<?x?xf16>, %arg1: tensor<16x?xf16> {fusion.stride_order = array<i64: 1, 0>}, %arg2: tensor<16xf32> {fusion.alignment = 64 : i64, fusion.stride_order = array<i64: 0>}, %arg3: index, %arg4: index) -> (tensor<16x0xf32>, tensor<16x0xi64>, tensor<?x1x1x?x?xi64>, tensor<16x1x16x?xi64> {fusion.stride_order = array<i64: 2, 3, 0, 1>}) {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf16>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf16>
    %c0_1 = arith.constant 0 : index
    %dim_2 = tensor.dim %arg1, %c0_1 : tensor<16x?xf16>
    %c1_3 = arith.constant 1 : index
    %dim_4 = tensor.dim %arg1, %c1_3 : tensor<16x?xf16>
    %0 = fusion.argtopk 1 %arg1 dim 1 : tensor<16x?xf16> to tensor<16x1xi64>
    %1 = fusion.take_along_axis %arg1, %0 dim 1 : tensor<16x?xf16>, tensor<16x1xi64> to tensor<16x1xf16>
    %2 = fusion.scan <sum> %0 dim 1 : tensor<16x1xi64>
    %c4 = arith.constant 4 : index
    %3 = fusion.reshape %2 sizes(%c4, %arg3, %arg4) : tensor<16x1xi64> to tensor<?x?x?xi64>
    %4 = fusion.argsort %0 dim 1 {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<16x1xi64> to tensor<16x1xi64>
    %5 = fusion.take_along_axis %0, %4 dim 1 {fusion.stride_order_hint = array<i64: 1, 0>} : tensor<16x1xi64>, tensor<16x1xi64> to tensor<16x1xi64>
    %6 = fusion.argtopk 0 %5 dim 1 : tensor<16x1xi64> to tensor<16x0xi64>
    %7 = fusion.take_along_axis %5, %6 dim 1 : tensor<16x1xi64>, tensor<16x0xi64> to tensor<16x0xi64>
    %8 = fusion.broadcast %3 dims [1, 2] : tensor<?x?x?xi64> to tensor<?x1x1x?x?xi64>
    %c17 = arith.constant 17 : index
    %9 = fusion.expand %8 sizes(%c17, %dim) : tensor<?x1x1x?x?xi64> to tensor<?x?x?x?x?xi64>
    %10 = fusion.cast %7 : tensor<16x0xi64> to tensor<16x0xf32>
    %11 = fusion.and %7, %6 : tensor<16x0xi64>
    %12 = fusion.broadcast %4 dims [1, 2] : tensor<16x1xi64> to tensor<16x1x1x1xi64>
    %13 = fusion.expand %12 sizes(%dim_4) {fusion.forward} : tensor<16x1x1x1xi64> to tensor<16x1x16x?xi64>
    return %10, %6, %8, %13 : tensor<16x0xf32>, tensor<16x0xi64>, tensor<?x1x1x?x?xi64>, tensor<16x1x16x?xi64>
  }
}
