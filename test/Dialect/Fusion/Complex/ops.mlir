// RUN: fuser-opt %s | fuser-opt | FileCheck %s

// CHECK-LABEL: func.func @ops
func.func @ops(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xcomplex<f32>> {
  // CHECK: fusion.complex %{{.*}}, %{{.*}} : tensor<?x8xf32>
  %0 = fusion.complex %x, %y : tensor<?x8xf32>
  // CHECK: fusion.conj %{{.*}} : tensor<?x8xcomplex<f32>>
  %1 = fusion.conj %0 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.real %{{.*}} : tensor<?x8xcomplex<f32>>
  %2 = fusion.real %1 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.imag
  %3 = fusion.imag %1 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.modulus
  %4 = fusion.modulus %1 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.angle
  %5 = fusion.angle %1 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.cast %{{.*}} : tensor<?x8xcomplex<f32>> to tensor<?x8xcomplex<f64>>
  %6 = fusion.cast %1 : tensor<?x8xcomplex<f32>> to complex<f64>
  // CHECK: fusion.isnan %{{.*}} : tensor<?x8xcomplex<f32>>
  %7 = fusion.isnan %1 : tensor<?x8xcomplex<f32>>
  // CHECK: fusion.cmp <eq> %{{.*}}, %{{.*}} : tensor<?x8xcomplex<f32>>
  %8 = fusion.cmp <eq> %1, %0 : tensor<?x8xcomplex<f32>>
  return %1 : tensor<?x8xcomplex<f32>>
}
