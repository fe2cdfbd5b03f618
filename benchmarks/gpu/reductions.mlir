// Sums of everything, by thread blocks that share one result; the inputs stand above each entry. GB/s: fuser-run FILE --target cuda --entry NAME
// INPUTS --bench. The floor is a copy that moves as many bytes.

// --input 16384x8192xbf16=random:1
func.func @copy(%x: tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16> {
  %0 = fusion.neg %x : tensor<16384x8192xbf16>
  return %0 : tensor<16384x8192xbf16>
}

// --input 16384x16384xbf16=random:1
func.func @whole(%x: tensor<16384x16384xbf16>) -> tensor<f32> {
  %c = fusion.cast %x : tensor<16384x16384xbf16> to tensor<16384x16384xf32>
  %s = fusion.reduce <sum> %c dims [0, 1] : tensor<16384x16384xf32> to tensor<f32>
  return %s : tensor<f32>
}

// --input 16384x16384xf32=random:1
func.func @whole_f32(%x: tensor<16384x16384xf32>) -> tensor<f32> {
  %s = fusion.reduce <sum> %x dims [0, 1] : tensor<16384x16384xf32> to tensor<f32>
  return %s : tensor<f32>
}

// --input 16384x16384xbf16=random:1
func.func @whole_dynamic(%x: tensor<?x?xbf16>) -> tensor<f32> {
  %c = fusion.cast %x : tensor<?x?xbf16> to tensor<?x?xf32>
  %s = fusion.reduce <sum> %c dims [0, 1] : tensor<?x?xf32> to tensor<f32>
  return %s : tensor<f32>
}

// --input 2048x2048xbf16=random:1
func.func @small(%x: tensor<2048x2048xbf16>) -> tensor<f32> {
  %c = fusion.cast %x : tensor<2048x2048xbf16> to tensor<2048x2048xf32>
  %s = fusion.reduce <sum> %c dims [0, 1] : tensor<2048x2048xf32> to tensor<f32>
  return %s : tensor<f32>
}

// Mean and mean square of a few long rows.
// --input 16x8388608xbf16=random:1
func.func @moments(%x: tensor<16x8388608xbf16>) -> (tensor<16x1xf32>, tensor<16x1xf32>) {
  %c = fusion.cast %x : tensor<16x8388608xbf16> to tensor<16x8388608xf32>
  %q = fusion.mul %c, %c : tensor<16x8388608xf32>
  %m = fusion.reduce <mean> %c dims [1] keep : tensor<16x8388608xf32> to tensor<16x1xf32>
  %v = fusion.reduce <mean> %q dims [1] keep : tensor<16x8388608xf32> to tensor<16x1xf32>
  return %m, %v : tensor<16x1xf32>, tensor<16x1xf32>
}
