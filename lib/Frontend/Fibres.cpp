//===- Fibres.cpp - Scans and sorts, by name ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::ReduceKind;

using TensorValue = TypedValue<RankedTensorType>;

namespace {
/// What is computed along which dimension.
struct Fibres {
  TensorValue input;
  int64_t dim;
  /// It has no dimension of its own.
  bool isPoint = false;
};
} // namespace

/// Reads a tensor and `dim`, by default the last one. One of rank 0 counts as
/// one of a single element, as in PyTorch.
static FailureOr<Fibres> read(Emitter &e) {
  FailureOr<TensorValue> input = e.takeTensor();
  FailureOr<int64_t> dim = e.getInt("dim", -1);
  if (failed(input) || failed(dim) || failed(e.checkNoneLeft()))
    return failure();
  bool isPoint = input->getType().getRank() == 0;
  if (isPoint) {
    FailureOr<Value> single = e.create(
        "broadcast", *input,
        e.builder.getNamedAttr("dims", e.builder.getDenseI64ArrayAttr(0)));
    if (failed(single))
      return failure();
    input = cast<TensorValue>(*single);
  }
  FailureOr<int64_t> place = e.normalizeDim(*dim, input->getType().getRank());
  if (failed(place))
    return failure();
  return Fibres{*input, *place, isPoint};
}

/// The result in the shape that the operand had.
static FailureOr<Value> restore(Emitter &e, const Fibres &fibres,
                                FailureOr<Value> result) {
  if (failed(result) || !fibres.isPoint)
    return result;
  return e.squeeze(*result, {0});
}

static NamedAttribute getDimAttr(Emitter &e, const Fibres &fibres) {
  return e.builder.getNamedAttr("dim", e.builder.getI64IntegerAttr(fibres.dim));
}

/// Sums and products of integers are i64, and nothing is of i1.
template <ReduceKind kind>
static Results emitScan(Emitter &e) {
  FailureOr<Fibres> fibres = read(e);
  if (failed(fibres))
    return failure();
  Type own = fibres->input.getType().getElementType();
  bool isExtreme = kind == ReduceKind::Max || kind == ReduceKind::Min;
  Type result = isExtreme || isa<FloatType>(own) || isComplexElement(own)
                    ? own
                    : Type(e.builder.getI64Type());
  if (e.has("type")) {
    FailureOr<Type> asked = e.getType("type");
    if (failed(asked))
      return failure();
    result = *asked;
  }
  Type element = result.isInteger(1) ? Type(e.builder.getI32Type()) : result;
  FailureOr<Value> input = e.cast(fibres->input, element);
  if (failed(input))
    return failure();
  FailureOr<Value> scanned = restore(
      e, *fibres,
      e.create("scan", *input,
               {e.builder.getNamedAttr(
                    "kind", fusion::ReduceKindAttr::get(e.context(), kind)),
                getDimAttr(e, *fibres)}));
  if (failed(scanned))
    return failure();
  return single(e.cast(*scanned, result));
}

/// Where the elements are in order; the first `k` of them if it is not
/// negative.
static FailureOr<Value> emitOrder(Emitter &e, const Fibres &fibres,
                                  bool descending, int64_t k = -1) {
  Builder &b = e.builder;
  SmallVector<NamedAttribute> attributes = {getDimAttr(e, fibres)};
  if (descending)
    attributes.push_back(b.getNamedAttr("descending", b.getUnitAttr()));
  if (k >= 0)
    attributes.push_back(b.getNamedAttr("k", b.getI64IntegerAttr(k)));
  return e.create(k >= 0 ? "argtopk" : "argsort", fibres.input, attributes);
}

/// The elements there, and where they are.
static Results emitOrdered(Emitter &e, const Fibres &fibres,
                           FailureOr<Value> order) {
  if (failed(order))
    return failure();
  FailureOr<Value> elements =
      restore(e, fibres,
              e.create("take_along_axis", {fibres.input, *order},
                       getDimAttr(e, fibres)));
  FailureOr<Value> places = restore(e, fibres, order);
  if (failed(elements) || failed(places))
    return failure();
  return SmallVector<Value>{*elements, *places};
}

static Results emitArgSort(Emitter &e) {
  FailureOr<Fibres> fibres = read(e);
  FailureOr<bool> descending = e.getFlag("descending");
  if (failed(fibres) || failed(descending))
    return failure();
  return single(restore(e, *fibres, emitOrder(e, *fibres, *descending)));
}

static Results emitSort(Emitter &e) {
  FailureOr<Fibres> fibres = read(e);
  FailureOr<bool> descending = e.getFlag("descending");
  if (failed(fibres) || failed(descending))
    return failure();
  return emitOrdered(e, *fibres, emitOrder(e, *fibres, *descending));
}

/// Has the program check that there are `k` elements along an open dimension,
/// in words that name the op.
static void checkLength(Emitter &e, const Fibres &fibres, int64_t k) {
  OpFoldResult size = e.getDim(fibres.input, fibres.dim);
  if (getConstantIntValue(size))
    return; // The op's verifier looks.
  Value least = e.toValue(e.builder.getIndexAttr(k)), length = e.toValue(size);
  Value isEnough = e.builder.createOrFold<arith::CmpIOp>(
      e.loc, arith::CmpIPredicate::uge, length, least);
  e.checkWhenRun(isEnough,
                 "'" + e.asked +
                     "': expected at least {0} elements in dimension " +
                     Twine(fibres.dim) + ", got {1}",
                 {least, length});
}

static Results emitTopK(Emitter &e) {
  FailureOr<Fibres> fibres = read(e);
  FailureOr<int64_t> k = e.getInt("k", std::nullopt);
  FailureOr<bool> largest = e.getFlag("largest", true);
  if (failed(fibres) || failed(k) || failed(largest))
    return failure();
  if (*k < 0)
    return e.error() << "at least 0 as 'k', got " << *k;
  if (fibres->isPoint && *k != 1)
    return e.error() << "1 as 'k' for the one element of a tensor of rank 0, "
                        "got "
                     << *k;
  checkLength(e, *fibres, *k);
  return emitOrdered(e, *fibres,
                     emitOrder(e, *fibres, /*descending=*/*largest, *k));
}

void frontend::addFibreOps(HandlerMap &map) {
  map["cumsum"] = {emitScan<ReduceKind::Sum>, "dim type"};
  map["cumprod"] = {emitScan<ReduceKind::Prod>, "dim type"};
  map["cummax"] = {emitScan<ReduceKind::Max>, "dim type"};
  map["cummin"] = {emitScan<ReduceKind::Min>, "dim type"};
  map["argsort"] = {emitArgSort, "dim descending"};
  map["sort"] = {emitSort, "dim descending"};
  map["topk"] = {emitTopK, "k dim largest"};
}
