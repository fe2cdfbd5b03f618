func.func @f(%x: tensor<?x8xf32> {fusion.stride_order = array<i64: 1, 0>}, %y: tensor<?xf32> {fusion.alignment = 64 : i64}) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %r = fusion.neg %x : tensor<?x8xf32>
  %s = fusion.neg %y : tensor<?xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?xf32>
}
