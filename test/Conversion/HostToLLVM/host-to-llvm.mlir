// RUN: fuser-opt %s -host-to-llvm -split-input-file | FileCheck %s

// A launch: the kernel's number, launch dimensions, and the parameters that the kernel asks for.

// CHECK: host.kernel @f_0
host.kernel @f_0(size 0 dim 0, pointer 1, scalar 2)

// CHECK: llvm.func @fuser_host_entry(%[[API:[a-z0-9]+]]: !llvm.ptr, %[[FRAME:[a-z0-9]+]]: !llvm.ptr, %[[INPUTS:[a-z0-9]+]]: !llvm.ptr, %[[SCALARS:[a-z0-9]+]]: !llvm.ptr) -> i32 {
// CHECK-DAG: %[[N56:.+]] = llvm.mlir.constant(56 : i64)
// CHECK: %[[DIMS:.+]] = llvm.alloca %[[N56]] x i8
// CHECK: %[[SLOTS:.+]] = llvm.alloca %{{.+}} x i64
// CHECK: %[[PARAMS:.+]] = llvm.alloca %{{.+}} x !llvm.ptr
// CHECK: llvm.store %[[SLOTS]], %[[PARAMS]]
// CHECK: %[[DATA:.+]] = llvm.load %[[INPUTS]] invariant
// CHECK: %[[K:.+]] = llvm.load %[[SCALARS]] invariant : !llvm.ptr -> i64
// CHECK: llvm.store %[[K]], %[[DIMS]] : i64, !llvm.ptr
// CHECK: %[[B:.+]] = llvm.mlir.constant(64 : i32)
// CHECK: %[[BP:.+]] = llvm.getelementptr inbounds %[[DIMS]][24]
// CHECK: llvm.store %[[B]], %[[BP]]
// CHECK: llvm.store %{{.+}}, %[[SLOTS]] : i64, !llvm.ptr
// CHECK: %[[S1:.+]] = llvm.getelementptr inbounds %[[SLOTS]][8]
// CHECK: llvm.store %{{.+}}, %[[S1]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[S2:.+]] = llvm.getelementptr inbounds %[[SLOTS]][16]
// CHECK: llvm.store %[[K]], %[[S2]] : i64, !llvm.ptr
// CHECK: %[[INDEX:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[SLOT:.+]] = llvm.getelementptr inbounds %[[API]][40]
// CHECK: %[[LAUNCH:.+]] = llvm.load %[[SLOT]] invariant
// CHECK: %[[CODE:.+]] = llvm.call %[[LAUNCH]](%[[FRAME]], %[[INDEX]], %[[DIMS]], %[[PARAMS]])
// CHECK: %[[BAD:.+]] = llvm.icmp "ne" %[[CODE]], %{{.+}} : i32
// CHECK: llvm.cond_br %[[BAD]] weights([1, 1048576]), ^[[EXIT:.+]](%[[CODE]] : i32), ^[[NEXT:.+]]
// CHECK: ^[[NEXT]]:
// CHECK: %[[OK:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.return %[[OK]]
// CHECK: ^[[EXIT]](%[[C:.+]]: i32):
// CHECK: llvm.return %[[C]]
func.func @launch(%x: memref<?x8xf32>, %k: index) attributes {host.program} {
  host.launch @f_0 grid(%k, %k, %k) block(64, 1, 1) args(%x, %x, %k : memref<?x8xf32>, memref<?x8xf32>, index)
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// How a launch is made is in its dimensions' flags.

// CHECK: llvm.getelementptr inbounds %{{.+}}[48]
// CHECK: %[[COOPERATIVE:.+]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: %[[AT:.+]] = llvm.getelementptr inbounds %{{.+}}[52]
// CHECK-NEXT: llvm.store %[[COOPERATIVE]], %[[AT]]
// CHECK: llvm.getelementptr inbounds %{{.+}}[48]
// CHECK: %[[PROGRAMMATIC:.+]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT: %[[AT:.+]] = llvm.getelementptr inbounds %{{.+}}[52]
// CHECK-NEXT: llvm.store %[[PROGRAMMATIC]], %[[AT]]
host.kernel @k()
func.func @flags(%n: index) attributes {host.program} {
  host.launch @k grid(%n, %n, %n) block(64, 1, 1) cooperative args()
  host.launch @k grid(%n, %n, %n) block(64, 1, 1) programmatic args()
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// A tensor map's slot holds the address of the tensor's description, which lies with those of the launch's other tensor maps.

// CHECK: llvm.func @fuser_host_entry
// CHECK: %[[SLOTS:.+]] = llvm.alloca %{{.+}} x i64
// CHECK: %[[PARAMS:.+]] = llvm.alloca %{{.+}} x !llvm.ptr
// CHECK-NEXT: %[[BYTES:.+]] = llvm.mlir.constant(96 : i64)
// CHECK-NEXT: %[[TENSORS:.+]] = llvm.alloca %[[BYTES]] x i8
// CHECK: llvm.store %{{.+}}, %[[TENSORS]] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK-NEXT: llvm.store %[[TENSORS]], %[[SLOTS]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[Y:.+]] = llvm.getelementptr inbounds %[[TENSORS]][56]
// CHECK: llvm.store %{{.+}}, %[[Y]] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[SLOT:.+]] = llvm.getelementptr inbounds %[[SLOTS]][16]
// CHECK: llvm.store %[[Y]], %[[SLOT]] : !llvm.ptr, !llvm.ptr
host.kernel @tiles(tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32>, swizzle = none, l2promo = none, oob = zero, interleave = none>, pointer 0,
                   tensor_map 1 as !nvgpu.tensormap.descriptor<tensor = memref<64xi8>, swizzle = none, l2promo = none, oob = zero, interleave = none>) image ".version 8.0"
func.func @tensor_maps(%x: memref<?x8xf32, strided<[?, 1]>>, %y: memref<?xi8>, %n: index) attributes {host.program} {
  host.launch @tiles grid(%n, %n, %n) block(64, 1, 1) args(%x, %y : memref<?x8xf32, strided<[?, 1]>>, memref<?xi8>)
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// No memory of the host's, no element, no op of another dialect.

// CHECK: llvm.func @fuser_host_entry
// CHECK-NOT: malloc
// CHECK-NOT: {{(arith|scf|cf|index|affine|memref|host|func|builtin)\.}}
func.func @everything(%x: memref<?x8xf32, strided<[?, 1]>>, %c: i1, %n: index) -> memref<?x8xf32>
    attributes {host.program} {
  %c0 = index.constant 0
  %c1 = arith.constant 1 : index
  %m = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 4 + s0)>(%n)[%n]
  %d = index.ceildivu %n, %m
  %o = scf.if %c -> memref<?x8xf32> {
    %0 = host.output 0 (%d) : memref<?x8xf32>
    scf.yield %0 : memref<?x8xf32>
  } else {
    %1 = host.output 0 (%m) : memref<?x8xf32>
    scf.yield %1 : memref<?x8xf32>
  }
  %t = host.alloc (%n) : memref<?x8xf32>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o, %b = %t) -> (memref<?x8xf32>, memref<?x8xf32>) {
    host.copy %a, %b : memref<?x8xf32>, memref<?x8xf32>
    scf.yield %b, %a : memref<?x8xf32>, memref<?x8xf32>
  }
  %v = memref.subview %x[%n, 0] [%n, 4] [2, 1] : memref<?x8xf32, strided<[?, 1]>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  %w = memref.transpose %v (d0, d1) -> (d1, d0) : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<4x?xf32, strided<[1, ?], offset: ?>>
  %u = memref.reinterpret_cast %t to offset: [0], sizes: [8, %n], strides: [1, 8] : memref<?x8xf32> to memref<8x?xf32, strided<[1, 8]>>
  %s = host.slice %w dim 0 from %c1 size %c1 : memref<4x?xf32, strided<[1, ?], offset: ?>>
  %z = host.rebase %s : memref<?x?xf32, strided<[1, ?], offset: ?>>
  %k = memref.dim %z, %c0 : memref<?x?xf32, strided<[1, ?]>>
  host.check %c, "{0}" (%k : index)
  host.copy %u, %u : memref<8x?xf32, strided<[1, 8]>>, memref<8x?xf32, strided<[1, 8]>>
  host.dealloc %t : memref<?x8xf32>
  return %o : memref<?x8xf32>
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// Bytes that do not fit into 64 bits are more than there are.

// CHECK-LABEL: llvm.func @fuser_host_entry
// CHECK-DAG:     %[[MORE:.+]] = llvm.mlir.constant(9223372036854775807 : i64) : i64
// CHECK:         %[[P:.+]] = "llvm.intr.smul.with.overflow"(%{{.+}}, %[[N:.+]]) : (i64, i64) -> !llvm.struct<(i64, i1)>
// CHECK:         %[[P_LOW:.+]] = llvm.extractvalue %[[P]][0]
// CHECK:         %[[P_WRAPS:.+]] = llvm.extractvalue %[[P]][1]
// CHECK:         %[[ROW:.+]] = llvm.select %[[P_WRAPS]], %[[MORE]], %[[P_LOW]] : i1, i64
// CHECK:         %[[Q:.+]] = "llvm.intr.smul.with.overflow"(%[[ROW]], %[[N]])
// CHECK:         %[[Q_LOW:.+]] = llvm.extractvalue %[[Q]][0]
// CHECK:         %[[Q_WRAPS:.+]] = llvm.extractvalue %[[Q]][1]
// CHECK:         %[[BYTES:.+]] = llvm.select %[[Q_WRAPS]], %[[MORE]], %[[Q_LOW]] : i1, i64
// CHECK:         llvm.call %{{.+}}(%{{.+}}, %[[BYTES]], %{{.+}})
func.func @bytes(%n: index) attributes {host.program} {
  %a = host.alloc (%n, %n) : memref<?x1x?xf32>
  host.dealloc %a : memref<?x1x?xf32>
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// Equal messages are one constant.

// CHECK: llvm.mlir.global private constant @fuser_host_message_0("positive\00")
// CHECK: llvm.mlir.global private constant @fuser_host_message_1("small {0}\00")
// CHECK-NOT: llvm.mlir.global
// CHECK: llvm.func @fuser_host_entry
func.func @messages(%a: i1, %n: index) attributes {host.program} {
  host.check %a, "positive"
  host.check %a, "small {0}" (%n : index)
  host.check %a, "positive"
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// Kernels stay in their module, which is compiled apart.

// CHECK: host.kernel @f_0()
// CHECK: module {
// CHECK: llvm.func @f_0
// CHECK: llvm.func @fuser_host_entry
host.kernel @f_0()
module {
  llvm.func @f_0(%params: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
    llvm.return
  }
}
func.func @cpu(%n: index) attributes {host.program} {
  host.launch @f_0 grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// Without a host program nothing happens.

// CHECK: func.func @do_nothing
// CHECK: host.sync
func.func @do_nothing(%s: !host.stream) {
  host.sync %s
  return
}

// -----
// CHECK-LABEL: {{^//}} ---{{--$}}

// Whether a buffer is contiguous, only the call knows.

// CHECK: llvm.mlir.global private constant @fuser_host_message_1("{{.*}}host-to-llvm.mlir:{{[0-9]+}}:{{[0-9]+}}: host.all_reduce: expected a contiguous source, row-major, got strides [{0}, {1}]; host-stage-communications copies it\00")
func.func @strided(%x: memref<?x4xf32, strided<[?, ?]>>, %y: memref<?x4xf32>) attributes {host.program} {
  %all = host.group
  %0 = host.all_reduce <sum> %x, %y in %all : memref<?x4xf32, strided<[?, ?]>>, memref<?x4xf32>
  return
}
