// Launches that the CUDA driver would refuse are refused.
// RUN: not fuser-run %s --target=sim --entry=too_much_shared --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not fuser-run %s --target=sim --entry=too_many_rows --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not fuser-run %s --target=sim --entry=too_deep --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not fuser-run %s --target=sim --entry=too_many_threads --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: fuser-run %s --target=sim --entry=as_much_as_there_is --input=4xf32=random:1

gpu.module @m {
  gpu.func @k(%y: memref<4xf32>) workgroup(%s: memref<1024xf32, #gpu.address_space<workgroup>>) kernel {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %zero, %s[%c0] : memref<1024xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// SHARED: expected 0 to 228352 bytes of dynamic shared memory beside 4096 of the kernel's, got 228353
func.func @too_much_shared(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 228353 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 1) shared %bytes args(%x : memref<4xf32>)
  return
}
func.func @as_much_as_there_is(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 228352 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 1) shared %bytes args(%x : memref<4xf32>)
  return
}

// ROWS: in dimension 1 at most 65535 blocks of 1 to 1024 threads in clusters of 1 to 16, got 70000 blocks
func.func @too_many_rows(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %many = arith.constant 70000 : index
  host.launch @m::@k grid(%c1, %many, %c1) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// DEEP: in dimension 2 at most 65535 blocks of 1 to 64 threads in clusters of 1 to 16, got 1 blocks of 65 threads
func.func @too_deep(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 65) args(%x : memref<4xf32>)
  return
}

// THREADS: expected at most 1024 threads in a block and 16 blocks in a cluster, got 2048 and 1
func.func @too_many_threads(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1024, 2, 1) args(%x : memref<4xf32>)
  return
}
