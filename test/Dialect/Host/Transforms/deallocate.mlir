// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(host-deallocate))' | FileCheck %s

gpu.module @k {
  gpu.func @k(%a: memref<?xf32>, %b: memref<?xf32>) kernel { gpu.return }
}

// After the last launch that takes it, views of it too.
// CHECK-LABEL: func.func @last_use(
// CHECK:         %[[A:.+]] = host.alloc
// CHECK:         %[[B:.+]] = host.alloc
// CHECK:         host.launch
// CHECK-NEXT:    %[[V:.+]] = host.slice %[[A]]
// CHECK-NEXT:    %[[C:.+]] = memref.cast %[[V]]
// CHECK-NEXT:    host.launch {{.*}} args(%[[C]], %[[B]]
// CHECK-NEXT:    host.dealloc %[[A]]
// CHECK-NEXT:    host.launch {{.*}} args(%[[B]], %{{.+}}
// CHECK-NEXT:    host.dealloc %[[B]]
// CHECK-NEXT:    return
func.func @last_use(%x: memref<?xf32>, %n: index) attributes {host.program} {
  %a = host.alloc (%n) : memref<?xf32>
  %b = host.alloc (%n) : memref<?xf32>
  host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  %v = host.slice %a dim 0 from %n size %n : memref<?xf32>
  %c = memref.cast %v : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
  host.launch @l::@l grid(%n, %n, %n) block(32, 1, 1) args(%c, %b : memref<?xf32, strided<[?], offset: ?>>, memref<?xf32>)
  host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%b, %x : memref<?xf32>, memref<?xf32>)
  return
}

// Two that end at one launch are freed in their order. What nothing uses is freed at once.
// CHECK-LABEL: func.func @together(
// CHECK:         %[[A:.+]] = host.alloc
// CHECK-NEXT:    %[[B:.+]] = host.alloc
// CHECK-NEXT:    %[[C:.+]] = host.alloc
// CHECK-NEXT:    host.dealloc %[[C]]
// CHECK-NEXT:    host.launch
// CHECK-NEXT:    host.dealloc %[[A]]
// CHECK-NEXT:    host.dealloc %[[B]]
func.func @together(%n: index) attributes {host.program} {
  %a = host.alloc (%n) : memref<?xf32>
  %b = host.alloc (%n) : memref<?xf32>
  %c = host.alloc (%n) : memref<?xf32>
  host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%a, %b : memref<?xf32>, memref<?xf32>)
  return
}

// A use in a loop lasts as long as the loop.
// CHECK-LABEL: func.func @loop(
// CHECK:         %[[A:.+]] = host.alloc
// CHECK:         scf.for
// CHECK:           host.launch
// CHECK-NEXT:    }
// CHECK-NEXT:    host.dealloc %[[A]]
func.func @loop(%x: memref<?xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = host.alloc (%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  }
  return
}

// Nothing to do: freed by hand, handed to the caller, returned.
// CHECK-LABEL: func.func @nothing(
// CHECK:         %[[A:.+]] = host.alloc
// CHECK:         host.dealloc %[[A]]
// CHECK-NOT:     host.dealloc
func.func @nothing(%x: memref<?xf32>, %n: index) -> memref<?xf32> attributes {host.program} {
  %a = host.alloc (%n) : memref<?xf32>
  host.dealloc %a : memref<?xf32>
  %b = host.alloc (%n) : memref<?xf32>
  host.output_view 0, %b : memref<?xf32>
  host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%x, %b : memref<?xf32>, memref<?xf32>)
  return %b : memref<?xf32>
}

// Work on several streams may use it: where they meet is not known here. What one stream allocates and uses for itself is freed on it.
// CHECK-LABEL: func.func @streams(
// CHECK:         %[[A:.+]] = host.alloc
// CHECK:         scf.for
// CHECK:           host.set_stream
// CHECK:           %[[B:.+]] = host.alloc
// CHECK:           host.launch
// CHECK-NEXT:      host.dealloc %[[B]]
// CHECK-NOT:     host.dealloc
func.func @streams(%x: memref<?xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = host.alloc (%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %s = host.stream %i
    host.set_stream %s
    %b = host.alloc (%n) : memref<?xf32>
    host.launch @k::@k grid(%n, %n, %n) block(32, 1, 1) args(%a, %b : memref<?xf32>, memref<?xf32>)
  }
  return
}
