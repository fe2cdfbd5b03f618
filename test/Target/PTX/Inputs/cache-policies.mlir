gpu.module @kernels {
  gpu.func @policies(%x: memref<?xf32>, %b: memref<?xi8>, %d: memref<?xf64>, %i: index) kernel {
    %0 = kernel.load %x[%i] cache streaming : memref<?xf32>, vector<4xf32>
    kernel.store %0, %x[%i] cache streaming : vector<4xf32>, memref<?xf32>
    %1 = kernel.load %x[%i] cache no_allocate : memref<?xf32>, vector<2xf32>
    kernel.store %1, %x[%i] cache evict_first : vector<2xf32>, memref<?xf32>
    %2 = kernel.load %b[%i] cache evict_first : memref<?xi8>, i8
    kernel.store %2, %b[%i] cache evict_last : i8, memref<?xi8>
    %3 = kernel.load %b[%i] cache evict_last : memref<?xi8>, vector<2xi8>
    kernel.store %3, %b[%i] cache streaming : vector<2xi8>, memref<?xi8>
    %4 = kernel.load %d[%i] cache evict_last : memref<?xf64>, f64
    kernel.store %4, %d[%i] cache evict_last : f64, memref<?xf64>
    gpu.return
  }
}
