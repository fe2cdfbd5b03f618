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

// The same from a schedule by hand, to compare.
func.func @result_wide(%x: tensor<?x16384xf32>) -> (tensor<?x16384xf32> {fusion.stride_order = array<i64: 1, 0>}) {
  %y = fusion.segment "pointwise" (%a = %x : tensor<?x16384xf32>) -> (tensor<?x16384xf32>)
      attributes {schedule = #fusion.tile<kind = "pointwise", axes = [[], [1], [0]], layout = [[], [w2, r4], [l5, w1]], staged = [[], [l5, w1:0], [w2:1, r4]], reads = [0]>} {
    %b = fusion.neg %a : tensor<?x16384xf32>
    fusion.yield %b : tensor<?x16384xf32>
  }
  return %y : tensor<?x16384xf32>
}

// --input=16384x16384xbf16=random:1
func.func @half(%x: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %y = fusion.permute %x [1, 0] : tensor<16384x16384xbf16> to tensor<16384x16384xbf16>
  return %y : tensor<16384x16384xbf16>
}

// Sizes that are not known.
// --input=16384x16384xbf16=random:1
func.func @half_dynamic(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = fusion.permute %x [1, 0] : tensor<?x?xbf16> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
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
