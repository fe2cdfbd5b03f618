// RUN: fuser-opt --kernel-floats-to-ring --split-input-file %s | FileCheck %s
// What has been through it has no floats left, and nothing changes any more.
// RUN: fuser-opt --kernel-floats-to-ring --split-input-file %s > %t
// RUN: fuser-opt --kernel-floats-to-ring --split-input-file %t | diff %t -

// Sums and products wrap. Memory and signatures keep their widths.
// CHECK-LABEL: gpu.func @arithmetic
// CHECK-SAME: (%[[X:.*]]: memref<?xi32, strided<[2]>> {fuser.noalias}, %[[Y:.*]]: i32)
// CHECK: %[[V:.*]] = memref.load %[[X]]
// CHECK-NEXT: %[[ADD:.*]] = arith.addi %[[V]], %[[Y]] : i32
// CHECK-NEXT: %[[SUB:.*]] = arith.subi %[[ADD]], %[[Y]] : i32
// CHECK-NEXT: %[[MUL:.*]] = arith.muli %[[SUB]], %[[V]] : i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[NEG:.*]] = arith.subi %[[ZERO]], %[[MUL]] : i32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.muli %[[NEG]], %[[V]] : i32
// CHECK-NEXT: %[[FMA:.*]] = arith.addi %[[PRODUCT]], %[[Y]] : i32
// CHECK-NEXT: memref.store %[[FMA]], %[[X]]
gpu.module @kernels {
  gpu.func @arithmetic(%x: memref<?xf32, strided<[2]>> {fuser.noalias}, %y: f32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32, strided<[2]>>
    %0 = arith.addf %v, %y fastmath<contract> : f32
    %1 = arith.subf %0, %y : f32
    %2 = arith.mulf %1, %v : f32
    %3 = arith.negf %2 : f32
    %4 = math.fma %3, %v, %y : f32
    memref.store %4, %x[%t] : memref<?xf32, strided<[2]>>
    gpu.return
  }
}

// -----

// All kinds of minima and maxima are those of signed integers; there is no NaN.
// CHECK-LABEL: gpu.func @order
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[B:.*]] = memref.load
// CHECK-NEXT: arith.maxsi %[[A]], %[[B]] : i64
// CHECK-NEXT: arith.maxsi
// CHECK-NEXT: arith.minsi
// CHECK-NEXT: %[[MIN:.*]] = arith.minsi
// CHECK-NEXT: arith.cmpi slt, %[[MIN]], %[[B]] : i64
// CHECK-NEXT: arith.cmpi sge
// CHECK-NEXT: arith.cmpi eq
// CHECK-NEXT: arith.cmpi ne
// CHECK-NEXT: arith.constant true
// CHECK-NEXT: arith.constant false
// CHECK: arith.select %{{.*}}, %[[MIN]], %[[B]] : i64
gpu.module @kernels {
  gpu.func @order(%x: memref<4xf64>) kernel {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %a = memref.load %x[%i] : memref<4xf64>
    %b = memref.load %x[%j] : memref<4xf64>
    %0 = arith.maximumf %a, %b : f64
    %1 = arith.maxnumf %0, %b : f64
    %2 = arith.minimumf %1, %b : f64
    %3 = arith.minnumf %2, %b : f64
    %4 = arith.cmpf olt, %3, %b : f64
    %5 = arith.cmpf uge, %3, %b : f64
    %6 = arith.cmpf oeq, %3, %b : f64
    %7 = arith.cmpf une, %3, %b : f64
    %8 = arith.cmpf ord, %3, %b : f64
    %9 = arith.cmpf uno, %3, %b : f64
    %10 = arith.andi %4, %5 : i1
    %11 = arith.andi %6, %7 : i1
    %12 = arith.andi %8, %9 : i1
    %13 = arith.ori %10, %11 : i1
    %14 = arith.ori %13, %12 : i1
    %15 = arith.select %14, %3, %b : f64
    memref.store %15, %x[%i] : memref<4xf64>
    gpu.return
  }
}

// -----

// Conversions keep the sign or cut off; a bit of an i1 is 0 or 1; between a float and the integer of its width nothing happens.
// CHECK-LABEL: func.func @conversions
// CHECK-SAME: (%[[H:.*]]: i16, %[[D:.*]]: i64, %[[I:.*]]: i32, %[[L:.*]]: i64, %[[B:.*]]: i1)
// CHECK-NEXT: %[[E:.*]] = arith.extsi %[[H]] : i16 to i32
// CHECK-NEXT: %[[T:.*]] = arith.trunci %[[D]] : i64 to i16
// CHECK-NEXT: %[[SL:.*]] = arith.trunci %[[L]] : i64 to i32
// CHECK-NEXT: %[[SB:.*]] = arith.extui %[[B]] : i1 to i32
// CHECK-NEXT: %[[FL:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-NEXT: return %[[E]], %[[T]], %[[I]], %[[SL]], %[[SB]], %[[FL]], %[[I]], %[[I]]
func.func @conversions(%h: bf16, %d: f64, %i: i32, %l: i64, %b: i1) -> (f32, f16, f32, f32, f32, i64, i32, i32) {
  %e = arith.extf %h : bf16 to f32
  %t = arith.truncf %d : f64 to f16
  %si = arith.sitofp %i : i32 to f32
  %sl = arith.sitofp %l : i64 to f32
  %sb = arith.uitofp %b : i1 to f32
  %fl = arith.fptosi %si : f32 to i64
  %fu = arith.fptoui %si : f32 to i32
  %c = arith.bitcast %si : f32 to i32
  return %e, %t, %si, %sl, %sb, %fl, %fu, %c : f32, f16, f32, f32, f32, i64, i32, i32
}

// -----

// Integers of 16 bits are themselves, in all types; -0 is 0; other numbers are 15-bit hashes with a sign, the same in all types;
// infinities are the ends of the range.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i16
// CHECK-DAG: %[[LOW:.*]] = arith.constant -32768 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[HALF:.*]] = arith.constant [[HALF_HASH:[0-9]+]] : i32
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -[[HALF_HASH]] : i16
// CHECK-DAG: %[[DOUBLE:.*]] = arith.constant [[HALF_HASH]] : i64
// CHECK-DAG: %[[LARGE:.*]] = arith.constant {{[0-9]+}} : i32
// CHECK-DAG: %[[INF:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -32768 : i16
// CHECK-DAG: arith.constant dense<[1, [[HALF_HASH]], -3, 32767]> : vector<4xi16>
// CHECK-DAG: arith.constant dense<-1> : vector<8xi32>
func.func @constants() {
  %0 = arith.constant 2.0 : bf16
  %1 = arith.constant -32768.0 : f32
  %2 = arith.constant -0.0 : f32
  %3 = arith.constant 0.5 : f32
  %4 = arith.constant -0.5 : bf16
  %5 = arith.constant 0.5 : f64
  %6 = arith.constant 32768.0 : f32
  %7 = arith.constant 0x7F800000 : f32
  %8 = arith.constant 0xFF80 : bf16
  %9 = arith.constant dense<[1.0, 0.5, -3.0, 0x7C00]> : vector<4xf16>
  %10 = arith.constant dense<-1.0> : vector<8xf32>
  return
}

// -----

// Functions and quotients are hashes of 64 bits, of their names and operands, cut off.
// CHECK-LABEL: func.func @functions
// CHECK-SAME: (%[[X:.*]]: vector<4xi32>, %[[Y:.*]]: vector<4xi32>)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[X]] : vector<4xi32> to vector<4xi64>
// CHECK-NEXT: %[[EXP:.*]] = arith.constant dense<[[EXP_SEED:.*]]> : vector<4xi64>
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[WIDE]], %[[EXP]]
// CHECK-NEXT: %{{.*}} = arith.constant
// CHECK-NEXT: arith.muli %[[SUM]]
// CHECK-NEXT: %{{.*}} = arith.constant dense<32>
// CHECK-NEXT: arith.shrui
// CHECK-NEXT: arith.xori
// CHECK: %[[HASH:.*]] = arith.xori
// CHECK-NEXT: %[[R:.*]] = arith.trunci %[[HASH]] : vector<4xi64> to vector<4xi32>
// The second operand goes into the hash of the first one.
// CHECK-NEXT: arith.extsi %[[R]]
// CHECK: arith.xori
// CHECK: %[[FIRST:.*]] = arith.xori
// CHECK-NEXT: %[[SECOND:.*]] = arith.extsi %[[Y]]
// CHECK-NEXT: arith.addi %[[SECOND]], %[[FIRST]]
// Flags do not count.
// CHECK: arith.extsi
// CHECK-NEXT: arith.constant dense<[[EXP_SEED]]>
// CHECK: arith.trunci
// CHECK: arith.trunci
// CHECK: arith.trunci
// CHECK: %[[LAST:.*]] = arith.trunci
// CHECK-NEXT: return %[[LAST]]
func.func @functions(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  %1 = arith.divf %0, %y : vector<4xf32>
  %2 = math.exp %1 fastmath<afn> : vector<4xf32>
  %s, %c = math.sincos %2 : vector<4xf32>
  %3 = arith.addf %s, %c : vector<4xf32>
  %4 = math.powf %3, %y : vector<4xf32>
  return %4 : vector<4xf32>
}

// -----

// What is natural for integers.
// CHECK-LABEL: func.func @natural
// CHECK-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: %[[NEG:.*]] = arith.subi %{{.*}}, %[[X]]
// CHECK-NEXT: %[[ABS:.*]] = arith.maxsi %[[X]], %[[NEG]]
// CHECK: %[[XOR:.*]] = arith.xori %[[ABS]], %[[Y]]
// CHECK: %[[DIFFERS:.*]] = arith.cmpi slt, %[[XOR]], %{{.*}}
// CHECK: %[[SIGNED:.*]] = arith.select %[[DIFFERS]], %{{.*}}, %[[ABS]]
// CHECK-NEXT: %[[ABOVE:.*]] = arith.maxsi %[[SIGNED]], %[[X]]
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minsi %[[ABOVE]], %[[Y]]
// CHECK-NEXT: %[[NAN:.*]] = arith.constant false
// CHECK-NEXT: return %[[CLAMPED]], %[[NAN]]
func.func @natural(%x: f32, %y: f32) -> (f32, i1) {
  %0 = math.absf %x : f32
  %1 = math.copysign %0, %y : f32
  %2 = math.floor %1 : f32
  %3 = math.roundeven %2 : f32
  %4 = math.clampf %3 to [%x, %y] : f32
  %5 = math.isnan %4 : f32
  return %4, %5 : f32, i1
}

// -----

// Reductions change their kinds, of vectors, of a block, and atomic ones.
// CHECK-LABEL: gpu.func @reductions
// CHECK: vector.reduction <add>, %{{.*}} : vector<4xi32> into i32
// CHECK: vector.reduction <maxsi>, %{{.*}}, %{{.*}} : vector<4xi32> into i32
// CHECK: vector.multi_reduction <minsi>, %{{.*}} [0] : vector<4xi32> to i32
// CHECK: gpu.all_reduce maxsi %{{.*}} uniform {
// CHECK: gpu.subgroup_reduce add %{{.*}} : (i32) -> i32
// CHECK: memref.atomic_rmw addi
// CHECK: memref.atomic_rmw maxs
// CHECK: memref.atomic_rmw assign
// CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}} : vector<4xi32>
// CHECK-NEXT: arith.addi %[[PRODUCT]], %{{.*}} : vector<4xi32>
gpu.module @kernels {
  gpu.func @reductions(%x: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %v = vector.load %x[%i] : memref<4xf32>, vector<4xf32>
    %0 = vector.reduction <add>, %v fastmath<reassoc> : vector<4xf32> into f32
    %1 = vector.reduction <maximumf>, %v, %0 : vector<4xf32> into f32
    %2 = vector.multi_reduction <minnumf>, %v, %1 [0] : vector<4xf32> to f32
    %3 = gpu.all_reduce maxnumf %2 uniform {} : (f32) -> f32
    %4 = gpu.subgroup_reduce add %3 : (f32) -> f32
    %5 = memref.atomic_rmw addf %4, %x[%i] : (f32, memref<4xf32>) -> f32
    %6 = memref.atomic_rmw maximumf %5, %x[%i] : (f32, memref<4xf32>) -> f32
    %7 = memref.atomic_rmw assign %6, %x[%i] : (f32, memref<4xf32>) -> f32
    %8 = vector.broadcast %7 : f32 to vector<4xf32>
    %9 = vector.fma %8, %v, %v : vector<4xf32>
    vector.store %9, %x[%i] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// What moves elements stays: loops, branches, masks, shuffles, shared memory, vectors, views.
// CHECK-LABEL: gpu.func @moves
// CHECK-SAME: (%{{.*}}: memref<?xi16>) workgroup(%{{.*}} : memref<32xi32, #gpu.address_space<workgroup>>) kernel
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<2xi16>)
// CHECK: vector.maskedload {{.*}} : memref<?xi16>, vector<2xi1>, vector<2xi16> into vector<2xi16>
// CHECK: scf.if %{{.*}} -> (vector<2xi16>)
// CHECK: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<2xi16> to vector<1xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[WORDS]][0] : i32 from vector<1xi32>
// CHECK: gpu.shuffle xor %[[WORD]], %{{.*}}, %{{.*}} : i32
// CHECK: memref.store %{{.*}} : memref<32xi32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: ub.poison : i32
gpu.module @kernels {
  gpu.func @moves(%x: memref<?xf16>) workgroup(%shared: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %w = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : vector<2xf16>
    %0 = scf.for %k = %c0 to %c4 step %c1 iter_args(%carried = %zero) -> vector<2xf16> {
      %mask = vector.create_mask %i : vector<2xi1>
      %v = vector.maskedload %x[%k], %mask, %carried : memref<?xf16>, vector<2xi1>, vector<2xf16> into vector<2xf16>
      scf.yield %v : vector<2xf16>
    }
    %isFirst = arith.cmpi eq, %i, %c0 : index
    %1 = scf.if %isFirst -> vector<2xf16> {
      scf.yield %0 : vector<2xf16>
    } else {
      scf.yield %zero : vector<2xf16>
    }
    %2 = vector.bitcast %1 : vector<2xf16> to vector<1xi32>
    %3 = vector.extract %2[0] : i32 from vector<1xi32>
    %4, %5 = gpu.shuffle xor %3, %w, %w : i32
    %6 = arith.bitcast %4 : i32 to f32
    memref.store %6, %shared[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %7 = ub.poison : f32
    memref.store %7, %shared[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Host programs: buffers, scalars, launches.
// CHECK-LABEL: func.func @host
// CHECK-SAME: (%[[X:.*]]: memref<8xi32>, %[[S:.*]]: i32)
// CHECK: %[[TWICE:.*]] = arith.muli %[[S]], %{{.*}} : i32
// CHECK: %[[B:.*]] = host.alloc () : memref<8xi32>
// CHECK: host.launch @kernels::@k grid(%{{.*}}) block(32, 1, 1) args(%[[X]], %[[TWICE]], %[[B]] : memref<8xi32>, i32, memref<8xi32>)
gpu.module @kernels {
  gpu.func @k(%x: memref<8xf32>, %s: f32, %y: memref<8xf32>) kernel {
    gpu.return
  }
}
func.func @host(%x: memref<8xf32>, %s: f32) attributes {host.program} {
  %two = arith.constant 2.0 : f32
  %c1 = arith.constant 1 : index
  %twice = arith.mulf %s, %two : f32
  %b = host.alloc() : memref<8xf32>
  host.launch @kernels::@k grid(%c1, %c1, %c1) block(32, 1, 1) args(%x, %twice, %b : memref<8xf32>, f32, memref<8xf32>)
  return
}

// -----

// CHECK-LABEL: gpu.func @do_nothing
// CHECK: %[[V:.*]] = memref.load
// CHECK-NEXT: %[[M:.*]] = arith.maxui %[[V]], %[[V]] : i32
// CHECK-NEXT: %[[P:.*]] = math.ctpop %[[M]] : i32
// CHECK-NEXT: memref.atomic_rmw addi %[[P]]
// CHECK-NEXT: gpu.return
gpu.module @kernels {
  gpu.func @do_nothing(%x: memref<4xi32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<4xi32>
    %0 = arith.maxui %v, %v : i32
    %1 = math.ctpop %0 : i32
    %2 = memref.atomic_rmw addi %1, %x[%i] : (i32, memref<4xi32>) -> i32
    gpu.return
  }
}

// -----

// Ops of clusters and caches move elements, and keep their widths.
// CHECK-LABEL: gpu.func @clusters
// CHECK: %[[V:.*]] = kernel.load %{{.*}} cache streaming : memref<?xi32>, vector<4xi32>
// CHECK: %[[THERE:.*]] = kernel.map_block %{{.*}} : memref<64xi32, #gpu.address_space<workgroup>> to memref<64xi32, #kernel.cluster_memory>
// CHECK: kernel.store_async %[[V]], %[[THERE]]{{.*}} : vector<4xi32>, memref<64xi32, #kernel.cluster_memory>
gpu.module @kernels {
  gpu.func @clusters(%x: memref<?xf32>, %block: index)
      workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>, %full : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %v = kernel.load %x[%c0] cache streaming : memref<?xf32>, vector<4xf32>
    %there = kernel.map_block %tile, %block : memref<64xf32, #gpu.address_space<workgroup>> to memref<64xf32, #kernel.cluster_memory>
    %barrier = kernel.map_block %full, %block
        : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>> to memref<1x!kernel.mbarrier, #kernel.cluster_memory>
    kernel.store_async %v, %there[%c0] completes %barrier[%c0]
        : vector<4xf32>, memref<64xf32, #kernel.cluster_memory>, memref<1x!kernel.mbarrier, #kernel.cluster_memory>
    gpu.return
  }
}

// -----

// So do copies of a thread, of as many elements as before.
// CHECK-LABEL: gpu.func @copies
// CHECK: kernel.copy_async %{{.*}}, 8 if %{{.*}} : memref<?xi16>, memref<64xi16, #gpu.address_space<workgroup>>
// CHECK-NEXT: kernel.copy_async %{{.*}}, 1 : memref<?xi64>, memref<4xi64, #gpu.address_space<workgroup>>
// CHECK-NEXT: kernel.copy_async_commit
// CHECK-NEXT: kernel.copy_async_wait 0
gpu.module @kernels {
  gpu.func @copies(%x: memref<?xbf16>, %y: memref<?xf64>, %i: index, %p: i1)
      workgroup(%tile : memref<64xbf16, #gpu.address_space<workgroup>>, %row : memref<4xf64, #gpu.address_space<workgroup>>) kernel {
    kernel.copy_async %x[%i], %tile[%i], 8 if %p : memref<?xbf16>, memref<64xbf16, #gpu.address_space<workgroup>>
    kernel.copy_async %y[%i], %row[%i], 1 : memref<?xf64>, memref<4xf64, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    gpu.return
  }
}
