// RUN: fuser-opt %s --split-input-file --verify-diagnostics --kernel-to-sim

gpu.module @k {
  gpu.func @k(%x: memref<128xf32>) kernel {
    // expected-error @+1 {{'gpu.printf' op is not one that every target has}}
    gpu.printf "no"
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{expected no private attributions, but memref.alloca, got 1}}
  gpu.func @k(%x: memref<128xf32>) private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}
