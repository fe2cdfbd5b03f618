// Where there may be few columns, a call is compiled for how many there are: rows are for the lanes that they leave.

// RUN: fuser-run %s --entry sums --target sim --sim-check --check --explain --input=700x33xf32=random:1 2>&1 | FileCheck %s --check-prefixes=MANY,RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --explain --input=700x2xf32=random:1 2>&1 | FileCheck %s --check-prefixes=TWO,RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --explain --input=700x7xf32=random:1 2>&1 | FileCheck %s --check-prefixes=EIGHT,RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --input=700x1xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --input=700x0xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --input=0x3xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: fuser-run %s --entry sums --target sim --sim-check --check --input=700x30xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// The first variant takes any number, and more than 32 of them.
// MANY: axes = {{\[\[}}], [0], [1]], layout = {{\[\[}}], [w4, r3], [l5, r1]]
// MANY-NOT: ends here
// TWO: layout = {{\[\[}}], [w4, r3], [l5, r1]]
// TWO: layout = {{\[\[}}], [l4, r3], [r1, l1]]
// EIGHT: layout = {{\[\[}}], [w4, r3], [l5, r1]]
// EIGHT: layout = {{\[\[}}], [l2, w2, r3], [l3]]

func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.reduce <sum> %x dims [0] : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Scans too.
// RUN: fuser-run %s --entry scans --target sim --sim-check --check --explain --input=700x3xf32=random:1 2>&1 | FileCheck %s --check-prefixes=SCAN,RIGHT
// RUN: fuser-run %s --entry scans --target sim --sim-check --check --input=700x1xf32=random:1 | FileCheck %s --check-prefix=RIGHT
// The first variant takes any number of columns.
// SCAN: layout = {{\[\[}}], [r2, w4], [l5]]
// SCAN: layout = {{\[\[}}], [r2, l3, w4], [l2]]
func.func @scans(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.scan <sum> %x dim 0 : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// RIGHT: right: largest difference

// Beyond all bounds: rows are long, and thread blocks share each.
// RUN: fuser-run %s --entry rows --target sim --check --explain --input=2x300001xf32=random:1 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: rows are not kept in registers: the length of its rows is not known, nor a bound of it
// LONG: 262145 elements or more are reduced: thread blocks share each reduction
// LONG: right: largest difference
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.reduce <sum> %x dims [1] : tensor<?x?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
