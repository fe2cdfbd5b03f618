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
    scf.if %c {
      vector.store %e, %x[%i] : memref<?xf32>, vector<4xf32>
    }
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
    // expected-error @below {{expected memory in a space of gpu, of kernel or of a number, got 'memref<4xf32, "fast">'}}
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
