// A cast of a power of two to its own type is nothing, which the ring took for its magnitude.
// RUN: fuser-run %s --check --exact --input=3x5xf8E8M0FNU=bits:3
// RUN: fuser-run %s --target=sim --check --exact --input=3x5xf8E8M0FNU=bits:3
func.func @f(%x: tensor<?x?xf8E8M0FNU>) -> (tensor<?x?xf8E8M0FNU>, tensor<?x?xbf16>, tensor<?x?xf8E8M0FNU>) {
  %0 = fusion.cast %x : tensor<?x?xf8E8M0FNU> to tensor<?x?xf8E8M0FNU>
  %1 = fusion.cast %0 : tensor<?x?xf8E8M0FNU> to tensor<?x?xbf16>
  %2 = fusion.cast %1 : tensor<?x?xbf16> to tensor<?x?xf8E8M0FNU>
  return %0, %1, %2 : tensor<?x?xf8E8M0FNU>, tensor<?x?xbf16>, tensor<?x?xf8E8M0FNU>
}
