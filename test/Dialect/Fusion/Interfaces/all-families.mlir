// What an op can say to passes and emitters, as far as the ops of the other tests here do not say it, by ops of an unknown dialect: an index map with
// elements of its own, and one that a tensor selects; a scan, a sort and a scatter; a contraction; a factory that is asked for vectors.
// REQUIRES: build-tree, numpy
// RUN: fuser-test-opt %s --verify-roundtrip --canonicalize --fusion-segment=target=sm_90 --fusion-schedule=target=cuda | FileCheck %s
// DEFINE: %{to_kernels} = --fusion-decide-exactness --canonicalize --cse --fusion-forward-factories --fusion-segment=target=sm_90 --fusion-schedule="target=sm_90" --fusion-to-kernel --fusion-to-host
// RUN: %if ptxas %{ fuser-test-opt %s %{to_kernels} | fuser-translate --fusion-to-ptx | %python %source_root/test/tools/ptxas_check.py %ptxas %}

// DEFINE: %{inputs} =
// DEFINE: %{run} = fuser-test-run %s --check %{inputs}
// DEFINE: %{all} = %{run} --target cpu && %{run} --target sim --sim-check && %{run} --target cpu --exact && %{run} --target sim --exact
// REDEFINE: %{inputs} = --entry maps --input 33x37xf32=random:1 --input 33xi64=random:2 --scalar 2.5
// RUN: %{all}
// REDEFINE: %{inputs} = --entry maps --input 5x0xf32=random:1 --input 5xi64=random:2 --scalar 2.5
// RUN: %{all}
// REDEFINE: %{inputs} = --entry scan --input 3x3000xi32=random:1,below=2 --input 2x9001xi8=random:2,below=3 --input 70000xi64=random:3
// RUN: %{all}
// REDEFINE: %{inputs} = --entry sort --input 3x1000xf32=random:1 --input 9x70xbf16=random:2 --input 1x5000xf32=random:3
// RUN: %{all}
// REDEFINE: %{inputs} = --entry scatter --input 50x24xf32=random:1 --input 300xi64=random:2,below=60 --input 300x24xf32=random:3
// RUN: %{all}
// REDEFINE: %{inputs} = --entry product --input 17x5xf32=random:1 --input 17x7xf32=random:2
// RUN: %{all}
// REDEFINE: %{inputs} = --entry lanes --input 16x19xf32=random:1 --input 19x16xf32=random:2
// RUN: %{all}

// DEFINE: %{outputs} = %t.0.npy %t.1.npy %t.2.npy %t.3.npy %t.4.npy %t.5.npy
// DEFINE: %{print} = %python -c "import sys, numpy; [print(numpy.load(path).tolist()) for path in sys.argv[1:]]" %{outputs}
// REDEFINE: %{inputs} = --entry numbers --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy --output %t.4.npy --output %t.5.npy
// RUN: %{run} --target cpu && %{print} | FileCheck %s --check-prefix=NUMBERS
// RUN: %{run} --target sim && %{print} | FileCheck %s --check-prefix=NUMBERS

// Of what the same kernel computes, in branches where there may be no element.
// CHECK-LABEL: func.func @maps(
// CHECK: fusion.segment "pointwise"
// CHECK-NEXT: fusion.exp
// CHECK-NEXT: test_fusion.shift_in
// CHECK-NEXT: fusion.sub
// CHECK: fusion.segment "pointwise"
// CHECK: test_fusion.pick
func.func @maps(%x: tensor<?x?xf32>, %places: tensor<?xi64>, %number: f32) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %e = fusion.exp %x : tensor<?x?xf32>
  %s = test_fusion.shift_in %e, %number : tensor<?x?xf32>
  %d = fusion.sub %e, %s : tensor<?x?xf32>
  %p = test_fusion.pick %e at %places : tensor<?x?xf32>, tensor<?xi64> to tensor<?xf32>
  return %d, %p : tensor<?x?xf32>, tensor<?xf32>
}

// In registers and lanes, in several steps of a block, by several blocks.
// CHECK-LABEL: func.func @scan(
// CHECK: fusion.segment "row_scan"
// CHECK-NEXT: test_fusion.forward_fill
// CHECK: fusion.segment "row_scan"
// CHECK-NEXT: test_fusion.forward_fill
// CHECK: fusion.segment "split_scan"
// CHECK-NEXT: test_fusion.forward_fill
func.func @scan(%x: tensor<?x3000xi32>, %y: tensor<?x?xi8>, %z: tensor<?xi64>) -> (tensor<?x3000xi32>, tensor<?x?xi8>, tensor<?xi64>) {
  %0 = test_fusion.forward_fill %x : tensor<?x3000xi32>
  %1 = test_fusion.forward_fill %y : tensor<?x?xi8>
  %2 = test_fusion.forward_fill %z : tensor<?xi64>
  return %0, %1, %2 : tensor<?x3000xi32>, tensor<?x?xi8>, tensor<?xi64>
}

// By a block a row, with keys of 32 and of 16 bits, and by several.
// CHECK-LABEL: func.func @sort(
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: test_fusion.order_by_abs
// CHECK-NEXT: fusion.take_along_axis
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: test_fusion.order_by_abs
// CHECK: fusion.segment "row_order"
// CHECK-NEXT: test_fusion.order_by_abs
func.func @sort(%x: tensor<?x1000xf32>, %y: tensor<?x70xbf16>, %z: tensor<?x?xf32>) -> (tensor<?x1000xf32>, tensor<?x70xi64>, tensor<?x?xi64>) {
  %0 = test_fusion.order_by_abs %x : tensor<?x1000xf32> to tensor<?x1000xi64>
  %1 = fusion.take_along_axis %x, %0 dim 1 : tensor<?x1000xf32>, tensor<?x1000xi64>
  %2 = test_fusion.order_by_abs %y : tensor<?x70xbf16> to tensor<?x70xi64>
  %3 = test_fusion.order_by_abs %z : tensor<?x?xf32> to tensor<?x?xi64>
  return %1, %2, %3 : tensor<?x1000xf32>, tensor<?x70xi64>, tensor<?x?xi64>
}

// CHECK-LABEL: func.func @scatter(
// CHECK: fusion.segment "scatter"
// CHECK-NEXT: test_fusion.blend
func.func @scatter(%x: tensor<50x24xf32>, %i: tensor<?xi64>, %u: tensor<?x24xf32>) -> tensor<50x24xf32> {
  %0 = test_fusion.blend %x, %i, %u : tensor<50x24xf32>, tensor<?xi64>, tensor<?x24xf32>
  return %0 : tensor<50x24xf32>
}

// By a library; in the exact arithmetic by a kernel.
// CHECK-LABEL: func.func @product(
// CHECK: fusion.segment "library"
// CHECK-NEXT: test_fusion.outer_dot
// CHECK-NEXT: fusion.yield
// CHECK-NOT: fusion.segment
// CHECK: return
func.func @product(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = test_fusion.outer_dot %x, %y : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A vector of indices is the first coordinate, and the last one.
// RUN: fuser-test-opt %s --canonicalize --fusion-forward-factories --fusion-segment=target=cpu --fusion-schedule=target=cpu --fusion-to-kernel=target=cpu | FileCheck %s --check-prefix=LANES
// LANES-LABEL: func.func @lanes_0(
// LANES: arith.addi %{{.+}} : vector<{{[0-9]+}}xindex>
// LANES-NEXT: %[[ONE:.+]] = vector.broadcast %{{.+}} : index to vector<{{[0-9]+}}xindex>
// LANES-NEXT: arith.index_cast %[[ONE]]
// LANES-LABEL: func.func @lanes_1(
// LANES: arith.addi %{{.+}} : vector<{{[0-9]+}}xindex>
// LANES-NEXT: %[[EACH:.+]] = vector.broadcast %{{.+}} : vector<{{[0-9]+}}xindex> to vector<{{[0-9]+}}xindex>
// LANES-NEXT: arith.index_cast %[[EACH]]
func.func @lanes(%x: tensor<16x?xf32>, %y: tensor<?x16xf32>) -> (tensor<16x?xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x16xf32>
  %i = test_fusion.iota sizes(%n) : tensor<?x16xf32>
  %p = fusion.permute %i [1, 0] : tensor<?x16xf32> to tensor<16x?xf32>
  %0 = fusion.add %p, %x : tensor<16x?xf32>
  %1 = fusion.add %i, %y : tensor<?x16xf32>
  return %0, %1 : tensor<16x?xf32>, tensor<?x16xf32>
}

// There is no element 4 of a row, and no row 7.
// NUMBERS{LITERAL}: [[9.5, 3.0, -1.0, 0.5], [9.5, 1.0, 1.0, -4.0]]
// NUMBERS-NEXT{LITERAL}: [0.5, 0.0]
// NUMBERS-NEXT{LITERAL}: [[0, 3, 3, 3], [5, 5, 5, -2]]
// NUMBERS-NEXT{LITERAL}: [[2, 1, 3, 0], [3, 0, 1, 2]]
// NUMBERS-NEXT{LITERAL}: [[2.5, 5.0], [4.0, 8.0], [5.75, 11.0]]
// NUMBERS-NEXT{LITERAL}: [[401.0, 502.0, 603.0], [4010.0, 5020.0, 6030.0]]
func.func @numbers() -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2x4xi32>, tensor<2x4xi64>, tensor<3x2xf32>, tensor<2x3xf32>) {
  %x = fusion.constant dense<[[3.0, -1.0, 0.5, -2.0], [1.0, 1.0, -4.0, 0.0]]> : tensor<2x4xf32>
  %number = arith.constant 9.5 : f32
  %shifted = test_fusion.shift_in %x, %number : tensor<2x4xf32>
  %places = fusion.constant dense<[2, 4]> : tensor<2xi64>
  %picked = test_fusion.pick %x at %places : tensor<2x4xf32>, tensor<2xi64> to tensor<2xf32>
  %gaps = fusion.constant dense<[[0, 3, 0, 0], [5, 0, 0, -2]]> : tensor<2x4xi32>
  %filled = test_fusion.forward_fill %gaps : tensor<2x4xi32>
  %order = test_fusion.order_by_abs %x : tensor<2x4xf32> to tensor<2x4xi64>
  %rows = fusion.constant dense<[[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]]> : tensor<3x2xf32>
  %indices = fusion.constant dense<[2, 0, 2, 7]> : tensor<4xi64>
  %updates = fusion.constant dense<[[1.0, 2.0], [4.0, 8.0], [3.0, 5.0], [0.5, 0.25]]> : tensor<4x2xf32>
  %blended = test_fusion.blend %rows, %indices, %updates : tensor<3x2xf32>, tensor<4xi64>, tensor<4x2xf32>
  %a = fusion.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = fusion.constant dense<[[1.0, 10.0], [100.0, 1000.0]]> : tensor<2x2xf32>
  %product = test_fusion.outer_dot %a, %b : tensor<2x3xf32>, tensor<2x2xf32> to tensor<2x3xf32>
  return %shifted, %picked, %filled, %order, %blended, %product
      : tensor<2x4xf32>, tensor<2xf32>, tensor<2x4xi32>, tensor<2x4xi64>, tensor<3x2xf32>, tensor<2x3xf32>
}
