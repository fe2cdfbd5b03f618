// Scatters by sorted indices as PTX, without spills, and what they give.
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=KERNEL
// RUN: %if ptxas %{ fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-run %s --entry add --target sim --sim-check --check --input 50x24xf32=random:1 --input 9000xi64=random:2,below=60 --input 9000x24xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry add --target sim --exact --check --input 50x24xf32=bits:1 --input 300xi64=random:2,below=60 --input 300x24xf32=bits:3 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 50x24xf32=random:1 --input 0xi64=random:2 --input 0x24xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 0x24xf32=random:1 --input 3xi64=random:2 --input 3x24xf32=random:3 | FileCheck %s
// Negative indices, and updates that lie anywhere.
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 5x24xf32=random:1 --input 40xi64=random:2 --input 40x24xf32=random:3,strides=1x41 | FileCheck %s
// RUN: fuser-run %s --entry along --target sim --sim-check --check --input 3x200x5xbf16=random:1 --input 3x300x5xi32=random:2,below=220 --input 3x300x5xbf16=random:3 | FileCheck %s
// RUN: fuser-run %s --entry along --target sim --sim-check --check --input 3x200x0xbf16=random:1 --input 3x300x0xi32=random:2 --input 3x300x0xbf16=random:3 | FileCheck %s
// RUN: fuser-run %s --entry over_its_input --target sim --sim-check --check --input 6x400xf64=random:1 --input 300xi32=random:2,below=50 --input 6x300xf64=random:3 | FileCheck %s
// By digits: indices that are no positions, too, in columns, and in one of any length.
// RUN: fuser-run %s --entry digits --target sim --sim-check --check --input 300x3xf32=random:1 --input 5000xi64=random:2,below=310 --input 5000x3xf32=random:3 --input 2x40x2xbf16=random:4 --input 2x4097x2xi32=random:5 --input 2x4097x2xbf16=random:6 | FileCheck %s
// RUN: fuser-run %s --entry open_digits --target sim --sim-check --check --input 50x3xf32=random:1 --input 700xi64=random:2,below=60 --input 700x3xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry open_digits --target sim --sim-check --check --input 50x3xf32=random:1 --input 0xi64=random:2 --input 0x3xf32=random:3 | FileCheck %s
// The last one of several updates, in vectors of 8; and in what has one dimension.
// RUN: fuser-run %s --entry replaced --target sim --sim-check --check --input 40x3x16xbf16=random:1 --input 900xi32=random:2,below=30 --input 40x900x16xbf16=random:3 --input 7xi8=random:1 --input 500xi64=random:2,below=9 --input 500xi8=random:3 | FileCheck %s
// With casts and more in the same kernels: of vectors of 8, of whatever width, of nothing, of one dimension, over an input that is read elsewhere.
// RUN: fuser-run %s --entry made --target sim --sim-check --check --input 700xi64=random:1,below=60 --input 700x3x24xbf16=random:2 --input 24xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry made --target sim --sim-check --check --input 700xi64=random:1,below=60 --input 700x3x7xbf16=random:2 --input 7xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry made --target sim --sim-check --check --input 0xi64=random:1 --input 0x3x24xbf16=random:2 --input 24xf32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry made_of_one --target sim --sim-check --check --input 300xi32=random:1,below=40 --input 300xi32=random:2 --input 300xi32=random:3 | FileCheck %s
// RUN: fuser-run %s --entry over_updates --target sim --sim-check --check --input 300x8xf32=random:1 --input 300xi64=random:2,below=310 --input 300x8xf32=random:3 | FileCheck %s
// CHECK: {{^}}right

// Rows of a table of known length: keys of as many bits as it needs.
// KERNEL-LABEL: gpu.func @add_0_tiles(
// KERNEL: arith.minui %{{.*}} : i64
// KERNEL: arith.trunci %{{.*}} : i64 to i32
// KERNEL: gpu.shuffle xor
// KERNEL-LABEL: gpu.func @add_0_merge(
// Then the place of the first update of each row of the table, and neighbours of a row with all of its updates.
// KERNEL-LABEL: gpu.func @add_0_starts(
// KERNEL: scf.while
// KERNEL-LABEL: gpu.func @add_0(
// KERNEL: scf.for
// KERNEL: arith.addf %{{.*}} : vector<4xf32>

// Of an open length: of 64.
// KERNEL-LABEL: gpu.func @open_0_tiles(
// KERNEL-NOT: arith.minui
// KERNEL: gpu.return

// Keys of 9 bits are two digits of 5.
// KERNEL-LABEL: gpu.func @digits_0_first_digit(
// KERNEL-COUNT-5: kernel.ballot
// KERNEL: memref.atomic_rmw

// KERNEL-LABEL: func.func @add(
// KERNEL: host.launch @add_0_tiles::@add_0_tiles
// KERNEL: scf.for
// KERNEL: host.launch @add_0_merge::@add_0_merge
// KERNEL: host.launch @add_0_merge::@add_0_merge
// KERNEL: host.launch @add_0_starts::@add_0_starts
// KERNEL: host.launch @add_0::@add_0
func.func @add(%t: tensor<50x24xf32>, %i: tensor<?xi64>, %g: tensor<?x24xf32>) -> tensor<50x24xf32> {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<50x24xf32>, tensor<?xi64>, tensor<?x24xf32>
  return %0 : tensor<50x24xf32>
}

func.func @open(%t: tensor<?x24xf32>, %i: tensor<?xi64>, %g: tensor<?x24xf32> {fusion.layout = "any"}) -> tensor<?x24xf32> {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<?x24xf32>, tensor<?xi64>, tensor<?x24xf32>
  return %0 : tensor<?x24xf32>
}

// Of one tile: nothing is merged.
// KERNEL-LABEL: func.func @along(
// KERNEL: host.launch @along_0_copy::@along_0_copy
// KERNEL: host.launch @along_0_tiles::@along_0_tiles
// KERNEL-NOT: merge
// KERNEL: host.launch @along_0::@along_0
func.func @along(%t: tensor<3x200x?xbf16>, %i: tensor<3x300x?xi32>, %g: tensor<3x300x?xbf16>) -> (tensor<3x200x?xbf16>, tensor<3x200x?xbf16>) {
  %0 = fusion.scatter_along_axis %t, %i, %g dim 1 combine <max> : tensor<3x200x?xbf16>, tensor<3x300x?xi32>, tensor<3x300x?xbf16>
  %1 = fusion.scatter_along_axis %t, %i, %g dim 1 : tensor<3x200x?xbf16>, tensor<3x300x?xi32>, tensor<3x300x?xbf16>
  return %0, %1 : tensor<3x200x?xbf16>, tensor<3x200x?xbf16>
}

// What is stored over the input of a scatter is another buffer first.
// KERNEL-LABEL: func.func @over_its_input(
// KERNEL: host.alloc
// KERNEL: host.launch @over_its_input_0::@over_its_input_0
// KERNEL: host.launch @over_its_input_1::@over_its_input_1
func.func @over_its_input(%x: tensor<6x400xf64>, %i: tensor<300xi32>, %u: tensor<6x300xf64>) -> (tensor<6x400xf64> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %r = fusion.scatter %x, %i, %u dim 1 combine <prod> : tensor<6x400xf64>, tensor<300xi32>, tensor<6x300xf64>
  return %r : tensor<6x400xf64>
}

// Passes that leave positions in a workspace, starts, and elements.
// KERNEL-LABEL: func.func @digits(
// KERNEL: host.launch @digits_0_first_count::
// KERNEL: host.launch @digits_0_offsets::
// KERNEL: host.launch @digits_0_first_digit::
// KERNEL: host.launch @digits_0_count::
// KERNEL: host.launch @digits_0_offsets::
// KERNEL: host.launch @digits_0_last_digit::
// KERNEL: host.launch @digits_0_starts::
// KERNEL: host.launch @digits_0::
func.func @digits(%t: tensor<300x?xf32>, %i: tensor<5000xi64>, %g: tensor<5000x?xf32>, %s: tensor<?x40x2xbf16>, %j: tensor<?x4097x2xi32>, %h: tensor<?x4097x2xbf16>) -> (tensor<300x?xf32>, tensor<?x40x2xbf16>) {
  %0 = fusion.scatter %t, %i, %g dim 0 combine <sum> : tensor<300x?xf32>, tensor<5000xi64>, tensor<5000x?xf32>
  %1 = fusion.scatter_along_axis %s, %j, %h dim 1 : tensor<?x40x2xbf16>, tensor<?x4097x2xi32>, tensor<?x4097x2xbf16>
  return %0, %1 : tensor<300x?xf32>, tensor<?x40x2xbf16>
}

func.func @open_digits(%x: tensor<?x3xf32>, %i: tensor<?xi64>, %u: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = fusion.segment "scatter" (%a = %x : tensor<?x3xf32>, %j = %i : tensor<?xi64>, %v = %u : tensor<?x3xf32>) -> (tensor<?x3xf32>) attributes {schedule = #fusion.tile<kind = "scatter", axes = [[], [0]], layout = [[], [l5, r1, w3]]>} {
    %1 = fusion.scatter %a, %j, %v dim 0 combine <sum> : tensor<?x3xf32>, tensor<?xi64>, tensor<?x3xf32>
    fusion.yield %1 : tensor<?x3xf32>
  }
  return %0 : tensor<?x3xf32>
}

func.func @replaced(%x: tensor<40x3x16xbf16>, %i: tensor<?xi32>, %u: tensor<40x?x16xbf16>, %y: tensor<7xi8>, %j: tensor<?xi64>, %v: tensor<?xi8>) -> (tensor<40x3x16xbf16>, tensor<7xi8>) {
  %0 = fusion.scatter %x, %i, %u dim 1 : tensor<40x3x16xbf16>, tensor<?xi32>, tensor<40x?x16xbf16>
  %1 = fusion.scatter_along_axis %y, %j, %v dim 0 combine <sum> : tensor<7xi8>, tensor<?xi64>, tensor<?xi8>
  return %0, %1 : tensor<40x3x16xbf16>, tensor<7xi8>
}

// One segment: indices that are computed, a result before and after more ops.
// KERNEL-LABEL: func.func @made(
// KERNEL: host.launch @made_0_starts::
// KERNEL: host.launch @made_0::
// KERNEL-NOT: host.launch
// KERNEL: return
func.func @made(%i: tensor<?xi64>, %g: tensor<?x3x?xbf16>, %b: tensor<?xf32>) -> (tensor<50x3x?xf32>, tensor<50x3x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %t = fusion.full %zero sizes(%n) : tensor<50x3x?xf32>
  %j = fusion.neg %i : tensor<?xi64>
  %k = fusion.abs %j : tensor<?xi64>
  %u = fusion.cast %g : tensor<?x3x?xbf16> to tensor<?x3x?xf32>
  %0 = fusion.scatter %t, %k, %u dim 0 combine <sum> : tensor<50x3x?xf32>, tensor<?xi64>, tensor<?x3x?xf32>
  %b1 = fusion.broadcast %b dims [0, 1] : tensor<?xf32> to tensor<1x1x?xf32>
  %bx = fusion.expand %b1 : tensor<1x1x?xf32> to tensor<50x3x?xf32>
  %1 = fusion.add %0, %bx : tensor<50x3x?xf32>
  %2 = fusion.cast %1 : tensor<50x3x?xf32> to tensor<50x3x?xbf16>
  return %0, %2 : tensor<50x3x?xf32>, tensor<50x3x?xbf16>
}

func.func @made_of_one(%i: tensor<300xi32>, %x: tensor<300xi32>, %y: tensor<300xi32>) -> tensor<300xi32> {
  %u = fusion.mul %x, %y : tensor<300xi32>
  %0 = fusion.scatter %x, %i, %u dim 0 combine <sum> : tensor<300xi32>, tensor<300xi32>, tensor<300xi32>
  %1 = fusion.neg %0 : tensor<300xi32>
  return %1 : tensor<300xi32>
}

func.func @over_updates(%x: tensor<300x8xf32>, %i: tensor<300xi64>, %u: tensor<300x8xf32>) -> (tensor<300x8xf32> {fusion.alias = #fusion.alias<reuse, 2>}) {
  %v = fusion.exp %u : tensor<300x8xf32>
  %0 = fusion.scatter %x, %i, %v dim 0 combine <sum> : tensor<300x8xf32>, tensor<300xi64>, tensor<300x8xf32>
  %1 = fusion.neg %0 : tensor<300x8xf32>
  return %1 : tensor<300x8xf32>
}
