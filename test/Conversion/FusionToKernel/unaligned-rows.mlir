// Rows that begin and end anywhere are vectors all the same: no access to a single element.
// RUN: fuser-opt %s --fusion-segment --fusion-schedule=target=sm_90 --fusion-to-kernel=target=sm_90 --canonicalize --cse | FileCheck %s

// Of the last vector one element is there, in lane 0 of the first warp. What is not takes no part, and is not stored; warps that have none of it do nothing.
// CHECK-LABEL: gpu.func @odd_0(
// CHECK-NOT: memref.load %arg0
// CHECK: kernel.load_neighbours %arg0[{{.*}}] align 2 : memref<?x2305xbf16>, vector<8xbf16>
// CHECK: kernel.load_neighbours %arg0[{{.*}}] count %{{.+}} align 2 : memref<?x2305xbf16>, vector<8xbf16>
// CHECK: arith.cmpi s{{[gl]}}t, %{{.+}}, %{{.+}} : vector<8xi32>
// CHECK: gpu.shuffle
// CHECK-NOT: memref.store {{.*}}%arg1
// CHECK-COUNT-4: kernel.store_neighbours %{{.+}}, %arg1[{{.*}}] align 2 lanes 32 : vector<8xbf16>, memref<?x2305xbf16>
// CHECK: %[[ANY:.+]] = kernel.vote any
// CHECK: scf.if %[[ANY]]
// CHECK-NEXT: kernel.store_neighbours %{{.+}}, %arg1[{{.*}}] count %{{.+}} align 2 lanes 32 : vector<8xbf16>, memref<?x2305xbf16>
// CHECK: gpu.return
func.func @odd(%x: tensor<?x2305xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x2305xbf16> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x2305xbf16> to tensor<?x1xbf16>
  %1 = fusion.expand %0 sizes() : tensor<?x1xbf16> to tensor<?x2305xbf16>
  %2 = fusion.mul %x, %1 : tensor<?x2305xbf16>
  return %2 : tensor<?x2305xbf16>
}

// Rows of 16 bytes at aligned addresses: as ever.
// CHECK-LABEL: gpu.func @even_0(
// CHECK-NOT: kernel.{{load|store}}_neighbours
// CHECK: gpu.return
func.func @even(%x: tensor<?x256xbf16> {fusion.alignment = 16 : i64}) -> (tensor<?x256xbf16> {fusion.alignment = 16 : i64}) {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x256xbf16> to tensor<?x1xbf16>
  %1 = fusion.expand %0 sizes() : tensor<?x1xbf16> to tensor<?x256xbf16>
  %2 = fusion.mul %x, %1 : tensor<?x256xbf16>
  return %2 : tensor<?x256xbf16>
}

// The same somewhere.
// CHECK-LABEL: gpu.func @anywhere_0(
// CHECK: kernel.load_neighbours %arg0[{{.*}}] align 2
// CHECK: kernel.store_neighbours %{{.+}}, %arg1[{{.*}}] {{.*}}align 2 lanes 32
// CHECK: gpu.return
func.func @anywhere(%x: tensor<8x256xbf16>) -> tensor<8x256xbf16> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<8x256xbf16> to tensor<8x1xbf16>
  %1 = fusion.expand %0 : tensor<8x1xbf16> to tensor<8x256xbf16>
  %2 = fusion.mul %x, %1 : tensor<8x256xbf16>
  return %2 : tensor<8x256xbf16>
}

// A warp has a short row in single elements.
// CHECK-LABEL: gpu.func @short_0(
// CHECK-NOT: kernel.{{load|store}}_neighbours
// CHECK: gpu.return
func.func @short(%x: tensor<?x257xbf16> {fusion.alignment = 16 : i64}) -> tensor<?x257xbf16> {
  %0 = fusion.reduce <sum> %x dims [1] keep : tensor<?x257xbf16> to tensor<?x1xbf16>
  %1 = fusion.expand %0 sizes() : tensor<?x1xbf16> to tensor<?x257xbf16>
  %2 = fusion.mul %x, %1 : tensor<?x257xbf16>
  return %2 : tensor<?x257xbf16>
}
