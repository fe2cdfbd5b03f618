// RUN: fuser-translate --fusion-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: fuser-opt --fusion-segment %s -o %t.segmented
// RUN: fuser-translate --fusion-to-ptx %t.segmented -o %t.from-segmented
// RUN: diff %t.ptx %t.from-segmented
// RUN: fuser-opt --fusion-schedule %t.segmented -o %t.scheduled
// RUN: fuser-translate --fusion-to-ptx %t.scheduled -o %t.from-scheduled
// RUN: diff %t.ptx %t.from-scheduled
// RUN: fuser-opt --fusion-to-kernel %t.scheduled -o %t.kernels
// RUN: fuser-translate --fusion-to-ptx %t.kernels -o %t.from-kernels
// RUN: diff %t.ptx %t.from-kernels

// The PTX is the same from whichever stage the translation starts.
// CHECK: .version 8.0
// CHECK-NEXT: .target sm_90
// CHECK: .visible .entry scale_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: mul.rn.f32
// CHECK: st.global.v4.b32
func.func @scale(%x: tensor<?x1024xf32> {fusion.alignment = 16 : i64})
    -> (tensor<?x1024xf32> {fusion.alignment = 16 : i64}) {
  %0 = fusion.mul %x, %x : tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}
