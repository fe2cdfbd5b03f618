// f16 of f64, which code generation makes of a rounding to f32 and one to f16: there is no instruction for it, and it called what nobody defines.
// RUN: fuser-run %s --target=sim --check --input=31x4xf16=random:1
// RUN: fuser-run %s --check --input=31x4xf16=random:1
func.func @f(%x: tensor<31x4xf16>) -> tensor<31x4xf16> {
  %0 = fusion.acos %x : tensor<31x4xf16>
  %1 = fusion.erf %0 : tensor<31x4xf16>
  return %1 : tensor<31x4xf16>
}
