// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},canonicalize,cse)' | FileCheck %s
// RUN: fuser-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fusion-segment{target=cpu}),fusion-schedule{target=cpu},fusion-to-kernel{target=cpu},cpu-to-llvm{arch=x86-64-v3})' | FileCheck %s --check-prefix=LLVM

// One branch for all tensors: whole vectors, or copies element by element that stay loops.
// CHECK-LABEL: func.func @many_0
// CHECK: scf.if
// CHECK-COUNT-5: vector.load
// CHECK-NOT: fuser.rolled
// CHECK: } else {
// CHECK-COUNT-5: fuser.rolled
// CHECK-NOT: fuser.rolled
// LLVM: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// LLVM: #[[VECTORIZE:.*]] = #llvm.loop_vectorize<disable = true>
// LLVM: #[[LOOP:.*]] = #llvm.loop_annotation<vectorize = #[[VECTORIZE]], unroll = #[[UNROLL]]>
// LLVM-COUNT-5: llvm.br {{.*}} {loop_annotation = #[[LOOP]]}
// LLVM-NOT: loop_annotation
func.func @many(%a: tensor<?xf32> {fusion.layout = "any"}, %b: tensor<?xf32> {fusion.layout = "any"},
                %c: tensor<?xf32> {fusion.layout = "any"}, %d: tensor<?xf32> {fusion.layout = "any"},
                %e: tensor<?xf32> {fusion.layout = "any"}) -> tensor<?xf32> {
  %0 = fusion.add %a, %b : tensor<?xf32>
  %1 = fusion.add %0, %c : tensor<?xf32>
  %2 = fusion.add %1, %d : tensor<?xf32>
  %3 = fusion.add %2, %e : tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// So few may be unrolled.
// CHECK-LABEL: func.func @few_0
// CHECK-NOT: fuser.rolled
// CHECK-LABEL: func.func @few(
func.func @few(%a: tensor<?xf32> {fusion.layout = "any"}, %b: tensor<?xf32> {fusion.layout = "any"}) -> tensor<?xf32> {
  %0 = fusion.add %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
