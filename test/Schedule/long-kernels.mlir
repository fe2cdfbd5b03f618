// RUN: fuser-opt %s --fusion-schedule='target=cuda' | FileCheck %s --check-prefix=CUDA
// RUN: fuser-opt %s --fusion-schedule='target=cpu' | FileCheck %s --check-prefix=CPU

// A short kernel is wide; a long one hides its latencies by itself, and wide it would take long to compile.
// CUDA{LITERAL}: #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r2, l5, w2]], repeat = [4]>
// CPU: #fusion.cpu<kind = "pointwise", vector = 64,
func.func @short(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = fusion.segment "pointwise" (%a = %x : tensor<?x1024xf32>) -> (tensor<?x1024xf32>) {
    %1 = fusion.exp %a : tensor<?x1024xf32>
    fusion.yield %1 : tensor<?x1024xf32>
  }
  return %0 : tensor<?x1024xf32>
}

// CUDA{LITERAL}: #fusion.tile<kind = "pointwise", axes = [[0, 1]], layout = [[r1, l5, w2]]>
// CPU: #fusion.cpu<kind = "pointwise", vector = 16,
func.func @long(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = fusion.segment "pointwise" (%a0 = %x : tensor<?x1024xf32>) -> (tensor<?x1024xf32>) {
    %a1 = fusion.exp %a0 : tensor<?x1024xf32>
    %a2 = fusion.exp %a1 : tensor<?x1024xf32>
    %a3 = fusion.exp %a2 : tensor<?x1024xf32>
    %a4 = fusion.exp %a3 : tensor<?x1024xf32>
    %a5 = fusion.exp %a4 : tensor<?x1024xf32>
    %a6 = fusion.exp %a5 : tensor<?x1024xf32>
    %a7 = fusion.exp %a6 : tensor<?x1024xf32>
    %a8 = fusion.exp %a7 : tensor<?x1024xf32>
    %a9 = fusion.exp %a8 : tensor<?x1024xf32>
    %a10 = fusion.exp %a9 : tensor<?x1024xf32>
    %a11 = fusion.exp %a10 : tensor<?x1024xf32>
    %a12 = fusion.exp %a11 : tensor<?x1024xf32>
    %a13 = fusion.exp %a12 : tensor<?x1024xf32>
    %a14 = fusion.exp %a13 : tensor<?x1024xf32>
    %a15 = fusion.exp %a14 : tensor<?x1024xf32>
    %a16 = fusion.exp %a15 : tensor<?x1024xf32>
    %a17 = fusion.exp %a16 : tensor<?x1024xf32>
    %a18 = fusion.exp %a17 : tensor<?x1024xf32>
    %a19 = fusion.exp %a18 : tensor<?x1024xf32>
    %a20 = fusion.exp %a19 : tensor<?x1024xf32>
    %a21 = fusion.exp %a20 : tensor<?x1024xf32>
    %a22 = fusion.exp %a21 : tensor<?x1024xf32>
    %a23 = fusion.exp %a22 : tensor<?x1024xf32>
    %a24 = fusion.exp %a23 : tensor<?x1024xf32>
    %a25 = fusion.exp %a24 : tensor<?x1024xf32>
    %a26 = fusion.exp %a25 : tensor<?x1024xf32>
    %a27 = fusion.exp %a26 : tensor<?x1024xf32>
    %a28 = fusion.exp %a27 : tensor<?x1024xf32>
    %a29 = fusion.exp %a28 : tensor<?x1024xf32>
    %a30 = fusion.exp %a29 : tensor<?x1024xf32>
    %a31 = fusion.exp %a30 : tensor<?x1024xf32>
    %a32 = fusion.exp %a31 : tensor<?x1024xf32>
    %a33 = fusion.exp %a32 : tensor<?x1024xf32>
    %a34 = fusion.exp %a33 : tensor<?x1024xf32>
    %a35 = fusion.exp %a34 : tensor<?x1024xf32>
    %a36 = fusion.exp %a35 : tensor<?x1024xf32>
    %a37 = fusion.exp %a36 : tensor<?x1024xf32>
    %a38 = fusion.exp %a37 : tensor<?x1024xf32>
    %a39 = fusion.exp %a38 : tensor<?x1024xf32>
    %a40 = fusion.exp %a39 : tensor<?x1024xf32>
    %a41 = fusion.exp %a40 : tensor<?x1024xf32>
    %a42 = fusion.exp %a41 : tensor<?x1024xf32>
    %a43 = fusion.exp %a42 : tensor<?x1024xf32>
    %a44 = fusion.exp %a43 : tensor<?x1024xf32>
    %a45 = fusion.exp %a44 : tensor<?x1024xf32>
    %a46 = fusion.exp %a45 : tensor<?x1024xf32>
    %a47 = fusion.exp %a46 : tensor<?x1024xf32>
    %a48 = fusion.exp %a47 : tensor<?x1024xf32>
    %a49 = fusion.exp %a48 : tensor<?x1024xf32>
    %a50 = fusion.exp %a49 : tensor<?x1024xf32>
    %a51 = fusion.exp %a50 : tensor<?x1024xf32>
    %a52 = fusion.exp %a51 : tensor<?x1024xf32>
    %a53 = fusion.exp %a52 : tensor<?x1024xf32>
    %a54 = fusion.exp %a53 : tensor<?x1024xf32>
    %a55 = fusion.exp %a54 : tensor<?x1024xf32>
    %a56 = fusion.exp %a55 : tensor<?x1024xf32>
    %a57 = fusion.exp %a56 : tensor<?x1024xf32>
    %a58 = fusion.exp %a57 : tensor<?x1024xf32>
    %a59 = fusion.exp %a58 : tensor<?x1024xf32>
    %a60 = fusion.exp %a59 : tensor<?x1024xf32>
    %a61 = fusion.exp %a60 : tensor<?x1024xf32>
    %a62 = fusion.exp %a61 : tensor<?x1024xf32>
    %a63 = fusion.exp %a62 : tensor<?x1024xf32>
    %a64 = fusion.exp %a63 : tensor<?x1024xf32>
    fusion.yield %a64 : tensor<?x1024xf32>
  }
  return %0 : tensor<?x1024xf32>
}
