// Long rows in shared memory. With several sums those of more than 65,536 elements have fewer blocks, of more elements each; with one sum they have not.
// RUN: sed "s/N/65536/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefixes=LAYER64,RMS,TANH
// RUN: sed "s/N/131072/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=LAYER128
// RUN: sed "s/N/262144/g" %s | fuser-opt --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s --check-prefix=LAYER256

// LAYER64: layout = {{\[\[}}], [r3, l5, w3, b2]], repeat = [1, 8], min_blocks = 4, stages = 1, late_reads = true>
// LAYER128: layout = {{\[\[}}], [r3, l5, w3, b2]], repeat = [1, 16], min_blocks = 3, stages = 1, late_reads = true>
// LAYER128: layout = {{\[\[}}], [r3, l5, w3, b3]], repeat = [1, 8], min_blocks = 4, stages = 1, late_reads = true>
// LAYER256: layout = {{\[\[}}], [r3, l5, w3, b3]], repeat = [1, 16], min_blocks = 3, stages = 1, late_reads = true>
// LAYER256: layout = {{\[\[}}], [r3, l5, w3, b4]], repeat = [1, 8], min_blocks = 4, stages = 1, late_reads = true>
func.func @layer(%x: tensor<512xNxbf16> {fusion.alignment = 16 : i64}) -> tensor<512xNxbf16> {
  %c = fusion.cast %x : tensor<512xNxbf16> to tensor<512xNxf32>
  %mean = fusion.reduce <mean> %c dims [1] keep : tensor<512xNxf32>
  %m = fusion.broadcast_in_dim %mean dims [0, 1] : tensor<512x1xf32> to tensor<512xNxf32>
  %d = fusion.sub %c, %m : tensor<512xNxf32>
  %s = fusion.mul %d, %d : tensor<512xNxf32>
  %variance = fusion.reduce <mean> %s dims [1] keep : tensor<512xNxf32>
  %r = fusion.rsqrt %variance : tensor<512x1xf32>
  %e = fusion.broadcast_in_dim %r dims [0, 1] : tensor<512x1xf32> to tensor<512xNxf32>
  %y = fusion.mul %d, %e : tensor<512xNxf32>
  %z = fusion.cast %y : tensor<512xNxf32> to tensor<512xNxbf16>
  return %z : tensor<512xNxbf16>
}

// RMS: func.func @rms
// RMS: layout = {{\[\[}}], [r3, l5, w3, b2]], repeat = [1, 8], min_blocks = 4, stages = 1, late_reads = true>
func.func @rms(%x: tensor<512xNxbf16> {fusion.alignment = 16 : i64}) -> tensor<512xNxbf16> {
  %c = fusion.cast %x : tensor<512xNxbf16> to tensor<512xNxf32>
  %s = fusion.mul %c, %c : tensor<512xNxf32>
  %mean = fusion.reduce <mean> %s dims [1] keep : tensor<512xNxf32>
  %r = fusion.rsqrt %mean : tensor<512x1xf32>
  %e = fusion.broadcast_in_dim %r dims [0, 1] : tensor<512x1xf32> to tensor<512xNxf32>
  %y = fusion.mul %c, %e : tensor<512xNxf32>
  %z = fusion.cast %y : tensor<512xNxf32> to tensor<512xNxbf16>
  return %z : tensor<512xNxbf16>
}

// More is computed behind the reduction: registers.
// TANH: func.func @tanh
// TANH: kind = "row_reduction"
// TANH-NOT: stages
// TANH: return
func.func @tanh(%x: tensor<512xNxbf16> {fusion.alignment = 16 : i64}) -> tensor<512xNxbf16> {
  %c = fusion.cast %x : tensor<512xNxbf16> to tensor<512xNxf32>
  %mean = fusion.reduce <mean> %c dims [1] keep : tensor<512xNxf32>
  %m = fusion.broadcast_in_dim %mean dims [0, 1] : tensor<512x1xf32> to tensor<512xNxf32>
  %d = fusion.sub %c, %m : tensor<512xNxf32>
  %t = fusion.tanh %d : tensor<512xNxf32>
  %z = fusion.cast %t : tensor<512xNxf32> to tensor<512xNxbf16>
  return %z : tensor<512xNxbf16>
}
