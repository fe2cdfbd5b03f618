// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' --split-input-file %s | FileCheck %s

!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
!remote_bars = memref<2x!kernel.mbarrier, #kernel.cluster_memory>

// An mbarrier is an i64; a wait is a loop.
// CHECK-LABEL: gpu.module @mbarriers
// CHECK: llvm.mlir.global internal @__wg_mbarriers_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2 x i64>
// CHECK-LABEL: llvm.func @mbarriers
// CHECK-SAME: %[[N:[^:]+]]: i32, %[[I:[^:]+]]: i64, %[[P:[^:]+]]: i1
// CHECK: %[[BAR:.+]] = llvm.getelementptr %{{.+}}[%[[I]]] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
// CHECK: nvvm.mbarrier.init %[[BAR]], %[[N]] : !llvm.ptr<3>, i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
// CHECK: nvvm.mbarrier.arrive %{{.+}}, %[[N]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[N]] : !llvm.ptr<3>, i32 -> i64
// CHECK: nvvm.mbarrier.expect_tx %{{.+}}, %[[N]] : !llvm.ptr<3>, i32
// CHECK: %[[PARITY:.+]] = llvm.zext %[[P]] : i1 to i32
// CHECK: llvm.br ^[[LOOP:.+]]
// CHECK: ^[[LOOP]]:
// CHECK: %[[DONE:.+]] = nvvm.mbarrier.try_wait %{{.+}}, %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
// CHECK: llvm.cond_br %[[DONE]], ^[[AFTER:.+]], ^[[LOOP]]
// CHECK: ^[[AFTER]]:
// CHECK: nvvm.mbarrier.try_wait %{{.+}}, %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
gpu.module @mbarriers {
  gpu.func @mbarriers(%n: i32, %i: index, %phase: i1) workgroup(%b: !bars) kernel {
    kernel.mbarrier_init %b[%i], %n : !bars
    kernel.fence_mbarrier_init
    kernel.mbarrier_arrive %b[%i] : !bars
    kernel.mbarrier_arrive %b[%i] count %n scope cluster : !bars
    kernel.mbarrier_arrive %b[%i] expect %n : !bars
    kernel.mbarrier_expect %b[%i], %n : !bars
    kernel.mbarrier_wait %b[%i], %phase : !bars
    kernel.mbarrier_wait %b[%i], %phase scope cluster : !bars
    gpu.return
  }
}

// -----

!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
!remote_bars = memref<2x!kernel.mbarrier, #kernel.cluster_memory>

// Another block's mbarrier returns no state, and is met within the cluster.
// CHECK-LABEL: llvm.func @remote
// CHECK: %[[BLOCK:.+]] = llvm.trunc %{{.+}} : i64 to i32
// CHECK: %[[BAR:.+]] = llvm.inline_asm "mapa.shared::cluster.u64 $0, $1, $2;", "=l,l,r" %{{.+}}, %[[BLOCK]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
// CHECK: llvm.getelementptr %[[BAR]]
// CHECK: nvvm.mbarrier.arrive %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>{{$}}
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32{{$}}
// CHECK: nvvm.mbarrier.expect_tx %{{.+}}, %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
gpu.module @kernels {
  gpu.func @remote(%n: i32, %i: index) workgroup(%b: !bars) kernel {
    %r = kernel.map_block %b, %i : !bars to !remote_bars
    kernel.mbarrier_arrive %r[%i] scope cluster : !remote_bars
    kernel.mbarrier_arrive %r[%i] expect %n scope cluster : !remote_bars
    kernel.mbarrier_expect %r[%i], %n : !remote_bars
    gpu.return
  }
}

// -----

!bars = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!remote_bars = memref<1x!kernel.mbarrier, #kernel.cluster_memory>
!tile = memref<64xbf16, #gpu.address_space<workgroup>>
!remote_tile = memref<64xbf16, #kernel.cluster_memory>

// CHECK-LABEL: llvm.func @asynchronous
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// Two bytes an element.
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.mul %{{.+}}, %[[TWO]] : i32
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : !llvm.ptr<7>, <1>
// CHECK: llvm.inline_asm has_side_effects "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "l,l,r,l,~{memory}" %{{.+}} : (!llvm.ptr<7>, !llvm.ptr<3>, i32, !llvm.ptr<7>) -> ()
// CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.+}}, %{{.+}}, %{{.+}} : <1>, <3>
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 2 {read}
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: %[[WORDS:.+]] = llvm.bitcast %{{.+}} : vector<4xbf16> to vector<2xi32>
// CHECK: llvm.inline_asm has_side_effects "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$2, $3}, [$1];", "l,l,r,r,~{memory}"
gpu.module @kernels {
  gpu.func @asynchronous(%x: memref<64xbf16>, %i: index) workgroup(%t: !tile, %b: !bars) kernel {
    %rt = kernel.map_block %t, %i : !tile to !remote_tile
    %rb = kernel.map_block %b, %i : !bars to !remote_bars
    kernel.fence_async shared
    kernel.fence_async global
    kernel.bulk_copy %x[%i], %t[%i], %i completes %b[%i] : memref<64xbf16>, !tile, !bars
    kernel.bulk_copy %t[%i], %rt[%i], %i completes %rb[%i] : !tile, !remote_tile, !remote_bars
    kernel.bulk_copy %t[%i], %x[%i], %i : !tile, memref<64xbf16>
    kernel.bulk_commit
    kernel.bulk_wait 2 read
    kernel.bulk_wait 0
    %v = vector.load %x[%i] : memref<64xbf16>, vector<4xbf16>
    kernel.store_async %v, %rt[%i] completes %rb[%i] : vector<4xbf16>, !remote_tile, !remote_bars
    gpu.return
  }
}

// -----

// Sixteen bytes go by L1; a condition says how many bytes are read.
// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {{[^,]*}}, %{{[^:]+}}: i64, %[[P:[^:]+]]: i1
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK: %[[ALL:.+]] = llvm.mlir.constant(8 : i32) : i32
// CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: %[[READ:.+]] = llvm.select %[[P]], %[[ALL]], %[[NONE]] : i1, i32
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 8, cache = ca, %[[READ]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
gpu.module @kernels {
  gpu.func @copies(%x: memref<64xbf16>, %i: index, %p: i1) workgroup(%t: memref<2x64xbf16, #gpu.address_space<workgroup>>) kernel {
    kernel.copy_async %x[%i], %t[%i, %i], 8 : memref<64xbf16>, memref<2x64xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async %x[%i], %t[%i, %i], 4 if %p : memref<64xbf16>, memref<2x64xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async %x[%i], %t[%i, %i], 2 : memref<64xbf16>, memref<2x64xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 2
    gpu.return
  }
}

// -----

// Registers of 16 bits for what is smaller than a word, of 32 for the rest.
// CHECK-LABEL: llvm.func @widths
// CHECK: %[[BYTE:.+]] = llvm.inline_asm has_side_effects "ld.global.cs.b8 $0, [$1];", "=h,l,~{memory}" %{{.+}} : (!llvm.ptr<1>) -> i16
// CHECK: %[[NARROW:.+]] = llvm.trunc %[[BYTE]] : i16 to i8
// CHECK: %[[AGAIN:.+]] = llvm.zext %[[NARROW]] : i8 to i16
// CHECK: llvm.inline_asm has_side_effects "st.global.cs.b8 [$0], $1;", "l,h,~{memory}" %{{.+}}, %[[AGAIN]] : (!llvm.ptr<1>, i16) -> ()
// CHECK: %[[HALF:.+]] = llvm.inline_asm has_side_effects "ld.global.L1::no_allocate.b16 $0, [$1];", "=h,l,~{memory}"
// CHECK: llvm.bitcast %[[HALF]] : i16 to bf16
// CHECK: llvm.inline_asm has_side_effects "st.global.L1::evict_first.b16 [$0], $1;", "l,h,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "ld.global.L1::evict_last.b32 $0, [$1];", "=r,l,~{memory}"
// CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xbf16>
// CHECK: llvm.inline_asm has_side_effects "st.global.L1::evict_last.b32 [$0], $1;", "l,r,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "ld.global.cs.v2.b32 {$0, $1}, [$2];", "=r,=r,l,~{memory}" %{{.+}} : (!llvm.ptr<1>) -> !llvm.struct<(i32, i32)>
// CHECK: llvm.bitcast %{{.+}} : vector<2xi32> to i64
// CHECK: llvm.inline_asm has_side_effects "st.global.cs.v2.b32 [$0], {$1, $2};", "l,r,r,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,~{memory}"
// CHECK: llvm.bitcast %{{.+}} : vector<4xi32> to vector<2xi64>
// CHECK: llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
gpu.module @kernels {
  gpu.func @widths(%a: memref<?xi8>, %b: memref<?xbf16>, %c: memref<?xi64>, %i: index) kernel {
    %0 = kernel.load %a[%i] cache streaming : memref<?xi8>, i8
    kernel.store %0, %a[%i] cache streaming : i8, memref<?xi8>
    %1 = kernel.load %b[%i] cache no_allocate : memref<?xbf16>, bf16
    kernel.store %1, %b[%i] cache evict_first : bf16, memref<?xbf16>
    %2 = kernel.load %b[%i] cache evict_last : memref<?xbf16>, vector<2xbf16>
    kernel.store %2, %b[%i] cache evict_last : vector<2xbf16>, memref<?xbf16>
    %3 = kernel.load %c[%i] cache streaming : memref<?xi64>, i64
    kernel.store %3, %c[%i] cache streaming : i64, memref<?xi64>
    %4 = kernel.load %c[%i] cache streaming : memref<?xi64>, vector<2xi64>
    kernel.store %4, %c[%i] cache streaming : vector<2xi64>, memref<?xi64>
    gpu.return
  }
}

// -----

// CHECK-LABEL: llvm.func @counters
// CHECK: llvm.inline_asm has_side_effects "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "atom.relaxed.cluster.global.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "atom.release.cta.shared.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %{{.+}} : (!llvm.ptr<3>, i32) -> i32
// CHECK: llvm.inline_asm has_side_effects "atom.acquire.cluster.shared::cluster.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %{{.+}} : (!llvm.ptr<7>, i32) -> i32
// CHECK: llvm.br ^[[LOOP:.+]]
// CHECK: ^[[LOOP]]:
// CHECK: %[[N:.+]] = llvm.load %{{.+}} atomic syncscope("device") acquire {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: %[[DONE:.+]] = llvm.icmp "uge" %[[N]], %{{.+}} : i64
// CHECK: llvm.cond_br %[[DONE]], ^{{.+}}, ^[[LOOP]]
gpu.module @kernels {
  gpu.func @counters(%a: memref<?xi32>, %b: memref<?xi64>, %i: index, %n: i32, %m: i64)
      workgroup(%s: memref<4xi32, #gpu.address_space<workgroup>>) kernel {
    %0 = kernel.counter_add %a[%i], %n : memref<?xi32>
    %1 = kernel.counter_add %b[%i], %m order relaxed scope cluster : memref<?xi64>
    %2 = kernel.counter_add %s[%i], %0 order release scope block : memref<4xi32, #gpu.address_space<workgroup>>
    %r = kernel.map_block %s, %i : memref<4xi32, #gpu.address_space<workgroup>> to memref<4xi32, #kernel.cluster_memory>
    %3 = kernel.counter_add %r[%i], %2 order acquire scope cluster : memref<4xi32, #kernel.cluster_memory>
    kernel.counter_wait %b[%i], %1 : memref<?xi64>
    gpu.return
  }
}

// -----

// CHECK-LABEL: llvm.func @threads
// CHECK: nvvm.cluster.arrive{{$}}
// CHECK: nvvm.cluster.wait{{$}}
// CHECK: nvvm.cluster.arrive.relaxed{{$}}
// CHECK: nvvm.cluster.wait{{$}}
// CHECK: %[[ID:.+]] = llvm.trunc %{{.+}} : i64 to i32
// CHECK: %[[COUNT:.+]] = llvm.mlir.constant(64 : i32) : i32
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: nvvm.vote.sync any
// CHECK: nvvm.vote.sync all
// CHECK: nvvm.vote.sync ballot
// CHECK: nvvm.elect.sync -> i1
// CHECK: nvvm.griddepcontrol wait
// CHECK: nvvm.griddepcontrol launch_dependents
gpu.module @kernels {
  gpu.func @threads(%x: memref<4xi32>, %i: index, %p: i1) kernel {
    kernel.cluster_arrive
    kernel.cluster_wait
    kernel.cluster_arrive relaxed
    kernel.cluster_wait
    kernel.barrier %i, 64
    kernel.barrier_arrive %i, 96
    %0 = kernel.vote any %p
    %1 = kernel.vote all %0
    %2 = kernel.ballot %1
    memref.store %2, %x[%i] : memref<4xi32>
    %3 = kernel.elect
    kernel.grid_dependency_wait
    kernel.grid_dependency_launch
    gpu.return
  }
}

// -----

// Memory of another grid is not LLVM's to reason about, nor is what this one writes where its threads tell each other.
// CHECK-LABEL: llvm.func @waits_for_grid(
// CHECK-NOT: llvm.noalias
// CHECK-LABEL: llvm.func @communicates(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64})
// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64}, %{{[^:]+}}: i32)
// CHECK-LABEL: llvm.func @yields(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64}, %{{[^:]+}}: i1)
// CHECK-LABEL: llvm.func @votes(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias}, %{{[^:]+}}: i1)
// So it is where reads are to stay in their order.
// CHECK-LABEL: llvm.func @reads_in_order(
// CHECK-SAME: %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64}, %{{[^:]+}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias})
gpu.module @kernels {
  gpu.func @waits_for_grid(%x: memref<4xi32> {fuser.noalias}, %y: memref<4xi32> {fuser.noalias}) kernel {
    kernel.grid_dependency_wait
    gpu.return
  }
  gpu.func @communicates(%x: memref<4xi32> {fuser.noalias}, %y: memref<8xi32> {fuser.noalias}, %n: memref<1xi32> {fuser.noalias}, %z: memref<4xi32> {fuser.noalias})
      workgroup(%t: memref<8xi32, #gpu.address_space<workgroup>>, %b: memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %row = memref.subview %x[%c0] [1] [1] : memref<4xi32> to memref<1xi32, strided<[1], offset: ?>>
    %v = memref.load %row[%c0] : memref<1xi32, strided<[1], offset: ?>>
    kernel.bulk_copy %y[%c0], %t[%c0], %c4 completes %b[%c0] : memref<8xi32>, memref<8xi32, #gpu.address_space<workgroup>>, memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    %0 = kernel.counter_add %n[%c0], %v : memref<1xi32>
    %part = memref.subview %z[%c0] [1] [1] : memref<4xi32> to memref<1xi32, strided<[1], offset: ?>>
    memref.store %0, %part[%c0] : memref<1xi32, strided<[1], offset: ?>>
    gpu.return
  }
  gpu.func @copies(%x: memref<4xi32> {fuser.noalias}, %y: memref<4xi32> {fuser.noalias}, %i: i32) workgroup(%t: memref<8xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    kernel.copy_async %x[%c0], %t[%c0], 4 : memref<4xi32>, memref<8xi32, #gpu.address_space<workgroup>>
    kernel.copy_async %y[%c0], %t[%c0], 4 : memref<4xi32>, memref<8xi32, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    memref.store %i, %y[%c0] : memref<4xi32>
    gpu.return
  }
  gpu.func @yields(%x: memref<4xi32> {fuser.noalias}, %y: memref<4xi32> {fuser.noalias}, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %0 = scf.if %p -> memref<4xi32> {
      scf.yield %x : memref<4xi32>
    } else {
      scf.yield %y : memref<4xi32>
    }
    %1 = kernel.counter_add %0[%c0], %one : memref<4xi32>
    gpu.return
  }
  gpu.func @votes(%x: memref<4xi32> {fuser.noalias}, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %0 = kernel.ballot %p
    memref.store %0, %x[%c0] : memref<4xi32>
    gpu.return
  }
  gpu.func @reads_in_order(%x: memref<4xi32> {fuser.noalias, fuser.ordered_reads}, %y: memref<4xi32> {fuser.noalias}) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.load %x[%c0] : memref<4xi32>
    memref.store %0, %y[%c0] : memref<4xi32>
    gpu.return
  }
}

// -----

// Of the size that the launch gives, so it is declared and not defined.
// CHECK-LABEL: gpu.module @dynamic
// CHECK: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
gpu.module @dynamic {
  gpu.func @dynamic(%x: memref<64xf32>, %offset: index) kernel {
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %s[%offset][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8x8xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %tile[%t, %t] : memref<8x8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Shuffles of 32 bits, a pair of them where an element has 64, and packed where it has 16; 3 of them among 8 threads.
// CHECK-LABEL: llvm.func @reduce_bf16
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK-LABEL: llvm.func @reduce_f64
// CHECK-COUNT-6: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK-LABEL: llvm.func @reduce_pairs
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
gpu.module @kernels {
  gpu.func @reduce_bf16(%x: memref<32xbf16>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xbf16>
    %s = gpu.subgroup_reduce add %v : (bf16) -> bf16
    memref.store %s, %x[%t] : memref<32xbf16>
    gpu.return
  }
  gpu.func @reduce_f64(%x: memref<32xf64>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xf64>
    %s = gpu.subgroup_reduce maxnumf %v cluster(size = 8) : (f64) -> f64
    memref.store %s, %x[%t] : memref<32xf64>
    gpu.return
  }
  gpu.func @reduce_pairs(%x: memref<64xf16>) kernel {
    %t = gpu.thread_id x
    %v = vector.load %x[%t] : memref<64xf16>, vector<2xf16>
    %s = gpu.subgroup_reduce add %v : (vector<2xf16>) -> vector<2xf16>
    vector.store %s, %x[%t] : memref<64xf16>, vector<2xf16>
    gpu.return
  }
}
