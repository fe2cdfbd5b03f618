// RUN: fuser-opt %s -split-input-file -emit-kernels="target=cpu" -verify-diagnostics | FileCheck %s --check-prefix=CPU

// Native code stays, in a module without a name: nothing of the program's refers to it but the entry.

// CPU: host.kernel @f_0(pointer 0) scratch 64
// CPU-NEXT: module {
// CPU-NEXT: llvm.func @f_0(%{{[^)]*}}) {
// CPU: llvm.func internal @f_0.body
// CPU: host.launch @f_0 grid
module @f_0 {
  llvm.func @f_0(%params: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr)
      attributes {fuser.params = [#host.param<pointer 0>], fuser.scratch_bytes = 64 : i64} {
    llvm.return
  }
  llvm.func internal @f_0.body() {
    llvm.return
  }
}
func.func @native(%x: memref<4xf32>, %n: index) attributes {host.program} {
  host.launch @f_0::@f_0 grid(%n, %n, %n) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// -----

// expected-error @below {{expected native kernels in a module, got a gpu.module}}
gpu.module @images {
  llvm.func @f() attributes {fuser.params = [], gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
