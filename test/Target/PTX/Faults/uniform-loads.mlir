// Parts of words that all threads read from one address: ptxas 12.9 to 13.3 takes wrong halves of them, where it sees that the address is the same,
// so that addresses have a term of the thread's number.
// RUN: fuser-run %s --exact --target=cuda --arch=sm_90 --emit %t.fx
// RUN: grep -aE "tid.x|shr.u32|ld.global" %t.fx | FileCheck %s
// RUN: %if cuda %{ fuser-run %s --exact --target=cuda --check --input=8xbf16=bits:179583387410735 --input=8xbf16=bits:179583387410738 --scalar=1.3 %}

// CHECK: mov.u32 [[T:%r[0-9]+]], %tid.x;
// CHECK: shr.u32 {{.*}}, [[T]], 16;
// CHECK: ld.global.nc.v4
func.func @f(%x: tensor<8xbf16>, %y: tensor<8xbf16>, %s: bf16) -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) {
  %0 = fusion.reduce <max> %x dims [0] keep : tensor<8xbf16> to tensor<1xbf16>
  %1 = fusion.expand %0 : tensor<1xbf16> to tensor<8xbf16>
  %2 = fusion.sub %x, %1 : tensor<8xbf16>
  %3 = fusion.exp %2 : tensor<8xbf16>
  %4 = fusion.reduce <sum> %3 dims [0] keep : tensor<8xbf16> to tensor<1xbf16>
  %5 = fusion.expand %4 : tensor<1xbf16> to tensor<8xbf16>
  %6 = fusion.div %3, %5 : tensor<8xbf16>
  %7 = fusion.full %s : tensor<8xbf16>
  %8 = fusion.min %7, %y : tensor<8xbf16>
  %9 = fusion.sub %x, %8 : tensor<8xbf16>
  return %2, %6, %9 : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>
}
