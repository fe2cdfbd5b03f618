// vector.reduction of bf16: lane after lane, each step rounded.
// REQUIRES: numpy
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.array([256, 1, 1, -3, 1, 1, 1, 2], numpy.float32))"
// RUN: fuser-run %s --target=sim --sim-check --input=%t.x.npy --output=%t.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s

// 256 + 1 is a tie that goes to 256. The initial value, 3, comes first: last it would make 260. The product and the last minimum are those of three lanes.
// CHECK: [258.0, 258.0, -3.0, 256.0, 256.0, 256.0, 253.0, 1.0]
gpu.module @m {
  gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %wide = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
    %v = arith.truncf %wide : vector<8xf32> to vector<8xbf16>
    %three = arith.constant 3.0 : bf16
    %mask = vector.create_mask %c3 : vector<8xi1>
    %0 = vector.reduction <add>, %v : vector<8xbf16> into bf16
    %1 = vector.reduction <add>, %v, %three : vector<8xbf16> into bf16
    %2 = vector.reduction <minnumf>, %v : vector<8xbf16> into bf16
    %3 = vector.reduction <maxnumf>, %v : vector<8xbf16> into bf16
    %4 = vector.reduction <maximumf>, %v : vector<8xbf16> into bf16
    %5 = vector.mask %mask { vector.reduction <mul>, %v : vector<8xbf16> into bf16 } : vector<8xi1> -> bf16
    %rows = vector.shape_cast %v : vector<8xbf16> to vector<2x4xbf16>
    %zero = arith.constant dense<0.0> : vector<2xbf16>
    %sums = vector.multi_reduction <add>, %rows, %zero [1] : vector<2x4xbf16> to vector<2xbf16>
    %6 = vector.extract %sums[0] : bf16 from vector<2xbf16>
    %7 = vector.mask %mask { vector.reduction <minimumf>, %v : vector<8xbf16> into bf16 } : vector<8xi1> -> bf16
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7 : vector<8xbf16>
    %result = arith.extf %all : vector<8xbf16> to vector<8xf32>
    vector.store %result, %y[%c0] : memref<8xf32>, vector<8xf32>
    gpu.return
  }
}
func.func @k(%x: memref<8xf32>) -> memref<8xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %y = host.output 0 () : memref<8xf32>
  host.launch @m::@k grid(%c1, %c1, %c1) block(1, 1, 1) args(%x, %y : memref<8xf32>, memref<8xf32>) writes [1]
  return %y : memref<8xf32>
}
