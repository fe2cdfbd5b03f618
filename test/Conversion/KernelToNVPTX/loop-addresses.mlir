// RUN: fuser-opt %s --kernel-to-nvptx='arch=sm_90' --split-input-file | FileCheck %s

// What is the same in each step of a loop comes first, then what changes, then
// constants, which accesses have room for.

gpu.module @rows {
  // CHECK-LABEL: llvm.func @rows(
  // CHECK-SAME: %[[X:[a-z0-9]+]]: !llvm.ptr<1>
  // CHECK-DAG: %[[ONE:.+]] = llvm.mlir.constant(1 : index)
  // CHECK-DAG: %[[BASE:.+]] = llvm.addrspacecast %[[X]]
  // CHECK: ^bb1(%[[ROW:.+]]: i64):
  // The column is computed in the loop, though it is always the same.
  // CHECK: %[[COLUMN:.+]] = llvm.mul
  // CHECK: %[[ROWS:.+]] = llvm.mul %[[ROW]],
  // CHECK: %[[FIXED:.+]] = llvm.getelementptr %[[BASE]][%[[COLUMN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: %[[MOVING:.+]] = llvm.getelementptr %[[FIXED]][%[[ROWS]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[MOVING]][%[[ONE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.load %[[PLACE]]
  gpu.func @rows(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<64x128xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    scf.for %row = %c0 to %c64 step %c1 {
      %first = arith.muli %thread, %c4 : index
      %column = arith.addi %first, %c1 : index
      %value = memref.load %x[%row, %column] : memref<64x128xf32>
      memref.store %value, %y[%row, %column] : memref<64x128xf32>
    }
    gpu.return
  }
}

// -----

// Nothing is split where all of an address changes, or where threads have few
// registers.

gpu.module @changes {
  // CHECK-LABEL: llvm.func @changes(
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK-NOT: llvm.getelementptr
  gpu.func @changes(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<64x128xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %row = %c0 to %c64 step %c1 {
      %value = memref.load %x[%row, %row] : memref<64x128xf32>
      memref.store %value, %y[%row, %row] : memref<64x128xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @few {
  // CHECK-LABEL: llvm.func @few(
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK-NOT: llvm.getelementptr
  gpu.func @few(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<64x128xf32> {fuser.alignment = 16 : i64}) kernel attributes {fuser.min_blocks = 2 : i64, known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    scf.for %row = %c0 to %c64 step %c1 {
      %value = memref.load %x[%row, %thread] : memref<64x128xf32>
      memref.store %value, %y[%row, %thread] : memref<64x128xf32>
    }
    gpu.return
  }
}
