// A number of places that is 2^32 or more, whose lower 32 bits are few places: 0, not a shift by those.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule=target=sm_90 | fuser-translate --fusion-to-ptx --gpu-arch=sm_90 - | FileCheck %s
// RUN: fuser-run %s --target sim --input=3xi64=value:3 --input=3xi64=value:4294967297 --check --sim-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// CHECK: setp.lt.u64 %[[P:p[0-9]+]], %{{.+}}, 64;
// CHECK: and.b32 %[[N:r[0-9]+]], %{{.+}}, 63;
// CHECK: shl.b64 %[[S:rd[0-9]+]], %{{.+}}, %[[N]];
// CHECK: selp.b64 %{{.+}}, %[[S]], 0, %[[P]];
func.func @shift(%x: tensor<3xi64>, %n: tensor<3xi64>) -> tensor<3xi64> {
  %y = fusion.shl %x, %n : tensor<3xi64>
  return %y : tensor<3xi64>
}
