// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 %s | FileCheck %s

// Sixteen elements of a byte, or eight of two, are one access of 128 bits, whatever their sign.

// CHECK-LABEL: .visible .entry add_i8_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
func.func @add_i8(%x: tensor<?x4096xi8> {fusion.alignment = 16 : i64}, %y: tensor<?x4096xi8> {fusion.alignment = 16 : i64})
    -> (tensor<?x4096xi8> {fusion.alignment = 16 : i64}) {
  %0 = fusion.add %x, %y : tensor<?x4096xi8>
  return %0 : tensor<?x4096xi8>
}

// CHECK-LABEL: .visible .entry max_ui8_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: max.u32
// CHECK: st.global.v4.b32
func.func @max_ui8(%x: tensor<?x4096xui8> {fusion.alignment = 16 : i64})
    -> (tensor<?x4096xui8> {fusion.alignment = 16 : i64}) {
  %0 = fusion.max %x, 200 : tensor<?x4096xui8>
  return %0 : tensor<?x4096xui8>
}

// CHECK-LABEL: .visible .entry divide_ui16_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: div.u16
// CHECK-NOT: div.s
// CHECK: st.global.v4.b32
func.func @divide_ui16(%x: tensor<?x4096xui16> {fusion.alignment = 16 : i64}, %y: tensor<?x4096xui16> {fusion.alignment = 16 : i64})
    -> (tensor<?x4096xui16> {fusion.alignment = 16 : i64}) {
  %0 = fusion.div %x, %y : tensor<?x4096xui16>
  return %0 : tensor<?x4096xui16>
}

// Dequantisation: bytes in, f32 out.

// CHECK-LABEL: .visible .entry dequantize_0(
// CHECK: ld.global.nc
// CHECK: cvt.rn.f32.u
// CHECK: mul.rn.f32
// CHECK: st.global.v4.b32
func.func @dequantize(%x: tensor<?x4096xui8> {fusion.alignment = 16 : i64})
    -> (tensor<?x4096xf32> {fusion.alignment = 16 : i64}) {
  %0 = fusion.cast %x : tensor<?x4096xui8> to tensor<?x4096xf32>
  %1 = fusion.mul %0, 0.125 : tensor<?x4096xf32>
  return %1 : tensor<?x4096xf32>
}
