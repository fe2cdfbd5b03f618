// RUN: fuser-opt %s --split-input-file --verify-diagnostics --kernel-to-sim

gpu.module @k {
  gpu.func @k(%x: memref<128xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'gpu.dynamic_shared_memory' op is unknown to the simulator}}
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %b = memref.load %s[%c0] : memref<?xi8, #gpu.address_space<workgroup>>
    %f = arith.sitofp %b : i8 to f32
    memref.store %f, %x[%c0] : memref<128xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{expected no private attributions in a simulated kernel, got 1}}
  gpu.func @k(%x: memref<128xf32>) private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}
