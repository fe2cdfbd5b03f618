// RUN: fuser-opt %s -host-resolve-aliases -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.+]]: memref<4xf32>
// CHECK-NOT: host.declare
// CHECK-NOT: host.alias
// CHECK: host.copy %[[X]], %[[X]]
func.func @chain(%x: memref<4xf32>) {
  %a = host.declare "a" : memref<4xf32>
  %b = host.declare "b" : memref<4xf32>
  %c = host.declare "c" : memref<4xf32>
  host.alias %c, %b : memref<4xf32>, memref<4xf32>
  host.alias %b, %a : memref<4xf32>, memref<4xf32>
  host.alias %a, %x : memref<4xf32>, memref<4xf32>
  host.copy %a, %c : memref<4xf32>, memref<4xf32>
  return
}

// -----

// The buffer may come after the name.
// CHECK-LABEL: func.func @later
// CHECK: %[[B:.+]] = host.alloc
// CHECK: host.copy %{{.+}}, %[[B]]
func.func @later(%x: memref<4xf32>) {
  %a = host.declare "a" : memref<4xf32>
  %b = host.alloc () : memref<4xf32>
  host.alias %a, %b : memref<4xf32>, memref<4xf32>
  host.copy %x, %a : memref<4xf32>, memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @cast
// CHECK: %[[C:.+]] = memref.cast %{{.+}} : memref<4xf32> to memref<?xf32>
// CHECK: host.copy %[[C]], %[[C]]
func.func @cast(%x: memref<4xf32>) {
  %a = host.declare "a" : memref<?xf32>
  host.alias %a, %x : memref<?xf32>, memref<4xf32>
  host.copy %a, %a : memref<?xf32>, memref<?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @do_nothing
// CHECK: host.copy %[[X:.+]], %[[X]]
func.func @do_nothing(%x: memref<4xf32>) {
  host.copy %x, %x : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @never_aliased(%x: memref<4xf32>) {
  // expected-error @below {{expected an alias for the name 'a', got none: no host.alias says which buffer it is}}
  %a = host.declare "a" : memref<4xf32>
  host.copy %x, %a : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @cycle() {
  %a = host.declare "a" : memref<4xf32>
  %b = host.declare "b" : memref<4xf32>
  // expected-error @below {{expected a chain of names that ends at a buffer, got a cycle}}
  host.alias %a, %b : memref<4xf32>, memref<4xf32>
  // expected-note @below {{this alias is in the cycle}}
  host.alias %b, %a : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @self() {
  %a = host.declare "a" : memref<4xf32>
  // expected-error @below {{expected a chain of names that ends at a buffer, got a cycle}}
  host.alias %a, %a : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @used_before(%x: memref<4xf32>) {
  %a = host.declare "a" : memref<4xf32>
  // expected-error @below {{expected to use the name 'a' after its buffer exists, got a use before}}
  host.copy %x, %a : memref<4xf32>, memref<4xf32>
  // expected-note @below {{the buffer comes to be here}}
  %b = host.alloc () : memref<4xf32>
  // expected-note @below {{the name is aliased here}}
  host.alias %a, %b : memref<4xf32>, memref<4xf32>
  return
}
