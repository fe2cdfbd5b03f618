// RUN: fuser-opt %s | fuser-opt | FileCheck %s
// RUN: fuser-opt %s -mlir-print-op-generic | fuser-opt | FileCheck %s

!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
!remote_bars = memref<2x!kernel.mbarrier, #kernel.cluster_memory>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!remote_tile = memref<64xf32, #kernel.cluster_memory>

// CHECK-LABEL: func.func @mbarriers
func.func @mbarriers(%b: !bars, %r: !remote_bars, %i: index, %n: i32, %phase: i1) {
  // CHECK: kernel.mbarrier_init %{{.+}}[%{{.+}}], %{{.+}} : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  kernel.mbarrier_init %b[%i], %n : !bars
  // CHECK: kernel.fence_mbarrier_init{{$}}
  kernel.fence_mbarrier_init
  // CHECK: kernel.mbarrier_arrive %{{.+}}[%{{.+}}] : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  kernel.mbarrier_arrive %b[%i] scope block : !bars
  // CHECK: kernel.mbarrier_arrive %{{.+}}[%{{.+}}] count %{{.+}} scope cluster : memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  kernel.mbarrier_arrive %r[%i] count %n scope cluster : !remote_bars
  // CHECK: kernel.mbarrier_arrive %{{.+}}[%{{.+}}] expect %{{.+}} : memref
  kernel.mbarrier_arrive %b[%i] expect %n : !bars
  // CHECK: kernel.mbarrier_expect %{{.+}}[%{{.+}}], %{{.+}} : memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  kernel.mbarrier_expect %r[%i], %n : !remote_bars
  // CHECK: kernel.mbarrier_wait %{{.+}}[%{{.+}}], %{{.+}} : memref
  kernel.mbarrier_wait %b[%i], %phase : !bars
  // CHECK: kernel.mbarrier_wait %{{.+}}[%{{.+}}], %{{.+}} scope cluster : memref
  kernel.mbarrier_wait %b[%i], %phase scope cluster : !bars
  return
}

// CHECK-LABEL: func.func @asynchronous
func.func @asynchronous(%x: memref<?x64xf32>, %t: !tile, %b: !bars, %i: index, %v: vector<4xf32>) {
  // CHECK: %[[T:.+]] = kernel.map_block %{{.+}}, %{{.+}} : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
  %rt = kernel.map_block %t, %i : !tile to !remote_tile
  // CHECK: %[[B:.+]] = kernel.map_block %{{.+}}, %{{.+}} : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>> to memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  %rb = kernel.map_block %b, %i : !bars to !remote_bars
  // CHECK: kernel.fence_async shared
  kernel.fence_async shared
  // CHECK: kernel.fence_async global
  kernel.fence_async global
  // CHECK: kernel.store_async %{{.+}}, %[[T]][%{{.+}}] completes %[[B]][%{{.+}}] : vector<4xf32>, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  kernel.store_async %v, %rt[%i] completes %rb[%i] : vector<4xf32>, !remote_tile, !remote_bars
  // CHECK: kernel.bulk_copy %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}[%{{.+}}], %{{.+}} completes %{{.+}}[%{{.+}}] : memref<?x64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  kernel.bulk_copy %x[%i, %i], %t[%i], %i completes %b[%i] : memref<?x64xf32>, !tile, !bars
  // CHECK: kernel.bulk_copy %{{.+}}[%{{.+}}], %[[T]][%{{.+}}], %{{.+}} completes %[[B]][%{{.+}}] : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  kernel.bulk_copy %t[%i], %rt[%i], %i completes %rb[%i] : !tile, !remote_tile, !remote_bars
  // CHECK: kernel.bulk_copy %{{.+}}[%{{.+}}], %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}} : memref<64xf32, #gpu.address_space<workgroup>>, memref<?x64xf32>
  kernel.bulk_copy %t[%i], %x[%i, %i], %i : !tile, memref<?x64xf32>
  // CHECK: kernel.bulk_commit
  kernel.bulk_commit
  // CHECK: kernel.bulk_wait 1 read
  kernel.bulk_wait 1 read
  // CHECK: kernel.bulk_wait 0{{$}}
  kernel.bulk_wait 0
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%x: memref<?x64xf32>, %g: memref<64xi128, #gpu.address_space<global>>, %t: !tile, %w: memref<2x4xi128, #gpu.address_space<workgroup>>, %i: index, %p: i1) {
  // CHECK: kernel.copy_async %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}[%{{.+}}], 4 : memref<?x64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  kernel.copy_async %x[%i, %i], %t[%i], 4 : memref<?x64xf32>, !tile
  // CHECK: kernel.copy_async %{{.+}}[%{{.+}}], %{{.+}}[%{{.+}}, %{{.+}}], 1 if %{{.+}} : memref<64xi128, #gpu.address_space<global>>, memref<2x4xi128, #gpu.address_space<workgroup>>
  kernel.copy_async %g[%i], %w[%i, %i], 1 if %p : memref<64xi128, #gpu.address_space<global>>, memref<2x4xi128, #gpu.address_space<workgroup>>
  // CHECK: kernel.copy_async_neighbours %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}[%{{.+}}], 4 align 4 lanes 32 : memref<?x64xf32>
  kernel.copy_async_neighbours %x[%i, %i], %t[%i], 4 align 4 lanes 32 : memref<?x64xf32>, !tile
  // CHECK: kernel.copy_async_neighbours %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}[%{{.+}}], 4 count %{{.+}} if %{{.+}} align 4 lanes 8 : memref<?x64xf32>
  kernel.copy_async_neighbours %x[%i, %i], %t[%i], 4 count %i if %p align 4 lanes 8 : memref<?x64xf32>, !tile
  // CHECK: kernel.copy_async_commit
  kernel.copy_async_commit
  // CHECK: kernel.copy_async_wait 1
  kernel.copy_async_wait 1
  // CHECK: kernel.load_copied %{{.+}}[%{{.+}}] of %{{.+}}[%{{.+}}, %{{.+}}] align 4 : memref<{{.+}}, #gpu.address_space<workgroup>>, memref<?x64xf32>, vector<4xf32>
  %copied = kernel.load_copied %t[%i] of %x[%i, %i] align 4 : !tile, memref<?x64xf32>, vector<4xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%x: memref<64xf32>, %g: memref<8x64xbf16, #gpu.address_space<global>>, %n: memref<?xi64>, %i: index, %one: i64) {
  // CHECK: kernel.load %{{.+}}[%{{.+}}] cache no_allocate : memref<64xf32>, vector<4xf32>
  %0 = kernel.load %x[%i] cache no_allocate : memref<64xf32>, vector<4xf32>
  // CHECK: kernel.load %{{.+}}[%{{.+}}, %{{.+}}] cache evict_last : memref<8x64xbf16, #gpu.address_space<global>>, bf16
  %1 = kernel.load %g[%i, %i] cache evict_last : memref<8x64xbf16, #gpu.address_space<global>>, bf16
  // CHECK: kernel.store %{{.+}}, %{{.+}}[%{{.+}}] cache streaming : vector<4xf32>, memref<64xf32>
  kernel.store %0, %x[%i] cache streaming : vector<4xf32>, memref<64xf32>
  // CHECK: kernel.store %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] cache evict_first : bf16, memref<8x64xbf16, #gpu.address_space<global>>
  kernel.store %1, %g[%i, %i] cache evict_first : bf16, memref<8x64xbf16, #gpu.address_space<global>>
  // CHECK: kernel.load_neighbours %{{.+}}[%{{.+}}] count %{{.+}} align 4 : memref<64xf32>, vector<4xf32>
  %near = kernel.load_neighbours %x[%i] count %i align 4 : memref<64xf32>, vector<4xf32>
  // CHECK: kernel.load_neighbours %{{.+}}[%{{.+}}, %{{.+}}] align 2 : memref<8x64xbf16, #gpu.address_space<global>>, vector<8xbf16>
  %far = kernel.load_neighbours %g[%i, %i] align 2 : memref<8x64xbf16, #gpu.address_space<global>>, vector<8xbf16>
  // CHECK: kernel.store_neighbours %{{.+}}, %{{.+}}[%{{.+}}] align 8 : vector<4xf32>, memref<64xf32>
  kernel.store_neighbours %near, %x[%i] align 8 lanes 1 : vector<4xf32>, memref<64xf32>
  // CHECK: kernel.store_neighbours %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] count %{{.+}} align 2 lanes 32 : vector<8xbf16>, memref<8x64xbf16, #gpu.address_space<global>>
  kernel.store_neighbours %far, %g[%i, %i] count %i align 2 lanes 32 : vector<8xbf16>, memref<8x64xbf16, #gpu.address_space<global>>
  // CHECK: kernel.counter_add %{{.+}}[%{{.+}}], %{{.+}} : memref<?xi64>
  %2 = kernel.counter_add %n[%i], %one order acq_rel scope device : memref<?xi64>
  // CHECK: kernel.counter_add %{{.+}}[%{{.+}}], %{{.+}} order relaxed scope block : memref<?xi64>
  %3 = kernel.counter_add %n[%i], %2 order relaxed scope block : memref<?xi64>
  // CHECK: kernel.counter_wait %{{.+}}[%{{.+}}], %{{.+}} : memref<?xi64>
  kernel.counter_wait %n[%i], %3 : memref<?xi64>
  return
}

// CHECK-LABEL: func.func @threads
func.func @threads(%i: index, %p: i1) {
  // CHECK: kernel.sync_warp
  kernel.sync_warp
  // CHECK: kernel.cluster_arrive
  kernel.cluster_arrive
  // CHECK: kernel.cluster_wait
  kernel.cluster_wait
  // CHECK: kernel.cluster_arrive relaxed
  kernel.cluster_arrive relaxed
  kernel.cluster_wait
  // CHECK: kernel.barrier %{{.+}}, 128
  kernel.barrier %i, 128
  // CHECK: kernel.barrier_arrive %{{.+}}, 1024
  kernel.barrier_arrive %i, 1024
  // CHECK: kernel.vote any %
  %0 = kernel.vote any %p
  // CHECK: kernel.vote all %
  %1 = kernel.vote all %0
  // CHECK: kernel.ballot %
  %2 = kernel.ballot %1
  // CHECK: kernel.elect
  %3 = kernel.elect
  // CHECK: kernel.grid_dependency_wait
  kernel.grid_dependency_wait
  // CHECK: kernel.grid_dependency_launch
  kernel.grid_dependency_launch
  return
}

// CHECK-LABEL: func.func @numbers
func.func @numbers(%counter: vector<4xi32>, %key: vector<2xi32>) -> vector<4xi32> {
  // CHECK: kernel.philox %{{.+}}, %{{.+}} : vector<4xi32>, vector<2xi32> -> vector<4xi32>
  %0 = kernel.philox %counter, %key : vector<4xi32>, vector<2xi32> -> vector<4xi32>
  return %0 : vector<4xi32>
}
