// Results without elements keep their shapes, types, orders and aliases, whatever they were made of.
// RUN: fuser-run %s --target cpu --check --input 0x8xf32=normal:1 --input 4x8xf32=normal:2 | FileCheck %s
// CHECK: right
func.func @f(%x: tensor<0x8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<0x8xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<0xf64>, tensor<8x0xbf16> {fusion.stride_order = array<i64: 1, 0>}, tensor<4x8xf32>) {
  %0 = fusion.exp %x : tensor<0x8xf32>
  %1 = fusion.cast %0 : tensor<0x8xf32> to tensor<0x8xf64>
  %2 = fusion.reduce <max> %1 dims [1] : tensor<0x8xf64> to tensor<0xf64>
  %3 = fusion.cast %0 : tensor<0x8xf32> to tensor<0x8xbf16>
  %4 = fusion.permute %3 [1, 0] : tensor<0x8xbf16> to tensor<8x0xbf16>
  %5 = fusion.cat %y, %0 dim 0 : tensor<4x8xf32>, tensor<0x8xf32> to tensor<4x8xf32>
  return %0, %2, %4, %5 : tensor<0x8xf32>, tensor<0xf64>, tensor<8x0xbf16>, tensor<4x8xf32>
}
