// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-stage-verify))' --split-input-file --verify-diagnostics %s
// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx))' --split-input-file --verify-diagnostics %s

gpu.module @admitted {
  gpu.func @all_dialects(%x: memref<?xf32>, %n: index) workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %t = gpu.thread_id x
    %i = index.add %t, %n
    %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    %c = arith.constant true
    %w = gpu.num_subgroups : index
    %p = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
    memref.copy %p, %p : memref<4xf32, #gpu.address_space<private>> to memref<4xf32, #gpu.address_space<private>>
    scf.if %c {
      vector.store %e, %x[%i] : memref<?xf32>, vector<4xf32>
    }
    gpu.return
  }
}

// -----

// Ops that are expanded.
gpu.module @admitted {
  gpu.func @vectors(%x: memref<64xf32>, %n: index) kernel {
    %v = vector.load %x[%n] : memref<64xf32>, vector<8xf32>
    %square = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
    %0 = vector.transpose %square, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
    %1 = vector.interleave %0, %0 : vector<4x2xf32> -> vector<4x4xf32>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %2, %end = vector.scan <add>, %1, %zero {inclusive = true, reduction_dim = 1 : i64} : vector<4x4xf32>, vector<4xf32>
    %step = vector.step : vector<16xindex>
    %twice = arith.addi %step, %step : vector<16xindex>
    %places = vector.shape_cast %twice : vector<16xindex> to vector<4x4xindex>
    %mask = vector.create_mask %n, %n : vector<4x4xi1>
    %3 = vector.gather %x[%n] [%places], %mask, %2 : memref<64xf32>, vector<4x4xindex>, vector<4x4xi1>, vector<4x4xf32> into vector<4x4xf32>
    %4 = vector.shape_cast %3 : vector<4x4xf32> to vector<16xf32>
    vector.store %4, %x[%n] : memref<64xf32>, vector<16xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r2_llvm(%x: memref<4xf32>) kernel {
    // expected-error @below {{expected an op of gpu, kernel, scf, vector, memref, arith, math or index in the kernel stage}}
    %0 = llvm.mlir.constant(1 : i32) : i32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r2_nvvm() kernel {
    // expected-error @below {{expected an op of gpu, kernel, scf, vector, memref, arith, math or index in the kernel stage}}
    nvvm.barrier0
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r2_assembly(%n: index) kernel {
    scf.for %i = %n to %n step %n {
      // expected-error @below {{expected an op of gpu, kernel, scf, vector, memref, arith, math or index in the kernel stage}}
      llvm.inline_asm has_side_effects "nanosleep.u32 1;", "" : () -> ()
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r3_allocation() kernel {
    // expected-error @below {{memory is allocated and kernels are launched by the host program}}
    %0 = memref.alloc() : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected only gpu.func in a gpu.module of the kernel stage}}
  llvm.func @kernel_r1_lowered() {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected a kernel, got a device function}}
  gpu.func @kernel_r1_device() {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected 1 to 1024 threads in a block (known_block_size), got 1024 x 2 x 1}}
  gpu.func @kernel_r5() kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected 1 to 1024 threads in a block (known_block_size), got -2 x -1 x 32}}
  gpu.func @kernel_r5_negative() kernel attributes {known_block_size = array<i32: -2, -1, 32>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected 1 to 1024 threads in a block (known_block_size), got 2147483647 x 2147483647 x 2147483647}}
  gpu.func @kernel_r5_many() kernel attributes {known_block_size = array<i32: 2147483647, 2147483647, 2147483647>} {
    gpu.return
  }
}

// -----

// The product is 2^63, which as a number of 64 bits is negative.
gpu.module @kernels {
  // expected-error @below {{expected 1 to 1024 threads in a block (known_block_size), got 2097152 x 2097152 x 2097152}}
  gpu.func @kernel_r5_overflow() kernel attributes {known_block_size = array<i32: 2097152, 2097152, 2097152>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected at most 49152 bytes of workgroup attributions, got at least 35184372088832}}
  gpu.func @kernel_r6_overflow() workgroup(%s: memref<4611686018427387904xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// 2^64 elements.
gpu.module @kernels {
  // expected-error @below {{expected at most 49152 bytes of workgroup attributions, got at least 35184372088848}}
  gpu.func @kernel_r6_overflow_elements() workgroup(%s: memref<4294967296x4294967296xf32, #gpu.address_space<workgroup>>,
                                                    %t: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected at most 49152 bytes of workgroup attributions, got at least 35184372088832}}
  gpu.func @kernel_r6_overflow_mbarriers() workgroup(%s: memref<2305843009213693952x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// Nothing, however often.
gpu.module @kernels {
  gpu.func @no_elements() workgroup(%s: memref<4294967296x4294967296x0xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected at most 49152 bytes of workgroup attributions, got 65536}}
  gpu.func @kernel_r6_bytes() workgroup(%s: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #1 of kernel 'kernel_r4_offset': expected a memref that begins at its base pointer (offset 0), got 'memref<4xf32, strided<[1], offset: ?>>'}}
  gpu.func @kernel_r4_offset(%n: index, %x: memref<4xf32, strided<[1], offset: ?>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_bits': expected elements that memory can hold (i8 for i1), got 'memref<4xi1>'}}
  gpu.func @kernel_r4_bits(%x: memref<4xi1>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_unranked': expected a ranked memref, got 'memref<*xf32>'}}
  gpu.func @kernel_r4_unranked(%x: memref<*xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_space': expected a memref in the default memory space, got 'memref<4xf32, 3>'}}
  gpu.func @kernel_r4_space(%x: memref<4xf32, 3>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_vector': expected a memref or a scalar, got 'vector<4xf32>'}}
  gpu.func @kernel_r4_vector(%x: vector<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_index': expected integer or floating-point elements, got 'memref<4xindex>'}}
  gpu.func @kernel_r4_index(%x: memref<4xindex>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_vectors': expected integer or floating-point elements, got 'memref<4xvector<4xf32>>'}}
  gpu.func @kernel_r4_vectors(%x: memref<4xvector<4xf32>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{argument #0 of kernel 'kernel_r4_layout': expected a strided layout, got 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>'}}
  gpu.func @kernel_r4_layout(%x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r7(%x: memref<4xf32>) kernel {
    // expected-error @below {{expected memory in a space of gpu or of kernel, got 'memref<4xf32, "fast">'}}
    %0 = memref.memory_space_cast %x : memref<4xf32> to memref<4xf32, "fast">
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op expected void return type for kernel function}}
  gpu.func @kernel_r1_result(%n: index) -> index kernel {
    gpu.return %n : index
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r3_launch(%n: index) kernel {
    // expected-error @below {{memory is allocated and kernels are launched by the host program}}
    gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %f = %n) threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n) {
      gpu.terminator
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r3_global() kernel {
    // expected-error @below {{memory is allocated and kernels are launched by the host program}}
    %0 = memref.get_global @table : memref<4xf32>
    gpu.return
  }
  memref.global @table : memref<4xf32>
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected workgroup attributions of static shape and row-major layout, got 'memref<4x4xf32, strided<[1, 4]>, #gpu.address_space<workgroup>>'}}
  gpu.func @kernel_r6_layout() workgroup(%s: memref<4x4xf32, strided<[1, 4]>, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r8_load(%i: index) workgroup(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    // expected-error @below {{expected no mbarriers, which only ops of kernel take, got 'memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>'}}
    %0 = memref.load %b[%i] : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel_r8_view(%i: index) kernel {
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-error @below {{expected no mbarriers, which only ops of kernel take, got 'memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>'}}
    %b = memref.view %s[%i][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// 8 bytes each: 6144 are 48 KiB.
gpu.module @kernels {
  gpu.func @fits() workgroup(%b: memref<6144x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
  // expected-error @below {{expected at most 49152 bytes of workgroup attributions, got 49168}}
  gpu.func @kernel_r6_mbarriers() workgroup(%b: memref<6145x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected workgroup attributions of integers, floats or mbarriers, got 'memref<4xindex, #gpu.address_space<workgroup>>'}}
  gpu.func @kernel_r6_elements() workgroup(%s: memref<4xindex, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected workgroup attributions of integers, floats or mbarriers, got 'memref<4xvector<4xf32>, #gpu.address_space<workgroup>>'}}
  gpu.func @kernel_r6_vectors() workgroup(%s: memref<4xvector<4xf32>, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected workgroup attributions in the space workgroup, got 'memref<64xf32, 3>'}}
  gpu.func @kernel_r6_space() workgroup(%s: memref<64xf32, 3>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected no private attributions, but memref.alloca, got 1}}
  gpu.func @kernel_r6_private() private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r7_number(%x: memref<64xf32>) kernel {
    // expected-error @below {{expected memory in a space of gpu or of kernel, got 'memref<64xf32, 1>'}}
    %0 = memref.memory_space_cast %x : memref<64xf32> to memref<64xf32, 1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r7_rank(%x: memref<64xf32>) kernel {
    // expected-error @below {{expected a ranked memref, got 'memref<*xf32>'}}
    %0 = memref.cast %x : memref<64xf32> to memref<*xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r7_alloca() kernel {
    // expected-error @below {{expected memory of the thread, in the default or the private space, got 'memref<64xf32, #gpu.address_space<workgroup>>'}}
    %0 = memref.alloca() : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_printf() kernel {
    // expected-error @below {{'gpu.printf' op is not one that every target has: expected an id or a size, gpu.barrier, gpu.shuffle, gpu.subgroup_reduce or gpu.dynamic_shared_memory}}
    gpu.printf "no"
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_all_reduce(%f: f32) kernel {
    // expected-error @below {{'gpu.all_reduce' op is not one that every target has: expected an id or a size, gpu.barrier, gpu.shuffle, gpu.subgroup_reduce or gpu.dynamic_shared_memory}}
    %0 = gpu.all_reduce add %f uniform {} : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_rotate(%f: f32) kernel {
    // expected-error @below {{'gpu.rotate' op is not one that every target has: expected an id or a size, gpu.barrier, gpu.shuffle, gpu.subgroup_reduce or gpu.dynamic_shared_memory}}
    %0, %1 = gpu.rotate %f, 1, 32 : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_broadcast(%f: f32) kernel {
    // expected-error @below {{'gpu.subgroup_broadcast' op is not one that every target has: expected an id or a size, gpu.barrier, gpu.shuffle, gpu.subgroup_reduce or gpu.dynamic_shared_memory}}
    %0 = gpu.subgroup_broadcast %f, first_active_lane : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_matrix(%f: f32) kernel {
    // expected-error @below {{'gpu.subgroup_mma_constant_matrix' op is not one that every target has: expected an id or a size, gpu.barrier, gpu.shuffle, gpu.subgroup_reduce or gpu.dynamic_shared_memory}}
    %0 = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_shuffle(%h: f16, %i: i32) kernel {
    // expected-error @below {{expected a value of i32, i64, f32 or f64, got 'f16'}}
    %0, %1 = gpu.shuffle xor %h, %i, %i : f16
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_shuffle_vector(%f: f32, %i: i32) kernel {
    %v = vector.broadcast %f : f32 to vector<2xf32>
    // expected-error @below {{expected a value of i32, i64, f32 or f64, got 'vector<2xf32>'}}
    %0, %1 = gpu.shuffle xor %v, %i, %i : vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_parallel(%n: index) kernel {
    // expected-error @below {{'scf.parallel' op is not one that every target has: expected scf.for: what runs in parallel are the threads of a launch}}
    scf.parallel (%i) = (%n) to (%n) step (%n) {
      scf.reduce
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_forall(%n: index) kernel {
    // expected-error @below {{'scf.forall' op is not one that every target has: expected scf.for}}
    scf.forall (%i) in (%n) {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_dma(%x: memref<64xi32>, %n: index) kernel {
    // expected-error @below {{'memref.dma_wait' op is not one that every target has: expected kernel.bulk_copy}}
    memref.dma_wait %x[%n], %n : memref<64xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_product(%x: memref<64xf32>, %n: index, %f: f32) kernel {
    // expected-error @below {{expected an atomic instruction's kind, got 'mulf'}}
    %0 = memref.atomic_rmw mulf %f, %x[%n] : (f32, memref<64xf32>) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_atomic(%x: memref<64xbf16>, %n: index, %f: bf16) kernel {
    // expected-error @below {{expected a value of integers, f16, f32 or f64, got 'bf16'}}
    %0 = memref.atomic_rmw addf %f, %x[%n] : (bf16, memref<64xbf16>) -> bf16
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_update(%x: memref<64xf32>, %n: index) kernel {
    // expected-error @below {{expected a value of integers, got 'f32'}}
    %0 = memref.generic_atomic_rmw %x[%n] : memref<64xf32> {
    ^bb0(%old: f32):
      memref.atomic_yield %old : f32
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_expandload(%x: memref<64xf32>, %n: index) kernel {
    %m = vector.create_mask %n : vector<4xi1>
    %v = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @below {{'vector.expandload' op is not one that every target has: expected vector.gather}}
    %0 = vector.expandload %x[%n], %m, %v : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_contract(%x: memref<64xf32>) kernel {
    %v = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @below {{'vector.outerproduct' op is not one that every target has: expected arithmetic that says what is rounded}}
    %0 = vector.outerproduct %v, %v : vector<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_rank(%x: memref<8x8xf32>, %n: index) kernel {
    // expected-error @below {{expected a vector of rank 1, got 'vector<2x4xf32>'}}
    %0 = vector.load %x[%n, %n] : memref<8x8xf32>, vector<2x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_position(%n: index) kernel {
    %v = arith.constant dense<0.0> : vector<2x4xf32>
    // expected-error @below {{expected constant positions in a vector of several dimensions, got those in 'vector<2x4xf32>'}}
    %0 = vector.extract %v[%n, 1] : f32 from vector<2x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_scalable(%f: f32) kernel {
    // expected-error @below {{expected vectors of a fixed size, got 'vector<[4]xf32>'}}
    %0 = vector.broadcast %f : f32 to vector<[4]xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_function(%i: i32) kernel {
    // expected-error @below {{'math.ipowi' op is not one that every target has: expected what can be said by other ops}}
    %0 = math.ipowi %i, %i : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kernel_r9_width(%f: f32) kernel {
    // expected-error @below {{expected integers of at most 64 bits, got 'i128'}}
    %0 = arith.fptosi %f : f32 to i128
    gpu.return
  }
}
