//===- HostToLLVMTest.cpp - Lowered host programs against a fake runtime --===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"
#include "JitProgram.h"
#include "gtest/gtest.h"
#include <cstring>

using Calls = std::vector<std::string>;

namespace {
/// A tensor input.
struct Input {
  std::vector<int64_t> sizes, strides;
  std::vector<float> data = std::vector<float>(1024);

  FuserTensorView view() { return {data.data(), sizes.data(), strides.data()}; }
};

/// A program, its inputs and the call.
struct ProgramRun {
  std::unique_ptr<JitProgram> program;
  FuserFrame frame;
  int32_t code = -1;

  explicit ProgramRun(const char *source)
      : program(JitProgram::create(source)) {}

  void call(std::vector<FuserTensorView> inputs,
            std::vector<int64_t> scalars = {}) {
    frame.calls.clear();
    frame.memory.clear();
    code =
        program->getEntry()(&kFakeApi, &frame, inputs.data(), scalars.data());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes, strides, launches
//===----------------------------------------------------------------------===//

static const char *const kLaunch = R"mlir(
host.kernel @f_0(pointer 1, size 0 dim 0, stride 0 dim 0, stride 1 dim 0, scalar 2, scalar 3) threads 256
func.func @f(%x: memref<?x8xf32, strided<[?, 1]>>, %k: index, %h: f32) -> memref<?x8xf32>
    attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32, strided<[?, 1]>>
  %o = host.output 0 (%n) : memref<?x8xf32>
  %t = host.alloc (%n, %k) {stride_order = array<i64: 1, 0>} : memref<?x?xbf16, strided<[1, ?]>>
  %blocks = arith.ceildivui %n, %c128 : index
  host.launch @f_0 grid(%blocks, %k, %c1) block(128, 2, 1) cluster(4, 1, 1) shared %c128
      args(%x, %o, %k, %h : memref<?x8xf32, strided<[?, 1]>>, memref<?x8xf32>, index, f32)
  host.dealloc %t : memref<?x?xbf16, strided<[1, ?]>>
  return %o : memref<?x8xf32>
}
)mlir";

static int64_t bitsOf(float value) {
  int64_t slot = 0;
  memcpy(&slot, &value, sizeof value);
  return slot;
}

TEST(HostToLLVM, LaunchesWithComputedSizes) {
  ProgramRun run(kLaunch);
  ASSERT_TRUE(run.program);
  run.frame.numParams = {5};
  Input x{{300, 8}, {16, 1}};
  run.call({x.view()}, {7, bitsOf(0.5f)});
  EXPECT_EQ(run.code, FUSER_OK);
  EXPECT_EQ(
      run.frame.calls,
      (Calls{"output 0 [300,8] [8,1]", "alloc 4200",
             "launch 0 grid[3,7,1] block[128,2,1] cluster[4,1,1] shared 128 "
             "m0+0 300 16 8 7",
             "dealloc m1+0"}));

  // The same code serves other sizes.
  x.sizes[0] = 0;
  run.call({x.view()}, {1, 0});
  EXPECT_EQ(run.frame.calls[0], "output 0 [0,8] [8,1]");
  EXPECT_EQ(run.frame.calls[1], "alloc 0");
  EXPECT_EQ(run.frame.calls[2].substr(0, 20), "launch 0 grid[0,1,1]");
}

TEST(HostToLLVM, ReturnsTheCodeOfTheCallThatFails) {
  ProgramRun run(kLaunch);
  ASSERT_TRUE(run.program);
  Input x{{300, 8}, {8, 1}};
  run.frame.failing = "alloc";
  run.call({x.view()}, {7, 0});
  EXPECT_EQ(run.code, FUSER_OUT_OF_MEMORY);
  EXPECT_EQ(run.frame.calls, (Calls{"output 0 [300,8] [8,1]", "alloc 4200"}));

  for (const char *name : {"output", "launch", "dealloc"}) {
    run.frame.failing = name;
    run.call({x.view()}, {7, 0});
    EXPECT_EQ(run.code, FUSER_OUT_OF_MEMORY) << name;
    EXPECT_EQ(run.frame.calls.back().substr(0, strlen(name)), name);
  }
}

TEST(HostToLLVM, AsksForWorkspaces) {
  ProgramRun run(R"mlir(
func.func @f(%n: index) attributes {host.program} {
  %w = host.workspace 3 (%n) : memref<?x8xf32>
  %z = host.workspace 1 () zeroed : memref<5xi32>
  return
}
)mlir");
  ASSERT_TRUE(run.program);
  run.call({}, {7});
  EXPECT_EQ(run.code, FUSER_OK);
  EXPECT_EQ(run.frame.calls,
            (Calls{"workspace 3 224", "workspace 1 zeroed 20"}));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

TEST(HostToLLVM, ChecksFailWithTheirMessage) {
  ProgramRun run(R"mlir(
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %k: i32) attributes {host.program} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  host.check %same, "expected {0} rows, got {1} (k = {2})" (%n, %m, %k : index, index, i32)
  %t = host.alloc (%n) : memref<?xf32>
  return
}
)mlir");
  ASSERT_TRUE(run.program);
  Input x{{5}, {1}}, y{{6}, {1}};
  run.call({x.view(), y.view()}, {-3});
  EXPECT_EQ(run.code, FUSER_INVALID_ARGUMENT);
  EXPECT_EQ(run.frame.calls,
            (Calls{"fail 1 expected {0} rows, got {1} (k = {2}) [5,6,-3]"}));

  run.call({x.view(), x.view()}, {-3});
  EXPECT_EQ(run.code, FUSER_OK);
  EXPECT_EQ(run.frame.calls, (Calls{}));
}

//===----------------------------------------------------------------------===//
// Streams, views, control flow
//===----------------------------------------------------------------------===//

TEST(HostToLLVM, StreamLoop) {
  ProgramRun run(R"mlir(
func.func @f(%x: memref<?x4xf32>) -> memref<?x4xf32> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %o = host.output 0 (%n) : memref<?x4xf32>
  %main = host.get_stream
  scf.for %i = %c0 to %n step %c1 {
    %s = host.stream %i
    host.set_stream %s
    host.sync %main
    %from = host.slice %x dim 0 from %i size %c1 : memref<?x4xf32>
    %to = host.slice %o dim 0 from %i size %c1 : memref<?x4xf32>
    host.copy %from, %to : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>
    host.set_stream %main
    host.sync %s
  }
  return %o : memref<?x4xf32>
}
)mlir");
  ASSERT_TRUE(run.program);
  Input x{{2, 4}, {4, 1}};
  run.call({x.view()});
  EXPECT_EQ(run.code, FUSER_OK);
  EXPECT_EQ(run.frame.calls,
            (Calls{"output 0 [2,4] [4,1]", "get_stream", "stream 0",
                   "set_stream 0", "sync 0", "copy m0+0 input 16",
                   "set_stream 0", "sync 0", "stream 1", "set_stream 1",
                   "sync 0", "copy m0+16 input 16", "set_stream 0", "sync 1"}));
}

TEST(HostToLLVM, ViewsAreAddresses) {
  ProgramRun run(R"mlir(
func.func @f(%n: index, %x: memref<4x?xf32, strided<[?, 2], offset: ?>>, %c: i1)
    -> (memref<?xf32, strided<[2], offset: ?>>, memref<?xf32>) attributes {host.program} {
  %c3 = arith.constant 3 : index
  %row = host.select %x dim 0 at %c3 : memref<4x?xf32, strided<[?, 2], offset: ?>>
  %part = host.slice %row dim 0 from %n size %c3 : memref<?xf32, strided<[2], offset: ?>>
  host.output_view 0, %part input 0 : memref<?xf32, strided<[2], offset: ?>>
  %b = scf.if %c -> memref<?xf32> {
    %new = host.alloc (%n) : memref<?xf32>
    scf.yield %new : memref<?xf32>
  } else {
    %new = host.alloc (%c3) : memref<?xf32>
    scf.yield %new : memref<?xf32>
  }
  host.output_view 1, %b : memref<?xf32>
  return %part, %b : memref<?xf32, strided<[2], offset: ?>>, memref<?xf32>
}
)mlir");
  ASSERT_TRUE(run.program);
  Input x{{4, 10}, {20, 2}};
  run.call({x.view()}, {5, 1});
  EXPECT_EQ(run.code, FUSER_OK);
  EXPECT_EQ(run.frame.calls, (Calls{"output_view 0 0 input [3] [2]", "alloc 20",
                                    "output_view 1 -1 m0+0 [5] [1]"}));
  EXPECT_EQ(run.frame.outputs[0], &x.data[3 * 20 + 5 * 2]);

  run.call({x.view()}, {5, 0});
  EXPECT_EQ(run.frame.calls.back(), "output_view 1 -1 m0+0 [3] [1]");
}

TEST(HostToLLVM, NamesAreTheirBuffers) {
  ProgramRun run(R"mlir(
func.func @f(%x: memref<8xf32>) -> memref<8xf32> attributes {host.program} {
  %a = host.declare "a" : memref<8xf32>
  %b = host.declare "b" : memref<8xf32>
  host.alias %b, %a : memref<8xf32>, memref<8xf32>
  %o = host.output 0 () : memref<8xf32>
  host.alias %a, %o : memref<8xf32>, memref<8xf32>
  host.copy %x, %b : memref<8xf32>, memref<8xf32>
  return %o : memref<8xf32>
}
)mlir");
  ASSERT_TRUE(run.program);
  Input x{{8}, {1}};
  run.call({x.view()});
  ASSERT_EQ(run.frame.calls.size(), 2u);
  EXPECT_EQ(run.frame.calls[1], "copy m0+0 input 32");
}

TEST(HostToLLVM, MatricesAreDescribed) {
  ProgramRun run(R"mlir(
func.func @f(%a: memref<?x8xbf16>, %b: memref<8x4xbf16, strided<[1, 8]>>, %x: memref<2x?x3xf64>, %y: memref<2x3x5xf64>) -> (memref<?x4xf32>, memref<2x?x5xf64>)
    attributes {host.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x8xbf16>
  %n = memref.dim %x, %c1 : memref<2x?x3xf64>
  %o = host.output 0 (%m) : memref<?x4xf32>
  %p = host.output 1 (%n) : memref<2x?x5xf64>
  host.matmul %a, %b, %o : memref<?x8xbf16>, memref<8x4xbf16, strided<[1, 8]>>, memref<?x4xf32>
  host.matmul %x, %y, %p : memref<2x?x3xf64>, memref<2x3x5xf64>, memref<2x?x5xf64>
  return %o, %p : memref<?x4xf32>, memref<2x?x5xf64>
}
)mlir");
  ASSERT_TRUE(run.program);
  Input a{{6, 8}, {8, 1}}, b{{8, 4}, {1, 8}}, x{{2, 7, 3}, {21, 3, 1}},
      y{{2, 3, 5}, {15, 5, 1}};
  run.call({a.view(), b.view(), x.view(), y.view()});
  EXPECT_EQ(run.code, FUSER_OK);
  ASSERT_EQ(run.frame.calls.size(), 4u);
  EXPECT_EQ(run.frame.calls[2], "matmul input [0,8,1] input [0,1,8] m0+0 "
                                "[0,4,1] sizes [1,6,4,8] types 3 1");
  EXPECT_EQ(run.frame.calls[3], "matmul input [21,3,1] input [15,5,1] m1+0 "
                                "[35,5,1] sizes [2,7,5,3] types 0 0");
}

//===----------------------------------------------------------------------===//
// Communications
//===----------------------------------------------------------------------===//

static const char *const kRanks = R"mlir(
func.func @f(%x: memref<?x8xbf16>) -> memref<?x8xbf16> attributes {host.program} {
  %c0 = arith.constant 0 : index
  %pair = host.group [[0, 1], [3, 2]]
  %rank = host.rank %pair
  %size = host.size %pair
  %n = memref.dim %x, %c0 : memref<?x8xbf16>
  %m = arith.muli %n, %size : index
  %o = host.output 0 (%m) : memref<?x8xbf16>
  %0 = host.all_gather %x, %o dim 0 in %pair : memref<?x8xbf16>, memref<?x8xbf16>
  %1 = host.coalesce {
    %2 = host.send %x to %rank in %pair : memref<?x8xbf16>
    %3 = host.permute %x, %x from [0, 1] to [1, 0] in %pair : memref<?x8xbf16>, memref<?x8xbf16>
  }
  %s = host.stream %rank
  host.set_stream %s
  host.wait %1
  return %o : memref<?x8xbf16>
}
)mlir";

TEST(HostToLLVM, CommunicationsAreDescribed) {
  ProgramRun run(kRanks);
  ASSERT_TRUE(run.program);
  Input x{{3, 8}, {8, 1}};
  run.call({x.view()});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.frame.calls,
            Calls({"group [2,0,1,2,3,2]", "output 0 [12,8] [8,1]",
                   "communicate m0+0 kind 0 reduction 0 type 9 input 24 m1+0 "
                   "96 peer 0",
                   "coalesce 1",
                   "communicate m0+0 kind 8 reduction 0 type 9 input 24 input "
                   "0 peer 1",
                   "communicate m0+0 kind 10 reduction 0 type 9 input 24 "
                   "input 24 peer 0 pairs [0,1,1,0]",
                   "coalesce 0", "get_stream", "stream 1", "set_stream 1",
                   "sync 0"}));
  // What fails ends the program.
  run.frame.failing = "communicate";
  run.call({x.view()});
  EXPECT_EQ(run.code, FUSER_OUT_OF_MEMORY);
  EXPECT_EQ(run.frame.calls.size(), 3u);
}

//===----------------------------------------------------------------------===//
// Kernels of the cpu target
//===----------------------------------------------------------------------===//

TEST(HostToLLVM, CpuKernelsAreBesideTheEntry) {
  ProgramRun run(R"mlir(
host.kernel @fill(pointer 1, scalar 0, scalar 2)
module {
  llvm.func @fill(%params: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
    %p0 = llvm.load %params : !llvm.ptr -> !llvm.ptr
    %out = llvm.load %p0 : !llvm.ptr -> !llvm.ptr
    %a1 = llvm.getelementptr %params[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p1 = llvm.load %a1 : !llvm.ptr -> !llvm.ptr
    %value = llvm.load %p1 : !llvm.ptr -> f32
    %a2 = llvm.getelementptr %params[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p2 = llvm.load %a2 : !llvm.ptr -> !llvm.ptr
    %flag = llvm.load %p2 : !llvm.ptr -> i8
    %wide = llvm.uitofp %flag : i8 to f32
    %sum = llvm.fadd %value, %wide : f32
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.br ^head(%begin : i64)
  ^head(%i: i64):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %at = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %sum, %at : f32, !llvm.ptr
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next : i64)
  ^done:
    llvm.return
  }
}
func.func @f(%v: f32, %flag: i1) -> memref<6xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %o = host.output 0 () : memref<6xf32>
  host.launch @fill grid(%c3, %c2, %c1) block(1, 1, 1)
      args(%v, %o, %flag : f32, memref<6xf32>, i1) writes [1]
  return %o : memref<6xf32>
}
)mlir");
  ASSERT_TRUE(run.program);
  run.frame.kernels = {run.program->getKernel("fill")};
  ASSERT_TRUE(run.frame.kernels[0]);
  run.call({}, {bitsOf(2.5f), 1});
  EXPECT_EQ(run.code, FUSER_OK);
  const auto *out = static_cast<const float *>(run.frame.outputs[0]);
  EXPECT_EQ(std::vector<float>(out, out + 7),
            (std::vector<float>{3.5f, 3.5f, 3.5f, 3.5f, 3.5f, 3.5f, 0.0f}));
}
