// Reductions of different rows and dimensions in one segment: vectors of rows and of columns, and short chains of
// additions, or the sums of so many equal numbers would be wrong.
// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s
// RUN: fuser-run %s --target cpu --check --entry scalars --input 1000000xf32=value:1.1 --input 500000xf32=value:1.1
// RUN: fuser-run %s --target cpu --check --entry rows_and_columns --input 4000x4000xf32=value:1.1
// RUN: fuser-run %s --target cpu --check --entry rows --input 8x400000xf32=value:1.1 --input 8x300000xf32=value:1.1
// RUN: fuser-run %s --target cpu --check --entry means --input 8x40000xf32=value:1.1 --input 8x30000xf32=value:1.1
// RUN: fuser-run %s --target cpu --check --entry rows_and_columns --input 4000x4000xf32=normal:1 --arch x86-64-v3

// CHECK-LABEL: func.func @scalars_0(
// CHECK: %[[MEAN:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>)
// CHECK:   vector.load %arg0{{.*}} vector<64xf32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>)
// CHECK:   vector.load %arg1{{.*}} vector<64xf32>
// CHECK-NOT: memref.load %arg
func.func @scalars(%x: tensor<1000000xf32>, %w: tensor<500000xf32>) -> tensor<f32> {
  %m = fusion.reduce <mean> %x dims [0] : tensor<1000000xf32> to tensor<f32>
  %q = fusion.mul %w, %w : tensor<500000xf32>
  %s = fusion.reduce <sum> %q dims [0] : tensor<500000xf32> to tensor<f32>
  %r = fusion.add %m, %s : tensor<f32>
  return %r : tensor<f32>
}

// A work item is 64 results: their rows one after the other, their columns at a time.
// CHECK-LABEL: func.func @rows_and_columns_0(
// CHECK: %[[ITEM:.*]] = arith.muli %{{.*}}, %c64{{.*}} : index
// CHECK: scf.for %[[LANE:.*]] = %c0{{.*}} to %c64{{.*}} step %c1
// CHECK:   vector.load %arg0[%{{.*}}, %{{.*}}] : memref<4000x4000xf32>, vector<64xf32>
// CHECK:   memref.store %{{.*}}, %[[SUMS:.*]][%[[LANE]]]
// CHECK: vector.load %[[SUMS]]
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : memref<4000x4000xf32>, vector<64xf32>
func.func @rows_and_columns(%x: tensor<4000x4000xf32>) -> tensor<4000xf32> {
  %r = fusion.reduce <sum> %x dims [1] : tensor<4000x4000xf32> to tensor<4000xf32>
  %c = fusion.reduce <sum> %x dims [0] : tensor<4000x4000xf32> to tensor<4000xf32>
  %s = fusion.add %r, %c : tensor<4000xf32>
  return %s : tensor<4000xf32>
}

// CHECK-LABEL: func.func @rows_0(
// CHECK-COUNT-2: vector.load %arg{{.*}} vector<64xf32>
func.func @rows(%x: tensor<8x400000xf32>, %y: tensor<8x300000xf32>) -> tensor<8xf32> {
  %m = fusion.reduce <sum> %x dims [1] : tensor<8x400000xf32> to tensor<8xf32>
  %n = fusion.reduce <sum> %y dims [1] : tensor<8x300000xf32> to tensor<8xf32>
  %s = fusion.add %m, %n : tensor<8xf32>
  return %s : tensor<8xf32>
}

func.func @means(%x: tensor<8x40000xf32>, %y: tensor<8x30000xf32>) -> tensor<8xf32> {
  %m = fusion.reduce <mean> %x dims [1] : tensor<8x40000xf32> to tensor<8xf32>
  %n = fusion.reduce <mean> %y dims [1] : tensor<8x30000xf32> to tensor<8xf32>
  %s = fusion.sub %m, %n : tensor<8xf32>
  return %s : tensor<8xf32>
}
