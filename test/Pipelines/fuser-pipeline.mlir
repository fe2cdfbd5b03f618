// The whole pipeline as one: what comes out is LLVM dialect, where the host program launches both kernels by
// their numbers.
// RUN: fuser-opt --fuser-pipeline="target=cuda arch=sm_90" %s | FileCheck %s --check-prefix=CUDA
// RUN: fuser-opt --fuser-pipeline="target=cpu arch=x86-64-v3" %s | FileCheck %s --check-prefix=CPU
// RUN: fuser-opt --fuser-pipeline="target=cpu arch=x86-64-v3" %s | FileCheck %s --check-prefix=NONE --implicit-check-not=fusion. --implicit-check-not=host.launch

// Nothing of the earlier stages is left.
// NONE: module

// CUDA: host.kernel @two_0(pointer 0, size 0 dim 0, pointer 1) threads 128 image "{{.*}}.entry two_0
// CUDA: host.kernel @two_1(pointer 0, size 0 dim 0, pointer 1) threads 128 image "{{.*}}.entry two_1
// CUDA-NOT: gpu.module
// CUDA: llvm.func @fuser_host_entry(

// CPU: host.kernel @two_0(pointer 0, size 0 dim 0, pointer 1)
// CPU: module attributes {fuser.cpu = "x86-64-v3"} {
// CPU: llvm.func @two_0({{.*}}
// CPU: llvm.func internal @two_0.body(
// CPU: host.kernel @two_1(
// CPU: module attributes {fuser.cpu = "x86-64-v3"} {
// CPU: llvm.func @two_1({{.*}}
// CPU: llvm.func internal @two_1.body(
// CPU: llvm.func @fuser_host_entry(
func.func @two(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  %1 = fusion.segment_set %0 : tensor<?x8xf32>
  %2 = fusion.neg %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
