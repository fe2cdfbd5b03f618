// The two best of 64 experts for each token, with weights whose sum is 1, and how many tokens each expert gets.
// cpu:  --input=4096x64xf32=normal:1
// cuda: --input=65536x64xf32=normal:1
func.func @route(%logits: tensor<?x64xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>, tensor<64xf32>) {
  %p = fusion.softmax %logits : tensor<?x64xf32>
  %best:2 = fusion.topk %p {k = 2} : tensor<?x64xf32>
  %sum = fusion.reduce <sum> %best#0 dims [1] keep : tensor<?x2xf32>
  %weights = fusion.div %best#0, %sum : tensor<?x2xf32>, tensor<?x1xf32>
  %experts = fusion.reshape %best#1 : tensor<?x2xi64> to tensor<?xi64>
  %none = fusion.constant dense<0.0> : tensor<64xf32>
  %load = fusion.index_add %none, %experts, 1.0 {dim = 0} : tensor<64xf32>, tensor<?xi64>
  return %weights, %best#1, %load : tensor<?x2xf32>, tensor<?x2xi64>, tensor<64xf32>
}
