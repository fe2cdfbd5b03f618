// A reshape to its own type is one when it has no elements, and another size: 0 x 5 to 0 x 1. The size was taken for the old one.
// RUN: fuser-run %s --check --input 0x5xbf16=random:1 --scalar=1 2>&1 | FileCheck %s

// CHECK: right
func.func @f(%n: index, %x: tensor<0x?xbf16>) -> tensor<0x?xbf16> {
  %0 = fusion.reshape %x sizes(%n) : tensor<0x?xbf16> to tensor<0x?xbf16>
  %1 = fusion.segment_set %0 : tensor<0x?xbf16>
  return %1 : tensor<0x?xbf16>
}
