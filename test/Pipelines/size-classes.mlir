// A call is compiled for the classes of its sizes; the results are the same whatever they are.

// The first variant is for all sizes, the next one for these.
// RUN: fuser-run %s --target sim --sim-check --check --explain --input=5x1000xbf16=random:1 2>&1 | FileCheck %s --check-prefixes=ALL,WIDE
// ALL: accesses take 1 element of at most 8: the size of the last dimension is open; to change that: state it in the types, or that it is a multiple of 8 (fusion.divisors)
// WIDE: layout = {{\[\[}}], [r3, l5, w2]]>
// WIDE: a row of at most 1024 elements is read once and kept in registers
// WIDE: accesses take 8 elements, the most for these element types
// WIDE: right: largest difference

// Rows that begin anywhere have a bound all the same. Short ones are read in single elements, one row a warp.
// RUN: fuser-run %s --target sim --sim-check --check --explain --input=3x401xbf16=random:1 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: a row of at most 448 elements is read once and kept in registers
// SHORT: accesses take 1 element of at most 8
// SHORT: right: largest difference
// RUN: fuser-run %s --target sim --sim-check --check --explain --input=3x1601xbf16=random:1 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: a row of at most 1792 elements is read once and kept in registers
// ODD: accesses take 8 elements, the most for these element types
// ODD: right: largest difference
// RUN: fuser-run %s --target sim --sim-check --check --input=3x769xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=3x896xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=70x1xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=4x0xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=0x24xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=2x40008xbf16=random:1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: largest difference

// A length that is its bound: no thread has elements beyond the end. Of none there is no block.
// RUN: fuser-run %s --target sim --sim-check --check --explain --input=5x768xbf16=random:1 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: a row of at most 768 elements is read once and kept in registers
// BOUND: right: largest difference

// Classes change no bit: what is saved takes all sizes.
// RUN: fuser-run %s --target sim --emit %t.fx
// RUN: fuser-run %s --target sim --input=3x5000xbf16=random:1 --output=%t.class.npy
// RUN: fuser-run %t.fx --target sim --input=3x5000xbf16=random:1 --output=%t.all.npy
// RUN: cmp %t.class.npy %t.all.npy

// On a CPU there are none.
// RUN: fuser-run %s --target cpu --check --explain --input=5x1000xbf16=random:1 2>&1 | FileCheck %s --check-prefix=CPU
// CPU-COUNT-1: ends here
// CPU-NOT: ends here
// CPU: right: largest difference

func.func @softmax(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %h = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %mx = fusion.expand %m sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %d = fusion.sub %h, %mx : tensor<?x?xf32>
  %e = fusion.exp %d : tensor<?x?xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x?xf32> to tensor<?x1xf32>
  %sx = fusion.expand %s sizes(%n) : tensor<?x1xf32> to tensor<?x?xf32>
  %y = fusion.div %e, %sx : tensor<?x?xf32>
  %yb = fusion.cast %y : tensor<?x?xf32> to tensor<?x?xbf16>
  return %yb : tensor<?x?xbf16>
}
