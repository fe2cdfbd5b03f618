// Neighbours at any address are taken from, and put into, aligned words.
// RUN: fuser-opt %s --split-input-file --kernel-to-nvptx | FileCheck %s

// Two words of 16 bytes, the second one that of the last element, and one vector of them: 8 and 4 bytes are selected, the rest is shifted.
// CHECK-LABEL: llvm.func @load
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-11: llvm.select
// CHECK-COUNT-4: llvm.intr.fshr
// CHECK-NOT: llvm.intr.fshr
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @load(%x: memref<?xbf16>, %y: memref<?xbf16>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %0 = kernel.load_neighbours %x[%i] align 2 : memref<?xbf16>, vector<8xbf16>
    vector.store %0, %y[%c0] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}

// -----

// Elements of 4 bytes are words, and 32 bytes lie in three of 16.
// CHECK-LABEL: llvm.func @wide
// CHECK-COUNT-3: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.intr.fshr
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @wide(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %0 = kernel.load_neighbours %x[%i] align 4 : memref<?xf32>, vector<8xf32>
    vector.store %0, %y[%c0] {alignment = 16} : memref<?xf32>, vector<8xf32>
    gpu.return
  }
}

// -----

// What is aligned is one word, although not all of it is there.
// CHECK-LABEL: llvm.func @aligned
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK-NOT: llvm.select
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @aligned(%x: memref<?xbf16>, %y: memref<?xbf16>, %i: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %0 = kernel.load_neighbours %x[%i] count %n align 16 : memref<?xbf16>, vector<8xbf16>
    vector.store %0, %y[%c0] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}

// -----

// Four words of the lane before, a store of all, and where the first or the last lane has less, of single elements.
// CHECK-LABEL: llvm.func @store
// CHECK-COUNT-4: nvvm.shfl.sync up
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-8: llvm.store %{{.+}}, %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @store(%y: memref<?xbf16>, %i: index, %v: bf16, %n: index) kernel {
    %0 = vector.broadcast %v : bf16 to vector<8xbf16>
    kernel.store_neighbours %0, %y[%i] count %n align 2 lanes 32 : vector<8xbf16>, memref<?xbf16>
    gpu.return
  }
}

// -----

// Nobody helps: an element after the other.
// CHECK-LABEL: llvm.func @alone
// CHECK-NOT: nvvm.shfl
// CHECK-COUNT-8: llvm.store %{{.+}}, %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @alone(%y: memref<?xbf16>, %i: index, %v: bf16, %n: index) kernel {
    %0 = vector.broadcast %v : bf16 to vector<8xbf16>
    kernel.store_neighbours %0, %y[%i] count %n align 2 : vector<8xbf16>, memref<?xbf16>
    gpu.return
  }
}
