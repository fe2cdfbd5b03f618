// RUN: fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx{arch=sm_89}))' --split-input-file --verify-diagnostics %s
// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_89 --split-input-file --verify-diagnostics %s
// RUN: not fuser-opt --pass-pipeline='builtin.module(gpu.module(kernel-to-nvptx{arch=sm_42}))' --split-input-file %s 2>&1 | FileCheck %s
// CHECK: unknown GPU architecture 'sm_42'

// Every GPU has these.
gpu.module @everywhere {
  gpu.func @everywhere(%x: memref<4xf32>, %n: memref<1xi32>, %i: index, %one: i32, %p: i1) workgroup(%t: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %v = kernel.load %x[%i] cache evict_first : memref<4xf32>, f32
    kernel.store %v, %x[%i] cache evict_last : f32, memref<4xf32>
    %0 = kernel.counter_add %n[%i], %one : memref<1xi32>
    kernel.counter_wait %n[%i], %0 : memref<1xi32>
    kernel.barrier %i, 64
    kernel.barrier_arrive %i, 64
    %1 = kernel.vote all %p
    %2 = kernel.ballot %1
    kernel.copy_async %x[%i], %t[%i], 1 : memref<4xf32>, memref<4xf32, #gpu.address_space<workgroup>>
    kernel.copy_async_commit
    kernel.copy_async_wait 0
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @mbarrier(%n: i32, %i: index) workgroup(%b: memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    // expected-error @below {{'kernel.mbarrier_init' op expected sm_90 or later, got sm_89}}
    kernel.mbarrier_init %b[%i], %n : memref<1x!kernel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @cluster_scope(%n: memref<1xi32>, %i: index, %one: i32) kernel {
    // expected-error @below {{'kernel.counter_add' op expected sm_90 or later, got sm_89}}
    %0 = kernel.counter_add %n[%i], %one scope cluster : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @dependency(%p: i1) kernel {
    scf.if %p {
      // expected-error @below {{'kernel.grid_dependency_wait' op expected sm_90 or later, got sm_89}}
      kernel.grid_dependency_wait
    }
    gpu.return
  }
}
