// What a program writes into is said of its inputs: a buffer, a view of it, what comes out of a branch or a loop; by a launch, a copy, a
// communication. A launch without `writes` may write into each of its buffers.
// RUN: not fuser-run %s --target=sim --entry=launch 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: input 0 %read tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// LAUNCH: input 1 %written tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// RUN: not fuser-run %s --target=sim --entry=views 2>&1 | FileCheck %s --check-prefix=VIEWS
// VIEWS: input 0 %sliced tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// VIEWS: input 1 %cast tensor<4xf32>, dimensions {{[^,]*}}, written into{{$}}
// VIEWS: input 2 %named tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// VIEWS: input 3 %returned tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// VIEWS: result 0 {{.*}} a view of %returned
// RUN: not fuser-run %s --target=sim --entry=branch 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: input 0 %first tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// BRANCH: input 1 %second tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// BRANCH: input 2 %third tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// RUN: not fuser-run %s --target=sim --entry=carried 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: input 0 %in tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// CARRIED: input 1 %out tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// RUN: not fuser-run %s --target=sim --entry=swapped 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: input 0 %in tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// SWAPPED: input 1 %out tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// RUN: not fuser-run %s --target=sim --entry=copy 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: input 0 %copied tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// COPY: input 1 %target tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// COPY: input 2 %filled tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// RUN: not fuser-run %s --entry=ranks 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: input 0 %sent tensor<?xf32>, dimensions {{[^,]*}}{{$}}
// RANKS: input 1 %received tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// RUN: not fuser-run %s --target=sim --entry=unsaid 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: input 0 %a tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}
// UNSAID: input 1 %b tensor<?xf32>, dimensions {{[^,]*}}, written into{{$}}

gpu.module @m {
  gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %block = gpu.block_id x
    %v = memref.load %x[%block] : memref<?xf32>
    memref.store %v, %y[%block] : memref<?xf32>
    gpu.return
  }
}

func.func @launch(%read: memref<?xf32>, %written: memref<?xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%read, %written : memref<?xf32>, memref<?xf32>) writes [1]
  return
}

func.func @unsaid(%a: memref<?xf32>, %b: memref<?xf32>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%a, %b : memref<?xf32>, memref<?xf32>)
  return
}

func.func @views(%sliced: memref<?xf32>, %cast: memref<4xf32>, %named: memref<?xf32>, %returned: memref<?xf32>) -> memref<?xf32>
    attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slice = host.slice %sliced dim 0 from %c0 size %c1 : memref<?xf32>
  %rebased = host.rebase %slice : memref<?xf32, strided<[1], offset: ?>>
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%returned, %rebased : memref<?xf32>, memref<?xf32, strided<[1]>>) writes [1]
  %open = memref.cast %cast : memref<4xf32> to memref<?xf32>
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%returned, %open : memref<?xf32>, memref<?xf32>) writes [1]
  %name = host.declare "n" : memref<?xf32>
  host.alias %name, %named : memref<?xf32>, memref<?xf32>
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%returned, %name : memref<?xf32>, memref<?xf32>) writes [1]
  host.output_view 0, %returned input 3 : memref<?xf32>
  return %returned : memref<?xf32>
}

func.func @branch(%first: memref<?xf32>, %second: memref<?xf32>, %third: memref<?xf32>, %which: i1) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %one, %other = scf.if %which -> (memref<?xf32>, memref<?xf32>) {
    scf.yield %first, %third : memref<?xf32>, memref<?xf32>
  } else {
    scf.yield %second, %third : memref<?xf32>, memref<?xf32>
  }
  host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%other, %one : memref<?xf32>, memref<?xf32>) writes [1]
  return
}

func.func @carried(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %in, %b = %out) -> (memref<?xf32>, memref<?xf32>) {
    host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%a, %b : memref<?xf32>, memref<?xf32>) writes [1]
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  }
  return
}

func.func @swapped(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %in, %b = %out) -> (memref<?xf32>, memref<?xf32>) {
    host.launch @m::@copy grid(%c1, %c1, %c1) block(1, 1, 1) args(%a, %b : memref<?xf32>, memref<?xf32>) writes [1]
    scf.yield %b, %a : memref<?xf32>, memref<?xf32>
  }
  return
}

func.func @copy(%copied: memref<?xf32>, %target: memref<?xf32>, %filled: memref<?xf32>) attributes {host.program} {
  %zero = arith.constant 0.0 : f32
  host.copy %copied, %target : memref<?xf32>, memref<?xf32>
  host.fill %zero, %filled : f32, memref<?xf32>
  return
}

func.func @ranks(%sent: memref<?xf32>, %received: memref<?xf32>) attributes {host.program} {
  %g = host.group
  %r = host.all_reduce <sum> %sent, %received in %g : memref<?xf32>, memref<?xf32>
  return
}
