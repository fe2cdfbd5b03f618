// Of each word of two bf16 one is shifted and one is masked; of an odd number, and of one alone, each is converted.
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s
// RUN: fuser-run %s --target sim --entry words --input=4x200xbf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --entry single --input=7xbf16=normal:1 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// CHECK-LABEL: .visible .entry words_0(
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: cvt.f32.bf16
// CHECK-DAG: shl.b32 {{.*}}, 16;
// CHECK-DAG: and.b32 {{.*}}, -65536;
// CHECK-NOT: cvt.f32.bf16
// CHECK: ret;
func.func @words(%x: tensor<4x200xbf16> {fusion.alignment = 16 : i64}) -> (tensor<4x200xf32> {fusion.alignment = 16 : i64}) {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<4x200xbf16>) -> (tensor<4x200xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r3, l5]]>} {
    %h = fusion.cast %a : tensor<4x200xbf16> to tensor<4x200xf32>
    %y = fusion.mul %h, %h : tensor<4x200xf32>
    fusion.yield %y : tensor<4x200xf32>
  }
  return %0 : tensor<4x200xf32>
}

// CHECK-LABEL: .visible .entry single_0(
// CHECK: cvt.f32.bf16
// CHECK: ret;
func.func @single(%x: tensor<7xbf16>) -> tensor<7xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<7xbf16>) -> (tensor<7xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0]], layout = [[l5]]>} {
    %h = fusion.cast %a : tensor<7xbf16> to tensor<7xf32>
    %y = fusion.mul %h, %h : tensor<7xf32>
    fusion.yield %y : tensor<7xf32>
  }
  return %0 : tensor<7xf32>
}
