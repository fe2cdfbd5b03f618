// A negative number that becomes a float and then an unsigned integer is 0; it was what its bits are.
// RUN: fuser-run %s --check --input=256xi8=iota
// RUN: fuser-run %s --target=sim --check --input=256xi8=iota
func.func @f(%x: tensor<256xi8>) -> (tensor<256xui64>, tensor<256xui8>) {
  %0 = fusion.cast %x : tensor<256xi8> to tensor<256xf16>
  %1 = fusion.cast %0 : tensor<256xf16> to tensor<256xui64>
  %2 = fusion.cast %0 : tensor<256xf16> to tensor<256xui8>
  return %1, %2 : tensor<256xui64>, tensor<256xui8>
}
