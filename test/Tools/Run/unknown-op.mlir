// The name of an op that is spelled wrong.

// RUN: not fuser-run %s 2>&1 | FileCheck %s
// CHECK: unknown-op.mlir:[[#@LINE+4]]:8: error: custom op 'fusion.sigmiod' is unknown
// CHECK: note: did you mean 'fusion.sigmoid'?

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.sigmiod %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}


// The name of a composite.

// RUN: split-file %s %t
// RUN: not fuser-run %t/composite.mlir 2>&1 | FileCheck %s --check-prefix=COMPOSITE
// COMPOSITE: error: custom op 'fusion.softmx' is unknown
// COMPOSITE: note: did you mean 'fusion.softmax'?

//--- composite.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.softmx %x {dim = 0} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A name that is right is not what is wrong.

// RUN: not fuser-run %t/known.mlir 2>&1 | FileCheck %s --check-prefix=KNOWN --implicit-check-not="did you mean"
// KNOWN: error: custom op 'fusion.take' expected 'dim'

//--- known.mlir
func.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %0 = fusion.take %x, %i : tensor<4x8xf32>, tensor<3xi64>
  return %0 : tensor<3x8xf32>
}

// A name that others have.

// RUN: not fuser-run %t/mean.mlir 2>&1 | FileCheck %s --check-prefix=MEAN --implicit-check-not="did you mean"
// MEAN: error: custom op 'fusion.mean' is unknown
// MEAN: note: write 'fusion.reduce <mean> %x dims [0] : TYPE'

//--- mean.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = fusion.mean %x dims [0] : tensor<4xf32>
  return %0 : tensor<f32>
}

// RUN: not fuser-run %t/transpose.mlir 2>&1 | FileCheck %s --check-prefix=TRANSPOSE
// TRANSPOSE: note: write 'fusion.permute %x [1, 0] : TYPE'

//--- transpose.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = fusion.transpose %x [1, 0] : tensor<4x8xf32>
  return %0 : tensor<8x4xf32>
}

// RUN: sed 's/OP/bitwise_and/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=and
// RUN: sed 's/OP/bitwise_or/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=or
// RUN: sed 's/OP/bitwise_left_shift/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=shl
// RUN: sed 's/OP/right_shift/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=shr
// RUN: sed 's/OP/logical_right_shift/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=shru
// RUN: sed 's/OP/arctan2/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=atan2
// RUN: sed 's/OP/truediv/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=true_divide
// RUN: sed 's/OP/mm/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=matmul
// RUN: sed 's/fusion.OP/bitwise_xor/' %t/names.mlir | not fuser-run - 2>&1 | FileCheck %s --check-prefix=NAMES -DOWN=xor
// NAMES: note: did you mean 'fusion.[[OWN]]'?

//--- names.mlir
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = fusion.OP %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// RUN: not fuser-run %t/unsqueeze.mlir 2>&1 | FileCheck %s --check-prefix=UNSQUEEZE
// UNSQUEEZE: note: write 'fusion.broadcast %x dims [0] : TYPE'

//--- unsqueeze.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = fusion.unsqueeze %x {dim = 0} : tensor<4xf32>
  return %0 : tensor<1x4xf32>
}

// What an error says to write is a program.

// RUN: fuser-run %t/instead.mlir --reference --input=4x8xf32=iota > /dev/null

//--- instead.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<1x4x8xf32> {
  %0 = fusion.broadcast %x dims [0] : tensor<4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// An operand of another element type; of another shape a cast is no help.

// RUN: not fuser-run %t/cast.mlir 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: 2:23: error: use of value '%y' expects different type than prior uses: 'tensor<4xf32>' vs 'tensor<4xf16>'
// CAST: note: cast it, 'fusion.cast %y : tensor<4xf16> to tensor<4xf32>'; an op on elements with a type for each operand promotes them

//--- cast.mlir
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  %0 = fusion.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: not fuser-run %t/second.mlir 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: 3:23: error: use of value '%vm' expects different type than prior uses: 'tensor<4x1xf32>' vs 'tensor<4x1xf16>'
// SECOND: note: cast it, 'fusion.cast %vm#1 : tensor<4x1xf16> to tensor<4x1xf32>'

//--- second.mlir
func.func @f(%g: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %vm:2 = fusion.var_mean %g {dims = [1], keep} : tensor<4x8xf16>
  %0 = fusion.sub %g, %vm#1 : tensor<4x8xf16>, tensor<4x1xf32>
  return %0 : tensor<4x8xf32>
}

// Complex numbers are none of real ones.

// RUN: not fuser-run %t/abs.mlir 2>&1 | FileCheck %s --check-prefix=ABS
// ABS: 2:8: error: 'fusion.abs' op operand #0 must be
// ABS: note: write 'fusion.modulus', whose result is real

//--- abs.mlir
func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = fusion.abs %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// RUN: not fuser-run %t/real.mlir 2>&1 | FileCheck %s --check-prefix=REAL --implicit-check-not="cast it"
// REAL: error: use of value '%0' expects different type than prior uses
// REAL: note: fusion.modulus gives how great complex numbers are, fusion.real and fusion.imag their parts

//--- real.mlir
func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = fusion.abs %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xf32>
}

// RUN: not fuser-run %t/shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE --implicit-check-not="cast"
// SHAPE: error: use of value '%y' expects different type than prior uses

//--- shape.mlir
func.func @f(%x: tensor<4xf32>, %y: tensor<8xf16>) -> tensor<4xf32> {
  %0 = fusion.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A keyword that an op has not.

// RUN: not fuser-run %t/keyword.mlir 2>&1 | FileCheck %s --check-prefix=KEYWORD --implicit-check-not="::"
// KEYWORD: 2:23: error: custom op 'fusion.reduce' expected sum, max, min, mean, prod, any or all, got 'average'

//--- keyword.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = fusion.reduce <average> %x dims [0] : tensor<4xf32>
  return %0 : tensor<f32>
}

// An operand of fewer dimensions, which a reduction that keeps them would have.

// RUN: not fuser-run %t/kept.mlir 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: 3:23: error: use of value '%m' expects different type than prior uses: 'tensor<4x8xf32>' vs 'tensor<4xf32>'
// KEPT: note: with a type for each operand of an op on elements, 'tensor<4x1xf32>' would broadcast, as a reduction leaves it with 'keep' (keepdims=True)

//--- kept.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = fusion.reduce <max> %x dims [1] : tensor<4x8xf32>
  %0 = fusion.sub %x, %m : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// It is the same one, whichever of the types stands behind.

// RUN: not fuser-run %t/fewer.mlir 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: 2:19: error: use of value '%x' expects different type than prior uses: 'tensor<4xf32>' vs 'tensor<4x8xf32>'
// FEWER: note: with a type for each operand of an op on elements, 'tensor<4x1xf32>' would broadcast

//--- fewer.mlir
func.func @f(%x: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.sub %x, %m : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An op without its dialect, with another one, or with one that is spelled wrong.

// RUN: not fuser-run %t/bare.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: 2:8: error: custom op 'exp' is unknown
// BARE: note: did you mean 'fusion.exp'?

//--- bare.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: not fuser-run %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: note: did you mean 'fusion.softmax'?

//--- other.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.softmax %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: not fuser-run %t/dialect.mlir 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: note: write 'fusion.reduce <sum> %x dims [0] : TYPE'

//--- dialect.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = Fusion.sum %x : tensor<4xf32>
  return %0 : tensor<f32>
}

// Element types as others call them.

// RUN: not fuser-run %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: 1:27: error: expected non-function type
// TYPE: note: did you mean 'f32'?

//--- type.mlir
func.func @f(%x: tensor<4xfloat32>) -> tensor<4xfloat32> {
  return %x : tensor<4xfloat32>
}

// RUN: not fuser-run %t/half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: 'uniform': expected an element type ({{.*}}) as 'type', got 'half'
// HALF: note: did you mean 'f16'?

//--- half.mlir
func.func @f() -> tensor<4xf16> {
  %0 = fusion.composite "uniform"(0.0, 1.0, 1, 0) {shape = [4], type = "half"} : () -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// RUN: not fuser-run %t/nobodys.mlir 2>&1 | FileCheck %s --check-prefix=NOBODYS
// NOBODYS: note: element types are f64, f32, f16,

//--- nobodys.mlir
func.func @f(%x: tensor<4xfp8>) {
  return
}
