// RUN: fuser-opt %s -split-input-file -verify-diagnostics

func.func @map_block_c1(%t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a result of type 'memref<64xf32, #kernel.cluster_memory>', got 'memref<32xf32, #kernel.cluster_memory>'}}
  %0 = kernel.map_block %t, %i : memref<64xf32, #gpu.address_space<workgroup>> to memref<32xf32, #kernel.cluster_memory>
  return
}

// -----

func.func @map_block_global(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{operand #0 must be memref in the block's shared memory, but got 'memref<64xf32>'}}
  %0 = kernel.map_block %x, %i : memref<64xf32> to memref<64xf32, #kernel.cluster_memory>
  return
}

// -----

func.func @load_c1(%x: memref<64xf32>) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  %0 = kernel.load %x[] cache streaming : memref<64xf32>, f32
  return
}

// -----

func.func @load_c2(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32>' or a vector of rank 1 of them, got 'f16'}}
  %0 = kernel.load %x[%i] cache streaming : memref<64xf32>, f16
  return
}

// -----

func.func @load_c2_vectors(%x: memref<64xvector<4xf32>>, %i: index) {
  // expected-error @below {{expected a memref whose elements are scalars, got 'memref<64xvector<4xf32>>'}}
  %0 = kernel.load %x[%i] cache streaming : memref<64xvector<4xf32>>, vector<4xf32>
  return
}

// -----

func.func @load_c2_rank(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32>' or a vector of rank 1 of them, got 'vector<2x2xf32>'}}
  %0 = kernel.load %x[%i] cache streaming : memref<64xf32>, vector<2x2xf32>
  return
}

// -----

func.func @load_c2_stride(%xs: memref<64xf32, strided<[2]>>, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>>'}}
  %0 = kernel.load %xs[%i] cache streaming : memref<64xf32, strided<[2]>>, f32
  return
}

// -----

func.func @load_c3(%h: memref<64xf16>, %i: index) {
  // expected-error @below {{expected a value of 1, 2, 4, 8, 16 bytes, got 'vector<3xf16>'}}
  %0 = kernel.load %h[%i] cache streaming : memref<64xf16>, vector<3xf16>
  return
}

// -----

func.func @load_c3_index(%xi: memref<64xindex>, %i: index) {
  // expected-error @below {{expected a value of 1, 2, 4, 8, 16 bytes, got 'vector<4xindex>'}}
  %0 = kernel.load %xi[%i] cache streaming : memref<64xindex>, vector<4xindex>
  return
}

// -----

func.func @load_shared(%t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory, but got}}
  %0 = kernel.load %t[%i] cache streaming : memref<64xf32, #gpu.address_space<workgroup>>, f32
  return
}

// -----

func.func @store_c1(%x: memref<64xf32>, %f: f32, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 2}}
  kernel.store %f, %x[%i, %i] cache streaming : f32, memref<64xf32>
  return
}

// -----

func.func @store_c2(%x: memref<64xf32>, %e: f16, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32>' or a vector of rank 1 of them, got 'f16'}}
  kernel.store %e, %x[%i] cache streaming : f16, memref<64xf32>
  return
}

// -----

func.func @store_c2_vectors(%x: memref<64xvector<4xf32>>, %v: vector<4xf32>, %i: index) {
  // expected-error @below {{expected a memref whose elements are scalars, got 'memref<64xvector<4xf32>>'}}
  kernel.store %v, %x[%i] cache streaming : vector<4xf32>, memref<64xvector<4xf32>>
  return
}

// -----

func.func @store_c2_stride(%xs: memref<64xf32, strided<[2]>>, %f: f32, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>>'}}
  kernel.store %f, %xs[%i] cache streaming : f32, memref<64xf32, strided<[2]>>
  return
}

// -----

func.func @store_c3(%h: memref<64xf16>, %hv: vector<3xf16>, %i: index) {
  // expected-error @below {{expected a value of 1, 2, 4, 8, 16 bytes, got 'vector<3xf16>'}}
  kernel.store %hv, %h[%i] cache streaming : vector<3xf16>, memref<64xf16>
  return
}

// -----

func.func @load_neighbours_c1(%x: memref<64xf32>) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  %0 = kernel.load_neighbours %x[] align 4 : memref<64xf32>, vector<4xf32>
  return
}

// -----

func.func @load_neighbours_c2(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32>' or a vector of rank 1 of them, got 'vector<4xf16>'}}
  %0 = kernel.load_neighbours %x[%i] align 2 : memref<64xf32>, vector<4xf16>
  return
}

// -----

func.func @load_neighbours_c2_bytes(%x: memref<64xi128>, %i: index) {
  // expected-error @below {{expected elements of 1, 2, 4 or 8 bytes, got 'i128'}}
  %0 = kernel.load_neighbours %x[%i] align 16 : memref<64xi128>, vector<4xi128>
  return
}

// -----

func.func @load_neighbours_c3(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected a vector of 2, 4, 8, ... elements, 64 bytes at most, got 'vector<3xf32>'}}
  %0 = kernel.load_neighbours %x[%i] align 4 : memref<64xf32>, vector<3xf32>
  return
}

// -----

func.func @load_neighbours_c4(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected a power of two as the alignment, got 12}}
  %0 = kernel.load_neighbours %x[%i] align 12 : memref<64xf32>, vector<4xf32>
  return
}

// -----

func.func @store_neighbours_c1(%x: memref<64xf32>, %v: vector<4xf32>) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  kernel.store_neighbours %v, %x[] align 4 : vector<4xf32>, memref<64xf32>
  return
}

// -----

func.func @store_neighbours_c2(%x: memref<64xf32, strided<[2]>>, %v: vector<4xf32>, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>>'}}
  kernel.store_neighbours %v, %x[%i] align 4 : vector<4xf32>, memref<64xf32, strided<[2]>>
  return
}

// -----

func.func @store_neighbours_c3(%x: memref<64xf32>, %v: vector<1xf32>, %i: index) {
  // expected-error @below {{expected a vector of 2, 4, 8, ... elements, 64 bytes at most, got 'vector<1xf32>'}}
  kernel.store_neighbours %v, %x[%i] align 4 : vector<1xf32>, memref<64xf32>
  return
}

// -----

func.func @store_neighbours_c4(%x: memref<64xf32>, %v: vector<4xf32>, %i: index) {
  // expected-error @below {{expected a power of two as the alignment, got 0}}
  kernel.store_neighbours %v, %x[%i] align 0 : vector<4xf32>, memref<64xf32>
  return
}

// -----

func.func @store_neighbours_c5(%x: memref<64xf32>, %v: vector<4xf32>, %i: index) {
  // expected-error @below {{expected a power of two of lanes, at most 32, got 64}}
  kernel.store_neighbours %v, %x[%i] align 4 lanes 64 : vector<4xf32>, memref<64xf32>
  return
}

// -----

func.func @store_c4(%x: memref<64xf32>, %f: f32, %i: index) {
  // expected-error @below {{expected a policy for stores, got 'no_allocate', which is for loads}}
  kernel.store %f, %x[%i] cache no_allocate : f32, memref<64xf32>
  return
}

// -----

func.func @store_async_c1(%rt: memref<64xf32, #kernel.cluster_memory>, %r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %f: f32, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32, #kernel.cluster_memory>', got 0}}
  kernel.store_async %f, %rt[] completes %r[%i] : f32, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @store_async_c1_barrier(%rt: memref<64xf32, #kernel.cluster_memory>, %r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %f: f32) {
  %i = arith.constant 0 : index
  // expected-error @below {{expected an index for each dimension of 'memref<2x!kernel.mbarrier, #kernel.cluster_memory>', got 0}}
  kernel.store_async %f, %rt[%i] completes %r[] : f32, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @store_async_c2(%rt: memref<64xf32, #kernel.cluster_memory>, %r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %e: f16, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32, #kernel.cluster_memory>' or a vector of rank 1 of them, got 'f16'}}
  kernel.store_async %e, %rt[%i] completes %r[%i] : f16, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @store_async_c3(%rh: memref<64xf16, #kernel.cluster_memory>, %r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %e: f16, %i: index) {
  // expected-error @below {{expected a value of 4, 8, 16 bytes, got 'f16'}}
  kernel.store_async %e, %rh[%i] completes %r[%i] : f16, memref<64xf16, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @store_async_c4(%rt: memref<64xf32, #kernel.cluster_memory>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %f: f32, %i: index) {
  // expected-error @below {{expected an mbarrier in the cluster's memory, as the value, got 'memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>'}}
  kernel.store_async %f, %rt[%i] completes %b[%i] : f32, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c1(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  kernel.bulk_copy %x[], %t[%i], %i completes %b[%i] : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c1_barrier(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>', got 0}}
  kernel.bulk_copy %x[%i], %t[%i], %i completes %b[] : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c2(%h: memref<64xf16>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected memrefs of one type of integers or floats of 1, 2, 4 or 8 bytes, got 'memref<64xf16>' and 'memref<64xf32, #gpu.address_space<workgroup>>'}}
  kernel.bulk_copy %h[%i], %t[%i], %i completes %b[%i] : memref<64xf16>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c2_wide(%x: memref<64xi128>, %t: memref<64xi128, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected memrefs of one type of integers or floats of 1, 2, 4 or 8 bytes, got 'memref<64xi128>' and 'memref<64xi128, #gpu.address_space<workgroup>>'}}
  kernel.bulk_copy %x[%i], %t[%i], %i completes %b[%i] : memref<64xi128>, memref<64xi128, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c2_stride(%xs: memref<64xf32, strided<[2]>>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>>'}}
  kernel.bulk_copy %xs[%i], %t[%i], %i completes %b[%i] : memref<64xf32, strided<[2]>>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c3_spaces(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{expected a copy from global to shared memory, or from shared to global or the cluster's memory, got 'memref<64xf32>' to 'memref<64xf32>'}}
  kernel.bulk_copy %x[%i], %x[%i], %i : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @bulk_copy_c3_without(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an mbarrier that counts the bytes of a copy to 'memref<64xf32, #gpu.address_space<workgroup>>'}}
  kernel.bulk_copy %x[%i], %t[%i], %i : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c3_with(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected no mbarrier in a copy to global memory, which is waited for by its group}}
  kernel.bulk_copy %t[%i], %x[%i], %i completes %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_copy_c3_other_memory(%rt: memref<64xf32, #kernel.cluster_memory>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an mbarrier in the memory of the destination, 'memref<64xf32, #kernel.cluster_memory>', got 'memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>'}}
  kernel.bulk_copy %t[%i], %rt[%i], %i completes %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32, #kernel.cluster_memory>, memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c1(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  kernel.copy_async %x[], %t[%i], 1 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c1_target(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32, #gpu.address_space<workgroup>>', got 2}}
  kernel.copy_async %x[%i], %t[%i, %i], 1 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c2(%h: memref<64xi32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected memrefs of one type of integers or floats, got 'memref<64xi32>' and 'memref<64xf32, #gpu.address_space<workgroup>>'}}
  kernel.copy_async %h[%i], %t[%i], 1 : memref<64xi32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c2_vector(%x: memref<64xvector<4xf32>>, %t: memref<64xvector<4xf32>, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected memrefs of one type of integers or floats, got 'memref<64xvector<4xf32>>' and 'memref<64xvector<4xf32>, #gpu.address_space<workgroup>>'}}
  kernel.copy_async %x[%i], %t[%i], 1 : memref<64xvector<4xf32>>, memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c2_stride(%xs: memref<64xf32, strided<[2]>>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>>'}}
  kernel.copy_async %xs[%i], %t[%i], 4 : memref<64xf32, strided<[2]>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c2_stride_of_target(%x: memref<64xf32>, %ts: memref<64xf32, strided<[2]>, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a memref whose innermost stride is 1, got 'memref<64xf32, strided<[2]>, #gpu.address_space<workgroup>>'}}
  kernel.copy_async %x[%i], %ts[%i], 4 : memref<64xf32>, memref<64xf32, strided<[2]>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c3(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got 3 of 'f32'}}
  kernel.copy_async %x[%i], %t[%i], 3 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c3_narrow(%h: memref<64xf16>, %t: memref<64xf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got 1 of 'f16'}}
  kernel.copy_async %h[%i], %t[%i], 1 : memref<64xf16>, memref<64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c3_bits(%b: memref<64xi1>, %t: memref<64xi1, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got 4 of 'i1'}}
  kernel.copy_async %b[%i], %t[%i], 4 : memref<64xi1>, memref<64xi1, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c3_negative(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got -1 of 'f32'}}
  kernel.copy_async %x[%i], %t[%i], -1 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c4(%t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory, but got}}
  kernel.copy_async %t[%i], %t[%i], 1 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @copy_async_c4_target(%x: memref<64xf32>, %i: index) {
  // expected-error @below {{operand #2 must be memref in the block's shared memory, but got 'memref<64xf32>'}}
  kernel.copy_async %x[%i], %x[%i], 1 : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @copy_async_c4_cluster(%x: memref<64xf32>, %r: memref<64xf32, #kernel.cluster_memory>, %i: index) {
  // expected-error @below {{operand #2 must be memref in the block's shared memory, but got 'memref<64xf32, #kernel.cluster_memory>'}}
  kernel.copy_async %x[%i], %r[%i], 1 : memref<64xf32>, memref<64xf32, #kernel.cluster_memory>
  return
}

// -----

func.func @counter_add_c1(%c: memref<4xi32>, %n: i32) {
  // expected-error @below {{expected an index for each dimension of 'memref<4xi32>', got 0}}
  %0 = kernel.counter_add %c[], %n : memref<4xi32>
  return
}

// -----

func.func @counter_add_c2(%cf: memref<4xf32>, %f: f32, %i: index) {
  // expected-error @below {{operand #2 must be 32-bit signless integer or 64-bit signless integer, but got 'f32'}}
  %0 = kernel.counter_add %cf[%i], %f : memref<4xf32>
  return
}

// -----

func.func @counter_add_c2_type(%c: memref<4xi32>, %l: i64, %i: index) {
  // expected-error @below {{failed to verify that 'increment' is of the memref's element type}}
  %0 = "kernel.counter_add"(%c, %i, %l) : (memref<4xi32>, index, i64) -> i32
  return
}

// -----

func.func @counter_wait_c1(%c: memref<4xi32>, %n: i32) {
  // expected-error @below {{expected an index for each dimension of 'memref<4xi32>', got 0}}
  kernel.counter_wait %c[], %n : memref<4xi32>
  return
}

// -----

func.func @counter_wait_c2(%cf: memref<4xf32>, %f: f32, %i: index) {
  // expected-error @below {{operand #2 must be 32-bit signless integer or 64-bit signless integer, but got 'f32'}}
  kernel.counter_wait %cf[%i], %f : memref<4xf32>
  return
}

// -----

func.func @mbarrier_init_c1(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %n: i32) {
  // expected-error @below {{expected an index for each dimension of}}
  kernel.mbarrier_init %b[], %n : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_init_remote(%r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %n: i32, %i: index) {
  // expected-error @below {{operand #0 must be mbarriers in the block's shared memory}}
  kernel.mbarrier_init %r[%i], %n : memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @mbarrier_arrive_c1(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>) {
  // expected-error @below {{expected an index for each dimension of}}
  kernel.mbarrier_arrive %b[] : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_arrive_c2(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %n: i32, %i: index) {
  // expected-error @below {{expected a count of arrivals or bytes, got both: with bytes it is one arrival}}
  kernel.mbarrier_arrive %b[%i] count %n expect %n : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_arrive_c3(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected the scope 'block' or 'cluster', got 'device'}}
  kernel.mbarrier_arrive %b[%i] scope device : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_arrive_c3_remote(%r: memref<2x!kernel.mbarrier, #kernel.cluster_memory>, %i: index) {
  // expected-error @below {{expected the scope 'cluster' for an mbarrier in the cluster's memory, got 'block'}}
  kernel.mbarrier_arrive %r[%i] : memref<2x!kernel.mbarrier, #kernel.cluster_memory>
  return
}

// -----

func.func @mbarrier_expect_c1(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %n: i32) {
  // expected-error @below {{expected an index for each dimension of}}
  kernel.mbarrier_expect %b[], %n : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_wait_c1(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @below {{expected an index for each dimension of}}
  kernel.mbarrier_wait %b[], %p : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mbarrier_wait_c2(%b: memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>, %p: i1, %i: index) {
  // expected-error @below {{expected the scope 'block' or 'cluster', got 'device'}}
  kernel.mbarrier_wait %b[%i], %p scope device : memref<2x!kernel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @bulk_wait_c1() {
  // expected-error @below {{expected 0 groups or more, got -1}}
  kernel.bulk_wait -1
  return
}

// -----

func.func @copy_async_wait_c1() {
  // expected-error @below {{expected 0 groups or more, got -1}}
  kernel.copy_async_wait -1
  return
}

// -----

func.func @barrier_c1(%i: index) {
  // expected-error @below {{expected a multiple of 32 threads, at most 1024, got 33}}
  kernel.barrier %i, 33
  return
}

// -----

func.func @barrier_c1_many(%i: index) {
  // expected-error @below {{expected a multiple of 32 threads, at most 1024, got 1056}}
  kernel.barrier %i, 1056
  return
}

// -----

func.func @barrier_c2() {
  %number = arith.constant 16 : index
  // expected-error @below {{expected a barrier from 1 to 15 (0 is that of gpu.barrier), got 16}}
  kernel.barrier %number, 32
  return
}

// -----

func.func @barrier_arrive_c2() {
  %number = arith.constant 0 : index
  // expected-error @below {{expected a barrier from 1 to 15 (0 is that of gpu.barrier), got 0}}
  kernel.barrier_arrive %number, 32
  return
}

// -----

func.func @private_counter(%n: memref<1xi32, #gpu.address_space<private>>, %i: index, %one: i32) {
  // expected-error @below {{must be memref in shared, the cluster's or global memory}}
  %before = kernel.counter_add %n[%i], %one : memref<1xi32, #gpu.address_space<private>>
  return
}

// -----

func.func @barrier_arrive_c1(%i: index) {
  // expected-error @below {{expected a multiple of 32 threads, at most 1024, got 0}}
  kernel.barrier_arrive %i, 0
  return
}

// -----

// copy_async_neighbours_c1
func.func @copy_async_neighbours_c1(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32>', got 0}}
  kernel.copy_async_neighbours %x[], %t[%i], 4 align 4 lanes 32 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c2
func.func @copy_async_neighbours_c2(%x: memref<64xi32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected memrefs of one type of integers or floats, got 'memref<64xi32>' and 'memref<64xf32, #gpu.address_space<workgroup>>'}}
  kernel.copy_async_neighbours %x[%i], %t[%i], 4 align 4 lanes 32 : memref<64xi32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c2
func.func @copy_async_neighbours_c2_bytes(%x: memref<64xi128>, %t: memref<64xi128, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 1, 2, 4 or 8 bytes, got 'i128'}}
  kernel.copy_async_neighbours %x[%i], %t[%i], 1 align 16 lanes 32 : memref<64xi128>, memref<64xi128, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c3
func.func @copy_async_neighbours_c3(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got 8 of 'f32'}}
  kernel.copy_async_neighbours %x[%i], %t[%i], 8 align 4 lanes 32 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c4
func.func @copy_async_neighbours_c4(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory, but got 'memref<64xf32, #gpu.address_space<workgroup>>'}}
  kernel.copy_async_neighbours %t[%i], %t[%i], 4 align 4 lanes 32 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c5
func.func @copy_async_neighbours_c5(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a power of two as the alignment, got 12}}
  kernel.copy_async_neighbours %x[%i], %t[%i], 4 align 12 lanes 32 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// copy_async_neighbours_c6
func.func @copy_async_neighbours_c6(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a power of two of lanes, at most 32, got 64}}
  kernel.copy_async_neighbours %x[%i], %t[%i], 4 align 4 lanes 64 : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// load_copied_c1
func.func @load_copied_c1(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an index for each dimension of 'memref<64xf32, #gpu.address_space<workgroup>>', got 2}}
  %0 = kernel.load_copied %t[%i, %i] of %x[%i] align 4 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, vector<4xf32>
  return
}

// -----

// load_copied_c2
func.func @load_copied_c2(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected an element of 'memref<64xf32>' or a vector of rank 1 of them, got 'vector<4xf16>'}}
  %0 = kernel.load_copied %t[%i] of %x[%i] align 4 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, vector<4xf16>
  return
}

// -----

// load_copied_c3
func.func @load_copied_c3(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected elements of 4, 8 or 16 bytes, got 8 of 'f32'}}
  %0 = kernel.load_copied %t[%i] of %x[%i] align 4 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, vector<8xf32>
  return
}

// -----

// load_copied_c4
func.func @load_copied_c4(%x: memref<64xf32>, %t: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected a power of two as the alignment, got 12}}
  %0 = kernel.load_copied %t[%i] of %x[%i] align 12 : memref<64xf32, #gpu.address_space<workgroup>>, memref<64xf32>, vector<4xf32>
  return
}
