//===- CudaMatmul.cpp - Matrix products by cuBLASLt -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaMatmul.h"
#include "Status.h"
#include "fuser_rt/Program.h"

#include <cinttypes>
#include <cstring>
#include <dlfcn.h>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

// Values of cublasLt.h, which is not needed to build.
namespace {
using Handle = void *;

enum : int {
  computeF32 = 68,
  computeF64 = 70,
  descTransA = 3,
  descTransB = 4,
  layoutBatchCount = 5,
  layoutBatchStride = 6,
  preferenceWorkspace = 1,
  preferenceReduction = 3,
  preferenceAlignmentA = 5, // then of b, c and d
  typeF32 = 0,
  typeF64 = 1,
  typeF16 = 2,
  typeBF16 = 14
};

struct Heuristic {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};
} // namespace

/// So many plans are kept: then all are made anew.
static constexpr size_t kMaxPlans = 1024;

struct cublas::Library {
  int (*create)(Handle *);
  int (*destroy)(Handle);
  int (*descCreate)(Handle *, int compute, int scale);
  int (*descSet)(Handle, int attribute, const void *, size_t);
  int (*descDestroy)(Handle);
  int (*layoutCreate)(Handle *, int type, uint64_t rows, uint64_t columns,
                      int64_t leading);
  int (*layoutSet)(Handle, int attribute, const void *, size_t);
  int (*layoutDestroy)(Handle);
  int (*preferenceCreate)(Handle *);
  int (*preferenceSet)(Handle, int attribute, const void *, size_t);
  int (*preferenceDestroy)(Handle);
  int (*heuristic)(Handle, Handle desc, Handle a, Handle b, Handle c, Handle d,
                   Handle preference, int count, Heuristic *, int *found);
  int (*matmul)(Handle, Handle desc, const void *alpha, const void *a,
                Handle aLayout, const void *b, Handle bLayout, const void *beta,
                const void *c, Handle cLayout, void *d, Handle dLayout,
                const void *algorithm, void *workspace, size_t workspaceBytes,
                void *stream);
  Handle handle = nullptr;
};

/// A product as the library has it: d = op(a) op(b), in matrices whose columns
/// are contiguous.
struct cublas::Plan {
  explicit Plan(const Library &library) : library(library) {}
  ~Plan() {
    for (Handle layout : {a, b, d})
      if (layout)
        library.layoutDestroy(layout);
    if (desc)
      library.descDestroy(desc);
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  const Library &library;
  Handle desc = nullptr, a = nullptr, b = nullptr, d = nullptr;
  /// The product is computed transposed, so that the operands change places.
  bool isSwapped = false;
  uint64_t algorithm[8];
};

CudaMatmul::CudaMatmul() = default;
CudaMatmul::~CudaMatmul() = default;

static FuserStatus *check(int result, const char *what) {
  if (result == 0)
    return nullptr;
  return makeError(FUSER_DEVICE_ERROR,
                   "a matrix product: %s: cuBLASLt answered status %d", what,
                   result);
}

FuserStatus *CudaMatmul::open() {
  void *opened = nullptr;
  for (const char *name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"})
    if (!opened)
      opened = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!opened)
    return makeError(FUSER_DEVICE_ERROR,
                     "a matrix product: expected to open libcublasLt.so.13, "
                     ".12 or .11, CUDA's library of matrix products, got: %s: "
                     "put its folder into LD_LIBRARY_PATH",
                     dlerror());
  auto result = std::make_unique<cublas::Library>();
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(opened, symbol));
    if (!function)
      missing = symbol;
  };
  find(result->create, "cublasLtCreate");
  find(result->destroy, "cublasLtDestroy");
  find(result->descCreate, "cublasLtMatmulDescCreate");
  find(result->descSet, "cublasLtMatmulDescSetAttribute");
  find(result->descDestroy, "cublasLtMatmulDescDestroy");
  find(result->layoutCreate, "cublasLtMatrixLayoutCreate");
  find(result->layoutSet, "cublasLtMatrixLayoutSetAttribute");
  find(result->layoutDestroy, "cublasLtMatrixLayoutDestroy");
  find(result->preferenceCreate, "cublasLtMatmulPreferenceCreate");
  find(result->preferenceSet, "cublasLtMatmulPreferenceSetAttribute");
  find(result->preferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  find(result->heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(result->matmul, "cublasLtMatmul");
  if (missing)
    return makeError(FUSER_DEVICE_ERROR,
                     "a matrix product: expected a cuBLASLt with %s, got one "
                     "without",
                     missing);
  FUSER_RETURN_IF_ERROR(
      check(result->create(&result->handle), "opening the library"));
  library = std::move(result);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static int getDataType(int32_t type) {
  switch (static_cast<ElementType>(type)) {
  case ElementType::F64:
    return typeF64;
  case ElementType::F16:
    return typeF16;
  case ElementType::BF16:
    return typeBF16;
  default:
    return typeF32;
  }
}

namespace {
/// A matrix as the library takes it: rows x columns with contiguous columns.
struct Layout {
  int64_t rows, columns, leading, batchStride;
  bool isTransposed; ///< Of the matrix that it stands for.
};
} // namespace

/// False if neither rows nor columns are contiguous, or if they overlap.
static bool describe(const int64_t (&strides)[3], int64_t rows, int64_t columns,
                     Layout &layout) {
  // The stride of a dimension of size 1 says nothing.
  auto isContiguous = [&](int64_t length, int64_t stride, int64_t count,
                          int64_t leading) {
    return (stride == 1 || length == 1) && (leading >= length || count == 1);
  };
  auto set = [&](int64_t length, int64_t count, int64_t leading, bool flipped) {
    layout = {length, count, count == 1 ? length : leading, strides[0],
              flipped};
    return true;
  };
  if (isContiguous(rows, strides[1], columns, strides[2]))
    return set(rows, columns, strides[2], false);
  if (isContiguous(columns, strides[2], rows, strides[1]))
    return set(columns, rows, strides[1], true);
  return false;
}

static FuserStatus *describeOperands(const FuserMatmul &op, Layout &a,
                                     Layout &b, Layout &d) {
  // Without terms the operands have no elements.
  bool hasTerms = op.k != 0;
  const char *bad = hasTerms && !describe(op.a_strides, op.m, op.k, a) ? "left"
                    : hasTerms && !describe(op.b_strides, op.k, op.n, b)
                        ? "right"
                    : !describe(op.out_strides, op.m, op.n, d) ? "resulting"
                                                               : nullptr;
  if (bad)
    return makeError(
        FUSER_INVALID_ARGUMENT,
        "a matrix product: expected the rows or the columns of the "
        "%s matrix to be contiguous and not to overlap, got strides "
        "for which neither are",
        bad);
  if (op.batch <= INT32_MAX)
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "a matrix product: expected at most %" PRId32
                   " matrices in a batch, got %" PRId64,
                   INT32_MAX, op.batch);
}

/// A plan for the layouts; failure leaves what was made to the plan.
static FuserStatus *fillPlan(const cublas::Library &library,
                             const FuserMatmul &op, cublas::Plan &plan) {
  Layout a, b, d;
  FUSER_RETURN_IF_ERROR(describeOperands(op, a, b, d));
  plan.isSwapped = d.isTransposed;
  int type = getDataType(op.type), outType = getDataType(op.out_type);
  auto make = [&](Handle &handle, int elements, const Layout &layout) {
    int64_t batch64 = layout.batchStride;
    int32_t batch = static_cast<int32_t>(op.batch);
    FUSER_RETURN_IF_ERROR(
        check(library.layoutCreate(&handle, elements, layout.rows,
                                   layout.columns, layout.leading),
              "describing a matrix"));
    FUSER_RETURN_IF_ERROR(
        check(library.layoutSet(handle, layoutBatchCount, &batch, sizeof batch),
              "the number of matrices"));
    return check(
        library.layoutSet(handle, layoutBatchStride, &batch64, sizeof batch64),
        "the stride of matrices");
  };
  // out^T = b^T a^T.
  const Layout &left = plan.isSwapped ? b : a, &right = plan.isSwapped ? a : b;
  FUSER_RETURN_IF_ERROR(make(plan.a, type, left));
  FUSER_RETURN_IF_ERROR(make(plan.b, type, right));
  FUSER_RETURN_IF_ERROR(make(plan.d, outType, d));
  bool isDouble = type == typeF64;
  FUSER_RETURN_IF_ERROR(
      check(library.descCreate(&plan.desc, isDouble ? computeF64 : computeF32,
                               isDouble ? typeF64 : typeF32),
            "describing a product"));
  int32_t transA = left.isTransposed != plan.isSwapped;
  int32_t transB = right.isTransposed != plan.isSwapped;
  FUSER_RETURN_IF_ERROR(
      check(library.descSet(plan.desc, descTransA, &transA, sizeof transA),
            "transposing"));
  return check(library.descSet(plan.desc, descTransB, &transB, sizeof transB),
               "transposing");
}

/// Asks the library how to compute the plan, for addresses of `alignments`.
static FuserStatus *chooseAlgorithm(const cublas::Library &library,
                                    const uint32_t (&alignments)[4],
                                    cublas::Plan &plan) {
  Handle preference = nullptr;
  FUSER_RETURN_IF_ERROR(
      check(library.preferenceCreate(&preference), "what to prefer"));
  size_t bytes = CudaMatmul::workspaceBytes;
  int failed = library.preferenceSet(preference, preferenceWorkspace, &bytes,
                                     sizeof bytes);
  // Parts of a sum are added in the type that it is computed in, not in the
  // result's, which may be f16.
  uint32_t reduction = 2;
  failed |= library.preferenceSet(preference, preferenceReduction, &reduction,
                                  sizeof reduction);
  for (int i = 0; i < 4; ++i)
    failed |= library.preferenceSet(preference, preferenceAlignmentA + i,
                                    &alignments[i], sizeof alignments[i]);
  Heuristic found{};
  int count = 0;
  int result =
      failed ? failed
             : library.heuristic(library.handle, plan.desc, plan.a, plan.b,
                                 plan.d, plan.d, preference, 1, &found, &count);
  library.preferenceDestroy(preference);
  FUSER_RETURN_IF_ERROR(check(result, "asking for an algorithm"));
  if (count == 0)
    return makeError(FUSER_DEVICE_ERROR,
                     "a matrix product: expected an algorithm for it, cuBLASLt "
                     "has none");
  memcpy(plan.algorithm, found.algorithm, sizeof plan.algorithm);
  return nullptr;
}

bool CudaMatmul::Key::operator<(const Key &other) const {
  return memcmp(this, &other, sizeof *this) < 0;
}

static uint32_t getAlignment(const void *data) {
  auto address = reinterpret_cast<uintptr_t>(data) | 256;
  return static_cast<uint32_t>(address & -address);
}

FuserStatus *CudaMatmul::getPlan(const FuserMatmul &op, cublas::Plan *&plan) {
  Key key;
  memset(&key, 0, sizeof key);
  key.op = op;
  key.op.a = key.op.b = nullptr;
  key.op.out = nullptr;
  uint32_t a = getAlignment(op.a), b = getAlignment(op.b);
  uint32_t out = getAlignment(op.out);
  uint32_t alignments[] = {a, b, out, out};
  memcpy(key.alignments, alignments, sizeof alignments);
  auto known = plans.find(key);
  if (known != plans.end()) {
    plan = known->second.get();
    return nullptr;
  }
  auto made = std::make_unique<cublas::Plan>(*library);
  FUSER_RETURN_IF_ERROR(fillPlan(*library, op, *made));
  if (made->isSwapped)
    std::swap(alignments[0], alignments[1]);
  FUSER_RETURN_IF_ERROR(chooseAlgorithm(*library, alignments, *made));
  if (plans.size() == kMaxPlans)
    plans.clear();
  plan = made.get();
  plans[key] = std::move(made);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void CudaMatmul::close() {
  plans.clear();
  if (library)
    library->destroy(library->handle);
  library = nullptr;
}

/// A result whose sums have no terms.
static FuserStatus *fillWithZeros(Device &device, const FuserMatmul &op,
                                  void *stream) {
  Layout a, b, d;
  FUSER_RETURN_IF_ERROR(describeOperands(op, a, b, d));
  auto bytes = int64_t(elementBytes(static_cast<ElementType>(op.out_type)));
  bool isDense = d.leading == d.rows || d.columns == 1;
  int64_t lines = isDense ? 1 : d.columns;
  int64_t length = isDense ? d.rows * d.columns : d.rows;
  for (int64_t i = 0; i < op.batch; ++i)
    for (int64_t line = 0; line < lines; ++line)
      FUSER_RETURN_IF_ERROR(
          device.zero(static_cast<char *>(op.out) +
                          (i * d.batchStride + line * d.leading) * bytes,
                      length * bytes, stream));
  return nullptr;
}

FuserStatus *CudaMatmul::run(Device &device, const FuserMatmul &op,
                             void *workspace, void *stream) {
  if (op.k == 0)
    return fillWithZeros(device, op, stream);
  if (!library)
    FUSER_RETURN_IF_ERROR(open());
  cublas::Plan *plan = nullptr;
  FUSER_RETURN_IF_ERROR(getPlan(op, plan));
  const double oneF64 = 1, zeroF64 = 0;
  const float oneF32 = 1, zeroF32 = 0;
  bool isDouble = getDataType(op.type) == typeF64;
  const void *one = isDouble ? static_cast<const void *>(&oneF64) : &oneF32;
  const void *zero = isDouble ? static_cast<const void *>(&zeroF64) : &zeroF32;
  const void *a = plan->isSwapped ? op.b : op.a;
  const void *b = plan->isSwapped ? op.a : op.b;
  return check(library->matmul(library->handle, plan->desc, one, a, plan->a, b,
                               plan->b, zero, op.out, plan->d, op.out, plan->d,
                               plan->algorithm, workspace, workspaceBytes,
                               stream),
               "launching it");
}
