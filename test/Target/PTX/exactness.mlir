// RUN: fuser-translate --fusion-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: fuser-opt --fusion-segment %s -o %t.segmented
// RUN: fuser-translate --fusion-to-ptx %t.segmented -o %t.from-segmented
// RUN: diff %t.ptx %t.from-segmented

// A function and a quotient of which only bf16 is kept are approximated, wherever the program is cut, and whatever else a kernel
// stores.
// CHECK-LABEL: .visible .entry whole_0(
// CHECK: ex2.approx.ftz.f32
// CHECK: div.full.f32
// CHECK: ret;
func.func @whole(%x: tensor<1024xf32>) -> tensor<1024xbf16> {
  %e = fusion.exp %x : tensor<1024xf32>
  %q = fusion.div %e, %x : tensor<1024xf32>
  %r = fusion.cast %q : tensor<1024xf32> to tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}

// CHECK-LABEL: .visible .entry cut_0(
// CHECK: ex2.approx.ftz.f32
// CHECK: st.global.v4.b32
// CHECK: ret;
// CHECK-LABEL: .visible .entry cut_1(
// CHECK: div.full.f32
// CHECK: ret;
func.func @cut(%x: tensor<1024xf32> {fusion.alignment = 16 : i64}) -> tensor<1024xbf16> {
  %e = fusion.exp %x : tensor<1024xf32>
  %s = fusion.segment_set %e : tensor<1024xf32>
  %q = fusion.div %s, %x : tensor<1024xf32>
  %t = fusion.segment_set %q : tensor<1024xf32>
  %r = fusion.cast %t : tensor<1024xf32> to tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}

// CHECK-LABEL: .visible .entry beside_0(
// CHECK: ex2.approx.ftz.f32
// CHECK: ret;
func.func @beside(%x: tensor<1024xf32>) -> (tensor<1024xbf16>, tensor<1024xf32>) {
  %e = fusion.exp %x : tensor<1024xf32>
  %r = fusion.cast %e : tensor<1024xf32> to tensor<1024xbf16>
  %n = fusion.neg %x : tensor<1024xf32>
  return %r, %n : tensor<1024xbf16>, tensor<1024xf32>
}

// What is compared is exact, though all that is stored is bf16.
// CHECK-LABEL: .visible .entry compared_0(
// CHECK-NOT: ex2.approx
// CHECK: ret;
func.func @compared(%x: tensor<1024xf32>) -> tensor<1024xbf16> {
  %e = fusion.exp %x : tensor<1024xf32>
  %c = fusion.cmp <lt> %e, %x : tensor<1024xf32>
  %w = fusion.where %c, %e, %x : tensor<1024xf32>
  %r = fusion.cast %w : tensor<1024xf32> to tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}

// A function of a constant is what kernels compute of this number.
// CHECK-LABEL: .visible .entry constant_0(
// CHECK: ex2.approx.ftz.f32
// CHECK: div.full.f32
// CHECK: ret;
func.func @constant() -> tensor<1024xbf16> {
  %three = arith.constant 3.0 : f32
  %f = fusion.full %three : tensor<1024xf32>
  %e = fusion.exp %f : tensor<1024xf32>
  %q = fusion.div %f, %e : tensor<1024xf32>
  %r = fusion.cast %q : tensor<1024xf32> to tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}
