// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(host-stage-communications))' | FileCheck %s

// Columns of all ranks side by side: the parts are columns, so they come first in memory.

// CHECK-LABEL: func.func @columns
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[Y:[a-z0-9]+]]: memref<?x32xf32>
// CHECK:         %[[A:.+]] = host.alloc (%{{.+}}) {stride_order = array<i64: 1, 0>} : memref<?x8xf32, strided<[1, ?]>>
// CHECK-NEXT:    host.copy %[[X]], %[[A]]
// CHECK:         %[[B:.+]] = host.alloc (%{{.+}}) {stride_order = array<i64: 1, 0>} : memref<?x32xf32, strided<[1, ?]>>
// CHECK-NEXT:    %[[R:.+]] = host.all_gather %[[A]], %[[B]] dim 1
// CHECK-NEXT:    host.copy %[[B]], %[[Y]]
// CHECK-NEXT:    host.wait %[[R]]
func.func @columns(%x: memref<?x8xf32>, %y: memref<?x32xf32>) attributes {host.program} {
  %all = host.group
  %0 = host.all_gather %x, %y dim 1 in %all : memref<?x8xf32>, memref<?x32xf32>
  host.wait %0
  return
}

// What other ranks do not write stays; in host.coalesce copies stand around it.

// CHECK-LABEL: func.func @partly
// CHECK:         host.alloc
// CHECK-NEXT:    host.copy
// CHECK-NEXT:    host.reduce
// CHECK-NEXT:    host.copy
// CHECK:         host.alloc
// CHECK-NEXT:    host.copy
// CHECK:         host.alloc
// CHECK-NEXT:    host.coalesce
// CHECK-NEXT:      host.send
// CHECK-NEXT:      host.recv
// CHECK-NEXT:    }
// CHECK-NEXT:    host.copy
func.func @partly(%x: memref<4xf32>, %y: memref<4xf32, strided<[2]>>, %p: index) attributes {host.program} {
  %all = host.group
  %0 = host.reduce <sum> %x, %y root %p in %all : memref<4xf32>, memref<4xf32, strided<[2]>>
  %1 = host.coalesce {
    %2 = host.send %y to %p in %all : memref<4xf32, strided<[2]>>
    %3 = host.recv %y from %p in %all : memref<4xf32, strided<[2]>>
  }
  return
}

// Contiguous as they are; a single column is one, too.

// CHECK-LABEL: func.func @contiguous
// CHECK-NOT:     host.copy
func.func @contiguous(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %a: memref<1x4xf32>, %b: memref<1x8xf32>) attributes {host.program} {
  %all = host.group
  %0 = host.all_gather %x, %y dim 0 in %all : memref<?x8xf32>, memref<?x8xf32>
  %1 = host.all_gather %a, %b dim 1 in %all : memref<1x4xf32>, memref<1x8xf32>
  return
}

// No list may hold this rank: its buffer stays. A view that is made between communications is made before the copies.

// CHECK-LABEL: func.func @lists
// CHECK-COUNT-4: host.copy
// CHECK-NOT:     host.copy
func.func @lists(%x: memref<2x8xf32>, %y: memref<4x8xf32>, %p: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %pair = host.group [[0, 1]]
  %v = memref.transpose %y (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  %0 = host.all_reduce <sum> %v, %v in %pair : memref<8x4xf32, strided<[1, 8]>>, memref<8x4xf32, strided<[1, 8]>>
  %1 = host.coalesce {
    %part = host.slice %y dim 1 from %c0 size %c2 : memref<4x8xf32>
    %2 = host.send %part to %p in %pair : memref<4x?xf32, strided<[8, 1], offset: ?>>
  }
  return
}
