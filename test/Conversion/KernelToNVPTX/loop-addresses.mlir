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

// -----

// 704 threads have 93 registers each, 768 have 85.

gpu.module @enough {
  // CHECK-LABEL: llvm.func @enough(
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK: llvm.load
  gpu.func @enough(%x: memref<64x1024xf32> {fuser.alignment = 16 : i64}, %y: memref<64x1024xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 704, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    scf.for %step = %c0 to %c64 step %c1 {
      %row = arith.remui %step, %c7 : index
      %value = memref.load %x[%row, %thread] : memref<64x1024xf32>
      memref.store %value, %y[%row, %thread] : memref<64x1024xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @too_few {
  // CHECK-LABEL: llvm.func @too_few(
  // CHECK-COUNT-1: llvm.getelementptr
  // CHECK: llvm.load
  gpu.func @too_few(%x: memref<64x1024xf32> {fuser.alignment = 16 : i64}, %y: memref<64x1024xf32> {fuser.alignment = 16 : i64}) kernel attributes {known_block_size = array<i32: 768, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    scf.for %step = %c0 to %c64 step %c1 {
      %row = arith.remui %step, %c7 : index
      %value = memref.load %x[%row, %thread] : memref<64x1024xf32>
      memref.store %value, %y[%row, %thread] : memref<64x1024xf32>
    }
    gpu.return
  }
}

// -----

// The innermost loop decides: a row of the outer one stays. A sum that is made
// before the loop is taken as it is.

gpu.module @nested {
  // CHECK-LABEL: llvm.func @nested(
  // CHECK: %[[BEFORE:.+]] = llvm.add %
  // CHECK: ^bb1(%{{.+}}: i64):
  // CHECK: %[[ROW:.+]] = llvm.urem
  // CHECK: ^bb3(%{{.+}}: i64):
  // CHECK: %[[COLUMN:.+]] = llvm.urem
  // CHECK: %[[ROWS:.+]] = llvm.mul %[[ROW]],
  // CHECK: %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[ROWS]]] :
  // CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[AT]][%[[COLUMN]]] :
  // CHECK: llvm.load %[[PLACE]]
  // CHECK: llvm.add %[[BEFORE]], %[[BEFORE]]
  // CHECK-COUNT-2: llvm.getelementptr
  // CHECK-NOT: llvm.getelementptr
  gpu.func @nested(%x: memref<64x128xf32> {fuser.alignment = 16 : i64}, %y: memref<?xf32> {fuser.alignment = 16 : i64}, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %sum = arith.addi %thread, %n : index
    scf.for %first = %c0 to %c64 step %c1 {
      %row = arith.remui %first, %n : index
      scf.for %step = %c0 to %c64 step %c1 {
        %column = arith.remui %step, %c7 : index
        %value = memref.load %x[%row, %column] : memref<64x128xf32>
        %1 = arith.addi %sum, %column : index
        %2 = arith.addi %1, %1 : index
        %3 = arith.addi %2, %2 : index
        memref.store %value, %y[%3] : memref<?xf32>
      }
    }
    gpu.return
  }
}
