// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_90 --split-input-file %s | FileCheck %s

!bars = memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
!tiles = memref<2x256xf32, #gpu.address_space<workgroup>>

// Tiles of 256 elements are copied to shared memory two ahead, negated, and copied back. What threads write is fenced, and an access of a tile
// stands between the wait that allows it and the arrival that ends it.
// CHECK: .version 8.0
// CHECK-LABEL: .visible .entry ring(
// CHECK: mbarrier.init.shared.b64
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.sync 0;
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: bfe.u32
// CHECK: [[WAIT:\$L.+]]:
// CHECK-NEXT: mbarrier.try_wait.parity.shared.b64
// CHECK: bra [[WAIT]];
// CHECK: ld.shared.b32
// CHECK: neg.f32
// CHECK: st.shared.b32
// CHECK: fence.proxy.async.shared::cluster;
// CHECK: bar.sync 0;
// CHECK: cp.async.bulk.global.shared::cta.bulk_group
// CHECK: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK: ret;
gpu.module @ring {
  gpu.func @ring(%x: memref<?xf32> {fuser.noalias, fuser.alignment = 16 : i64}, %y: memref<?xf32> {fuser.noalias, fuser.alignment = 16 : i64}, %tiles: index)
      workgroup(%t: !tiles, %full: !bars) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %one = arith.constant 1 : i32
    %bytes = arith.constant 1024 : i32
    %thread = gpu.thread_id x
    %isFirst = arith.cmpi eq, %thread, %c0 : index
    scf.if %isFirst {
      kernel.mbarrier_init %full[%c0], %one : !bars
      kernel.mbarrier_init %full[%c1], %one : !bars
      kernel.fence_mbarrier_init
    }
    gpu.barrier
    scf.if %isFirst {
      scf.for %i = %c0 to %c2 step %c1 {
        %from = arith.muli %i, %c256 : index
        kernel.mbarrier_arrive %full[%i] expect %bytes : !bars
        kernel.bulk_copy %x[%from], %t[%i, %c0], %c256 completes %full[%i] : memref<?xf32>, !tiles, !bars
      }
    }
    scf.for %i = %c0 to %tiles step %c1 {
      %stage = arith.remui %i, %c2 : index
      %round = arith.divui %i, %c2 : index
      %parity = arith.remui %round, %c2 : index
      %phase = arith.cmpi ne, %parity, %c0 : index
      kernel.mbarrier_wait %full[%stage], %phase : !bars
      %v = memref.load %t[%stage, %thread] : !tiles
      %w = arith.negf %v : f32
      memref.store %w, %t[%stage, %thread] : !tiles
      kernel.fence_async shared
      gpu.barrier
      scf.if %isFirst {
        %to = arith.muli %i, %c256 : index
        kernel.bulk_copy %t[%stage, %c0], %y[%to], %c256 : !tiles, memref<?xf32>
        kernel.bulk_commit
        kernel.bulk_wait 0 read
        %next = arith.addi %i, %c2 : index
        %isMore = arith.cmpi ult, %next, %tiles : index
        scf.if %isMore {
          %from = arith.muli %next, %c256 : index
          kernel.mbarrier_arrive %full[%stage] expect %bytes : !bars
          kernel.bulk_copy %x[%from], %t[%stage, %c0], %c256 completes %full[%stage] : memref<?xf32>, !tiles, !bars
        }
      }
    }
    scf.if %isFirst {
      kernel.bulk_wait 0
    }
    gpu.return
  }
}

// -----

!bar = memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
!remote_bar = memref<1x!kernel.mbarrier, #kernel.cluster_memory>
!part = memref<16xf32, #gpu.address_space<workgroup>>
!remote_part = memref<16xf32, #kernel.cluster_memory>

// st.async came with PTX 8.1, which only a kernel that has it is written in.
// CHECK: .version 8.1
// CHECK-LABEL: .visible .entry cluster(
// CHECK: barrier.cluster.arrive;
// CHECK: barrier.cluster.wait;
// CHECK-COUNT-2: mapa.shared::cluster.u64
// CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%{{.+}}], %{{.+}}, [%{{.+}}];
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared.b64
// CHECK: ld.shared.b32
// CHECK: ld.shared::cluster.b32
gpu.module @cluster {
  gpu.func @cluster(%x: memref<?xf32>) workgroup(%p: !part, %full: !bar) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %bytes = arith.constant 4 : i32
    %false = arith.constant false
    %isLeader = kernel.elect
    scf.if %isLeader {
      kernel.mbarrier_init %full[%c0], %one : !bar
      kernel.mbarrier_expect %full[%c0], %bytes : !bar
      kernel.fence_mbarrier_init
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    %block = gpu.cluster_block_id x
    %other = arith.subi %c1, %block : index
    %remote = kernel.map_block %p, %other : !part to !remote_part
    %bar = kernel.map_block %full, %other : !bar to !remote_bar
    scf.if %isLeader {
      %v = memref.load %x[%block] : memref<?xf32>
      kernel.store_async %v, %remote[%c0] completes %bar[%c0] : f32, !remote_part, !remote_bar
      kernel.mbarrier_arrive %bar[%c0] scope cluster : !remote_bar
    }
    kernel.mbarrier_wait %full[%c0], %false scope cluster : !bar
    %mine = memref.load %p[%c0] : !part
    %theirs = vector.load %remote[%c0] : !remote_part, vector<1xf32>
    %their = vector.extract %theirs[0] : f32 from vector<1xf32>
    %sum = arith.addf %mine, %their : f32
    scf.if %isLeader {
      memref.store %sum, %x[%block] : memref<?xf32>
    }
    kernel.cluster_arrive
    kernel.cluster_wait
    gpu.return
  }
}

// -----

// This block's memory by its number in the cluster is the same memory: what it holds is read again.
// CHECK-LABEL: .visible .entry own_memory(
// CHECK: st.shared.b32 [[OWN:.+]], 1065353216;
// CHECK-NEXT: st.shared::cluster.b32
// CHECK-NEXT: ld.shared.b32 {{.+}}, [[OWN]];
gpu.module @own_memory {
  gpu.func @own_memory(%y: memref<64xf32>) workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %block = gpu.cluster_block_id x
    %r = kernel.map_block %s, %block : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
    memref.store %one, %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %two, %r[%c0] : memref<64xf32, #kernel.cluster_memory>
    %v = memref.load %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%c0] : memref<64xf32>
    gpu.return
  }
}

// -----

// What the launch before has written is loaded behind the wait, and by no load for memory that nobody writes.
// CHECK-LABEL: .visible .entry dependent(
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait;
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.b32
// CHECK-NOT: ld.global.nc
// CHECK: griddepcontrol.launch_dependents;
// Without it, LLVM may think more.
// CHECK-LABEL: .visible .entry independent(
// CHECK: ld.global.nc.b32
// Where reads are to stay in front of barriers, their load is none that the assembler moves.
// CHECK-LABEL: .visible .entry reads_in_order(
// CHECK: ld.global.b32
// CHECK: ld.global.nc.b32
// CHECK: bar.sync
gpu.module @dependent {
  gpu.func @dependent(%x: memref<64xf32> {fuser.noalias}, %y: memref<64xf32> {fuser.noalias}) kernel {
    %t = gpu.thread_id x
    kernel.grid_dependency_wait
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %y[%t] : memref<64xf32>
    kernel.grid_dependency_launch
    gpu.return
  }
  gpu.func @independent(%x: memref<64xf32> {fuser.noalias}, %y: memref<64xf32> {fuser.noalias}) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %y[%t] : memref<64xf32>
    gpu.return
  }
  gpu.func @reads_in_order(%x: memref<64xf32> {fuser.noalias, fuser.ordered_reads}, %z: memref<64xf32> {fuser.noalias}, %y: memref<64xf32> {fuser.noalias}) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32>
    %w = memref.load %z[%t] : memref<64xf32>
    gpu.barrier
    %sum = arith.addf %v, %w : f32
    memref.store %sum, %y[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

// The block that comes last folds what all have written: its load stays behind the counter, though LLVM knows what this thread has stored there.
// CHECK-LABEL: .visible .entry last_block(
// CHECK: ld.global.L1::no_allocate.v4.b32 {%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}}, [%{{.+}}];
// CHECK: st.global.b32 [[PART:.+]], %
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK: vote.sync.any.pred
// CHECK: ld.global.b32 %{{.+}}, [[PART]];
// CHECK: st.global.cs.b32
gpu.module @last_block {
  gpu.func @last_block(%x: memref<?xf32> {fuser.noalias, fuser.alignment = 16 : i64}, %parts: memref<?xf32> {fuser.noalias}, %y: memref<1xf32> {fuser.noalias},
                       %n: memref<1xi32> {fuser.noalias}, %last: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %i = arith.muli %block, %c4 : index
    %v = kernel.load %x[%i] cache no_allocate : memref<?xf32>, vector<4xf32>
    %part = vector.reduction <add>, %v : vector<4xf32> into f32
    memref.store %part, %parts[%block] : memref<?xf32>
    %before = kernel.counter_add %n[%c0], %one : memref<1xi32>
    %isMine = arith.cmpi eq, %before, %last : i32
    %isLast = kernel.vote any %isMine
    scf.if %isLast {
      %sum = memref.load %parts[%block] : memref<?xf32>
      kernel.store %sum, %y[%c0] cache streaming : f32, memref<1xf32>
    }
    gpu.return
  }
}

// -----

// All blocks have come before one goes on: a loop around an acquiring load.
// CHECK-LABEL: .visible .entry all_blocks(
// CHECK: atom.release.gpu.global.add.u64
// CHECK: [[WAIT:\$L.+]]:
// CHECK: ld.acquire.gpu.global.b64 [[COUNT:%rd[0-9]+]],
// CHECK: setp.{{lt|gt|ge}}.u64 {{.+}}[[COUNT]]
// CHECK: bra [[WAIT]]
// CHECK: bar.sync {{.+}}, 64;
// CHECK: bar.arrive {{.+}}, 64;
// CHECK: vote.sync.all.pred
// CHECK: vote.sync.ballot.b32
gpu.module @all_blocks {
  gpu.func @all_blocks(%n: memref<1xi64>, %blocks: i64, %barrier: index, %y: memref<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %before = kernel.counter_add %n[%c0], %one order release : memref<1xi64>
    kernel.counter_wait %n[%c0], %blocks : memref<1xi64>
    kernel.barrier %barrier, 64
    kernel.barrier_arrive %barrier, 64
    %isNone = arith.cmpi eq, %before, %blocks : i64
    %all = kernel.vote all %isNone
    %lanes = kernel.ballot %all
    memref.store %lanes, %y[%c0] : memref<4xi32>
    gpu.return
  }
}

// -----

// CHECK: .extern .shared .align 128 .b8 __dynamic_shmem__0[];
// CHECK-LABEL: .visible .entry dynamic(
// CHECK: st.shared.v4.b32
gpu.module @dynamic {
  gpu.func @dynamic(%x: memref<64xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %s[%c128][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x4xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %v = vector.load %x[%c0] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    vector.store %v, %tile[%t, %c0] {alignment = 16 : i64} : memref<16x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %w = memref.load %tile[%c0, %t] : memref<16x4xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: .visible .entry random(
// CHECK-NOT: mul.lo.s64
// CHECK: shfl.sync.bfly.b32
gpu.module @random {
  gpu.func @random(%y: memref<32xi32>, %seed: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %lane = arith.index_cast %t : index to i32
    %zero = arith.constant 0 : i32
    %counter = vector.from_elements %lane, %zero, %zero, %zero : vector<4xi32>
    %key = vector.from_elements %seed, %zero : vector<2xi32>
    %bits = kernel.philox %counter, %key : vector<4xi32>, vector<2xi32> -> vector<4xi32>
    %first = vector.extract %bits[0] : i32 from vector<4xi32>
    %least = gpu.subgroup_reduce minui %first : (i32) -> i32
    memref.store %least, %y[%t] : memref<32xi32>
    gpu.return
  }
}

// -----

// Behind a barrier a thread loads what others have written, also from a buffer that nothing else overlaps.
// CHECK-LABEL: .visible .entry exchange(
// CHECK: bar.sync 0;
// CHECK: ld.global.b32
// CHECK: ret;
gpu.module @exchange {
  gpu.func @exchange(%y: memref<64xf32> {fuser.noalias}, %z: memref<64xf32> {fuser.noalias}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %next = arith.addi %t, %c1 : index
    %v = memref.load %y[%next] : memref<64xf32>
    memref.store %v, %y[%t] : memref<64xf32>
    gpu.barrier
    %w = memref.load %y[%next] : memref<64xf32>
    memref.store %w, %z[%next] : memref<64xf32>
    gpu.return
  }
}
