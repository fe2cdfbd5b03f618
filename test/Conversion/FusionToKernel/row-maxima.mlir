// RUN: fuser-opt %s --fusion-to-kernel=target=sm_90 | FileCheck %s

// The maximum of what was bf16 is found packed, vectors first. What a row's result reads, an element of its row here, is read before the row waits for its sum.
// CHECK-LABEL: gpu.func @picks_0(
// CHECK: memref.load {{.*}} : memref<?x1xi64>
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK: arith.maximumf %{{.*}} : vector<8xbf16>
// CHECK: arith.maximumf %{{.*}} : bf16
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: gpu.shuffle
// CHECK: arith.maximumf %{{.*}} : f32
func.func @picks(%x: tensor<?x512xbf16>, %t: tensor<?x1xi64>) -> tensor<?x1xf32> {
  %0 = fusion.segment "row_reduction" (%a = %x : tensor<?x512xbf16>, %i = %t : tensor<?x1xi64>) -> (tensor<?x1xf32>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5]], repeat = [1, 2]>} {
    %h = fusion.cast %a : tensor<?x512xbf16> to tensor<?x512xf32>
    %m = fusion.reduce <max> %h dims [1] keep : tensor<?x512xf32> to tensor<?x1xf32>
    %p = fusion.take_along_axis %h, %i dim 1 : tensor<?x512xf32>, tensor<?x1xi64> to tensor<?x1xf32>
    %d = fusion.sub %p, %m : tensor<?x1xf32>
    fusion.yield %d : tensor<?x1xf32>
  }
  return %0 : tensor<?x1xf32>
}

// Not what is computed in between, nor a sum, nor where it is.
// CHECK-LABEL: gpu.func @computed_0(
// CHECK-NOT: arith.maximumf {{.*}}bf16
// CHECK-NOT: arith.addf {{.*}}bf16
// CHECK: gpu.return
func.func @computed(%x: tensor<?x512xbf16>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi64>) {
  %0:3 = fusion.segment "row_reduction" (%a = %x : tensor<?x512xbf16>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi64>)
      attributes {schedule = #fusion.tile<kind = "row_reduction", axes = [[0], [1]], layout = [[], [r3, l5]], repeat = [1, 2]>} {
    %h = fusion.cast %a : tensor<?x512xbf16> to tensor<?x512xf32>
    %n = fusion.add %h, %h : tensor<?x512xf32>
    %m = fusion.reduce <max> %n dims [1] : tensor<?x512xf32> to tensor<?xf32>
    %s = fusion.reduce <sum> %h dims [1] : tensor<?x512xf32> to tensor<?xf32>
    %p = fusion.argmax %h dims [1] : tensor<?x512xf32> to tensor<?xi64>
    fusion.yield %m, %s, %p : tensor<?xf32>, tensor<?xf32>, tensor<?xi64>
  }
  return %0#0, %0#1, %0#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xi64>
}
