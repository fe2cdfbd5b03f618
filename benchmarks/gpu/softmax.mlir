// Softmax of rows of SIZE columns, a power of two or not: sed 's/SIZE/8192/' softmax.mlir > F.mlir; fuser-run F.mlir --target cuda
// --input=16384x8192xbf16=random:1 --bench. The sizes of docs/performance.md have 2^27 elements, or a little less.
func.func @softmax(%x: tensor<?xSIZExbf16>) -> tensor<?xSIZExbf16> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?xSIZExbf16>
  %h = fusion.cast %x : tensor<?xSIZExbf16> to tensor<?xSIZExf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?xSIZExf32> to tensor<?x1xf32>
  %me = fusion.expand %m : tensor<?x1xf32> to tensor<?xSIZExf32>
  %d = fusion.sub %h, %me : tensor<?xSIZExf32>
  %e = fusion.exp %d : tensor<?xSIZExf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?xSIZExf32> to tensor<?x1xf32>
  %se = fusion.expand %s : tensor<?x1xf32> to tensor<?xSIZExf32>
  %q = fusion.div %e, %se : tensor<?xSIZExf32>
  %r = fusion.cast %q : tensor<?xSIZExf32> to tensor<?xSIZExbf16>
  return %r : tensor<?xSIZExbf16>
}
