//===- TestUtil.cpp - Programs and tensors for the tests ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

using namespace fuser_rt;
using namespace fuser_rt::test;

std::string test::readHostObject(const std::string &name) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return {};
  std::string folder(self);
  folder.resize(folder.rfind('/'));
  std::ifstream file(folder + "/host_" + name + ".so", std::ios::binary);
  EXPECT_TRUE(file) << "no host_" << name << ".so beside the test";
  return {std::istreambuf_iterator<char>(file), {}};
}

TensorSpec test::tensorSpec(const std::string &name, ElementType element,
                            std::vector<Dim> dims) {
  TensorSpec spec;
  spec.name = name;
  spec.element = element;
  spec.dims = std::move(dims);
  for (size_t i = 0; i < spec.dims.size(); ++i)
    spec.strideOrder.push_back(int64_t(i));
  spec.alignment = elementBytes(element);
  return spec;
}

static KernelSpec kernelSpec(const std::string &name, uint32_t numParams,
                             uint64_t scratch = 0) {
  KernelSpec spec;
  spec.name = name;
  spec.numParams = numParams;
  spec.scratchBytes = scratch;
  return spec;
}

static Program cpuProgram(const std::string &name) {
  Program program;
  program.name = name;
  program.variants.resize(1);
  program.variants[0].object = readHostObject(name);
  return program;
}

Program test::addProgram() {
  Program program = cpuProgram("add");
  Variant &variant = program.variants[0];
  variant.inputs = {tensorSpec("x", ElementType::F32, {-1, -2}),
                    tensorSpec("y", ElementType::F32, {-2})};
  variant.inputs[0].anyStrides = true;
  variant.scalars = {{"s", ElementType::F32}};
  variant.outputs = {tensorSpec("z", ElementType::F32, {-1, -2})};
  variant.kernels = {kernelSpec("scale", 4), kernelSpec("add", 6, 64)};
  return program;
}

Program test::aliasProgram() {
  Program program = cpuProgram("alias");
  Variant &variant = program.variants[0];
  variant.inputs = {tensorSpec("x", ElementType::F32, {-1}),
                    tensorSpec("y", ElementType::F32, {-1})};
  variant.outputs = {tensorSpec("incremented", ElementType::F32, {-1}),
                     tensorSpec("odd", ElementType::F32, {-2}),
                     tensorSpec("twice", ElementType::F32, {-1})};
  variant.outputs[0].alias = TensorSpec::Alias::Reuse;
  variant.outputs[1].alias = TensorSpec::Alias::View;
  variant.outputs[1].aliasInput = 1;
  variant.kernels = {kernelSpec("increment", 1), kernelSpec("twice", 2)};
  return program;
}

Program test::faultsProgram() {
  Program program = cpuProgram("faults");
  Variant &variant = program.variants[0];
  variant.inputs = {tensorSpec("x", ElementType::F32, {-1})};
  variant.scalars = {{"mode", ElementType::I64}, {"amount", ElementType::I64}};
  variant.outputs = {tensorSpec("a", ElementType::F32, {-1}),
                     tensorSpec("b", ElementType::F32, {-1})};
  return program;
}

Program test::streamsProgram() {
  Program program = cpuProgram("streams");
  Variant &variant = program.variants[0];
  variant.inputs = {tensorSpec("x", ElementType::I64, {-1})};
  variant.scalars = {{"streams", ElementType::I64}, {"fail", ElementType::I1}};
  variant.outputs = {tensorSpec("sum", ElementType::I64, {-1})};
  variant.kernels = {kernelSpec("addSlowly", 3), kernelSpec("raise", 1),
                     kernelSpec("accumulate", 2)};
  return program;
}

Program test::raceProgram() {
  Program program = cpuProgram("race");
  Variant &variant = program.variants[0];
  variant.inputs = {tensorSpec("x", ElementType::I64, {-1})};
  variant.scalars = {{"waits", ElementType::I1}};
  variant.outputs = {tensorSpec("y", ElementType::I64, {-1})};
  variant.kernels = {kernelSpec("nap", 0)};
  return program;
}

Program test::workspaceProgram() {
  Program program = cpuProgram("workspace");
  Variant &variant = program.variants[0];
  variant.scalars = {{"bytes", ElementType::I64}, {"zeroed", ElementType::I1}};
  variant.outputs = {tensorSpec("found", ElementType::I64, {2})};
  return program;
}

FuserScalar test::intScalar(int64_t value) {
  FuserScalar scalar{FuserScalar::FUSER_SCALAR_INT, {}};
  scalar.value.i = value;
  return scalar;
}

FuserScalar test::floatScalar(double value) {
  FuserScalar scalar{FuserScalar::FUSER_SCALAR_FLOAT, {}};
  scalar.value.f = value;
  return scalar;
}

void RuntimeTest::SetUp() { ASSERT_OK(fuser_context_create_cpu(3, &context)); }

void RuntimeTest::TearDown() {
  freeOutputs();
  fuser_program_destroy(program);
  fuser_context_destroy(context);
}

void RuntimeTest::load(const Program &value) {
  freeOutputs();
  fuser_program_destroy(program);
  std::string bytes = serialize(value);
  ASSERT_OK(fuser_program_load(context, bytes.data(), bytes.size(), &program));
  outputs.assign(fuser_program_num_outputs(program), {nullptr, nullptr});
}

FuserStatus *RuntimeTest::run(const std::vector<const DLTensor *> &inputs,
                              const std::vector<FuserScalar> &scalars) {
  freeOutputs();
  return fuser_program_run(program, inputs.data(), inputs.size(),
                           scalars.data(), scalars.size(), outputs.data(),
                           outputs.size());
}

void RuntimeTest::freeOutputs() {
  for (FuserOutput &output : outputs) {
    if (output.tensor)
      output.tensor->deleter(output.tensor);
    output.tensor = nullptr;
  }
}

std::vector<float> RuntimeTest::floats(const DLTensor &tensor) {
  EXPECT_EQ(tensor.ndim, 1);
  std::vector<float> result;
  for (int64_t i = 0; i < tensor.shape[0]; ++i)
    result.push_back(reinterpret_cast<const float *>(
        static_cast<char *>(tensor.data) +
        tensor.byte_offset)[i * tensor.strides[0]]);
  return result;
}

bool test::holdsInChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

FuserAllocator CountingAllocator::table() {
  return {this,
          [](void *user, size_t bytes, void *) -> void * {
            auto *self = static_cast<CountingAllocator *>(user);
            if (self->calls++ == self->failAt)
              return nullptr;
            ++self->live;
            void *data =
                aligned_alloc(256, (bytes + self->misalign + 255) / 256 * 256);
            return static_cast<char *>(data) + self->misalign;
          },
          [](void *user, void *data, void *) {
            auto *self = static_cast<CountingAllocator *>(user);
            --self->live;
            free(static_cast<char *>(data) - self->misalign);
          }};
}
