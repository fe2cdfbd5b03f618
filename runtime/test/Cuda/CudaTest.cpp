//===- CudaTest.cpp - The GPU, where there is one -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Cuda/CudaKernels.h"
#include "TestUtil.h"
#include "TraceUtil.h"
#include "fuser_rt/host_abi.h"

#include <algorithm>
#include <iterator>
#include <set>

using namespace fuser_rt;
using namespace fuser_rt::test;

/// out[i] = x[i] + 1, and a kernel for blocks of at most 32 threads.
static const char *const addOnePtx = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .entry addOneMore(.param .u64 p0)
.maxntid 32, 1, 1
{
  ret;
}

.visible .entry addOne(
  .param .u64 x,
  .param .u64 out,
  .param .u64 n
)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [n];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.wide.u32 %rd4, %r1, %r2, 0;
  cvt.u64.u32 %rd5, %r3;
  add.s64 %rd4, %rd4, %rd5;
  setp.ge.s64 %p, %rd4, %rd3;
  @%p bra DONE;
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.f32 %f2, %f1, 0f3F800000;
  add.s64 %rd7, %rd2, %rd5;
  st.global.f32 [%rd7], %f2;
DONE:
  ret;
}
)";

/// out[i] = x[i], a box of 32 elements a block.
static const char *const copyBoxPtx = R"(
.version 8.0
.target sm_90
.address_size 64

.visible .entry copyBox(
  .param .align 64 .b8 map[128],
  .param .u64 out
)
.maxntid 32, 1, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<6>;
  .reg .f32 %f;
  .shared .align 128 .b8 box[128];
  .shared .align 8 .b64 full;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r2, 5;
  mov.u32 %r4, box;
  mov.u32 %r5, full;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 bra READY;
  mbarrier.init.shared::cta.b64 [%r5], 1;
  fence.proxy.async.shared::cta;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r5], 128;
  cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r4], [%rd1, {%r3}], [%r5];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 0;
  @!%p1 bra WAIT;
  shl.b32 %r6, %r1, 2;
  add.u32 %r4, %r4, %r6;
  ld.shared.f32 %f, [%r4];
  ld.param.u64 %rd3, [out];
  cvta.to.global.u64 %rd3, %rd3;
  add.u32 %r3, %r3, %r1;
  mul.wide.u32 %rd4, %r3, 4;
  add.s64 %rd5, %rd3, %rd4;
  st.global.f32 [%rd5], %f;
  ret;
}
)";

/// addOne in a PTX whose threads take over 100 registers each: loads that must
/// all have been done before the first is used.
static std::string addOneOfManyRegisters() {
  constexpr int count = 120;
  std::string loads, uses;
  for (int i = 0; i < count; ++i) {
    loads += format("  ld.volatile.global.f32 %%v%d, [%%rd6];\n", i);
    uses += format("  add.f32 %%f1, %%f1, %%v%d;\n", count - 1 - i);
    uses += format("  sub.f32 %%f1, %%f1, %%v%d;\n", count - 1 - i);
  }
  std::string ptx = addOnePtx, one = "  ld.global.f32 %f1, [%rd6];\n";
  size_t at = ptx.find(one);
  ptx.insert(at + one.size(), loads + uses);
  at = ptx.find("  .reg .f32 %f<3>;");
  ptx.insert(at, format("  .reg .f32 %%v<%d>;\n", count));
  return ptx;
}

TEST(Cuda, WithoutAGpu) {
  FuserContext *context = nullptr;
  Status status = fuser_context_create_cuda(0, &context);
  if (context) {
    fuser_context_destroy(context);
    GTEST_SKIP() << "there is a GPU";
  }
  EXPECT_EQ(status.code(), FUSER_NO_DEVICE);
  const char *reasons[] = {"no CUDA driver: expected to open libcuda.so.1",
                           "the CUDA driver is too old: expected libcuda.so.1",
                           "no usable GPU: expected the CUDA driver to start",
                           "no such GPU: expected an ordinal of 0 to -1"};
  EXPECT_TRUE(std::any_of(std::begin(reasons), std::end(reasons),
                          [&](const char *reason) {
                            return status.message().rfind(reason, 0) == 0;
                          }))
      << status.message();
}

namespace {
class CudaTest : public RuntimeTest {
protected:
  void SetUp() override {
    Status status = fuser_context_create_cuda(0, &context);
    if (status.code() == FUSER_NO_DEVICE)
      GTEST_SKIP() << status.message();
    ASSERT_EQ(status.code(), FUSER_OK) << status.message();
  }

  /// Of one input and one output.
  static Program cudaProgram(const char *name, const char *arch) {
    Program program;
    program.name = name;
    program.variants.resize(1);
    Variant &variant = program.variants[0];
    variant.target = Target::Cuda;
    variant.arch = arch;
    variant.inputs = {tensorSpec("x", ElementType::F32, {-1})};
    return program;
  }

  static Program addOneProgram() {
    Program program = cudaProgram("addOne", "sm_80");
    Variant &variant = program.variants[0];
    variant.scalars = {{"block", ElementType::I64},
                       {"cluster", ElementType::I64},
                       {"shared", ElementType::I64},
                       {"streams", ElementType::I64},
                       {"flags", ElementType::I64}};
    variant.outputs = {tensorSpec("y", ElementType::F32, {-1})};
    variant.kernels = {{"addOne", 0, 0, 3}};
    variant.images = {addOnePtx};
    variant.object = readHostObject("cuda");
    return program;
  }

  static Program copyBoxProgram() {
    Program program = cudaProgram("copyBox", "sm_90");
    Variant &variant = program.variants[0];
    variant.outputs = {tensorSpec("y", ElementType::F32, {-2})};
    variant.kernels = {{"copyBox", 0, 0, 2, {}}};
    TensorMapSpec map;
    map.box = {32};
    variant.kernels[0].tensorMaps = {map};
    variant.images = {copyBoxPtx};
    variant.object = readHostObject("tensor_map");
    return program;
  }

  DLManagedTensorVersioned *upload(const std::vector<float> &values) {
    DLManagedTensorVersioned *tensor = nullptr;
    auto size = int64_t(values.size());
    EXPECT_OK(fuser_tensor_create(context, dlType(ElementType::F32), 1, &size,
                                  nullptr, &tensor));
    EXPECT_OK(fuser_memcpy(context, tensor->dl_tensor.data, values.data(),
                           4 * values.size()));
    return tensor;
  }

  static std::vector<FuserScalar> scalars(const std::vector<int64_t> &values) {
    std::vector<FuserScalar> result;
    for (int64_t value : values)
      result.push_back(intScalar(value));
    return result;
  }

  /// Runs it with this launch and checks the result.
  void expectAddOne(int64_t n, const std::vector<int64_t> &launch) {
    std::vector<float> values(static_cast<size_t>(n)), result(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i % 1000);
    DLManagedTensorVersioned *x = upload(values);
    std::vector<FuserScalar> scalars;
    for (int64_t value : launch)
      scalars.push_back(intScalar(value));
    EXPECT_OK(run({&x->dl_tensor}, scalars));
    x->deleter(x);
    ASSERT_NE(outputs[0].tensor, nullptr);
    EXPECT_OK(fuser_memcpy(context, result.data(),
                           outputs[0].tensor->dl_tensor.data,
                           4 * result.size()));
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(result[i], values[i] + 1) << i;
  }

  /// Runs copyBox on x; what was read beside its end is 0.
  void expectCopy(const DLTensor &x, const std::vector<float> &values) {
    EXPECT_OK(run({&x}, {}));
    ASSERT_NE(outputs[0].tensor, nullptr);
    std::vector<float> expected = values, result;
    expected.resize((values.size() + 31) / 32 * 32);
    result.resize(expected.size(), -1);
    EXPECT_OK(fuser_memcpy(context, result.data(),
                           outputs[0].tensor->dl_tensor.data,
                           4 * result.size()));
    EXPECT_EQ(result, expected);
  }

  bool hasClusters() {
    return std::string(fuser_context_arch(context)).compare(3, 4, "90") >= 0 ||
           std::string(fuser_context_arch(context)).size() > 5;
  }
};
} // namespace

TEST_F(CudaTest, Launch) {
  load(addOneProgram());
  for (int64_t n : {1, 7, 128, 100000})
    expectAddOne(n, {128, 1, 0, 0, 0});
  expectAddOne(0, {128, 1, 0, 0, 0});
}

TEST_F(CudaTest, AProcessThatIsForkedOffIsTold) {
  load(addOneProgram());
  expectAddOne(1000, {128, 1, 0, 0, 0});
  DLManagedTensorVersioned *x = upload({1, 2, 3});
  EXPECT_TRUE(holdsInChild([&] {
    auto isTold = [](FuserStatus *status) {
      Status owned(status);
      return owned.code() == FUSER_DEVICE_ERROR &&
             owned.message().find("expected the process that opened the GPU, "
                                  "got one that was forked off from it") !=
                 std::string::npos;
    };
    bool told = isTold(run({&x->dl_tensor}, scalars({128, 1, 0, 0, 0}))) &&
                isTold(fuser_context_synchronize(context)) &&
                isTold(fuser_context_set_stream(context, nullptr));
    x->deleter(x);
    TearDown();
    return told;
  }));
  x->deleter(x);
  expectAddOne(1000, {128, 1, 0, 0, 0});
}

TEST_F(CudaTest, WorkerStream) {
  load(addOneProgram());
  for (int i = 0; i < 50; ++i)
    expectAddOne(100000, {128, 1, 0, 1, 0});
}

TEST_F(CudaTest, StreamsAreOfAPool) {
  Entered entered(*context->device);
  std::set<void *> workers;
  std::vector<void *> first;
  for (int64_t index = 1; index <= 100; ++index) {
    void *stream = nullptr;
    ASSERT_OK(context->device->workerStream(index, &stream));
    workers.insert(stream);
    if (index <= 32)
      first.push_back(stream);
    EXPECT_EQ(stream, first[size_t(index - 1) % 32]) << index;
  }
  EXPECT_EQ(workers.size(), 32u);
}

TEST_F(CudaTest, Trace) {
  load(addOneProgram());
  expectAddOne(100000, {128, 1, 0, 1, 0});
  ASSERT_OK(fuser_context_start_trace(context));
  // More than there are events in flight before they are used again.
  constexpr size_t runs = 1000;
  for (size_t i = 0; i < runs; ++i)
    expectAddOne(100000, {128, 1, 0, 1, 0});
  ASSERT_OK(fuser_context_write_trace(&context, 1, tracePath().c_str()));
  ShownTrace trace = readTrace();
  EXPECT_NE(trace.text.find("\"events_without_time\":0"), std::string::npos);
  const auto &host = trace.rows["rank 0: host"];
  const auto &caller = trace.rows["rank 0: caller's stream"];
  const auto &worker = trace.rows["rank 0: stream 1"];
  ASSERT_EQ(host.size(), runs);
  ASSERT_EQ(caller.size(), 2 * runs);
  ASSERT_EQ(worker.size(), 2 * runs);
  for (size_t i = 0; i < runs; ++i) {
    EXPECT_EQ(worker[2 * i].name, "wait for the caller's stream");
    EXPECT_EQ(worker[2 * i + 1].args, "{\"bytes\":400000}");
    EXPECT_EQ(caller[2 * i].name, "wait for stream 1");
    EXPECT_EQ(caller[2 * i + 1].name, "addOne");
    EXPECT_NE(caller[2 * i + 1].args.find("{\"grid\":[782,1,1],"
                                          "\"threads\":128,\"registers\":"),
              std::string::npos)
        << caller[2 * i + 1].args;
    // On one clock: the copy ends before the launch that waits for it begins,
    // and nothing begins before its run. The host's clock is 100 us off at
    // most.
    EXPECT_LE(worker[2 * i + 1].end(), caller[2 * i + 1].begin + 1);
    EXPECT_GE(worker[2 * i].begin, host[i].begin - 100);
  }
}

TEST_F(CudaTest, NoDelays) {
  EXPECT_FAILS(fuser_context_set_delays(context, 1, 10), FUSER_UNIMPLEMENTED,
               "expected a context of the CPU, whose streams can be delayed, "
               "got one of '");
}

TEST_F(CudaTest, BlockThatNeedsFewerRegisters) {
  Program value = addOneProgram();
  value.variants[0].images[0] = addOneOfManyRegisters();
  load(value);
  expectAddOne(1000, {128, 1, 0, 0, 0});
  expectAddOne(1000, {1024, 1, 0, 0, 0});
  expectAddOne(1000, {64, 1, 0, 0, 0});
}

TEST_F(CudaTest, LargerBlockThanCodeIsMadeFor) {
  Program value = addOneProgram();
  value.variants[0].kernels[0].name = "addOneMore";
  load(value);
  DLManagedTensorVersioned *x = upload({1, 2, 3});
  EXPECT_FAILS(run({&x->dl_tensor}, scalars({64, 1, 0, 0, 0})),
               FUSER_BAD_PROGRAM,
               "launching addOneMore: expected a block of at most 32 threads, "
               "which its code is made for, got 64 x 1 x 1");
  EXPECT_OK(run({&x->dl_tensor}, scalars({32, 1, 0, 0, 0})));
  x->deleter(x);
}

TEST_F(CudaTest, Flags) {
  load(addOneProgram());
  expectAddOne(1000, {128, 1, 0, 0, FUSER_LAUNCH_COOPERATIVE});
  expectAddOne(100000, {128, 1, 0, 0, FUSER_LAUNCH_PROGRAMMATIC});
  if (hasClusters())
    expectAddOne(1000, {128, 2, 0, 0, FUSER_LAUNCH_COOPERATIVE});
  // More blocks than any GPU has at once.
  DLManagedTensorVersioned *x =
      upload(std::vector<float>(size_t(1) << 24, 1.0f));
  EXPECT_FAILS(
      run({&x->dl_tensor}, scalars({32, 1, 0, 0, FUSER_LAUNCH_COOPERATIVE})),
      FUSER_INVALID_ARGUMENT,
      "launching addOne: expected a cooperative grid whose blocks are all "
      "resident at once, got 524288 x 1 x 1 blocks of 32 threads");
  x->deleter(x);
}

TEST_F(CudaTest, SharedMemoryAndClusters) {
  load(addOneProgram());
  expectAddOne(100000, {128, 1, 100000, 0, 0});
  if (!hasClusters())
    return;
  expectAddOne(100000, {128, 8, 0, 0, 0});
  expectAddOne(100000, {128, 16, 0, 0, 0});
}

TEST_F(CudaTest, TensorMaps) {
  if (!hasClusters())
    GTEST_SKIP() << "the GPU has no tensor maps";
  load(copyBoxProgram());
  std::vector<float> values(1000), others(77);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i + 1);
  for (size_t i = 0; i < others.size(); ++i)
    others[i] = -float(i);
  DLManagedTensorVersioned *x = upload(values), *y = upload(others);
  // Again, with what was kept; the same memory with another size; both again.
  for (int i = 0; i < 3; ++i) {
    expectCopy(x->dl_tensor, values);
    expectCopy(y->dl_tensor, others);
    expectCopy(x->dl_tensor, values);
    int64_t size = 500;
    DLTensor part = x->dl_tensor;
    part.shape = &size;
    expectCopy(part, {values.begin(), values.begin() + size});
  }
  DLTensor odd = x->dl_tensor;
  int64_t size = 500;
  odd.shape = &size;
  odd.byte_offset = 4;
  EXPECT_FAILS(run({&odd}, {}), FUSER_INVALID_ARGUMENT,
               "launching copyBox: argument 0: expected an address that is a "
               "multiple of 16 because the kernel takes a tensor map of it, "
               "got 0x");
  size = 0;
  expectCopy(odd, {});
  x->deleter(x);
  y->deleter(y);
}

TEST_F(CudaTest, Refusals) {
  load(addOneProgram());
  DLManagedTensorVersioned *x = upload({1, 2, 3});
  auto with = [&](int64_t block, int64_t shared) {
    return run({&x->dl_tensor}, scalars({block, 1, shared, 0, 0}));
  };
  EXPECT_FAILS(with(2048, 0), FUSER_INTERNAL,
               "expected a block of 1 to 1024 threads, got 2048");
  EXPECT_FAILS(with(128, 10 << 20), FUSER_DEVICE_ERROR,
               "bytes of shared memory for addOne");
  // As many blocks as a cluster has.
  EXPECT_FAILS(run({&x->dl_tensor}, scalars({128, int64_t(1) << 31, 0, 0, 0})),
               FUSER_INVALID_ARGUMENT,
               "launching addOne: expected a grid of at most 2147483647 x "
               "65535 x 65535 blocks, got 2147483648 x 1 x 1");
  EXPECT_OK(with(128, 0));
  DLTensor wrong = x->dl_tensor;
  wrong.device = {kDLCPU, 0};
  EXPECT_FAILS(run({&wrong}, scalars({128, 1, 0, 0, 0})),
               FUSER_INVALID_ARGUMENT,
               "expected a tensor on cuda:0 because the program runs there");
  x->deleter(x);
  int64_t huge = int64_t(1) << 44;
  DLManagedTensorVersioned *tensor = nullptr;
  EXPECT_FAILS(fuser_tensor_create(context, dlType(ElementType::F32), 1, &huge,
                                   nullptr, &tensor),
               FUSER_OUT_OF_MEMORY, "asked for 70368744177664 bytes");
}

TEST_F(CudaTest, BadPtx) {
  Program value = addOneProgram();
  value.variants[0].images[0] = ".version 7.8\n.target sm_80\nnonsense";
  std::string bytes = serialize(value);
  EXPECT_FAILS(
      fuser_program_load(context, bytes.data(), bytes.size(), &program),
      FUSER_DEVICE_ERROR, "compiling the PTX of program variant 'sm_80': ");
  value = addOneProgram();
  value.variants[0].kernels[0].name = "absent";
  bytes = serialize(value);
  EXPECT_FAILS(
      fuser_program_load(context, bytes.data(), bytes.size(), &program),
      FUSER_BAD_PROGRAM, "expected the PTX to define the kernel 'absent'");
  value = addOneProgram();
  value.variants[0].arch = "sm_70a";
  bytes = serialize(value);
  EXPECT_FAILS(
      fuser_program_load(context, bytes.data(), bytes.size(), &program),
      FUSER_NO_VARIANT, "it is for sm_70a, and the GPU is sm_");
}

TEST_F(CudaTest, NoSuchGpu) {
  FuserContext *other = nullptr;
  EXPECT_FAILS(fuser_context_create_cuda(1000, &other), FUSER_NO_DEVICE,
               "no such GPU: expected an ordinal of 0 to ");
  EXPECT_FAILS(fuser_context_create_cuda(1000, &other), FUSER_NO_DEVICE,
               ", got 1000");
  EXPECT_FAILS(fuser_context_create_cuda(-1, &other), FUSER_NO_DEVICE,
               ", got -1");
}
