// SwiGLU in the feed-forward part of a Llama-3 block: silu(gate) * up.
// cpu:  --input=2048x14336xbf16=random:1 --input=2048x14336xbf16=random:2
// cuda: --input=4096x14336xbf16=random:1 --input=4096x14336xbf16=random:2
func.func @swiglu(%gate: tensor<?x14336xbf16>, %up: tensor<?x14336xbf16>) -> tensor<?x14336xbf16> {
  %s = fusion.silu %gate : tensor<?x14336xbf16>
  %y = fusion.mul %s, %up : tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}
