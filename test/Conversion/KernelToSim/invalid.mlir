// RUN: fuser-opt %s --split-input-file --verify-diagnostics --kernel-to-sim

gpu.module @k {
  gpu.func @k(%x: memref<128xf32>) kernel {
    // expected-error @+1 {{'gpu.printf' op is unknown to the simulator}}
    gpu.printf "no"
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
