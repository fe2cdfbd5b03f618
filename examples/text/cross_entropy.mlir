// The mean loss of tokens whose classes are numbers, and the gradient of the logits. A token of class -100 does not count.
// cpu:  --input=512x4096xbf16=normal:1 --input=512xi64=random:2,below=4096
// cuda: --input=8192x32000xbf16=normal:1 --input=8192xi64=random:2,below=32000
func.func @cross_entropy(%logits: tensor<?x?xbf16>, %classes: tensor<?xi64>) -> (tensor<bf16>, tensor<?x?xbf16>) {
  // Beside the loss it has the logarithm of the sum of exponentials of each row.
  %loss:2 = fusion.cross_entropy %logits, %classes : tensor<?x?xbf16>, tensor<?xi64>
  %one = fusion.constant dense<1.0> : tensor<bf16>
  %gradient = fusion.cross_entropy_backward %one, %logits, %classes, %loss#1 : tensor<bf16>, tensor<?x?xbf16>, tensor<?xi64>, tensor<?xf32>
  return %loss#0, %gradient : tensor<bf16>, tensor<?x?xbf16>
}
