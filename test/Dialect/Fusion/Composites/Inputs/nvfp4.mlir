func.func @f(%x: tensor<?x64xbf16>, %g: tensor<1xf32>)
    -> (tensor<?x64xf4E2M1FN>, tensor<?x4xf8E4M3FN>, tensor<?x64xf32>) {
  %d, %s = fusion.composite "block_quantize"(%x, %g) {type = f4E2M1FN, scale_type = f8E4M3FN, has_global_scale}
      : (tensor<?x64xbf16>, tensor<1xf32>) -> (tensor<?x64xf4E2M1FN>, tensor<?x4xf8E4M3FN>)
  %y = fusion.composite "block_dequantize"(%d, %s, %g) {has_global_scale} : (tensor<?x64xf4E2M1FN>, tensor<?x4xf8E4M3FN>, tensor<1xf32>) -> tensor<?x64xf32>
  return %d, %s, %y : tensor<?x64xf4E2M1FN>, tensor<?x4xf8E4M3FN>, tensor<?x64xf32>
}
