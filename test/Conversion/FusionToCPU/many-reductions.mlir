// Each sum waits for the one before, and computes again what it needs of the others: that grows with the square of their
// number, so a segment takes 16 at most.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}))' | FileCheck %s
// RUN: fuser-run %s --target cpu --check --input 7x1000xf32=value:0.125

// CHECK-LABEL: func.func @chain(
// CHECK: fusion.segment "row_reduction"
// CHECK-COUNT-16: fusion.reduce
// CHECK: fusion.segment "row_reduction"
// CHECK-COUNT-2: fusion.reduce
// CHECK-NOT: fusion.segment
func.func @chain(%x0: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x0, %c1 : tensor<?x?xf32>
  %s0 = fusion.reduce <mean> %x0 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b0 = fusion.expand %s0 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x1 = fusion.sub %x0, %b0 : tensor<?x?xf32>
  %s1 = fusion.reduce <mean> %x1 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b1 = fusion.expand %s1 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x2 = fusion.sub %x1, %b1 : tensor<?x?xf32>
  %s2 = fusion.reduce <mean> %x2 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b2 = fusion.expand %s2 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x3 = fusion.sub %x2, %b2 : tensor<?x?xf32>
  %s3 = fusion.reduce <mean> %x3 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b3 = fusion.expand %s3 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x4 = fusion.sub %x3, %b3 : tensor<?x?xf32>
  %s4 = fusion.reduce <mean> %x4 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b4 = fusion.expand %s4 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x5 = fusion.sub %x4, %b4 : tensor<?x?xf32>
  %s5 = fusion.reduce <mean> %x5 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b5 = fusion.expand %s5 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x6 = fusion.sub %x5, %b5 : tensor<?x?xf32>
  %s6 = fusion.reduce <mean> %x6 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b6 = fusion.expand %s6 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x7 = fusion.sub %x6, %b6 : tensor<?x?xf32>
  %s7 = fusion.reduce <mean> %x7 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b7 = fusion.expand %s7 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x8 = fusion.sub %x7, %b7 : tensor<?x?xf32>
  %s8 = fusion.reduce <mean> %x8 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b8 = fusion.expand %s8 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x9 = fusion.sub %x8, %b8 : tensor<?x?xf32>
  %s9 = fusion.reduce <mean> %x9 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b9 = fusion.expand %s9 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x10 = fusion.sub %x9, %b9 : tensor<?x?xf32>
  %s10 = fusion.reduce <mean> %x10 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b10 = fusion.expand %s10 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x11 = fusion.sub %x10, %b10 : tensor<?x?xf32>
  %s11 = fusion.reduce <mean> %x11 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b11 = fusion.expand %s11 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x12 = fusion.sub %x11, %b11 : tensor<?x?xf32>
  %s12 = fusion.reduce <mean> %x12 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b12 = fusion.expand %s12 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x13 = fusion.sub %x12, %b12 : tensor<?x?xf32>
  %s13 = fusion.reduce <mean> %x13 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b13 = fusion.expand %s13 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x14 = fusion.sub %x13, %b13 : tensor<?x?xf32>
  %s14 = fusion.reduce <mean> %x14 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b14 = fusion.expand %s14 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x15 = fusion.sub %x14, %b14 : tensor<?x?xf32>
  %s15 = fusion.reduce <mean> %x15 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b15 = fusion.expand %s15 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x16 = fusion.sub %x15, %b15 : tensor<?x?xf32>
  %s16 = fusion.reduce <mean> %x16 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b16 = fusion.expand %s16 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x17 = fusion.sub %x16, %b16 : tensor<?x?xf32>
  %s17 = fusion.reduce <mean> %x17 dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %b17 = fusion.expand %s17 sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %x18 = fusion.sub %x17, %b17 : tensor<?x?xf32>
  return %x18 : tensor<?x?xf32>
}
