// RUN: fuser-opt %s --fusion-segment=target=sm_90 --fusion-schedule | FileCheck %s
// RUN: fuser-run %s --target=cpu --scalar=0 --input=8xf32=random:1 --check | FileCheck %s --check-prefix=RAN

// Sizes that many others are computed of are looked at once: 2^60 ways lead from the last one to the first.
// CHECK: fusion.segment
// RAN: right: largest difference
func.func @f(%k0: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %k1 = arith.addi %k0, %k0 : index
  %k2 = arith.addi %k1, %k1 : index
  %k3 = arith.addi %k2, %k2 : index
  %k4 = arith.addi %k3, %k3 : index
  %k5 = arith.addi %k4, %k4 : index
  %k6 = arith.addi %k5, %k5 : index
  %k7 = arith.addi %k6, %k6 : index
  %k8 = arith.addi %k7, %k7 : index
  %k9 = arith.addi %k8, %k8 : index
  %k10 = arith.addi %k9, %k9 : index
  %k11 = arith.addi %k10, %k10 : index
  %k12 = arith.addi %k11, %k11 : index
  %k13 = arith.addi %k12, %k12 : index
  %k14 = arith.addi %k13, %k13 : index
  %k15 = arith.addi %k14, %k14 : index
  %k16 = arith.addi %k15, %k15 : index
  %k17 = arith.addi %k16, %k16 : index
  %k18 = arith.addi %k17, %k17 : index
  %k19 = arith.addi %k18, %k18 : index
  %k20 = arith.addi %k19, %k19 : index
  %k21 = arith.addi %k20, %k20 : index
  %k22 = arith.addi %k21, %k21 : index
  %k23 = arith.addi %k22, %k22 : index
  %k24 = arith.addi %k23, %k23 : index
  %k25 = arith.addi %k24, %k24 : index
  %k26 = arith.addi %k25, %k25 : index
  %k27 = arith.addi %k26, %k26 : index
  %k28 = arith.addi %k27, %k27 : index
  %k29 = arith.addi %k28, %k28 : index
  %k30 = arith.addi %k29, %k29 : index
  %k31 = arith.addi %k30, %k30 : index
  %k32 = arith.addi %k31, %k31 : index
  %k33 = arith.addi %k32, %k32 : index
  %k34 = arith.addi %k33, %k33 : index
  %k35 = arith.addi %k34, %k34 : index
  %k36 = arith.addi %k35, %k35 : index
  %k37 = arith.addi %k36, %k36 : index
  %k38 = arith.addi %k37, %k37 : index
  %k39 = arith.addi %k38, %k38 : index
  %k40 = arith.addi %k39, %k39 : index
  %k41 = arith.addi %k40, %k40 : index
  %k42 = arith.addi %k41, %k41 : index
  %k43 = arith.addi %k42, %k42 : index
  %k44 = arith.addi %k43, %k43 : index
  %k45 = arith.addi %k44, %k44 : index
  %k46 = arith.addi %k45, %k45 : index
  %k47 = arith.addi %k46, %k46 : index
  %k48 = arith.addi %k47, %k47 : index
  %k49 = arith.addi %k48, %k48 : index
  %k50 = arith.addi %k49, %k49 : index
  %k51 = arith.addi %k50, %k50 : index
  %k52 = arith.addi %k51, %k51 : index
  %k53 = arith.addi %k52, %k52 : index
  %k54 = arith.addi %k53, %k53 : index
  %k55 = arith.addi %k54, %k54 : index
  %k56 = arith.addi %k55, %k55 : index
  %k57 = arith.addi %k56, %k56 : index
  %k58 = arith.addi %k57, %k57 : index
  %k59 = arith.addi %k58, %k58 : index
  %k60 = arith.addi %k59, %k59 : index
  %y = fusion.slice %x offsets [%k60] sizes [4] steps [1] : tensor<?xf32> to tensor<4xf32>
  %z = fusion.slice %x offsets [0] sizes [%k60] steps [1] : tensor<?xf32> to tensor<?xf32>
  %s = fusion.reduce <sum> %y dims [0] keep : tensor<4xf32>
  %e = fusion.cat %z, %s dim 0 : tensor<?xf32>, tensor<1xf32> to tensor<?xf32>
  %r = fusion.exp %e : tensor<?xf32>
  return %r : tensor<?xf32>
}
