// Scans as PTX, without spills, and what they give.
// DEFINE: %{to_kernels} = --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ fuser-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}
// RUN: fuser-run %s --entry fused --target sim --sim-check --check --input 3x8192xbf16=normal:1 --input 8192xf32=normal:2 | FileCheck %s
// RUN: fuser-run %s --entry fused --target sim --sim-check --check --input 2x9001xbf16=normal:1,offset=1 --input 9001xf32=normal:2 | FileCheck %s
// RUN: fuser-run %s --entry fused --target sim --exact --check --input 2x9001xbf16=bits:1 --input 9001xf32=bits:2 | FileCheck %s
// RUN: fuser-run %s --entry row --target sim --sim-check --check --input 2x8192xf32=normal:1,strides=8193x1 | FileCheck %s
// RUN: fuser-run %s --entry long --target sim --sim-check --check --input 2x10000xf64=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry outer --target sim --sim-check --check --input 1001x70xbf16=normal:1,offset=1 | FileCheck %s
// RUN: fuser-run %s --entry outer --target sim --exact --check --input 1001x70xbf16=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry middle --target sim --sim-check --check --input 2x1000x16xf64=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry short --target sim --sim-check --check --input 9x5x7xi32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry short --target sim --sim-check --check --input 0x5x7xi32=random:1 | FileCheck %s
// RUN: fuser-run %s --entry vector --target sim --sim-check --check --input 3000003xf32=normal:1,offset=1 | FileCheck %s
// RUN: fuser-run %s --entry vector --target sim --sim-check --check --input 8193xf32=normal:1,strides=2 | FileCheck %s
// RUN: fuser-run %s --entry vector --target sim --sim-check --check --input 1xf32=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry vector --target sim --sim-check --check --input 0xf32=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry vector --target sim --exact --check --input 20000xf32=bits:1 | FileCheck %s
// RUN: fuser-run %s --entry shared --target sim --sim-check --check --input 3x140000xbf16=normal:1 | FileCheck %s
// RUN: fuser-run %s --entry shared_wide --target sim --sim-check --check --input 2x2x40001xf64=normal:1 --input 2x2x40001xi64=random:1 | FileCheck %s
// Integers: one group of 302 sections, groups of 128 behind 512 of them, and beside floats.
// RUN: fuser-run %s --entry integers --target sim --check --input 1235001xi64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry many_integers --target sim --check --input 2200001xi64=random:1 | FileCheck %s
// RUN: fuser-run %s --entry mixed --target sim --check --input 600001xi32=random:1 --input 600001xf32=normal:2 | FileCheck %s
// CHECK: {{^}}right

// PTX-LABEL: .visible .entry row_0(
// PTX: ld.global.nc.v4.b32
// PTX: shfl.sync.idx.b32
// PTX: bar.sync
// PTX: ld.shared.v4.b32
// PTX: st.global.v4.b32
func.func @row(%x: tensor<?x8192xf32> {fusion.alignment = 16 : i64}) -> (tensor<?x8192xf32> {fusion.alignment = 16 : i64}) {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x8192xf32>
  return %0 : tensor<?x8192xf32>
}

func.func @fused(%x: tensor<?x?xbf16>, %w: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %b = fusion.broadcast %w dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %e = fusion.expand %b sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %m = fusion.mul %c, %e : tensor<?x?xf32>
  %s = fusion.scan <sum> %m dim 1 : tensor<?x?xf32>
  %t = fusion.scan <max> %s dim 1 : tensor<?x?xf32>
  %u = fusion.mul %t, %c : tensor<?x?xf32>
  %r = fusion.cast %u : tensor<?x?xf32> to tensor<?x?xbf16>
  return %s, %r : tensor<?x?xf32>, tensor<?x?xbf16>
}

func.func @long(%x: tensor<?x10000xf64>) -> tensor<?x10000xf64> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x10000xf64>
  return %0 : tensor<?x10000xf64>
}

func.func @vector(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @shared(%x: tensor<3x140000xbf16>) -> (tensor<3x140000xf32>, tensor<3x140000xbf16>) {
  %c = fusion.cast %x : tensor<3x140000xbf16> to tensor<3x140000xf32>
  %m = fusion.mul %c, 2.0 : tensor<3x140000xf32>
  %s = fusion.scan <sum> %m dim 1 : tensor<3x140000xf32>
  %t = fusion.scan <max> %m dim 1 : tensor<3x140000xf32>
  %n = fusion.neg %t : tensor<3x140000xf32>
  %r = fusion.cast %n : tensor<3x140000xf32> to tensor<3x140000xbf16>
  return %s, %r : tensor<3x140000xf32>, tensor<3x140000xbf16>
}

func.func @shared_wide(%x: tensor<2x2x?xf64>, %y: tensor<2x2x?xi64>) -> (tensor<2x2x?xf64>, tensor<2x2x?xi64>) {
  %s = fusion.scan <prod> %x dim 2 : tensor<2x2x?xf64>
  %t = fusion.scan <sum> %y dim 2 : tensor<2x2x?xi64>
  return %s, %t : tensor<2x2x?xf64>, tensor<2x2x?xi64>
}

func.func @integers(%x: tensor<1235001xi64>) -> tensor<1235001xi64> {
  %0 = fusion.scan <prod> %x dim 0 : tensor<1235001xi64>
  return %0 : tensor<1235001xi64>
}

func.func @many_integers(%x: tensor<2200001xi64>) -> tensor<2200001xi64> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<2200001xi64>
  return %0 : tensor<2200001xi64>
}

func.func @mixed(%x: tensor<600001xi32>, %y: tensor<600001xf32>) -> (tensor<600001xi32>, tensor<600001xf32>) {
  %0 = fusion.scan <sum> %x dim 0 : tensor<600001xi32>
  %1 = fusion.scan <sum> %y dim 0 : tensor<600001xf32>
  return %0, %1 : tensor<600001xi32>, tensor<600001xf32>
}

func.func @outer(%x: tensor<?x?xbf16>) -> (tensor<?x?xf32>, tensor<?x?xbf16>) {
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %0 = fusion.scan <sum> %c dim 0 : tensor<?x?xf32>
  %1 = fusion.mul %0, %c : tensor<?x?xf32>
  %2 = fusion.cast %1 : tensor<?x?xf32> to tensor<?x?xbf16>
  return %0, %2 : tensor<?x?xf32>, tensor<?x?xbf16>
}

func.func @middle(%x: tensor<?x1000x16xf64>) -> tensor<?x1000x16xf64> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x1000x16xf64>
  return %0 : tensor<?x1000x16xf64>
}

// Fewer leaves than lanes.
func.func @short(%x: tensor<?x5x7xi32>) -> (tensor<?x5x7xi32>, tensor<?x5x7xi32>) {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x5x7xi32>
  %1 = fusion.scan <prod> %x dim 0 : tensor<?x5x7xi32>
  return %0, %1 : tensor<?x5x7xi32>, tensor<?x5x7xi32>
}
