// RUN: fuser-opt %s --host-inline-calls --split-input-file --verify-diagnostics | FileCheck %s

// New results are buffers of the caller's; sizes that must be equal are checked; workspaces get numbers of their own.

// CHECK-NOT: @callee
func.func private @callee(%x: memref<?x8xf32> {host.tensor = #host.tensor<f32 [s0, 8] order [0, 1] align 4>},
                          %y: memref<?xf32> {host.tensor = #host.tensor<f32 [s0] order [0] align 4>})
    -> (memref<?x8xf32>, memref<?x8xf32>) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %w = host.workspace 1 (%n) : memref<?xf32>
  %o = host.output 0 (%n) : memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  host.output_view 1, %x input 0 : memref<?x8xf32>
  return %o, %x : memref<?x8xf32>, memref<?x8xf32>
}

// CHECK-LABEL: func.func @results
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[Y:[a-z0-9]+]]: memref<?xf32>
func.func @results(%x: memref<?x8xf32>, %y: memref<?xf32>, %k: index) attributes {host.program} {
  // CHECK: host.workspace 4
  %w = host.workspace 4 (%k) : memref<?xf32>
  // CHECK: %[[N:.+]] = memref.dim %[[X]]
  // CHECK: %[[M:.+]] = memref.dim %[[Y]]
  // CHECK: host.check %{{.+}}, "{{.*}}inline-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dimension 0 of argument 1 of @callee to be {0}, got {1}" (%[[N]], %[[M]] : index, index)
  // CHECK: host.workspace 6
  // CHECK: %[[T:.+]] = host.alloc (%{{.+}}) : memref<?x8xf32>
  // CHECK-NEXT: host.copy %[[X]], %[[T]]
  %0:2 = host.call @callee(%x, %y : memref<?x8xf32>, memref<?xf32>) -> memref<?x8xf32>, memref<?x8xf32>
  // CHECK-NEXT: host.copy %[[T]], %[[X]]
  host.copy %0#0, %0#1 : memref<?x8xf32>, memref<?x8xf32>
  return
}

// -----

// Outs that are there; a size that only the callee knows; a buffer that begins somewhere else; a call in a loop.

func.func private @callee(%x: memref<4xf32>) -> memref<?xf32> attributes {host.program} {
  %c4 = arith.constant 4 : index
  %o = host.output 0 (%c4) : memref<?xf32>
  host.launch @kernel grid(%c4, %c4, %c4) block(1, 1, 1) args(%x, %o : memref<4xf32>, memref<?xf32>) writes [1]
  return %o : memref<?xf32>
}
host.kernel @kernel(pointer 0, pointer 1)

// CHECK-LABEL: func.func @outs
func.func @outs(%x: memref<?xf32, strided<[1], offset: ?>>, %y: memref<?xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[R:.+]] = host.rebase
    // CHECK: host.check %{{.+}}, "{{.*}}inline-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dimension 0 of argument 0 of @callee to be {0}, got {1}"
    // CHECK: %[[X:.+]] = memref.cast %[[R]] : memref<?xf32, strided<[1]>> to memref<4xf32>
    // CHECK: host.check %{{.+}}, "{{.*}}inline-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dimension 0 of out 0 of @callee to be {0}, got {1}"
    // CHECK: host.launch @kernel {{.*}} args(%[[X]], %{{.+}} : memref<4xf32>, memref<?xf32>)
    host.call @callee(%x : memref<?xf32, strided<[1], offset: ?>>) outs(%y : memref<?xf32>)
  }
  return
}

// -----

// Calls of calls.

func.func private @inner(%x: memref<?xf32>) attributes {host.program} {
  host.copy %x, %x : memref<?xf32>, memref<?xf32>
  return
}
func.func private @middle(%x: memref<?xf32>) attributes {host.program} {
  host.call @inner(%x : memref<?xf32>)
  host.call @inner(%x : memref<?xf32>)
  return
}
// CHECK-LABEL: func.func @outer
func.func @outer(%x: memref<?xf32>) attributes {host.program} {
  // CHECK-COUNT-4: host.copy
  // CHECK-NOT: host.copy
  host.call @middle(%x : memref<?xf32>)
  host.call @middle(%x : memref<?xf32>)
  return
}

// -----

func.func @recursive(%x: memref<?xf32>) attributes {host.program} {
  // expected-error @below {{expected a program that does not call itself, got a call of @recursive}}
  host.call @recursive(%x : memref<?xf32>)
  return
}

// -----

func.func private @tensors(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @too_early(%x: memref<?xf32>) attributes {host.program} {
  // expected-error @below {{expected @tensors to be a host program by now: run fusion-to-host first}}
  %r = host.call @tensors(%x : memref<?xf32>) -> memref<?xf32>
  return
}

// -----

func.func private @callee(%x: memref<?x?xf32>) attributes {host.program} {
  return
}
func.func @layout(%x: memref<?x?xf32, strided<[?, ?]>>) attributes {host.program} {
  // expected-error @below {{expected argument 0 of @callee to lie as 'memref<?x?xf32>' does, got 'memref<?x?xf32, strided<[?, ?]>>'}}
  host.call @callee(%x : memref<?x?xf32, strided<[?, ?]>>)
  return
}

// -----

func.func private @callee(%x: memref<?xf32>) -> memref<?xf32> attributes {host.program} {
  host.output_view 0, %x input 0 : memref<?xf32>
  return %x : memref<?xf32>
}
func.func @view(%x: memref<?xf32>, %y: memref<?xf32>) attributes {host.program} {
  // expected-error @below {{expected result 0 of @callee to be written into its out, got a view of other memory}}
  host.call @callee(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}

// -----

func.func private @callee(%c: i1, %n: index) -> memref<?xf32> attributes {host.program} {
  %r = scf.if %c -> memref<?xf32> {
    %0 = host.output 0 (%n) : memref<?xf32>
    scf.yield %0 : memref<?xf32>
  } else {
    %0 = host.output 0 (%n) : memref<?xf32>
    scf.yield %0 : memref<?xf32>
  }
  return %r : memref<?xf32>
}
func.func @branch(%c: i1, %n: index) attributes {host.program} {
  // expected-error @below {{expected @callee to make its outputs outside of branches and loops}}
  %r = host.call @callee(%c, %n : i1, index) -> memref<?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @no_calls
func.func @no_calls(%x: memref<?xf32>) attributes {host.program} {
  // CHECK-NEXT: host.copy
  host.copy %x, %x : memref<?xf32>, memref<?xf32>
  return
}

// -----

// An out that begins somewhere else; the callee's caller is the stream at the call.

func.func private @callee(%x: memref<4xf32>, %i: index) -> memref<4xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %o = host.output 0 () : memref<4xf32>
  %caller = host.stream %c0
  %s = host.stream %i
  host.set_stream %s
  host.sync %caller
  host.copy %x, %o : memref<4xf32>, memref<4xf32>
  return %o : memref<4xf32>
}
// CHECK-LABEL: func.func @stream_of_the_call
// CHECK:         %[[CALLER:.+]] = host.get_stream
// CHECK:         %[[ZERO:.+]] = host.stream
// CHECK:         %[[OWN:.+]] = arith.select %{{.+}}, %[[CALLER]], %[[ZERO]] : !host.stream
// CHECK:         host.sync %[[OWN]]
// CHECK:         host.copy
// CHECK-NEXT:    host.set_stream %[[CALLER]]
func.func @stream_of_the_call(%x: memref<4xf32>, %y: memref<4xf32, strided<[1], offset: 4>>, %i: index) attributes {host.program} {
  host.call @callee(%x, %i : memref<4xf32>, index) outs(%y : memref<4xf32, strided<[1], offset: 4>>)
  return
}

// -----

// What the callee asks of sizes is checked, once for all that are equal.

func.func private @asking(%x: memref<?x?xf32> {host.tensor = #host.tensor<f32 [s0, s1] order [0, 1] align 4>},
                          %y: memref<?xf32> {host.tensor = #host.tensor<f32 [s1] order [0] align 4>})
    -> memref<?x?xf32> attributes {host.program, host.sizes = [#host.size<symbol = 1, divisor = 8, bound = 64, requiredDivisor = 8, requiredBound = 64>]} {
  host.output_view 0, %x input 0 : memref<?x?xf32>
  return %x : memref<?x?xf32>
}

// CHECK-LABEL: func.func @asked
// CHECK: %[[C1:.+]] = arith.constant 1 : index
// CHECK: %[[N:.+]] = memref.dim %{{.+}}, %[[C1]] : memref<?x?xf32>
// CHECK: %[[REST:.+]] = arith.remsi %[[N]], %{{.+}} : index
// CHECK: %[[HOLDS:.+]] = arith.cmpi eq, %[[REST]], %{{.+}} : index
// CHECK: host.check %[[HOLDS]], "{{.*}}inline-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dimension 1 of argument 0 of @asking to be a multiple of 8, got {0}" (%[[N]] : index)
// CHECK: %[[FITS:.+]] = arith.cmpi sle, %[[N]], %{{.+}} : index
// CHECK: host.check %[[FITS]], "{{.*}}inline-calls.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dimension 1 of argument 0 of @asking to be at most 64, got {0}" (%[[N]] : index)
// CHECK-NOT: multiple
func.func @asked(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {host.program} {
  %0 = host.call @asking(%x, %y : memref<?x?xf32>, memref<?xf32>) -> memref<?x?xf32>
  return
}
