// RUN: fuser-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @check_true
// CHECK-NOT: host.check
func.func @check_true() {
  %true = arith.constant true
  host.check %true, "holds"
  return
}

// CHECK-LABEL: func.func @check_do_nothing
// CHECK: host.check %{{.+}}, "unknown"
// CHECK: host.check %{{.+}}, "never"
func.func @check_do_nothing(%ok: i1) {
  %false = arith.constant false
  host.check %ok, "unknown"
  host.check %false, "never"
  return
}

// A buffer that nothing uses goes away, an output never.
// CHECK-LABEL: func.func @unused
// CHECK-NOT: host.alloc
// CHECK-NOT: host.declare
// CHECK: host.output 0
func.func @unused(%n: index) {
  %a = host.alloc (%n) : memref<?xf32>
  %t = host.declare "t" : memref<?xf32>
  %o = host.output 0 (%n) : memref<?xf32>
  return
}
