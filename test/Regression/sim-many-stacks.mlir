// More threads wait at once than a process may have stacks with guards.
// RUN: fuser-run %s --target=sim

gpu.module @m {
  gpu.func @k(%c: memref<1xi32>, %y: memref<40960xi32>) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : i32
    %n = arith.constant 40960 : i32
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c1024 : index
    %i = arith.addi %f, %t : index
    %o = kernel.counter_add %c[%c0], %i1 : memref<1xi32>
    kernel.counter_wait %c[%c0], %n : memref<1xi32>
    memref.store %i1, %y[%i] : memref<40960xi32>
    gpu.return
  }
}
func.func @f() -> memref<40960xi32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 40 : index
  %c = host.workspace 0 () zeroed : memref<1xi32>
  %y = host.output 0 () : memref<40960xi32>
  host.launch @m::@k grid(%grid, %c1, %c1) block(1024, 1, 1) cooperative args(%c, %y : memref<1xi32>, memref<40960xi32>) writes [1]
  return %y : memref<40960xi32>
}
