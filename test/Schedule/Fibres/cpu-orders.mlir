// RUN: fuser-opt %s --fusion-segment=target=cpu --fusion-schedule=target=cpu | FileCheck %s

// How fibres are put in order on a CPU.

// Few elements are compared with each other.
// CHECK-LABEL: func.func @short(
// CHECK: #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_order<counted = 128>]>
// CHECK: groups = [#fusion.cpu_order<counted = 20>]
// CHECK: groups = [#fusion.cpu_order<counted = 256>]
func.func @short(%x: tensor<?x128xf32>, %y: tensor<20x?xi8>, %z: tensor<?x256xf64>) -> (tensor<?x128xi64>, tensor<20x?xi64>, tensor<?x256xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x128xf32> to tensor<?x128xi64>
  %1 = fusion.argsort %y dim 0 : tensor<20x?xi8> to tensor<20x?xi64>
  %2 = fusion.argtopk 256 %z dim 1 : tensor<?x256xf64> to tensor<?x256xi64>
  return %0, %1, %2 : tensor<?x128xi64>, tensor<20x?xi64>, tensor<?x256xi64>
}

// More, or who knows how many, digit by digit.
// CHECK-LABEL: func.func @long(
// CHECK: groups = [#fusion.cpu_order<counted = 128, items = 64>]
// CHECK: groups = [#fusion.cpu_order<counted = 64, items = 64>]
func.func @long(%x: tensor<?x129xf32>, %y: tensor<?x?xbf16>) -> (tensor<?x129xi64>, tensor<?x?xi64>) {
  %0 = fusion.argsort %x dim 1 : tensor<?x129xf32> to tensor<?x129xi64>
  %1 = fusion.argsort %y dim 1 : tensor<?x?xbf16> to tensor<?x?xi64>
  return %0, %1 : tensor<?x129xi64>, tensor<?x?xi64>
}

// The first few of many are a heap, a thirty-second part of them and more a sort of all. Of open length it is seen when the program runs, if many
// are asked for.
// CHECK-LABEL: func.func @first(
// CHECK: groups = [#fusion.cpu_order<counted = 128>]
// CHECK: groups = [#fusion.cpu_order<counted = 128, items = 64>]
// CHECK: groups = [#fusion.cpu_order<counted = 32>]
// CHECK: groups = [#fusion.cpu_order<counted = 128, sorted = 16000, items = 64>]
// CHECK: groups = [#fusion.cpu_order]
func.func @first(%x: tensor<?x3200xf32>, %y: tensor<?x?xf32>) -> (tensor<?x99xi64>, tensor<?x100xi64>, tensor<?x1xi64>, tensor<?x500xi64>, tensor<?x0xi64>) {
  %0 = fusion.argtopk 99 %x dim 1 : tensor<?x3200xf32> to tensor<?x99xi64>
  %1 = fusion.argtopk 100 %x dim 1 : tensor<?x3200xf32> to tensor<?x100xi64>
  %2 = fusion.argtopk 1 %y dim 1 : tensor<?x?xf32> to tensor<?x1xi64>
  %3 = fusion.argtopk 500 %y dim 1 : tensor<?x?xf32> to tensor<?x500xi64>
  %4 = fusion.argtopk 0 %y dim 1 : tensor<?x?xf32> to tensor<?x0xi64>
  return %0, %1, %2, %3, %4 : tensor<?x99xi64>, tensor<?x100xi64>, tensor<?x1xi64>, tensor<?x500xi64>, tensor<?x0xi64>
}
