// Rows in groups become blocks of 4-bit floats; each row is multiplied by the matrix of its group.
func.func @experts(%x: tensor<?x64xf32>, %w: tensor<3x32x64xf4E2M1FN>, %scales: tensor<3x128x4xf8E4M3FN>, %alpha: tensor<3xf32>,
                   %starts: tensor<3xi32>, %padded: tensor<3xi32>, %sizes: tensor<3x3xi32>) -> tensor<?x32xbf16> {
  %data, %own = fusion.composite "block_quantize"(%x) {type = "f4E2M1FN", scale_type = "f8E4M3FN"} : (tensor<?x64xf32>) -> (tensor<?x64xf4E2M1FN>, tensor<?x4xf8E4M3FN>)
  %apart = fusion.composite "pad_groups"(%own, %starts, %padded) : (tensor<?x4xf8E4M3FN>, tensor<3xi32>, tensor<3xi32>) -> tensor<?x4xf8E4M3FN>
  %tiles = fusion.composite "swizzle_scales"(%apart) : (tensor<?x4xf8E4M3FN>) -> tensor<?x4xf8E4M3FN>
  %wide = fusion.cast %w : tensor<3x32x64xf4E2M1FN> to tensor<3x32x64xbf16>
  %b = fusion.permute %wide [0, 2, 1] : tensor<3x32x64xbf16> to tensor<3x64x32xbf16>
  %r = fusion.composite "block_scaled_grouped_mm"(%data, %b, %tiles, %scales, %alpha, %sizes, %starts, %padded) {type = "bf16"} : (tensor<?x64xf4E2M1FN>, tensor<3x64x32xbf16>, tensor<?x4xf8E4M3FN>, tensor<3x128x4xf8E4M3FN>, tensor<3xf32>, tensor<3x3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<?x32xbf16>
  return %r : tensor<?x32xbf16>
}
