// GroupNorm of images of any size, and SiLU: functions of several ops by their names in Python.
// cpu:  --input=8x64x28x28xbf16=normal:1 --input=64xf32=normal:2 --input=64xf32=normal:3
// cuda: --input=32x256x56x56xbf16=normal:1 --input=256xf32=normal:2 --input=256xf32=normal:3
!image = tensor<?x?x?x?xbf16>
!channels = tensor<?xf32>

func.func @group_norm(%x: !image, %weight: !channels, %bias: !channels) -> !image {
  %norm:3 = fusion.group_norm %x, 1e-5, %weight, %bias {groups = 32, has_weight, has_bias} : !image, !channels, !channels
  %y = fusion.silu %norm#0 : !image
  return %y : !image
}
