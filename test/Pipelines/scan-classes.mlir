// A call of a scan is compiled for how many rows there are, up to 64, and for how long they are, up to 32,768 elements.

// RUN: fuser-run %s --target sim --sim-check --check --explain --input=3x100000xf32=normal:1 2>&1 | FileCheck %s --check-prefixes=ALL,FEW
// RUN: fuser-run %s --target sim --sim-check --check --explain --input=300x70xf32=normal:1 2>&1 | FileCheck %s --check-prefixes=ALL,SHORT
// RUN: fuser-run %s --target sim --sim-check --check --input=64x0xf32=normal:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --target sim --sim-check --check --input=0x65537xf32=normal:1 | FileCheck %s --check-prefix=RIGHT
// ALL: threads share what is scanned: a thread block has 8192 elements at a time, in steps
// FEW: thread blocks share what is scanned: each has a section of 8192 elements, and waits for those before it
// FEW: right: largest difference
// SHORT: threads share what is scanned: a thread block has 128 elements at a time, all
// SHORT: right: largest difference
// RIGHT: right: largest difference

// Classes change no bit: what is saved takes all sizes.
// RUN: fuser-run %s --target sim --emit %t.fx
// RUN: fuser-run %s --target sim --input=3x70000xf32=normal:1 --output=%t.class.npy
// RUN: fuser-run %t.fx --target sim --input=3x70000xf32=normal:1 --output=%t.all.npy
// RUN: cmp %t.class.npy %t.all.npy
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.scan <sum> %x dim 1 : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
