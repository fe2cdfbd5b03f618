// RUN: fuser-opt %s --host-specialize-calls --split-input-file --verify-diagnostics | FileCheck %s

func.func private @f(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.sub %a, %b : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// One function for calls whose arguments lie alike; the function that nobody calls any more is gone.

// CHECK-NOT: @f(
// CHECK: func.func private @f_0(%{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK: func.func private @f_1(%[[A:.+]]: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32> {fusion.layout = "any"}) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>})
// CHECK: func.func private @f_2(%{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32> {fusion.alignment = 16 : i64}) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 2>})
// CHECK: func.func private @f_3(%[[X:.+]]: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32>) -> (tensor<?x8xf32> {fusion.alias = #fusion.alias<reuse, 0>})
// CHECK-NEXT: fusion.sub %[[X]], %[[X]]

// CHECK-LABEL: func.func @calls
func.func @calls(%a: memref<?x8xf32>, %b: memref<?x8xf32, strided<[?, ?]>>, %n: index) attributes {host.program} {
  // CHECK: host.call @f_0
  %0 = host.call @f(%a, %a : memref<?x8xf32>, memref<?x8xf32>) -> memref<?x8xf32>
  // CHECK-NEXT: host.call @f_0
  %1 = host.call @f(%a, %0 : memref<?x8xf32>, memref<?x8xf32>) -> memref<?x8xf32>
  // Two arguments may overlap.
  // CHECK: memref.extract_aligned_pointer_as_index
  // CHECK: host.check %{{.+}}, "{{.*}}specialize-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: host.call @f: expected the memory of out 0, which is written, apart from that of argument 1, got them overlapping"
  // CHECK-NEXT: host.call @f_1(%{{.+}}, %{{.+}} : memref<?x8xf32>, memref<?x8xf32, strided<[?, ?]>>) -> memref<?x8xf32>
  host.call @f(%a, %b : memref<?x8xf32>, memref<?x8xf32, strided<[?, ?]>>) outs(%a : memref<?x8xf32>)
  // A buffer of the program's own is apart.
  // CHECK-NEXT: %[[T:.+]] = host.alloc
  // CHECK-NEXT: host.call @f_2(%{{.+}}, %{{.+}}, %[[T]]
  %t = host.alloc (%n) : memref<?x8xf32>
  host.call @f(%a, %0 : memref<?x8xf32>, memref<?x8xf32>) outs(%t : memref<?x8xf32>)
  // CHECK-NEXT: host.call @f_3
  host.call @f(%a, %a : memref<?x8xf32>, memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  return
}

// -----

// Two parts of one buffer may overlap.

func.func private @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @parts
func.func @parts(%n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %t = host.alloc (%n) : memref<?xf32>
  %x = host.slice %t dim 0 from %c0 size %n : memref<?xf32>
  %y = host.slice %t dim 0 from %n size %n : memref<?xf32>
  // CHECK: host.check %{{.+}}, "{{.*}}specialize-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: host.call @f: expected the memory of out 0
  // CHECK-NEXT: host.call @f_0
  host.call @f(%x : memref<?xf32, strided<[1], offset: ?>>) outs(%y : memref<?xf32, strided<[1], offset: ?>>)
  return
}

// -----

// What a program says of its own signature counts; a public function stays.

// CHECK: func.func private @f_0(%{{.+}}: tensor<?xf32> {fusion.alignment = 64 : i64}, %{{.+}}: tensor<?xf32> {fusion.alignment = 32 : i64})
// CHECK: func.func @f(
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @stated
func.func @stated(%x: memref<?xf32> {host.tensor = #host.tensor<f32 [s0] order [0] align 64>}, %n: index)
    -> (memref<?xf32> {host.tensor = #host.tensor<f32 [s0] order [0] align 32>}) attributes {host.program} {
  %o = host.output 0 (%n) : memref<?xf32>
  host.call @f(%x : memref<?xf32>) outs(%o : memref<?xf32>)
  return %o : memref<?xf32>
}

// -----

func.func private @in_place(%a: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %0 = fusion.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @outs(%x: memref<?xf32>, %y: memref<?xf32>) attributes {host.program} {
  // expected-error @below {{expected no outs for @in_place, which writes result 0 into its argument 0}}
  host.call @in_place(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}

// -----

// Host programs are called as they are.

// CHECK: func.func private @program
func.func private @program(%x: memref<?xf32>) attributes {host.program} {
  return
}
// CHECK-LABEL: func.func @calls_program
func.func @calls_program(%x: memref<?xf32>) attributes {host.program} {
  // CHECK-NEXT: host.call @program(
  host.call @program(%x : memref<?xf32>)
  return
}

// -----

func.func private @program(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  host.output_view 0, %x input 0 : memref<?xf32>
  return %x : memref<?xf32>
}
func.func @own_argument(%x: memref<?xf32>) attributes {host.program} {
  // expected-error @below {{expected outs of the host program @program that are none of its arguments}}
  host.call @program(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
