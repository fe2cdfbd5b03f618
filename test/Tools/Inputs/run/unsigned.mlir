func.func @f(%x: tensor<3xui64>, %y: tensor<3xui8>) -> (tensor<3xui64>, tensor<3xui8>) {
  %0 = fusion.max %x, 1 : tensor<3xui64>
  %1 = fusion.add %y, 1 : tensor<3xui8>
  return %0, %1 : tensor<3xui64>, tensor<3xui8>
}
