// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s --mlir-print-op-generic | fuser-opt | FileCheck %s

// CHECK-LABEL: func.func @communications
func.func @communications(%a: memref<4xf32>, %b: memref<8xf32>, %c: memref<4xf32>, %p: index) {
  // CHECK: %[[ALL:.+]] = host.group
  // CHECK-NEXT: %[[G:.+]] = host.group {{\[}}[0, 1], [3, 2]]
  %all = host.group
  %g = host.group [[0, 1], [3, 2]]
  // CHECK: host.rank %[[G]]
  // CHECK: host.size %[[ALL]]
  %rank = host.rank %g
  %size = host.size %all
  // CHECK: host.all_gather %{{.+}}, %{{.+}} dim 0 in %[[G]] : memref<4xf32>, memref<8xf32>
  %0 = host.all_gather %a, %b dim 0 in %g : memref<4xf32>, memref<8xf32>
  // CHECK: host.all_reduce <sum> %{{.+}}, %{{.+}} in %[[ALL]] : memref<4xf32>, memref<4xf32>
  %1 = host.all_reduce <sum> %a, %c in %all : memref<4xf32>, memref<4xf32>
  // CHECK: host.reduce_scatter <max> %{{.+}}, %{{.+}} dim 0 in %[[G]] : memref<8xf32>, memref<4xf32>
  %2 = host.reduce_scatter <max> %b, %a dim 0 in %g : memref<8xf32>, memref<4xf32>
  // CHECK: host.broadcast %{{.+}}, %{{.+}} root %{{.+}} in %[[G]] : memref<4xf32>, memref<4xf32>
  %3 = host.broadcast %a, %c root %p in %g : memref<4xf32>, memref<4xf32>
  // CHECK: host.reduce <avg> %{{.+}}, %{{.+}} root %{{.+}} in %[[G]] : memref<4xf32>, memref<4xf32>
  %4 = host.reduce <avg> %a, %c root %p in %g : memref<4xf32>, memref<4xf32>
  // CHECK: host.gather %{{.+}}, %{{.+}} dim 0 root %{{.+}} in %[[G]] : memref<4xf32>, memref<8xf32>
  %5 = host.gather %a, %b dim 0 root %p in %g : memref<4xf32>, memref<8xf32>
  // CHECK: host.scatter %{{.+}}, %{{.+}} dim 0 root %{{.+}} in %[[G]] : memref<8xf32>, memref<4xf32>
  %6 = host.scatter %b, %a dim 0 root %p in %g : memref<8xf32>, memref<4xf32>
  // CHECK: host.all_to_all %{{.+}}, %{{.+}} in %[[G]] : memref<4xf32>, memref<4xf32>
  %7 = host.all_to_all %a, %c in %g : memref<4xf32>, memref<4xf32>
  // CHECK: host.send %{{.+}} to %{{.+}} in %[[G]] : memref<4xf32>
  %8 = host.send %a to %p in %g : memref<4xf32>
  // CHECK: host.recv %{{.+}} from %{{.+}} in %[[G]] : memref<4xf32>
  %9 = host.recv %a from %p in %g : memref<4xf32>
  // CHECK: host.permute %{{.+}}, %{{.+}} from [0, 1] to [1, 0] in %[[G]] : memref<4xf32>, memref<4xf32>
  %10 = host.permute %a, %c from [0, 1] to [1, 0] in %g : memref<4xf32>, memref<4xf32>
  // CHECK: %[[R:.+]] = host.coalesce {
  // CHECK-NEXT: host.send
  // CHECK-NEXT: host.recv
  // CHECK-NEXT: }
  %r = host.coalesce {
    %s = host.send %a to %rank in %g : memref<4xf32>
    %t = host.recv %c from %rank in %g : memref<4xf32>
  }
  // CHECK-NEXT: host.wait %[[R]]
  host.wait %r
  return
}
