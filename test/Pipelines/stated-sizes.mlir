// What a program says of its sizes is checked at each call, also of a saved one.
// RUN: fuser-run %s --target sim --sim-check --check --input=5x96xf32=random:1 --input=96xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --target cpu --check --input=5x96xf32=random:1 --input=96xf32=random:2 | FileCheck %s
// RUN: fuser-run %s --target sim --emit %t.fx
// RUN: fuser-run %t.fx --target sim --source %s --check --input=5x96xf32=random:1 --input=96xf32=random:2 | FileCheck %s
// CHECK: right: largest difference

// RUN: not fuser-run %s --target sim --input=5x98xf32=iota --input=98xf32=iota 2>&1 | FileCheck %s --check-prefix=DIVISOR
// RUN: not fuser-run %t.fx --target sim --input=5x98xf32=iota --input=98xf32=iota 2>&1 | FileCheck %s --check-prefix=DIVISOR
// DIVISOR: program 'bias': input 0 '%x': expected dimension 1 to be a multiple of 8 because the program requires it, got 98
// RUN: not fuser-run %s --target cpu --input=5x136xf32=iota --input=136xf32=iota 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: program 'bias': input 0 '%x': expected dimension 1 to be at most 128 because the program requires it, got 136

// What no variant takes comes first.
// RUN: not fuser-run %s --target cpu --input=5x136xf32=iota --input=136xf64=iota 2>&1 | FileCheck %s --check-prefix=BOUND

func.func @bias(%x: tensor<?x?xf32> {fusion.divisors = array<i64: 1, 8>}, %b: tensor<?xf32> {fusion.bounds = array<i64: 128>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %row = fusion.broadcast %b dims [0] : tensor<?xf32> to tensor<1x?xf32>
  %0 = fusion.expand %row sizes(%n) : tensor<1x?xf32> to tensor<?x?xf32>
  %1 = fusion.add %x, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
