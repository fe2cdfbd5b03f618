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

// Modules without names become one library: kernels of one name get another. A module without a name is native code already.

// CPU: host.kernel @k()
// CPU-NEXT: module {
// CPU-NEXT: llvm.func @k()
// CPU: host.kernel @[[K:k_[0-9]+]]()
// CPU-NEXT: module {
// CPU-NEXT: llvm.func @[[K]]()
// CPU: module {
// CPU-NEXT: llvm.func @other() attributes {fuser.params = []}
// CPU: host.launch @k grid
// CPU: host.launch @[[K]] grid
module @a {
  llvm.func @k() attributes {fuser.params = []} {
    llvm.return
  }
}
module @b {
  llvm.func @k() attributes {fuser.params = []} {
    llvm.return
  }
}
module {
  llvm.func @other() attributes {fuser.params = []} {
    llvm.return
  }
}
func.func @two(%n: index) attributes {host.program} {
  host.launch @a::@k grid(%n, %n, %n) block(1, 1, 1) args()
  host.launch @b::@k grid(%n, %n, %n) block(1, 1, 1) args()
  return
}

// -----

// expected-error @below {{expected native kernels in a module, got a gpu.module}}
gpu.module @images {
  llvm.func @f() attributes {fuser.params = [], gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
