// Functions for which libdevice has instructions as text: 128-bit products and sums where an angle is large, choices, and differences.
// REQUIRES: numpy
// RUN: %python %S/Inputs/functions.py make %t.x.npy
// RUN: fuser-run %s --target=sim --entry=angles --input=%t.x.npy --output=%t.sin.npy --output=%t.cos.npy --output=%t.tan.npy --output=%t.sin2.npy --output=%t.cos2.npy
// RUN: %python %S/Inputs/functions.py check sin %t.x.npy %t.sin.npy | FileCheck %s --check-prefix=SIN
// RUN: %python %S/Inputs/functions.py check cos %t.x.npy %t.cos.npy | FileCheck %s --check-prefix=COS
// RUN: %python %S/Inputs/functions.py check tan %t.x.npy %t.tan.npy | FileCheck %s --check-prefix=TAN
// RUN: %python %S/Inputs/functions.py check sin %t.x.npy %t.sin2.npy | FileCheck %s --check-prefix=SIN
// RUN: %python %S/Inputs/functions.py check cos %t.x.npy %t.cos2.npy | FileCheck %s --check-prefix=COS
// RUN: fuser-run %s --target=sim --entry=others --input=%t.x.npy --output=%t.cbrt.npy --output=%t.acosh.npy --output=%t.acoshf.npy
// RUN: %python %S/Inputs/functions.py check cbrt %t.x.npy %t.cbrt.npy | FileCheck %s --check-prefix=CBRT
// RUN: %python %S/Inputs/functions.py check arccosh %t.x.npy %t.acosh.npy | FileCheck %s --check-prefix=ACOSH
// RUN: %python %S/Inputs/functions.py check arccosh %t.x.npy %t.acoshf.npy | FileCheck %s --check-prefix=ACOSH

// SIN: sin: 0 of 4096 wrong
// COS: cos: 0 of 4096 wrong
// TAN: tan: 0 of 4096 wrong
// CBRT: cbrt: 0 of 4096 wrong
// ACOSH: arccosh: 0 of 4096 wrong

!d = memref<4096xf64>
!f = memref<4096xf32>
gpu.module @kernels {
  gpu.func @angles(%x: !d, %sin: !d, %cos: !d, %tan: !d, %sin2: !d, %cos2: !d) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : !d
    %0 = math.sin %v : f64
    memref.store %0, %sin[%i] : !d
    %1 = math.cos %v : f64
    memref.store %1, %cos[%i] : !d
    %2 = math.tan %v : f64
    memref.store %2, %tan[%i] : !d
    %3, %4 = math.sincos %v : f64
    memref.store %3, %sin2[%i] : !d
    memref.store %4, %cos2[%i] : !d
    gpu.return
  }

  gpu.func @others(%x: !d, %cbrt: !d, %acosh: !d, %acoshf: !f) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : !d
    %0 = math.cbrt %v : f64
    memref.store %0, %cbrt[%i] : !d
    %1 = math.acosh %v : f64
    memref.store %1, %acosh[%i] : !d
    %2 = arith.truncf %v : f64 to f32
    %3 = math.acosh %2 : f32
    memref.store %3, %acoshf[%i] : !f
    gpu.return
  }
}

func.func @angles(%x: !d) -> (!d, !d, !d, !d, !d) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 16 : index
  %0 = host.output 0 () : !d
  %1 = host.output 1 () : !d
  %2 = host.output 2 () : !d
  %3 = host.output 3 () : !d
  %4 = host.output 4 () : !d
  host.launch @kernels::@angles grid(%blocks, %c1, %c1) block(256, 1, 1) args(%x, %0, %1, %2, %3, %4 : !d, !d, !d, !d, !d, !d) writes [1, 2, 3, 4, 5]
  return %0, %1, %2, %3, %4 : !d, !d, !d, !d, !d
}

func.func @others(%x: !d) -> (!d, !d, !f) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 16 : index
  %0 = host.output 0 () : !d
  %1 = host.output 1 () : !d
  %2 = host.output 2 () : !f
  host.launch @kernels::@others grid(%blocks, %c1, %c1) block(256, 1, 1) args(%x, %0, %1, %2 : !d, !d, !d, !f) writes [1, 2, 3]
  return %0, %1, %2 : !d, !d, !f
}
