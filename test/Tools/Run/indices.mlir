// Random integers: of [-8, 8], or of [0, N), which may be indices. Elements that are right because there is nothing to compare are counted.

// RUN: fuser-run %s --entry rows --input=8x4xf32=random:1 --input=16xi64=random:2,below=8 --check | FileCheck %s --check-prefix=INSIDE
// INSIDE: right: largest difference from the reference 0, at worst 0.00 of what is allowed{{$}}
// RUN: fuser-run %s --entry rows --input=8x4xf32=random:1 --input=16xi64=value:9 --check | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: right: {{.*}}, 64 of 64 elements are NaN{{$}}
// RUN: fuser-run %s --entry inverse --input=4xf32=value:0 --check | FileCheck %s --check-prefix=INFINITE
// INFINITE: right: {{.*}}, 4 of 4 elements are infinite{{$}}

// What to write says so.
// RUN: not fuser-run %s --entry rows 2>&1 | FileCheck %s --check-prefix=COMMAND
// COMMAND: --input=16x4xf32=random:1 --input=16xi64=random:2,below=4


// RUN: not fuser-run %s --entry same --input=4xi64=random:1,below=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: expected strides=AxB..., offset=N or below=N with N > 0, got 'below=0'
// RUN: not fuser-run %s --entry same --input=4xi64=iota,below=3 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not fuser-run %s --entry inverse --input=4xf32=random:1,below=3 2>&1 | FileCheck %s --check-prefix=IOTA
// IOTA: expected below=N behind random:SEED of integers
// RUN: not fuser-run %s --entry same --input=4xi8=random:1,below=129 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: expected below=N of at most 128 for i8, got 129

func.func @rows(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> tensor<?x4xf32> {
  %0 = fusion.take %x, %i dim 0 : tensor<?x4xf32>, tensor<?xi64> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func @inverse(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.div 1.0, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @same(%x: tensor<?xi64>) -> tensor<?xi64> {
  %0 = fusion.set %x : tensor<?xi64>
  return %0 : tensor<?xi64>
}
