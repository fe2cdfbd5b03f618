// Sorts of rows digit by digit as PTX, without spills, and what they give.
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=KERNEL
// RUN: fuser-opt %s %{to_kernels} | FileCheck %s --check-prefix=HOST
// RUN: %if ptxas %{ fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-run %s --entry floats --target sim --sim-check --check --input 2x9001xf32=bits:1,offset=1 | FileCheck %s
// RUN: fuser-run %s --entry floats --target sim --exact --check --input 3x9001xf32=bits:2,strides=9002x1 | FileCheck %s
// RUN: fuser-run %s --entry floats --target sim --check --input 0x9001xf32=bits:2 | FileCheck %s
// RUN: fuser-run %s --entry doubles --target sim --sim-check --check --input 2x5000xf64=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry narrow --target sim --sim-check --check --input 2x4097xbf16=bits:1 --input 2x4097xf8E4M3FN=bits:1 --input 2x4097xui16=random:1 | FileCheck %s
// RUN: fuser-run %s --entry longs --target sim --sim-check --check --input 1x4097xi64=random:1 --input 1x4097xui64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry flags --target sim --sim-check --check --input 3x5000xi1=random:1 | FileCheck %s
// RUN: fuser-run %s --entry outer --target sim --sim-check --check --input 5000x3xi8=random:1,strides=1x5000 --input 2x5000x2xi32=random:1 | FileCheck %s
// Elements that are wanted are moved instead of keys, but those of one bit; the signs of zeros and the bits of NaN stay.
// RUN: fuser-run %s --entry values --target sim --sim-check --check --input 2x9001xf32=bits:1,offset=1 --input 2x9001xbf16=bits:2 --input 2x9001xi1=random:1 --input 2x9001xf64=bits:2 | FileCheck %s
// RUN: %if numpy %{ %python -c "import numpy as np; np.save('%t.x.npy', np.resize(np.array([0.0, -0.0, np.nan, -np.nan, 1, -1, np.inf, -np.inf], np.float32), (2, 9001)))" %}
// RUN: %if numpy %{ fuser-run %s --entry values --target sim --input %t.x.npy --input 2x9001xbf16=bits:2 --input 2x9001xi1=random:1 --input 2x9001xf64=bits:2 --output=%t.v.npy --output=%t.b.npy --output=%t.f.npy --output=%t.d.npy --output=%t.i.npy %}
// RUN: %if numpy %{ %python -c "import numpy as np; x, v, i = (np.load('%t.' + n + '.npy') for n in 'xvi'); assert (np.take_along_axis(x.view('u4'), i, 1) == v.view('u4')).all() and (np.diff(i[:, :2250]) > 0).sum() == 2 * 2248" %}
// Rows of any length, by hand: of none, of one, of a tile and about it, of several.
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 3x0xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 0x5xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 3x1xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 2x511xf32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 2x512xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --sim-check --check --input 2x513xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry open --target sim --check --input 1x150000xf32=random:1 | FileCheck %s
// CHECK: {{^}}right

// Counters of lanes, so that few wait for each other.
// KERNEL-LABEL: gpu.func @floats_0_first_count(
// KERNEL-SAME: workgroup(%[[LEFT:[a-z0-9]+]] : memref<1xi32, #gpu.address_space<workgroup>>, %[[COUNTERS:[a-z0-9]+]] : memref<2048xi32, #gpu.address_space<workgroup>>)
// KERNEL: gpu.barrier
// KERNEL: memref.load %[[LEFT]]
// KERNEL: memref.atomic_rmw addi {{.*}}, %[[COUNTERS]]
// KERNEL: gpu.barrier
// KERNEL: memref.store
// KERNEL: gpu.return

// Three tiles a row: four lanes have a digit.
// KERNEL-LABEL: gpu.func @floats_0_offsets(
// KERNEL-COUNT-2: gpu.shuffle idx
// KERNEL: scf.yield
// KERNEL: gpu.return

// Eight bits are compared in all lanes; one of those of a digit counts them.
// KERNEL-LABEL: gpu.func @floats_0_first_digit(
// KERNEL-COUNT-8: kernel.ballot
// KERNEL: memref.atomic_rmw addi
// KERNEL: kernel.sync_warp
// KERNEL-COUNT-8: kernel.ballot
// KERNEL-LABEL: gpu.func @floats_0_count(
// KERNEL: arith.shrui
// KERNEL-LABEL: gpu.func @floats_0_digit(
// KERNEL-LABEL: gpu.func @floats_0_last_digit(

// HOST-LABEL: func.func @floats(
// HOST: host.launch @floats_0_first_count::
// HOST: host.launch @floats_0_offsets::
// HOST: host.launch @floats_0_first_digit::
// HOST: host.launch @floats_0_count::
// HOST: host.launch @floats_0_offsets::
// HOST: host.launch @floats_0_digit::
// HOST: host.launch @floats_0_digit::
// HOST: host.launch @floats_0_last_digit::
// HOST-NOT: host.launch
func.func @floats(%x: tensor<?x9001xf32> {fusion.layout = "any"}) -> tensor<?x9001xi64> {
  %0 = fusion.argsort %x dim 1 : tensor<?x9001xf32> to tensor<?x9001xi64>
  return %0 : tensor<?x9001xi64>
}

// Eight passes; the first 3000 of each row are stored.
// HOST-LABEL: func.func @doubles(
// HOST-COUNT-6: host.launch @doubles_0_digit::
// HOST: host.launch @doubles_0_last_digit::
func.func @doubles(%x: tensor<?x5000xf64>) -> tensor<?x3000xi64> {
  %0 = fusion.argtopk 3000 %x dim 1 descending : tensor<?x5000xf64> to tensor<?x3000xi64>
  return %0 : tensor<?x3000xi64>
}

// Two passes, and one, which reads the input and stores the result.
// HOST-LABEL: func.func @narrow(
// HOST: host.launch @narrow_0_first_digit::
// HOST-NOT: host.launch @narrow_0_digit::
// HOST: host.launch @narrow_0_last_digit::
// HOST-NOT: host.launch @narrow_1_first_digit::
// HOST: host.launch @narrow_1_last_digit::
func.func @narrow(%x: tensor<?x4097xbf16>, %y: tensor<?x4097xf8E4M3FN>, %z: tensor<?x4097xui16>) -> (tensor<?x4097xi64>, tensor<?x4097xi64>, tensor<?x4097xi64>) {
  %0 = fusion.argsort %x dim 1 descending : tensor<?x4097xbf16> to tensor<?x4097xi64>
  %1 = fusion.argsort %y dim 1 : tensor<?x4097xf8E4M3FN> to tensor<?x4097xi64>
  %2 = fusion.argsort %z dim 1 : tensor<?x4097xui16> to tensor<?x4097xi64>
  return %0, %1, %2 : tensor<?x4097xi64>, tensor<?x4097xi64>, tensor<?x4097xi64>
}

func.func @longs(%x: tensor<?x4097xi64>, %y: tensor<?x4097xui64>) -> (tensor<?x4097xi64>, tensor<?x4097xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x4097xi64> to tensor<?x4097xi64>
  %1 = fusion.argsort %y dim 1 descending : tensor<?x4097xui64> to tensor<?x4097xi64>
  return %0, %1 : tensor<?x4097xi64>, tensor<?x4097xi64>
}

// A digit of one bit.
// KERNEL-LABEL: gpu.func @flags_0_last_digit(
// KERNEL-COUNT-1: kernel.ballot
// KERNEL-NOT: kernel.ballot
// KERNEL: memref.atomic_rmw
func.func @flags(%x: tensor<?x5000xi1>) -> tensor<?x5000xi64> {
  %0 = fusion.argsort %x dim 1 descending : tensor<?x5000xi1> to tensor<?x5000xi64>
  return %0 : tensor<?x5000xi64>
}

func.func @outer(%x: tensor<5000x?xi8> {fusion.layout = "any"}, %y: tensor<2x5000x?xi32>) -> (tensor<5000x?xi64>, tensor<2x5000x?xi64>) {
  %0 = fusion.argsort %x dim 0 : tensor<5000x?xi8> to tensor<5000x?xi64>
  %1 = fusion.argsort %y dim 1 descending : tensor<2x5000x?xi32> to tensor<2x5000x?xi64>
  return %0, %1 : tensor<5000x?xi64>, tensor<2x5000x?xi64>
}

// Positions of 64 bits beside keys of 32.
// KERNEL-LABEL: gpu.func @open_0_digit(
// KERNEL-SAME: memref<?xi64>
func.func @open(%x: tensor<?x?xf32>) -> tensor<?x?xi64> {
  %0 = fusion.segment "row_order" (%a = %x : tensor<?x?xf32>) -> (tensor<?x?xi64>) attributes {schedule = #fusion.tile<kind = "row_order", axes = [[0], [1]], layout = [[], [l5, r1, w3]]>} {
    %1 = fusion.argsort %a dim 1 descending : tensor<?x?xf32> to tensor<?x?xi64>
    fusion.yield %1 : tensor<?x?xi64>
  }
  return %0 : tensor<?x?xi64>
}

// KERNEL-LABEL: gpu.func @values_0_last_digit(
// KERNEL-NOT: gpu.func @values_4
func.func @values(%x: tensor<?x9001xf32>, %b: tensor<?x9001xbf16>, %f: tensor<?x9001xi1>, %d: tensor<?x9001xf64>) -> (tensor<?x9001xf32>, tensor<?x9001xbf16>, tensor<?x9001xi1>, tensor<?x9001xf64>, tensor<?x9001xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x9001xf32>
  %1 = fusion.take_along_axis %x, %0 dim 1 : tensor<?x9001xf32>, tensor<?x9001xi64>
  %2 = fusion.argsort %b dim 1 descending : tensor<?x9001xbf16>
  %3 = fusion.take_along_axis %b, %2 dim 1 : tensor<?x9001xbf16>, tensor<?x9001xi64>
  %4 = fusion.argsort %f dim 1 : tensor<?x9001xi1>
  %5 = fusion.take_along_axis %f, %4 dim 1 : tensor<?x9001xi1>, tensor<?x9001xi64>
  %6 = fusion.argsort %d dim 1 : tensor<?x9001xf64>
  %7 = fusion.take_along_axis %d, %6 dim 1 : tensor<?x9001xf64>, tensor<?x9001xi64>
  return %1, %3, %5, %7, %0 : tensor<?x9001xf32>, tensor<?x9001xbf16>, tensor<?x9001xi1>, tensor<?x9001xf64>, tensor<?x9001xi64>
}
