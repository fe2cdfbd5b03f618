// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s -mlir-print-op-generic | fuser-opt | FileCheck %s

// CHECK-LABEL: func.func @buffers
// CHECK-SAME: host.program
func.func @buffers(%x: memref<?x8xf32>, %n: index) -> (memref<?x8xf32>, memref<8xf32, strided<[1], offset: ?>>, memref<?x?xf32>)
    attributes {host.program} {
  // CHECK: host.alloc () : memref<4x8xf32>
  %a = host.alloc () : memref<4x8xf32>
  // CHECK: %[[B:.+]] = host.alloc (%{{.+}}, %{{.+}}) : memref<?x?xf32>
  %b = host.alloc (%n, %n) : memref<?x?xf32>
  // CHECK: host.alloc (%{{.+}}) {stride_order = array<i64: 1, 0>} : memref<?x8xf32, strided<[1, ?]>>
  %c = host.alloc (%n) {stride_order = array<i64: 1, 0>} : memref<?x8xf32, strided<[1, ?]>>
  // CHECK: host.workspace 0 (%{{.+}}) : memref<?xf32>
  %w = host.workspace 0 (%n) : memref<?xf32>
  // CHECK: host.workspace 1 () zeroed : memref<4xi32>
  %z = host.workspace 1 () zeroed : memref<4xi32>
  // CHECK: host.dealloc %{{.+}} : memref<4x8xf32>
  host.dealloc %a : memref<4x8xf32>
  // CHECK: %[[O:.+]] = host.output 0 (%{{.+}}) : memref<?x8xf32>
  %o = host.output 0 (%n) : memref<?x8xf32>
  // CHECK: host.copy %{{.+}}, %[[O]] : memref<?x8xf32>, memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  // CHECK: %[[V:.+]] = host.select %{{.+}} dim 0 at %{{.+}} : memref<?x8xf32>
  %v = host.select %x dim 0 at %n : memref<?x8xf32>
  // CHECK: host.output_view 1, %[[V]] input 0 : memref<8xf32, strided<[1], offset: ?>>
  host.output_view 1, %v input 0 : memref<8xf32, strided<[1], offset: ?>>
  // CHECK: host.output_view 2, %[[B]] : memref<?x?xf32>
  host.output_view 2, %b : memref<?x?xf32>
  return %o, %v, %b : memref<?x8xf32>, memref<8xf32, strided<[1], offset: ?>>, memref<?x?xf32>
}

// CHECK-LABEL: func.func @names
func.func @names(%x: memref<?x8xf32>) {
  // CHECK: %[[T:.+]] = host.declare "t5" : memref<?x8xf32>
  %t = host.declare "t5" : memref<?x8xf32>
  // CHECK: host.alias %[[T]], %{{.+}} : memref<?x8xf32>, memref<?x8xf32>
  host.alias %t, %x : memref<?x8xf32>, memref<?x8xf32>
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%x: memref<4x?x8xf32>, %i: index, %n: index) -> (
    memref<4x8xf32, strided<[?, 1], offset: ?>>, memref<4x?x8xf32, strided<[?, 8, 1], offset: ?>>) {
  // CHECK: host.select %{{.+}} dim 1 at %{{.+}} : memref<4x?x8xf32>
  %a = host.select %x dim 1 at %i : memref<4x?x8xf32>
  // CHECK: host.slice %{{.+}} dim 1 from %{{.+}} size %{{.+}} : memref<4x?x8xf32>
  %b = host.slice %x dim 1 from %i size %n : memref<4x?x8xf32>
  return %a, %b : memref<4x8xf32, strided<[?, 1], offset: ?>>, memref<4x?x8xf32, strided<[?, 8, 1], offset: ?>>
}

gpu.module @kernels {
  gpu.func @f_0(%a: memref<?xf32, strided<[?]>>, %b: memref<?xf32>, %n: index) kernel {
    gpu.return
  }
}

module @cpu {
  func.func @f_0(%a: memref<?xf32>, %begin: index, %end: index) {
    return
  }
  func.func @f_1(%a: memref<?xf32>, %begin: index, %end: index, %scratch: memref<?xi8>) {
    return
  }
}

// CHECK-LABEL: func.func @launches
func.func @launches(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  // CHECK: host.launch @kernels::@f_0 grid(%{{.+}}, %{{.+}}, %{{.+}}) block(128, 1, 1) args(%{{.+}}, %{{.+}}, %{{.+}} : memref<?xf32>, memref<?xf32>, index) writes [1]
  host.launch @kernels::@f_0 grid(%n, %n, %n) block(128, 1, 1) args(%a, %b, %n : memref<?xf32>, memref<?xf32>, index) writes [1]
  // CHECK: host.launch @kernels::@f_0 grid(%{{.+}}, %{{.+}}, %{{.+}}) block(32, 2, 2) cluster(2, 1, 1) shared %{{.+}} args(
  host.launch @kernels::@f_0 grid(%n, %n, %n) block(32, 2, 2) cluster(2, 1, 1) shared %n args(%a, %b, %n : memref<?xf32>, memref<?xf32>, index)
  // CHECK: host.launch @elsewhere::@f_7 grid(%{{.+}}, %{{.+}}, %{{.+}}) block(1, 1, 1) args()
  host.launch @elsewhere::@f_7 grid(%n, %n, %n) block(1, 1, 1) args()
  // CHECK: host.launch @cpu::@f_0
  host.launch @cpu::@f_0 grid(%n, %n, %n) block(1, 1, 1) args(%a : memref<?xf32>)
  // CHECK: host.launch @cpu::@f_1
  host.launch @cpu::@f_1 grid(%n, %n, %n) block(1, 1, 1) args(%a : memref<?xf32>)
  return
}

gpu.module @layouts {
  gpu.func @any(%a: memref<?x?xf32, strided<[?, ?]>>) kernel {
    gpu.return
  }
  gpu.func @columns(%a: memref<?x8xf32, strided<[?, 1]>>) kernel {
    gpu.return
  }
  gpu.func @rows(%a: memref<1x8xf32>) kernel {
    gpu.return
  }
}

// A kernel may know less of a buffer than the program. It is given the address of the first element, so that a view may begin anywhere, and
// the stride of a dimension of size 1 is of no use to it.

// CHECK-LABEL: func.func @launches_of_less
func.func @launches_of_less(%a: memref<4x8xf32>, %b: memref<4x8xf32, strided<[1, 4]>>, %c: memref<?x8xf32, strided<[?, 1], offset: ?>>,
                            %d: memref<1x8xf32, strided<[1, 1], offset: 4>>, %e: memref<1x8xf32, strided<[?, 1]>>, %n: index) {
  // CHECK-COUNT-3: host.launch @layouts::@any
  host.launch @layouts::@any grid(%n, %n, %n) block(1, 1, 1) args(%a : memref<4x8xf32>)
  host.launch @layouts::@any grid(%n, %n, %n) block(1, 1, 1) args(%b : memref<4x8xf32, strided<[1, 4]>>)
  host.launch @layouts::@any grid(%n, %n, %n) block(1, 1, 1) args(%c : memref<?x8xf32, strided<[?, 1], offset: ?>>)
  // CHECK-COUNT-2: host.launch @layouts::@columns
  host.launch @layouts::@columns grid(%n, %n, %n) block(1, 1, 1) args(%a : memref<4x8xf32>)
  host.launch @layouts::@columns grid(%n, %n, %n) block(1, 1, 1) args(%c : memref<?x8xf32, strided<[?, 1], offset: ?>>)
  // CHECK-COUNT-2: host.launch @layouts::@rows
  host.launch @layouts::@rows grid(%n, %n, %n) block(1, 1, 1) args(%d : memref<1x8xf32, strided<[1, 1], offset: 4>>)
  host.launch @layouts::@rows grid(%n, %n, %n) block(1, 1, 1) args(%e : memref<1x8xf32, strided<[?, 1]>>)
  return
}

// CHECK-LABEL: func.func @streams
func.func @streams(%i: index, %ok: i1, %k: i32) {
  // CHECK: %[[S:.+]] = host.get_stream
  %s = host.get_stream
  // CHECK: %[[T:.+]] = host.stream %{{.+}}
  %t = host.stream %i
  // CHECK: host.set_stream %[[T]]
  host.set_stream %t
  // CHECK: host.sync %[[S]]
  host.sync %s
  // CHECK: host.check %{{.+}}, "always"
  host.check %ok, "always"
  // CHECK: host.check %{{.+}}, "got {1} of {0}" (%{{.+}}, %{{.+}} : index, i32)
  host.check %ok, "got {1} of {0}" (%i, %k : index, i32)
  return
}
