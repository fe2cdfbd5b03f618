// RUN: fuser-opt %s --kernel-to-nvptx='arch=sm_90' --split-input-file | FileCheck %s

// What is the same in each step of a loop comes first, then what changes, then
// constants, which accesses have room for. Rows do not follow from the step by
// additions alone: LLVM has no pointer that grows.

gpu.module @rows {
  // CHECK-LABEL: llvm.func @rows(
  // CHECK-SAME: %[[X:[a-z0-9]+]]: !llvm.ptr<1>
  // CHECK-DAG: %[[ONE:.+]] = llvm.mlir.constant(1 : index)
  // CHECK-DAG: %[[BASE:.+]] = llvm.addrspacecast %[[X]]
  // CHECK: %[[ROW:.+]] = llvm.urem
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
    %c7 = arith.constant 7 : index
    scf.for %step = %c0 to %c64 step %c1 {
      %row = arith.remui %step, %c7 : index
      %first = arith.muli %thread, %c4 : index
      %column = arith.addi %first, %c1 : index
      %value = memref.load %x[%row, %column] : memref<64x128xf32>
      memref.store %value, %y[%row, %column] : memref<64x128xf32>
    }
    gpu.return
  }
}

// -----

// Nothing is split where all of an address changes, where rows follow each
// other, and where threads have few registers.

gpu.module @changes {
  // CHECK-LABEL: llvm.func @changes(
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK-NOT: llvm.getelementptr
  gpu.func @changes(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<64x128xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c7 = arith.constant 7 : index
    scf.for %step = %c0 to %c64 step %c1 {
      %row = arith.remui %step, %c7 : index
      %value = memref.load %x[%row, %row] : memref<64x128xf32>
      memref.store %value, %y[%row, %row] : memref<64x128xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @follows {
  // CHECK-LABEL: llvm.func @follows(
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK-NOT: llvm.getelementptr
  gpu.func @follows(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<64x128xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c31 = arith.constant 31 : index
    %thread = gpu.thread_id x
    scf.for %step = %c0 to %c31 step %c1 {
      %twice = arith.muli %step, %c2 : index
      %row = arith.addi %twice, %c1 : index
      %value = memref.load %x[%row, %thread] : memref<64x128xf32>
      memref.store %value, %y[%row, %thread] : memref<64x128xf32>
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
    %c7 = arith.constant 7 : index
    scf.for %step = %c0 to %c64 step %c1 {
      %row = arith.remui %step, %c7 : index
      %value = memref.load %x[%row, %thread] : memref<64x128xf32>
      memref.store %value, %y[%row, %thread] : memref<64x128xf32>
    }
    gpu.return
  }
}
