// GPU kernels of the exact arithmetic: the production schedules, vectors and shuffles, and no float anywhere. ptxas takes them.
// RUN: fuser-run %s --exact --target cuda --arch sm_90 --emit %t.fx --dump-ir-after kernel-floats-to-ring > %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --implicit-check-not=f32 --implicit-check-not=f16 --implicit-check-not=f64

// A module can say it itself.
// RUN: sed -e '/^func/i module attributes {fusion.ring} {' -e '$a }' %s > %t.marked.mlir
// RUN: fuser-translate --fusion-to-ptx --gpu-arch sm_90 %t.marked.mlir > %t.ptx
// RUN: FileCheck %s --input-file %t.ptx --check-prefix=PTX --implicit-check-not=.f32 --implicit-check-not=f16 --implicit-check-not=.f64
// RUN: %if ptxas %{ %python %source_root/test/tools/ptxas_check.py %ptxas %t.ptx %}
// RUN: fuser-opt --fuser-pipeline='target=sm_90 exact=true' %t.marked.mlir | FileCheck %s --check-prefix=IMAGE --implicit-check-not=.f32
// IMAGE: host.kernel @f_0({{.*}}image

// CHECK: gpu.func
// CHECK: vector.load {{.*}}vector<8xi16>
// CHECK: gpu.shuffle {{.*}} : i32

// PTX: ld.global
// PTX: shfl.sync.bfly.b32
// PTX: mul.lo.s64
func.func @f(%x: tensor<?x1024xbf16>, %y: tensor<?x1024xf64>) -> (tensor<?x1024xbf16>, tensor<1024xf64>) {
  %h = fusion.cast %x : tensor<?x1024xbf16> to tensor<?x1024xf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
  %me = fusion.expand %m : tensor<?x1xf32> to tensor<?x1024xf32>
  %d = fusion.sub %h, %me : tensor<?x1024xf32>
  %e = fusion.exp %d : tensor<?x1024xf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?x1024xf32> to tensor<?x1xf32>
  %se = fusion.expand %s : tensor<?x1xf32> to tensor<?x1024xf32>
  %q = fusion.div %e, %se : tensor<?x1024xf32>
  %r = fusion.cast %q : tensor<?x1024xf32> to tensor<?x1024xbf16>
  %t = fusion.tanh %y : tensor<?x1024xf64>
  %sum = fusion.reduce <sum> %t dims [0] : tensor<?x1024xf64> to tensor<1024xf64>
  return %r, %sum : tensor<?x1024xbf16>, tensor<1024xf64>
}
