// A linear layer whose weights are 8-bit integers, with a scale for each row of them.
// cpu:  --input=64x1024xbf16=normal:1 --input=256x1024xi8=bits:2 --input=256xf32=random:3
// cuda: --input=4096x4096xbf16=normal:1 --input=4096x4096xi8=bits:2 --input=4096xf32=random:3
func.func @quantized_linear(%x: tensor<?x?xbf16>, %weight: tensor<?x?xi8>, %scale: tensor<?xf32>) -> tensor<?x?xbf16> {
  // bf16 has each of these integers.
  %w = fusion.cast %weight : tensor<?x?xi8> to bf16
  %sums = fusion.linear %x, %w : tensor<?x?xbf16>, tensor<?x?xbf16> to tensor<?x?xf32>
  %scaled = fusion.mul %sums, %scale : tensor<?x?xf32>, tensor<?xf32>
  %y = fusion.cast %scaled : tensor<?x?xf32> to bf16
  return %y : tensor<?x?xbf16>
}
