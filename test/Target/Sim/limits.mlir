// Launches that the CUDA driver would refuse are refused.
// RUN: not fuser-run %s --target=sim --entry=too_much_shared --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not fuser-run %s --target=sim --entry=too_many_rows --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not fuser-run %s --target=sim --entry=too_deep --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: not fuser-run %s --target=sim --entry=too_many_threads --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not fuser-run %s --target=sim --entry=too_wide_cluster --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not fuser-run %s --target=sim --entry=too_large_cluster --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not fuser-run %s --target=sim --entry=part_of_a_cluster --input=4xf32=random:1 2>&1 | FileCheck %s --check-prefix=PART
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

// ROWS: kernel 'k': expected 1 to 65535 blocks in the grid in dimension y, got 70000{{$}}
func.func @too_many_rows(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %many = arith.constant 70000 : index
  host.launch @m::@k grid(%c1, %many, %c1) block(1, 1, 1) args(%x : memref<4xf32>)
  return
}

// DEEP: kernel 'k': expected 1 to 64 threads in a block in dimension z, got 65{{$}}
func.func @too_deep(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 65) args(%x : memref<4xf32>)
  return
}

// THREADS: kernel 'k': expected 1 to 1024 threads in a block, of all dimensions, got 2048{{$}}
func.func @too_many_threads(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@k grid(%c1, %c1, %c1) block(1024, 2, 1) args(%x : memref<4xf32>)
  return
}

// WIDE: kernel 'k': expected 1 to 16 blocks in a cluster in dimension x, got 17{{$}}
func.func @too_wide_cluster(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : index
  host.launch @m::@k grid(%c17, %c1, %c1) block(1, 1, 1) cluster(17, 1, 1) args(%x : memref<4xf32>)
  return
}

// LARGE: kernel 'k': expected 1 to 16 blocks in a cluster, of all dimensions, got 32{{$}}
func.func @too_large_cluster(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  host.launch @m::@k grid(%c8, %c4, %c1) block(1, 1, 1) cluster(8, 4, 1) args(%x : memref<4xf32>)
  return
}

// PART: kernel 'k': expected a grid of whole clusters, got 3 blocks in clusters of 2 in dimension x{{$}}
func.func @part_of_a_cluster(%x: memref<4xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  host.launch @m::@k grid(%c3, %c1, %c1) block(1, 1, 1) cluster(2, 1, 1) args(%x : memref<4xf32>)
  return
}
