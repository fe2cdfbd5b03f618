// RUN: fuser-opt %s --verify-roundtrip | FileCheck %s
// RUN: fuser-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// Numbers in text are those of the type, and scalars have no sign.

// CHECK-LABEL: func.func @numbers
func.func @numbers(%x: tensor<?xui8>, %y: tensor<?xi8>, %z: tensor<?xui64>, %n: index)
    -> (tensor<?xui8>, tensor<?xi8>, tensor<?xui64>, tensor<?xui8>, tensor<2x3xui16>) {
  // CHECK: fusion.add %{{.*}}, 255 : tensor<?xui8>
  %0 = fusion.add %x, 255 : tensor<?xui8>
  // CHECK: fusion.mul %{{.*}}, -128 : tensor<?xi8>
  %1 = fusion.mul %y, -128 : tensor<?xi8>
  // CHECK: fusion.max 18446744073709551615, %{{.*}} : tensor<?xui64>
  %2 = fusion.max 18446744073709551615, %z : tensor<?xui64>
  // CHECK: arith.constant -1 : i8
  %c = arith.constant -1 : i8
  // CHECK: fusion.full %{{.*}} sizes(%{{.*}}) : tensor<?xui8>
  %3 = fusion.full %c sizes(%n) : tensor<?xui8>
  // CHECK: fusion.constant dense<{{.*}}65535, 0, 1{{.*}}> : tensor<2x3xui16>
  %4 = fusion.constant dense<[[65535, 0, 1], [2, 3, 4]]> : tensor<2x3xui16>
  return %0, %1, %2, %3, %4 : tensor<?xui8>, tensor<?xi8>, tensor<?xui64>, tensor<?xui8>, tensor<2x3xui16>
}

// CHECK-LABEL: func.func @made
func.func @made(%x: tensor<4x3xui16>, %a: i16, %seed: i64)
    -> (tensor<8xui16>, tensor<6x3xui16>, tensor<8xui32>) {
  // CHECK: fusion.iota dim 0 from(%{{.*}}, %{{.*}}) : tensor<8xui16>
  %0 = fusion.iota dim 0 from(%a, %a) : tensor<8xui16>
  // CHECK: fusion.pad <constant> %{{.*}} low [1, 0] high [1, 0] value %{{.*}} : tensor<4x3xui16> to tensor<6x3xui16>
  %1 = fusion.pad <constant> %x low [1, 0] high [1, 0] value %a : tensor<4x3xui16> to tensor<6x3xui16>
  // CHECK: fusion.random_bits seed %{{.*}} offset %{{.*}} : tensor<8xui32>
  %2 = fusion.random_bits seed %seed offset %seed : tensor<8xui32>
  return %0, %1, %2 : tensor<8xui16>, tensor<6x3xui16>, tensor<8xui32>
}

// A type between that holds all numbers goes, one that does not stays.

// FOLD-LABEL: func.func @casts
// FOLD-SAME: %[[X:.*]]: tensor<4xui8>, %[[Y:.*]]: tensor<4xi8>
func.func @casts(%x: tensor<4xui8>, %y: tensor<4xi8>)
    -> (tensor<4xf32>, tensor<4xf64>, tensor<4xi32>, tensor<4xf64>, tensor<4xi32>) {
  // FOLD-DAG: fusion.cast %[[X]] : tensor<4xui8> to tensor<4xf32>
  %0 = fusion.cast %x : tensor<4xui8> to tensor<4xi16>
  %1 = fusion.cast %0 : tensor<4xi16> to tensor<4xf32>
  // FOLD-DAG: fusion.cast %[[X]] : tensor<4xui8> to tensor<4xf64>
  %2 = fusion.cast %x : tensor<4xui8> to tensor<4xbf16>
  %3 = fusion.cast %2 : tensor<4xbf16> to tensor<4xf64>
  // FOLD-DAG: %[[U:.*]] = fusion.cast %[[Y]] : tensor<4xi8> to tensor<4xui16>
  // FOLD-DAG: fusion.cast %[[U]] : tensor<4xui16> to tensor<4xi32>
  %4 = fusion.cast %y : tensor<4xi8> to tensor<4xui16>
  %5 = fusion.cast %4 : tensor<4xui16> to tensor<4xi32>
  // FOLD-DAG: %[[F:.*]] = fusion.cast %[[X]] : tensor<4xui8> to tensor<4xf8E4M3FN>
  // FOLD-DAG: fusion.cast %[[F]] : tensor<4xf8E4M3FN> to tensor<4xf64>
  %6 = fusion.cast %x : tensor<4xui8> to tensor<4xf8E4M3FN>
  %7 = fusion.cast %6 : tensor<4xf8E4M3FN> to tensor<4xf64>
  // FOLD-DAG: %[[S:.*]] = fusion.cast %[[X]] : tensor<4xui8> to tensor<4xi8>
  // FOLD-DAG: fusion.cast %[[S]] : tensor<4xi8> to tensor<4xi32>
  %8 = fusion.cast %x : tensor<4xui8> to tensor<4xi8>
  %9 = fusion.cast %8 : tensor<4xi8> to tensor<4xi32>
  return %1, %3, %5, %7, %9 : tensor<4xf32>, tensor<4xf64>, tensor<4xi32>, tensor<4xf64>, tensor<4xi32>
}

// Powers of two: what a number becomes, and which casts fold.

// CHECK-LABEL: func.func @powers
func.func @powers(%x: tensor<4xf8E8M0FNU>) -> (tensor<4xi1>, tensor<4xi1>) {
  // The nearest to the size: of 1 and 2 the greater, of zero the least.
  // CHECK: fusion.cmp <eq> %{{.*}}, 2.000000e+00 : tensor<4xf8E8M0FNU>
  // CHECK: fusion.cmp <eq> %{{.*}}, 4.000000e+00 : tensor<4xf8E8M0FNU>
  %0 = fusion.cmp <eq> %x, 1.5 : tensor<4xf8E8M0FNU>
  %1 = fusion.cmp <eq> %x, -3.0 : tensor<4xf8E8M0FNU>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// FOLD-LABEL: func.func @casts_of_powers
// FOLD-SAME: %[[X:[a-z0-9]*]]: tensor<4xf8E8M0FNU>, %[[C:[a-z0-9]*]]: tensor<4xi1>
func.func @casts_of_powers(%x: tensor<4xf8E8M0FNU>, %c: tensor<4xi1>) -> (tensor<4xf8E8M0FNU>, tensor<4xf64>, tensor<4xf64>) {
  // FOLD-DAG: %[[ONE:.*]] = fusion.cast %[[X]] : tensor<4xf8E8M0FNU> to tensor<4xf16>
  // FOLD-DAG: fusion.cast %[[ONE]] : tensor<4xf16> to tensor<4xf64>
  %0 = fusion.cast %x : tensor<4xf8E8M0FNU> to tensor<4xf64>
  %1 = fusion.cast %0 : tensor<4xf64> to tensor<4xf8E8M0FNU>
  %2 = fusion.cast %x : tensor<4xf8E8M0FNU> to tensor<4xf16>
  %3 = fusion.cast %2 : tensor<4xf16> to tensor<4xf64>
  // False becomes 2^-127, which f64 has.
  // FOLD-DAG: %[[SCALE:.*]] = fusion.cast %[[C]] : tensor<4xi1> to tensor<4xf8E8M0FNU>
  // FOLD-DAG: %[[WIDE:.*]] = fusion.cast %[[SCALE]] : tensor<4xf8E8M0FNU> to tensor<4xf64>
  // FOLD: return %[[X]], %{{.*}}, %[[WIDE]]
  %4 = fusion.cast %c : tensor<4xi1> to tensor<4xf8E8M0FNU>
  %5 = fusion.cast %4 : tensor<4xf8E8M0FNU> to tensor<4xf64>
  return %1, %3, %5 : tensor<4xf8E8M0FNU>, tensor<4xf64>, tensor<4xf64>
}
