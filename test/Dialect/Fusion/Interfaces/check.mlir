// What --check allows of ops of another dialect, by what their interfaces say.
// REQUIRES: build-tree
// DEFINE: %{run} = fuser-test-run %s --target cpu --check
// RUN: %{run} --entry peak --input 1000xf32=value:1
// RUN: %{run} --entry peak --input 1000xf32=value:3
// RUN: not %{run} --entry quiet_peak --input 1000xf32=value:1 2>&1 | FileCheck %s
// RUN: %{run} --entry quiet_peak --input 1000xf32=value:3
// RUN: %{run} --entry rough --input 1000xf32=value:1
// RUN: not %{run} --entry rougher --input 1000xf32=value:1 2>&1 | FileCheck %s

// CHECK: elements differ by more than is allowed

// 1 / 49 * 49 is 1 in f32 and less in f64, which its bound says. That the peak is there, at one number only, its ends do not.
func.func @peak(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = arith.constant 49.0 : f32
  %f = fusion.full %s sizes(%n) : tensor<?xf32>
  %d = fusion.div %x, %f : tensor<?xf32>
  %m = fusion.mul %d, %f : tensor<?xf32>
  %p = test_fusion.peak %m at 1.0 : tensor<?xf32>
  return %p : tensor<?xf32>
}
func.func @quiet_peak(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = arith.constant 49.0 : f32
  %f = fusion.full %s sizes(%n) : tensor<?xf32>
  %d = fusion.div %x, %f : tensor<?xf32>
  %m = fusion.mul %d, %f : tensor<?xf32>
  %p = test_fusion.quiet_peak %m at 1.0 : tensor<?xf32>
  return %p : tensor<?xf32>
}

// 64 units are more than 32.
func.func @rough(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_fusion.rough %x within 64.0 : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @rougher(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = test_fusion.rough %x within 32.0 : tensor<?xf32>
  return %r : tensor<?xf32>
}
