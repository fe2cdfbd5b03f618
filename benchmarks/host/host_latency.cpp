//===- host_latency.cpp - The host's time of a call -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// host_latency program.fx
//
// The program takes two tensors ?x768 and one of 768, all bf16, and gives two
// of ?x768 (residual add + RMSNorm). Measured in one process on 128 rows: a
// loop of bare cuLaunchKernelEx with the program's own kernel, launch
// dimensions and parameters; a loop of fuser_program_run with preallocated
// outputs, and with new ones; and calls that each come with a row count never
// seen before, beside calls that repeat one. Times are of the host alone: the
// stream is synchronised between batches of launches that fit its queue.
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"
#include "fuser_rt/host_abi.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using Clock = std::chrono::steady_clock;
static constexpr int64_t kRows = 128, kColumns = 768;

namespace {
/// CUlaunchConfig and the entry points used here, as cuda.h declares them.
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  void *attributes;
  unsigned numAttributes;
};
struct Driver {
  int (*primaryCtxRetain)(void **, int);
  int (*ctxSetCurrent)(void *);
  int (*moduleLoadData)(void **, const void *);
  int (*moduleGetFunction)(void **, void *, const char *);
  int (*launchKernelEx)(const LaunchConfig *, void *, void **, void **);
};
} // namespace

[[noreturn]] static void die(const std::string &message) {
  std::fprintf(stderr, "host_latency: %s\n", message.c_str());
  std::exit(1);
}

static void check(FuserStatus *status) {
  if (status)
    die(fuser_status_message(status));
}

static double microseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

namespace {
/// The launch that the host program asks for, recorded by calling its entry
/// with a table of our own.
struct Recorder {
  FuserLaunchDims dims{};
  std::vector<int64_t> values;
  const fuser_rt::Variant *variant = nullptr;
  void *outputs[2] = {};
};
} // namespace

static Driver openDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    die("no CUDA driver");
  Driver driver;
  auto get = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, name));
    if (!function)
      die(std::string("the driver has no ") + name);
  };
  get(driver.primaryCtxRetain, "cuDevicePrimaryCtxRetain");
  get(driver.ctxSetCurrent, "cuCtxSetCurrent");
  get(driver.moduleLoadData, "cuModuleLoadData");
  get(driver.moduleGetFunction, "cuModuleGetFunction");
  get(driver.launchKernelEx, "cuLaunchKernelEx");
  return driver;
}

static FuserHostEntry loadEntry(const std::string &object) {
  int fd = memfd_create("host_program", 0);
  if (fd < 0 || write(fd, object.data(), object.size()) !=
                    static_cast<ssize_t>(object.size()))
    die("cannot write the host program to memory");
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    die(dlerror());
  return reinterpret_cast<FuserHostEntry>(
      dlsym(library, FUSER_HOST_ENTRY_NAME));
}

static int32_t recordOutput(FuserFrame *frame, int32_t index, const int64_t *,
                            const int64_t *, void **data) {
  *data = reinterpret_cast<Recorder *>(frame)->outputs[index];
  return 0;
}

static int32_t recordLaunch(FuserFrame *frame, int32_t kernel,
                            const FuserLaunchDims *dims, void *const *params) {
  auto *recorder = reinterpret_cast<Recorder *>(frame);
  recorder->dims = *dims;
  for (uint32_t i = 0; i < recorder->variant->kernels[kernel].numParams; ++i) {
    int64_t value;
    std::memcpy(&value, params[i], sizeof(value));
    recorder->values.push_back(value);
  }
  return 0;
}

namespace {
struct Tensors {
  std::vector<DLManagedTensorVersioned *> inputs, outputs;
};
} // namespace

static DLManagedTensorVersioned *create(FuserContext *context,
                                        std::vector<int64_t> sizes) {
  DLManagedTensorVersioned *tensor = nullptr;
  check(fuser_tensor_create(context, {kDLBfloat, 16, 1},
                            static_cast<int32_t>(sizes.size()), sizes.data(),
                            nullptr, &tensor));
  return tensor;
}

namespace {
/// Calls with the first `rows` rows of the tensors.
class Caller {
public:
  Caller(FuserContext *context, FuserProgram *program, int64_t maxRows)
      : context(context), program(program) {
    for (DLManagedTensorVersioned *tensor :
         {create(context, {maxRows, kColumns}),
          create(context, {maxRows, kColumns}), create(context, {kColumns})})
      inputs.push_back(tensor->dl_tensor);
    for (int i = 0; i < 2; ++i)
      outputs.push_back(create(context, {maxRows, kColumns})->dl_tensor);
    setRows(kRows);
  }

  void setRows(int64_t count) {
    sizes[0] = count;
    for (DLTensor *tensor : {&inputs[0], &inputs[1], &outputs[0], &outputs[1]})
      tensor->shape = sizes;
  }

  void call(bool preallocated) {
    const DLTensor *pointers[] = {&inputs[0], &inputs[1], &inputs[2]};
    FuserOutput results[2] = {};
    if (preallocated)
      for (int i = 0; i < 2; ++i)
        results[i].preallocated = &outputs[i];
    check(fuser_program_run(program, pointers, 3, nullptr, 0, results, 2));
    for (FuserOutput &result : results)
      if (result.tensor)
        result.tensor->deleter(result.tensor);
  }

  /// The median over batches of the time of one call.
  template <typename Call>
  double time(Call &&function) {
    constexpr int kBatches = 200, kCalls = 100;
    std::vector<double> times;
    for (int batch = 0; batch < kBatches; ++batch) {
      check(fuser_context_synchronize(context));
      Clock::time_point start = Clock::now();
      for (int i = 0; i < kCalls; ++i)
        function();
      times.push_back(microseconds(start) / kCalls);
    }
    check(fuser_context_synchronize(context));
    return median(times);
  }

  /// The median over 100 single calls, each with the row count that `next`
  /// gives.
  template <typename Next>
  double timeSingle(Next &&next) {
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
      setRows(next(i));
      check(fuser_context_synchronize(context));
      Clock::time_point start = Clock::now();
      call(true);
      times.push_back(microseconds(start));
    }
    setRows(kRows);
    return median(times);
  }

  FuserTensorView view(int index) const {
    static const int64_t strides[] = {kColumns, 1}, one[] = {1};
    const DLTensor &tensor = inputs[index];
    return {tensor.data, tensor.shape, tensor.ndim == 1 ? one : strides};
  }
  void *outputData(int index) const { return outputs[index].data; }

private:
  FuserContext *context;
  FuserProgram *program;
  int64_t sizes[2] = {kRows, kColumns};
  std::vector<DLTensor> inputs, outputs;
};
} // namespace

static Recorder record(const fuser_rt::Variant &variant, const Caller &caller) {
  Recorder recorder;
  recorder.variant = &variant;
  for (int i = 0; i < 2; ++i)
    recorder.outputs[i] = caller.outputData(i);
  FuserHostApi api{};
  api.version = FUSER_HOST_ABI_VERSION;
  api.size = sizeof(api);
  api.output = recordOutput;
  api.launch = recordLaunch;
  FuserTensorView inputs[] = {caller.view(0), caller.view(1), caller.view(2)};
  if (loadEntry(variant.object)(&api, reinterpret_cast<FuserFrame *>(&recorder),
                                inputs, nullptr))
    die("the host program failed");
  return recorder;
}

int main(int argc, char **argv) {
  if (argc != 2)
    die("expected one argument, a program file");
  std::ifstream file(argv[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  fuser_rt::Program value;
  std::string error;
  if (!fuser_rt::deserialize(bytes.data(), bytes.size(), value, error))
    die(error);
  const fuser_rt::Variant &variant = value.variants.at(0);

  FuserContext *context = nullptr;
  check(fuser_context_create_cuda(0, &context));
  FuserProgram *program = nullptr;
  check(fuser_program_load(context, bytes.data(), bytes.size(), &program));
  Caller caller(context, program, 4096);
  caller.call(true);

  Recorder recorder = record(variant, caller);
  Driver driver = openDriver();
  // The runtime leaves no context behind in the thread.
  void *primary = nullptr, *module = nullptr, *function = nullptr;
  if (driver.primaryCtxRetain(&primary, 0) || driver.ctxSetCurrent(primary))
    die("the driver gave no context");
  if (driver.moduleLoadData(&module, variant.images.at(0).c_str()) ||
      driver.moduleGetFunction(&function, module,
                               variant.kernels.at(0).name.c_str()))
    die("the driver did not take the kernel");
  std::vector<void *> params;
  for (int64_t &slot : recorder.values)
    params.push_back(&slot);
  LaunchConfig config{};
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<unsigned>(recorder.dims.grid[i]);
    config.block[i] = static_cast<unsigned>(recorder.dims.block[i]);
  }
  config.sharedBytes = recorder.dims.dynamic_shared_bytes;
  config.stream = fuser_context_stream(context);

  auto launch = [&] {
    if (driver.launchKernelEx(&config, function, params.data(), nullptr))
      die("the launch failed");
  };
  double bare = caller.time(launch);
  double run = caller.time([&] { caller.call(true); });
  double bareAgain = caller.time(launch);
  double allocating = caller.time([&] { caller.call(false); });
  double repeated = caller.timeSingle([](int) { return kRows; });
  double fresh = caller.timeSingle([](int i) { return kRows + 1 + i; });
  std::printf("%s, 128x768, us of host time a call\n",
              fuser_context_device_name(context));
  std::printf("cuLaunchKernelEx loop    %.3f (again %.3f)\n", bare, bareAgain);
  std::printf("outputs preallocated     %.3f (%+.3f)\n", run, run - bare);
  std::printf("outputs allocated        %.3f\n", allocating);
  std::printf("one call, rows repeated  %.3f\n", repeated);
  std::printf("one call, rows new       %.3f (%+.3f)\n", fresh,
              fresh - repeated);
  return 0;
}
