// A function may have any name. Kernels are named after it as far as PTX and ELF know its characters; equal ones after the first.
// DEFINE: %{run} = fuser-run %s --input 7xf32=random:1 --check --entry
// RUN: %{run} "a b"
// RUN: %{run} "1"
// RUN: %{run} "llvm.exp"
// RUN: %{run} "q\"/-"
// RUN: %{run} "ünï"
// RUN: %{run} expf
// RUN: %{run} f
// RUN: %{run} f_0
// RUN: %{run} fuser_program_run
// RUN: fuser-run %s --target sim --entry sums --input 2097152xf32=random:1 --check
// RUN: fuser-run %s --entry sums --input 2097152xf32=random:1 --check
// DEFINE: %{ptx} = fuser-run %s --target cuda --arch sm_90 --emit %t.fx --entry
// RUN: %{ptx} "a b"
// RUN: %{ptx} "llvm.exp"
// RUN: %{ptx} "q\"/-"
// RUN: %{ptx} "ünï"
// RUN: %{ptx} f
// RUN: %{ptx} f_0
// RUN: %{ptx} fuser_program_run
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %s | FileCheck %s

// CHECK: .entry a_b_0(
func.func @"a b"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK: .entry _1_0(
func.func @"1"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.neg %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK: .entry llvm_exp_0(
func.func @"llvm.exp"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK: .entry q____0(
func.func @"q\22/-"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK: .entry __n___0(
func.func @"ünï"(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.sigmoid %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @expf(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// Two kernels of one function, and a function of the name of the first.
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.segment_set %0 : tensor<?xf32>
  %2 = fusion.neg %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
func.func @f_0(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @fuser_program_run(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// The kernels of one sum have names with a suffix, which a function may have, too.
// CHECK: .entry sums_1_partial(
func.func @sums(%x: tensor<2097152xf32>) -> tensor<f32> {
  %0 = fusion.reduce <sum> %x dims [0] : tensor<2097152xf32> to tensor<f32>
  return %0 : tensor<f32>
}
func.func @sums_0_partial(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.log %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
