// The whole pipeline as one: what comes out is LLVM dialect, where the host program launches both kernels by
// their numbers.
// RUN: fuser-opt --fuser-pipeline="target=cuda arch=sm_90" %s | FileCheck %s --check-prefix=CUDA
// RUN: fuser-opt --fuser-pipeline="target=cpu arch=x86-64-v3" %s | FileCheck %s --check-prefix=CPU
// RUN: fuser-opt --fuser-pipeline="target=cpu arch=x86-64-v3" %s | FileCheck %s --check-prefix=NONE --implicit-check-not=fusion. --implicit-check-not=host.launch

// Nothing of the earlier stages is left.
// NONE: module

// CUDA: gpu.module @kernels
// CUDA: llvm.func @two_0({{.*}}fuser.index = 0 : i64
// CUDA: llvm.func @two_1({{.*}}fuser.index = 1 : i64
// CUDA: llvm.func @fuser_host_entry(

// CPU: llvm.func @fuser_host_entry(
// CPU: llvm.func @two_0({{.*}}fuser.index = 0 : i64
// CPU: llvm.func internal @two_0.body(
// CPU: llvm.func @two_1({{.*}}fuser.index = 1 : i64
// CPU: llvm.func internal @two_1.body(
func.func @two(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
