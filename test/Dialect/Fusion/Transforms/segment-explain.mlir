// RUN: fuser-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fusion-segment{target=sm_90 explain=true}))'

// The reasons of the policy, each where a tensor goes through memory.

// Only who reads behind a boundary says so.
func.func @boundary(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-note @below {{the tensor is a result of this 'fusion.exp'}}
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  // expected-remark @below {{reads a tensor from another segment: a boundary is between them}}
  // expected-note @below {{to change that: leave out the segment_set}}
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

func.func @other_dims(%x: tensor<8x8x512xf32>) -> tensor<8x512xf32> {
  %m = fusion.reduce <sum> %x dims [2] keep : tensor<8x8x512xf32> to tensor<8x8x1xf32>
  %mx = fusion.expand %m : tensor<8x8x1xf32> to tensor<8x8x512xf32>
  // expected-note @below {{the tensor is a result of this 'fusion.sub'}}
  %a = fusion.sub %x, %mx : tensor<8x8x512xf32>
  // expected-remark @below {{reads a tensor from another segment: a reduction is over other than the last dimensions}}
  // expected-note @below {{to change that: let the reduced dimensions be the last ones}}
  %s = fusion.reduce <sum> %a dims [0] : tensor<8x8x512xf32> to tensor<8x512xf32>
  return %s : tensor<8x512xf32>
}

// -----

func.func @rows_too_long(%x: tensor<8x1048576xf32>) -> tensor<8x1048576xf32> {
  // expected-note @below {{the tensor is a result of this 'fusion.reduce'}}
  %m = fusion.reduce <max> %x dims [1] keep : tensor<8x1048576xf32> to tensor<8x1xf32>
  // expected-remark @below {{reads a tensor from another segment: rows of 1048576 elements need 200 registers a thread with 512 threads, of 128}}
  // expected-note @below {{to change that: make the rows shorter (up to about 557056 elements would fit), or keep fewer tensors until the reduction is done}}
  %mx = fusion.expand %m : tensor<8x1xf32> to tensor<8x1048576xf32>
  %d = fusion.sub %x, %mx : tensor<8x1048576xf32>
  return %d : tensor<8x1048576xf32>
}

// -----

func.func @rows_of_open_length(%x: tensor<8x?xf32>, %n: index) -> tensor<8x?xf32> {
  // expected-note @below {{the tensor is a result of this 'fusion.reduce'}}
  %m = fusion.reduce <max> %x dims [1] keep : tensor<8x?xf32> to tensor<8x1xf32>
  // expected-remark @below {{reads a tensor from another segment: the length of its rows is not known}}
  // expected-note @below {{to change that: state the length of the rows, which is open (up to about}}
  %mx = fusion.expand %m sizes(%n) : tensor<8x1xf32> to tensor<8x?xf32>
  %d = fusion.sub %x, %mx : tensor<8x?xf32>
  return %d : tensor<8x?xf32>
}

// -----

// Two remarks at one place: each has a note at the tensor that it speaks of.
func.func @cycle(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  // expected-note @below {{the tensor is a result of this 'fusion.add'}}
  %a = fusion.add %x, %y : tensor<8x8xf32>
  // expected-note @below {{the tensor is a result of this 'fusion.neg'}}
  %n = fusion.neg %a : tensor<8x8xf32>
  %b = fusion.segment_set %n : tensor<8x8xf32>
  // expected-remark @below {{reads a tensor from another segment: one segment for both would depend on itself}}
  // expected-remark @below {{a boundary is between them}}
  // expected-note @below {{to change that: leave out the segment_set}}
  %c = fusion.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// No boundary is in the program: the reason is the input that is overwritten.
func.func @reuse_of_rows(%x: tensor<?x1024xf32>) -> (tensor<?x1024xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %q = fusion.mul %x, %x : tensor<?x1024xf32>
  // expected-note @below {{this op does}}
  %m = fusion.reduce <mean> %q dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
  %e = fusion.expand %m : tensor<?x1xf32> to tensor<?x1024xf32>
  // expected-remark @below {{reads a tensor from another segment: it is copied into the input that it overwrites, since an op reads the input elsewhere than where this is computed}}
  // expected-note @below {{the tensor is a result of this 'fusion.mul'}}
  %y = fusion.mul %x, %e : tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// Where each element is read where it is written there is no copy.
func.func @reuse_in_place(%x: tensor<?x1024xf32>) -> (tensor<?x1024xf32> {fusion.alias = #fusion.alias<reuse, 0>}) {
  %q = fusion.mul %x, %x : tensor<?x1024xf32>
  %y = fusion.exp %q : tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
