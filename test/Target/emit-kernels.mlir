// RUN: fuser-opt %s -split-input-file -emit-kernels="target=cuda arch=sm_90" | FileCheck %s --check-prefix=CUDA
// RUN: not fuser-opt %s -split-input-file -emit-kernels="target=tpu" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: expected target {{.*}}cuda{{.*}}, got 'tpu'

// Each kernel of a module becomes an op, with the image of the module. One that was written by hand stays, and so
// its name is taken.

// CUDA: host.kernel @hand(pointer 0) threads 32 image ".version 8.0"
// CUDA-NEXT: host.kernel @[[HAND:hand_[0-9]+]]() entry "hand" image "
// CUDA-NEXT: host.kernel @double(pointer 0, scalar 1) threads 128 image "{{.*}}.entry hand{{.*}}.entry double
// CUDA-NOT: gpu.module
// CUDA: func.func @program
// CUDA: host.launch @[[HAND]] grid
// CUDA: host.launch @double grid
// CUDA: host.launch @hand grid
host.kernel @hand(pointer 0) threads 32 image ".version 8.0"
gpu.module @kernels {
  llvm.func @hand() attributes {fuser.params = [], gpu.kernel, nvvm.kernel} {
    llvm.return
  }
  llvm.func @double(%x: !llvm.ptr<1>, %n: i64)
      attributes {fuser.params = [#host.param<pointer 0>, #host.param<scalar 1>], gpu.kernel, nvvm.kernel,
                  nvvm.maxntid = array<i32: 64, 2, 1>} {
    llvm.return
  }
}
func.func @program(%x: memref<4xf32>, %n: index) attributes {host.program} {
  host.launch @kernels::@hand grid(%n, %n, %n) block(32, 1, 1) args()
  host.launch @kernels::@double grid(%n, %n, %n) block(64, 2, 1) args(%x, %n : memref<4xf32>, index)
  host.launch @hand grid(%n, %n, %n) block(32, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

// A module without lowered kernels stays.

// CUDA: gpu.module @other
gpu.module @other {
  gpu.func @f() kernel { gpu.return }
}
