// Coordinates are divided by open sizes with numbers that the host program has computed.
// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule --fusion-to-kernel | FileCheck %s
// RUN: fuser-run %s --target sim --sim-check --check --input=5x7xf32=random:1 --input=5x7xf32=random:3 --input=7xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=300x1xf32=random:1 --input=300x1xf32=random:3 --input=1xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=3x0xf32=random:1 --input=3x0xf32=random:3 --input=0xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=70x520xf32=random:1 --input=70x520xf32=random:3 --input=520xf32=random:2 | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// What rows share is little beside the rest, so that a thread has no rows of its own.
// CHECK: gpu.func @bias_0(%{{.+}}, %[[FACTOR:arg[0-9]+]]: index, %[[SHIFT:arg[0-9]+]]: index)
// CHECK-NOT: scf.if
// CHECK: %[[WIDE:.+]] = arith.index_castui %[[FACTOR]] : index to i64
// CHECK: %{{.+}}, %[[HIGH:.+]] = arith.mului_extended %{{.+}}, %[[WIDE]] : i64
// CHECK: %[[INDEX:.+]] = arith.index_castui %[[HIGH]] : i64 to index
// CHECK: arith.shrui %[[INDEX]], %[[SHIFT]] : index
// CHECK: func.func private @bias_0_host(
// CHECK: %[[SIZE:.+]] = arith.maxui
// CHECK: %[[TWICE:.+]] = arith.muli %[[SIZE]], %c2
// CHECK: %[[QUOTIENT:.+]] = arith.divui %c-9223372036854775808, %[[TWICE]] : index
// CHECK: %[[BITS:.+]]:4 = scf.while
// CHECK: arith.cmpi ult, %{{.+}}, %[[TWICE]] : index
// CHECK: %[[NUMBER:.+]] = arith.addi %[[BITS]]#0, %c1
// CHECK: host.launch @bias_0::@bias_0 {{.*}}, %[[NUMBER]], %[[BITS]]#3 : {{.*}} writes [4]
func.func @bias(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %row = fusion.broadcast %b dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %1 = fusion.add %x, %y : tensor<?x?xf32>
  %2 = fusion.add %1, %0 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
