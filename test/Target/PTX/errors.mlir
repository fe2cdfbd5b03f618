// RUN: fuser-translate --fusion-to-ptx --gpu-arch=sm_80 --split-input-file --verify-diagnostics %s
// RUN: not fuser-translate --fusion-to-ptx --gpu-arch=sm_42 %s 2>&1 | FileCheck %s --check-prefix=ARCH

// ARCH: unknown GPU architecture 'sm_42', expected sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a

gpu.module @unresolved {
  llvm.func @nowhere(f32) -> f32
  llvm.func @not_in_libdevice__nv_expf(f32) -> f32
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %0 = llvm.load %x : !llvm.ptr<1> -> f32
    // expected-error @below {{calls functions that are defined nowhere: nowhere}}
    %1 = llvm.call @nowhere(%0) : (f32) -> f32
    llvm.store %1, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @misspelt {
  llvm.func @__nv_expg(f32) -> f32
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %0 = llvm.load %x : !llvm.ptr<1> -> f32
    // expected-error @below {{calls functions that are defined nowhere: __nv_expg}}
    %1 = llvm.call @__nv_expg(%0) : (f32) -> f32
    llvm.store %1, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// LLVM has no instruction for this one, and no library.
// expected-error @below {{calls functions that are defined nowhere: llvm.exp.f32}}
gpu.module @intrinsic {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %0 = llvm.load %x : !llvm.ptr<1> -> f32
    %1 = llvm.intr.exp(%0) : (f32) -> f32
    llvm.store %1, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @clusters {
  // expected-error @below {{expected an architecture with clusters (sm_90 or later), got sm_80}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    llvm.return
  }
}

// -----

gpu.module @instruction {
  llvm.func @k() attributes {nvvm.kernel} {
    // expected-error @below {{expected sm_90 or later, got sm_80}}
    nvvm.cluster.arrive
    llvm.return
  }
}

// -----

gpu.module @architecture_specific {
  llvm.func @k() attributes {nvvm.kernel} {
    // expected-error @below {{expected sm_90a, got sm_80}}
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}

// -----

// expected-error @below {{expected at least one kernel, got a program that needs none}}
module {
}

// -----

gpu.module @assembly {
  llvm.func @k(%p: !llvm.ptr<7>, %bar: !llvm.ptr<7>, %v: i32) attributes {nvvm.kernel} {
    // expected-error @below {{expected sm_90 or later, got sm_80}}
    llvm.inline_asm has_side_effects "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $2, [$1];", "l,l,r,~{memory}" %p, %bar, %v : (!llvm.ptr<7>, !llvm.ptr<7>, i32) -> ()
    llvm.return
  }
}

// -----

gpu.module @mbarriers {
  llvm.func @k(%bar: !llvm.ptr<3>, %parity: i32) attributes {nvvm.kernel} {
    // expected-error @below {{expected sm_90 or later, got sm_80}}
    %0 = nvvm.mbarrier.try_wait %bar, %parity : !llvm.ptr<3>, i32 -> i1
    llvm.return
  }
}
