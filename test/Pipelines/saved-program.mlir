// A saved program is the same whoever saves it.
// RUN: fuser-run %s --emit %t.fx
// RUN: %python -c "import fuser, sys; open(sys.argv[2], 'wb').write(fuser.compile_to_bytes(open(sys.argv[1]).read()))" %s %t.python.fx
// RUN: cmp %t.fx %t.python.fx
// RUN: fuser-run %s --target cuda --arch sm_90 --emit %t.cuda.fx
// RUN: %python -c "import fuser, sys; open(sys.argv[2], 'wb').write(fuser.compile_to_bytes(open(sys.argv[1]).read(), 'cuda', arch='sm_90'))" %s %t.cuda.python.fx
// RUN: cmp %t.cuda.fx %t.cuda.python.fx

// It takes inputs of any layout.
// RUN: fuser-run %t.python.fx --source %s --input=4x8xf32=random:1,strides=1x4,offset=1 --check | FileCheck %s
// CHECK: right: largest difference
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.neg %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
