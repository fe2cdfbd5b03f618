// What goes across memory, beside a copy. fuser-run transposes.mlir --target cuda --entry NAME INPUTS --bench, with --check
// for the bits.

// --input=16384x16384xf32=random:1
func.func @copy(%x: tensor<?x16384xf32>) -> tensor<?x16384xf32> {
  %y = fusion.neg %x : tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// --input=16384x16384xf32=random:1
func.func @result(%x: tensor<?x16384xf32>) -> (tensor<?x16384xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %y = fusion.neg %x : tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// --input=16384x16384xbf16=random:1
func.func @half(%x: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %y = fusion.permute %x [1, 0] : tensor<16384x16384xbf16> to tensor<16384x16384xbf16>
  return %y : tensor<16384x16384xbf16>
}

// And a tensor along.
// --input=16384x16384xbf16=random:1 --input=16384x16384xbf16=random:2
func.func @half_plus(%x: tensor<16384x16384xbf16>, %y: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %t = fusion.permute %x [1, 0] : tensor<16384x16384xbf16> to tensor<16384x16384xbf16>
  %z = fusion.add %t, %y : tensor<16384x16384xbf16>
  return %z : tensor<16384x16384xbf16>
}

// Elements of other sizes.
// --input=16384x16384xf32=random:1
func.func @single(%x: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %y = fusion.permute %x [1, 0] : tensor<16384x16384xf32> to tensor<16384x16384xf32>
  return %y : tensor<16384x16384xf32>
}

// --input=16384x16384xf32=random:1 --input=16384x16384xf32=random:2
func.func @single_plus(%x: tensor<16384x16384xf32>, %y: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %t = fusion.permute %x [1, 0] : tensor<16384x16384xf32> to tensor<16384x16384xf32>
  %z = fusion.add %t, %y : tensor<16384x16384xf32>
  return %z : tensor<16384x16384xf32>
}

// --input=8192x8192xf64=random:1
func.func @double(%x: tensor<8192x8192xf64>) -> tensor<8192x8192xf64> {
  %y = fusion.permute %x [1, 0] : tensor<8192x8192xf64> to tensor<8192x8192xf64>
  return %y : tensor<8192x8192xf64>
}

// --input=16384x16384xi1=random:1
func.func @bytes(%x: tensor<16384x16384xi1>) -> tensor<16384x16384xi1> {
  %y = fusion.permute %x [1, 0] : tensor<16384x16384xi1> to tensor<16384x16384xi1>
  return %y : tensor<16384x16384xi1>
}

// Sizes that are not known.
// --input=16384x16384xbf16=random:1
func.func @half_dynamic(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = fusion.permute %x [1, 0] : tensor<?x?xbf16> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// --input=16384x16384xbf16=random:1
func.func @half_rows_dynamic(%x: tensor<?x16384xbf16>) -> tensor<16384x?xbf16> {
  %y = fusion.permute %x [1, 0] : tensor<?x16384xbf16> to tensor<16384x?xbf16>
  return %y : tensor<16384x?xbf16>
}

// --input=16384x8193xf32=random:1
func.func @odd(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = fusion.permute %x [1, 0] : tensor<?x?xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// One input across, one along.
// --input=8192x16384xbf16=random:1 --input=16384x8192xbf16=random:2
func.func @sum(%x: tensor<?x16384xbf16>, %y: tensor<16384x?xbf16>) -> tensor<16384x?xbf16> {
  %t = fusion.permute %x [1, 0] : tensor<?x16384xbf16> to tensor<16384x?xbf16>
  %z = fusion.add %t, %y : tensor<16384x?xbf16>
  return %z : tensor<16384x?xbf16>
}

// Images: channels last.
// --input=128x256x56x56xbf16=random:1
func.func @channels_last(%x: tensor<?x256x56x56xbf16>) -> tensor<?x56x56x256xbf16> {
  %y = fusion.permute %x [0, 2, 3, 1] : tensor<?x256x56x56xbf16> to tensor<?x56x56x256xbf16>
  return %y : tensor<?x56x56x256xbf16>
}

// --input=64x256x56x56xbf16=random:1 --input=256xbf16=random:2
func.func @images(%x: tensor<64x256x56x56xbf16>, %bias: tensor<256xbf16>) -> tensor<64x56x56x256xbf16> {
  %y = fusion.permute %x [0, 2, 3, 1] : tensor<64x256x56x56xbf16> to tensor<64x56x56x256xbf16>
  %a = fusion.broadcast %bias dims [0, 1, 2] : tensor<256xbf16> to tensor<1x1x1x256xbf16>
  %b = fusion.expand %a : tensor<1x1x1x256xbf16> to tensor<64x56x56x256xbf16>
  %c = fusion.add %y, %b : tensor<64x56x56x256xbf16>
  %z = fusion.neg %c : tensor<64x56x56x256xbf16>
  return %z : tensor<64x56x56x256xbf16>
}

// Heads of an attention.
// --input=8x4096x32x128xbf16=random:1
func.func @heads_last(%x: tensor<8x4096x32x128xbf16>) -> tensor<8x32x128x4096xbf16> {
  %y = fusion.permute %x [0, 2, 3, 1] : tensor<8x4096x32x128xbf16> to tensor<8x32x128x4096xbf16>
  return %y : tensor<8x32x128x4096xbf16>
}

// Keys of an attention, transposed.
// --input=256x4096x128xbf16=random:1
func.func @keys(%x: tensor<?x4096x128xbf16>) -> tensor<?x128x4096xbf16> {
  %y = fusion.permute %x [0, 2, 1] : tensor<?x4096x128xbf16> to tensor<?x128x4096xbf16>
  return %y : tensor<?x128x4096xbf16>
}

// Many small matrices.
// --input=524288x24x24xbf16=random:1
func.func @matrices(%x: tensor<?x24x24xbf16>) -> tensor<?x24x24xbf16> {
  %y = fusion.permute %x [0, 2, 1] : tensor<?x24x24xbf16> to tensor<?x24x24xbf16>
  return %y : tensor<?x24x24xbf16>
}

// The same element by element.
// --input=524288x24x24xbf16=random:1
func.func @matrices_pointwise(%x: tensor<?x24x24xbf16>) -> tensor<?x24x24xbf16> {
  %y = fusion.segment "pointwise" (%a = %x : tensor<?x24x24xbf16>) -> (tensor<?x24x24xbf16>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[0, 1, 2]], layout = [[l5, w3]], repeat = [4]>} {
    %b = fusion.permute %a [0, 2, 1] : tensor<?x24x24xbf16> to tensor<?x24x24xbf16>
    fusion.yield %b : tensor<?x24x24xbf16>
  }
  return %y : tensor<?x24x24xbf16>
}
