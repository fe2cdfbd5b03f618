func.func @f(%x: tensor<?x64xf32>, %d: tensor<?x64xf4E2M1FN>, %s: tensor<?x2xf8E8M0FNU>)
    -> (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>, tensor<?x64xbf16>) {
  %r, %t = fusion.composite "block_quantize"(%x) {type = f4E2M1FN, rounding = "ceil"} : (tensor<?x64xf32>) -> (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>)
  %y = fusion.composite "block_dequantize"(%d, %s) {type = bf16} : (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16>
  return %r, %t, %y : tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>, tensor<?x64xbf16>
}
