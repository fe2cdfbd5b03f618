// RUN: fuser-translate --fusion-to-ptx %s --gpu-arch sm_90 | FileCheck %s

// An element of 8 bytes is one access, also where nothing is known of alignment but the type.
// CHECK-LABEL: .entry f_0(
// CHECK-NOT: {{(ld|st)\.global[.a-z]*\.b32}}
// CHECK: ld.global.nc.b64
// CHECK: st.global.b64
func.func @f(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %0 = fusion.add %x, %y : tensor<?xi64>
  return %0 : tensor<?xi64>
}
