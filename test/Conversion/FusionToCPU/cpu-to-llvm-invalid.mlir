// RUN: fuser-opt %s --cpu-to-llvm --split-input-file --verify-diagnostics

// Kernels that are not of the form that the host program calls.

module {
  module @kernels {
    // expected-error @below {{kernel 'result': expected no results, got 1}}
    func.func @result(%x: memref<4xf32>, %begin: index, %end: index) -> i32 {
      %0 = arith.constant 1 : i32
      return %0 : i32
    }
  }
}

// -----

module {
  module @kernels {
    // expected-error @below {{expected a kernel with a body}}
    func.func private @declaration(%x: memref<4xf32>, %begin: index, %end: index)
  }
}

// -----

module {
  module @kernels {
    // expected-error @below {{expected a kernel whose last arguments are the range of its work items, of type index, got '(memref<4xf32>) -> ()'}}
    func.func @no_range(%x: memref<4xf32>) {
      return
    }
  }
}

// -----

module {
  module @kernels {
    // expected-error @below {{expected a kernel whose last arguments are the range of its work items, of type index, got '(i64, i64) -> ()'}}
    func.func @range_of_integers(%begin: i64, %end: i64) {
      return
    }
  }
}

// -----

module {
  module @kernels {
    // expected-error @below {{expected scratch memory of type memref<?xi8>, got 'memref<4xi8>'}}
    func.func @static_scratch(%begin: index, %end: index, %scratch: memref<4xi8> {fuser.scratch}) {
      return
    }
  }
}

// -----

module {
  module @kernels {
    // expected-error @below {{argument #0 of kernel 'vectors': expected integer or floating-point elements, got 'memref<4xvector<4xf32>>'}}
    func.func @vectors(%x: memref<4xvector<4xf32>>, %begin: index, %end: index) {
      return
    }
  }
}
