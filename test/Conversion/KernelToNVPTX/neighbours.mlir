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

// -----

// A lane copies the word that its vector begins in, if the row reaches there, and the last one the next word, too.
// CHECK-LABEL: llvm.func @copy
// CHECK: %[[EXISTS:.+]] = llvm.icmp "sgt"
// CHECK: llvm.cond_br %[[EXISTS]]
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg :
// CHECK: nvvm.read.ptx.sreg.laneid
// CHECK: llvm.cond_br
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg :
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-11: llvm.select
// CHECK-COUNT-4: llvm.intr.fshr
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xbf16>, %y: memref<?xbf16>, %i: index, %n: index, %p: i1) workgroup(%s: memref<264xbf16, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    kernel.copy_async_neighbours %x[%i], %s[%i], 8 count %n if %p align 2 lanes 32 : memref<?xbf16>, memref<264xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    kernel.sync_warp
    %0 = kernel.load_copied %s[%i] of %x[%i] align 2 : memref<264xbf16, #gpu.address_space<workgroup>>, memref<?xbf16>, vector<8xbf16>
    vector.store %0, %y[%c0] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}

// -----

// What is aligned takes no word of another lane.
// CHECK-LABEL: llvm.func @copy_aligned
// CHECK: llvm.cond_br
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg :
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @copy_aligned(%x: memref<?xf32>, %y: memref<?xf32>, %i: index, %n: index) workgroup(%s: memref<132xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    kernel.copy_async_neighbours %x[%i], %s[%i], 4 count %n align 16 lanes 32 : memref<?xf32>, memref<132xf32, #gpu.address_space<workgroup>>
    %0 = kernel.load_copied %s[%i] of %x[%i] align 16 : memref<132xf32, #gpu.address_space<workgroup>>, memref<?xf32>, vector<4xf32>
    vector.store %0, %y[%c0] {alignment = 16} : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Where no row ends: a store of all but the first lane, and of what is left at both ends one element of 16 lanes.
// CHECK-LABEL: llvm.func @store_all
// CHECK-COUNT-4: nvvm.shfl.sync up
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @store_all(%y: memref<?xbf16>, %i: index, %v: bf16) kernel {
    %0 = vector.broadcast %v : bf16 to vector<8xbf16>
    kernel.store_neighbours %0, %y[%i] align 2 lanes 32 : vector<8xbf16>, memref<?xbf16>
    gpu.return
  }
}

// -----

// Fewer lanes than two words have elements store them one by one.
// CHECK-LABEL: llvm.func @store_few
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK-COUNT-8: llvm.store %{{.+}}, %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @store_few(%y: memref<?xbf16>, %i: index, %v: bf16) kernel {
    %0 = vector.broadcast %v : bf16 to vector<8xbf16>
    kernel.store_neighbours %0, %y[%i] align 2 lanes 8 : vector<8xbf16>, memref<?xbf16>
    gpu.return
  }
}

// -----

// An element of two words is that of two shuffles, of one word that of one.
// CHECK-LABEL: llvm.func @store_doubles
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK: llvm.cond_br
// CHECK: %[[ELEMENT:.+]] = llvm.bitcast %{{.+}} : vector<2xi32> to i64
// CHECK: llvm.store %[[ELEMENT]], %{{.+}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK-LABEL: llvm.func @store_floats
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-NOT: llvm.trunc %{{.+}} : i32 to i32
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
gpu.module @kernels {
  gpu.func @store_doubles(%y: memref<?xf64>, %i: index, %v: f64) kernel {
    %0 = vector.broadcast %v : f64 to vector<2xf64>
    kernel.store_neighbours %0, %y[%i] align 8 lanes 32 : vector<2xf64>, memref<?xf64>
    gpu.return
  }
  gpu.func @store_floats(%y: memref<?xf32>, %i: index, %v: f32) kernel {
    %0 = vector.broadcast %v : f32 to vector<4xf32>
    kernel.store_neighbours %0, %y[%i] align 4 lanes 32 : vector<4xf32>, memref<?xf32>
    gpu.return
  }
}
