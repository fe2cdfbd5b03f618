// The sums of the rows of a matrix of any size: one block of 128 threads for each row.
gpu.module @rows {
  gpu.func @sum(%x: memref<?x?xf32>, %sums: memref<?xf32>)
      workgroup(%parts: memref<128xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    // Each thread adds up every 128th element.
    %part = scf.for %column = %thread to %columns step %c128 iter_args(%sum = %zero) -> f32 {
      %v = memref.load %x[%row, %column] : memref<?x?xf32>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %part, %parts[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
    // 64 threads add the parts of the other 64, then 32 those of the other 32, and so on. All threads come to each barrier.
    scf.for %step = %c0 to %c7 step %c1 {
      gpu.barrier
      %half = arith.shrui %c64, %step : index
      %adds = arith.cmpi ult, %thread, %half : index
      scf.if %adds {
        %other = arith.addi %thread, %half : index
        %a = memref.load %parts[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
        %b = memref.load %parts[%other] : memref<128xf32, #gpu.address_space<workgroup>>
        %c = arith.addf %a, %b : f32
        memref.store %c, %parts[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
      }
    }
    %isFirst = arith.cmpi eq, %thread, %c0 : index
    scf.if %isFirst {
      %sum = memref.load %parts[%c0] : memref<128xf32, #gpu.address_space<workgroup>>
      memref.store %sum, %sums[%row] : memref<?xf32>
    }
    gpu.return
  }
}

// The program: as many blocks as there are rows. The kernel writes into its argument 1 only.
func.func @row_sum(%x: memref<?x?xf32>) -> memref<?xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %sums = host.output 0 (%rows) : memref<?xf32>
  host.launch @rows::@sum grid(%rows, %c1, %c1) block(128, 1, 1) args(%x, %sums : memref<?x?xf32>, memref<?xf32>) writes [1]
  return %sums : memref<?xf32>
}
