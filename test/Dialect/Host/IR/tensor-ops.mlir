// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s

func.func private @callee(%a: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  return %a, %a : tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @ops
func.func @ops(%a: memref<?x8xf32>, %b: memref<4x8xf32, strided<[?, ?], offset: ?>>, %r: memref<?xf32>, %v: f32, %n: index) {
  // CHECK: host.add %{{.+}}, %{{.+}}, %{{.+}} : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>, memref<?x8xf32>
  host.add %a, %b, %a : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>, memref<?x8xf32>
  // CHECK: host.sub
  host.sub %a, %a, %a : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
  // CHECK: host.mul
  host.mul %a, %a, %a : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
  // CHECK: host.div
  host.div %a, %a, %a : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
  // CHECK: host.reduction <avg> %{{.+}}, %{{.+}} dims [1] : memref<?x8xf32>, memref<?xf32>
  host.reduction <avg> %a, %r dims [1] : memref<?x8xf32>, memref<?xf32>
  // CHECK: host.fill %{{.+}}, %{{.+}} : f32, memref<?x8xf32>
  host.fill %v, %a : f32, memref<?x8xf32>
  // CHECK: host.linear %{{.+}}, %{{.+}}, %{{.+}} : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
  host.linear %a, %a, %a : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
  // CHECK: host.copy %{{.+}}, %{{.+}} : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>
  host.copy %a, %b : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>
  // CHECK: host.call @callee(%{{.+}}, %{{.+}} : memref<?x8xf32>, index) -> memref<?x8xf32>, memref<?x8xf32>
  %0:2 = host.call @callee(%a, %n : memref<?x8xf32>, index) -> memref<?x8xf32>, memref<?x8xf32>
  // CHECK: host.call @callee(%{{.+}}, %{{.+}} : memref<?x8xf32>, index) outs(%{{.+}}, %{{.+}} : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>)
  host.call @callee(%a, %n : memref<?x8xf32>, index) outs(%0#1, %b : memref<?x8xf32>, memref<4x8xf32, strided<[?, ?], offset: ?>>)
  // CHECK: host.rebase %{{.+}} : memref<4x8xf32, strided<[?, ?], offset: ?>>
  %c = host.rebase %b : memref<4x8xf32, strided<[?, ?], offset: ?>>
  // CHECK: host.copy %{{.+}}, %{{.+}} : memref<4x8xf32, strided<[?, ?]>>, memref<?x8xf32>
  host.copy %c, %a : memref<4x8xf32, strided<[?, ?]>>, memref<?x8xf32>
  return
}
