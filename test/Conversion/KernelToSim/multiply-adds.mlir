// math.fma and vector.fma of 16 bits round once, as PTX's fma.rn.f16 and fma.rn.bf16 do.
// REQUIRES: numpy
// RUN: %python %S/Inputs/multiply-adds.py make f16 %t.f16.npy
// RUN: fuser-run %s --target=sim --entry=f16 --input=%t.f16.npy --output=%t.f16.out.npy --output=%t.f16.vector.npy
// RUN: %python %S/Inputs/multiply-adds.py check f16 %t.f16.npy %t.f16.out.npy | FileCheck %s --check-prefix=F16
// RUN: %python %S/Inputs/multiply-adds.py check f16 %t.f16.npy %t.f16.vector.npy | FileCheck %s --check-prefix=F16
// RUN: %python %S/Inputs/multiply-adds.py make bf16 %t.bf16.npy
// RUN: fuser-run %s --target=sim --entry=bf16 --input=%t.bf16.npy --output=%t.bf16.out.npy --output=%t.bf16.vector.npy
// RUN: %python %S/Inputs/multiply-adds.py check bf16 %t.bf16.npy %t.bf16.out.npy | FileCheck %s --check-prefix=BF16
// RUN: %python %S/Inputs/multiply-adds.py check bf16 %t.bf16.npy %t.bf16.vector.npy | FileCheck %s --check-prefix=BF16

// F16: f16: 0 of 1024 wrong
// BF16: bf16: 0 of 1024 wrong

gpu.module @kernels {
  gpu.func @f16(%x: memref<1024x3xi16>, %y: memref<1024xi16>, %z: memref<1024xi16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i = gpu.global_id x
    %0 = memref.load %x[%i, %c0] : memref<1024x3xi16>
    %1 = memref.load %x[%i, %c1] : memref<1024x3xi16>
    %2 = memref.load %x[%i, %c2] : memref<1024x3xi16>
    %a = arith.bitcast %0 : i16 to f16
    %b = arith.bitcast %1 : i16 to f16
    %c = arith.bitcast %2 : i16 to f16
    %r = math.fma %a, %b, %c : f16
    %3 = arith.bitcast %r : f16 to i16
    memref.store %3, %y[%i] : memref<1024xi16>
    %av = vector.broadcast %a : f16 to vector<2x2xf16>
    %bv = vector.broadcast %b : f16 to vector<2x2xf16>
    %cv = vector.broadcast %c : f16 to vector<2x2xf16>
    %v = vector.fma %av, %bv, %cv : vector<2x2xf16>
    %q = vector.extract %v[1, 1] : f16 from vector<2x2xf16>
    %4 = arith.bitcast %q : f16 to i16
    memref.store %4, %z[%i] : memref<1024xi16>
    gpu.return
  }
  gpu.func @bf16(%x: memref<1024x3xi16>, %y: memref<1024xi16>, %z: memref<1024xi16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i = gpu.global_id x
    %0 = memref.load %x[%i, %c0] : memref<1024x3xi16>
    %1 = memref.load %x[%i, %c1] : memref<1024x3xi16>
    %2 = memref.load %x[%i, %c2] : memref<1024x3xi16>
    %a = arith.bitcast %0 : i16 to bf16
    %b = arith.bitcast %1 : i16 to bf16
    %c = arith.bitcast %2 : i16 to bf16
    %r = math.fma %a, %b, %c : bf16
    %3 = arith.bitcast %r : bf16 to i16
    memref.store %3, %y[%i] : memref<1024xi16>
    %av = vector.broadcast %a : bf16 to vector<2x2xbf16>
    %bv = vector.broadcast %b : bf16 to vector<2x2xbf16>
    %cv = vector.broadcast %c : bf16 to vector<2x2xbf16>
    %v = vector.fma %av, %bv, %cv : vector<2x2xbf16>
    %q = vector.extract %v[1, 1] : bf16 from vector<2x2xbf16>
    %4 = arith.bitcast %q : bf16 to i16
    memref.store %4, %z[%i] : memref<1024xi16>
    gpu.return
  }
}
func.func @f16(%x: memref<1024x3xi16>) -> (memref<1024xi16>, memref<1024xi16>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = host.output 0 () : memref<1024xi16>
  %z = host.output 1 () : memref<1024xi16>
  host.launch @kernels::@f16 grid(%c4, %c1, %c1) block(256, 1, 1) args(%x, %y, %z : memref<1024x3xi16>, memref<1024xi16>, memref<1024xi16>) writes [1, 2]
  return %y, %z : memref<1024xi16>, memref<1024xi16>
}
func.func @bf16(%x: memref<1024x3xi16>) -> (memref<1024xi16>, memref<1024xi16>) attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = host.output 0 () : memref<1024xi16>
  %z = host.output 1 () : memref<1024xi16>
  host.launch @kernels::@bf16 grid(%c4, %c1, %c1) block(256, 1, 1) args(%x, %y, %z : memref<1024x3xi16>, memref<1024xi16>, memref<1024xi16>) writes [1, 2]
  return %y, %z : memref<1024xi16>, memref<1024xi16>
}
