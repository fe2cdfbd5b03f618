// Rows are not known to have one length before one reduction is made of the other. Segmentation named a scheduler that refused then, which
// was an error; now it knows.
// RUN: fuser-run %s --input 3x4x5xf32=random:1 --check 2>&1 | FileCheck %s
// RUN: fuser-run %s --target cuda --arch sm_90 --emit %t.fx
// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu | FileCheck %s --check-prefix=SEGMENT

// CHECK: right
// SEGMENT: fusion.segment "generic"
func.func @f(%x: tensor<?x?x?xf32>) -> tensor<?x?x1xf32> {
  %0 = fusion.reduce <sum> %x dims [2] keep {fusion.forward} : tensor<?x?x?xf32> to tensor<?x?x1xf32>
  %1 = fusion.reduce <mean> %0 dims [2] keep : tensor<?x?x1xf32> to tensor<?x?x1xf32>
  return %1 : tensor<?x?x1xf32>
}
