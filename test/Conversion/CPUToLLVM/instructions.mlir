// Where the processor has AVX-512, e^x is scaled by one instruction and bf16 is converted by one, but for vectors with
// subnormal lanes, which that instruction takes for zero. Elsewhere integer operations do both. No result differs.
// No bf16 is moved as bf16, which LLVM may do by way of a conversion that no library has.
// RUN: fuser-opt %s --cpu-to-llvm=arch=znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: fuser-opt %s --cpu-to-llvm=arch=x86-64-v3 | FileCheck %s --check-prefix=AVX2 --implicit-check-not=avx512 --implicit-check-not=xbf16 --implicit-check-not=llvm.fptrunc
// RUN: fuser-opt %s --cpu-to-llvm=arch=skylake-avx512 | FileCheck %s --check-prefix=SKYLAKE --implicit-check-not=fpclass --implicit-check-not=llvm.fptrunc

module {
  module @kernels {
    // ZEN4-LABEL: llvm.func internal @f.body
    // ZEN4-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
    // ZEN4-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.fpclass.ps.512"
    // ZEN4: llvm.cond_br
    // ZEN4: llvm.lshr
    // ZEN4: llvm.fptrunc %{{.*}} : vector<64xf32> to vector<64xbf16>
    // AVX2-LABEL: llvm.func internal @f.body
    // AVX2: llvm.fmul
    // SKYLAKE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
    // SKYLAKE: llvm.lshr
    func.func @f(%in: memref<?xf32>, %out: memref<?xbf16>, %begin: index, %end: index) {
      %c64 = arith.constant 64 : index
      scf.for %i = %begin to %end step %c64 {
        %x = vector.load %in[%i] : memref<?xf32>, vector<64xf32>
        %e = math.exp %x : vector<64xf32>
        %b = arith.truncf %e : vector<64xf32> to vector<64xbf16>
        vector.store %b, %out[%i] : memref<?xbf16>, vector<64xbf16>
      }
      return
    }

    // What was bf16 before is not rounded again.
    // ZEN4-LABEL: llvm.func internal @again.body
    // ZEN4-NOT: fpclass
    // AVX2-LABEL: llvm.func internal @again.body
    func.func @again(%in: memref<?xbf16>, %out: memref<?xbf16>, %begin: index, %end: index) {
      %x = vector.load %in[%begin] : memref<?xbf16>, vector<64xbf16>
      %e = arith.extf %x : vector<64xbf16> to vector<64xf32>
      %b = arith.truncf %e : vector<64xf32> to vector<64xbf16>
      vector.store %b, %out[%begin] : memref<?xbf16>, vector<64xbf16>
      return
    }

    // There is one form of each function, for all vector lengths: what may be approximated is not.
    // ZEN4-LABEL: llvm.func internal @exact.body
    // ZEN4-NOT: fastmath
    // ZEN4: llvm.fdiv
    // ZEN4-NOT: fastmath
    // AVX2-LABEL: llvm.func internal @exact.body
    func.func @exact(%in: memref<?xf32>, %out: memref<?xf32>, %begin: index, %end: index) {
      %x = vector.load %in[%begin] : memref<?xf32>, vector<8xf32>
      %e = math.exp %x fastmath<afn> : vector<8xf32>
      %q = arith.divf %e, %x fastmath<afn> : vector<8xf32>
      vector.store %q, %out[%begin] : memref<?xf32>, vector<8xf32>
      return
    }
  }
}
