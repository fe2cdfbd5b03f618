//===- Emitter.h - What the lenient ops are made with -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FRONTEND_EMITTER_H
#define FUSER_LIB_FRONTEND_EMITTER_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Frontend/LenientOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fuser::frontend {

/// How the operands of an element-wise op become of one type.
enum class Promotion {
  Default, ///< PyTorch's result type.
  Float,   ///< The same, with f32 for integers.
  Bool,    ///< Whether each is not 0.
};

using Results = FailureOr<SmallVector<Value>>;

/// `tensor` as one of `type`, which has the same sizes, of which others are
/// known. `open`: those that are open in `type`.
Value createReshape(OpBuilder &builder, Location loc, Value tensor,
                    RankedTensorType type, SmallVector<Value> open);

/// True if both are known to be the same size.
bool areEqual(OpFoldResult lhs, OpFoldResult rhs);

class Emitter;

/// A bound that may count from the end. Of a known size it is clamped, as in
/// Python; of an open one it has to lie in the tensor, which programs check
/// when they run: then a known part of it has a known size.
OpFoldResult getBound(Emitter &e, OpFoldResult bound, OpFoldResult size);

/// Emits one op that was asked for. What can fail leaves a diagnostic, unless
/// there is a `demand`.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const OpRequest &request,
          KnownSizes *sizes)
      : builder(builder), loc(loc), request(request), asked(request.name),
        left(request.operands), sizes(sizes) {}

  OpBuilder &builder;
  Location loc;
  const OpRequest &request;
  /// The name of the op that a user asked for, of which this one is a part.
  StringRef asked;
  /// What that calls its operands, as OpHandler has it; empty of a part.
  StringRef operandNames;
  std::optional<SizeDemand> demand;

  /// "'NAME': expected " comes before what is said.
  InFlightDiagnostic error() {
    return emitError(loc) << "'" << asked << "': expected ";
  }
  /// Has the program check, when it runs, a condition that is computed from
  /// sizes. In `message`, {0}, {1}, ... stand for `values`.
  void checkWhenRun(Value condition, const Twine &message, ValueRange values);
  /// The same of two sizes that are to be equal: {0} and {1} of the message.
  void checkEqual(OpFoldResult expected, OpFoldResult got,
                  const Twine &message);
  /// The same, and fails if both sizes are known and differ. The message is
  /// what comes behind "expected ", of either.
  LogicalResult expectEqual(OpFoldResult expected, OpFoldResult got,
                            const Twine &message);
  MLIRContext *context() { return builder.getContext(); }

  //===--------------------------------------------------------------------===//
  // Attributes and operands of the request
  //===--------------------------------------------------------------------===//

  /// The attribute as an integer, a flag, a list or an element type; a
  /// diagnostic if it is something else, or absent and `fallback` is none. A
  /// flag, which text may have without a value, is no integer; 0 and 1 are
  /// flags.
  FailureOr<int64_t> getInt(StringRef name, std::optional<int64_t> fallback);
  FailureOr<bool> getFlag(StringRef name, bool fallback = false);
  FailureOr<ArrayRef<int64_t>> getInts(StringRef name);
  FailureOr<ArrayRef<double>> getNumbers(StringRef name);
  FailureOr<StringRef> getString(StringRef name);
  FailureOr<Type> getType(StringRef name);
  bool has(StringRef name) { return request.attributes.contains(name); }

  /// "operand 1, eps,": by its name, if the op says it.
  std::string nameOperand(size_t number);
  /// "1 operand", as many as were given.
  std::string countOperands();
  /// "; its operands are ...", if the request lists them, the op says it, and
  /// others were given, or may have been meant.
  std::string listOperands();
  /// The first operand that was not taken yet; null if there is none.
  Value takeOperand();
  /// The next one, which has to be a tensor.
  FailureOr<TypedValue<RankedTensorType>> takeTensor();
  /// The same, behind which no operand is left.
  FailureOr<TypedValue<RankedTensorType>> takeOnlyTensor();
  /// The next one, which has to be a scalar, in another element type.
  FailureOr<Value> takeScalar(Type element);
  /// Checks that no operand is left.
  LogicalResult checkNoneLeft();
  /// The list `name`, in which each kDynamic is the next operand as an index.
  FailureOr<SmallVector<OpFoldResult>> takeSizes(StringRef name);

  //===--------------------------------------------------------------------===//
  // Dimensions
  //===--------------------------------------------------------------------===//

  /// A dimension counted from the end if it is negative.
  FailureOr<int64_t> normalizeDim(int64_t dim, int64_t rank);
  /// The same of a list; each may be there once.
  FailureOr<SmallVector<int64_t>> normalizeOrder(ArrayRef<int64_t> dims,
                                                 int64_t rank);
  /// The same, ascending.
  FailureOr<SmallVector<int64_t>> normalizeDims(ArrayRef<int64_t> dims,
                                                int64_t rank);
  /// The attribute `dims` as such a list, by default of all dimensions. Of a
  /// tensor without any it may be 0 or -1, and the list is empty.
  FailureOr<SmallVector<int64_t>> getDims(int64_t rank);
  /// The attribute `name`, a dimension of a tensor of so many.
  FailureOr<int64_t> getDimAttr(StringRef name, int64_t rank,
                                std::optional<int64_t> fallback = {});

  OpFoldResult getDim(Value tensor, int64_t dim);
  SmallVector<OpFoldResult> getShape(Value tensor);
  /// An integer scalar as an index, or as an attribute if it is a number.
  FailureOr<OpFoldResult> toIndex(Value scalar);
  /// Integers as i32 or i64, in which positions are.
  FailureOr<TypedValue<RankedTensorType>>
  toIndices(TypedValue<RankedTensorType> tensor);
  Value toValue(OpFoldResult index);
  // Arithmetic of sizes, which are numbers where their operands are.
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult subtract(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult multiply(ArrayRef<OpFoldResult> sizes);
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult divide(OpFoldResult size, int64_t divisor);
  /// The same. By a number that is 0 it is the size itself; an open divisor
  /// that is 0 is an error of the program when it runs.
  OpFoldResult divide(OpFoldResult size, OpFoldResult divisor);
  /// The same of a size that has to be a multiple, as expectEqual() demands it:
  /// {0} and {1} of the message are the size and the divisor.
  FailureOr<OpFoldResult> divideExactly(OpFoldResult size, int64_t divisor,
                                        const Twine &message);
  /// An index as an i64.
  Value toInteger(OpFoldResult index);

  /// The tensor with `sizes`, of which each must be that of `tensor` or is
  /// that of a new dimension: dimension `d` of `tensor` is dimension `dims[d]`
  /// of the result.
  FailureOr<Value> broadcastTo(Value tensor, ArrayRef<int64_t> dims,
                               ArrayRef<OpFoldResult> sizes);
  /// A part of the tensor.
  FailureOr<Value> slice(Value input, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> steps);
  /// `size` elements along `dim` from `offset` on.
  FailureOr<Value> sliceDim(Value input, int64_t dim, OpFoldResult offset,
                            OpFoldResult size);
  /// The tensor without `dims`, all of size 1.
  FailureOr<Value> squeeze(Value input, ArrayRef<int64_t> dims);
  /// The tensor as one of a type that has other sizes known.
  Value reshapeTo(Value tensor, RankedTensorType type);
  /// Dimension `dim` of `tensor`, which is open, is to have that size: if it is
  /// an argument's, this fails with a demand, else the program checks it.
  LogicalResult demandSize(Value tensor, int64_t dim, int64_t size);
  /// `tensor`, whose type says that size of an open dimension.
  FailureOr<Value> closeDim(Value tensor, int64_t dim, int64_t size);
  /// Fails unless dimension `dim` of `tensor` can have the size of dimension
  /// `otherDim` of `other`, without broadcasting: afterwards both types say
  /// the size if one did, and if none did the program checks it when it runs.
  LogicalResult demandSame(Value &tensor, int64_t dim, Value &other,
                           int64_t otherDim);

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// PyTorch promotes no 8-bit floats with tensors of another type, and no type
  /// has room for ui64 and for numbers below 0: which one is meant is for the
  /// program to say.
  LogicalResult checkPromotion(ArrayRef<Value> operands);

  /// A number as a scalar of `element`, or a tensor of it where there are no
  /// scalars; a diagnostic if it does not hold it.
  FailureOr<Value> makeNumber(Type element, double number);
  /// A tensor or scalar in another element type.
  FailureOr<Value> cast(Value value, Type element);
  /// The scalar as a tensor.
  FailureOr<Value> fill(Type element, Value scalar,
                        ArrayRef<OpFoldResult> sizes);
  /// An op of the dialect, verified. Its type follows from its operands.
  FailureOr<Value> create(StringRef mnemonic, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes = {},
                          Type resultType = {});
  /// Verifies an op; erases it if it is wrong.
  FailureOr<Value> verify(Operation *op);
  /// An element-wise op of tensors and scalars, promoted and broadcast.
  /// `condition` says that the first operand is one, of type i1.
  FailureOr<Value> elementwise(StringRef mnemonic, ArrayRef<Value> operands,
                               Promotion promotion = Promotion::Default,
                               ArrayRef<NamedAttribute> attributes = {},
                               bool condition = false);
  FailureOr<Value> compare(fusion::CmpPredicate predicate, Value lhs,
                           Value rhs);
  /// The results of an op by its name, as a part of this one.
  Results apply(StringRef name, ArrayRef<Value> operands,
                ArrayRef<NamedAttribute> attributes = {});
  /// The tensors, all of the shape that they broadcast to.
  Results broadcast(ArrayRef<Value> tensors);
  NamedAttribute intAttr(StringRef name, int64_t number) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(number));
  }
  NamedAttribute intsAttr(StringRef name, ArrayRef<int64_t> numbers) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers));
  }
  NamedAttribute textAttr(StringRef name, StringRef text) {
    return builder.getNamedAttr(name, builder.getStringAttr(text));
  }
  NamedAttribute typeAttr(Type element) {
    return textAttr("type", getElementTypeName(element));
  }
  FailureOr<Value> where(Value condition, Value trueValue, Value falseValue) {
    return elementwise("where", {condition, trueValue, falseValue},
                       Promotion::Default, {}, /*condition=*/true);
  }

private:
  /// The shape that tensors among `operands` have in common, broadcast.
  FailureOr<SmallVector<OpFoldResult>> unifyShapes(ArrayRef<Value> operands);
  /// A size, and the dimension of a tensor that has it.
  struct Extent {
    OpFoldResult size;
    Value tensor;
    int64_t dim = 0;
  };
  LogicalResult unify(Extent &extent, Value tensor, int64_t dim);
  FailureOr<Value> elementwiseOfTensors(StringRef mnemonic, Type element,
                                        ArrayRef<Value> operands,
                                        ArrayRef<NamedAttribute> attributes);
  FailureOr<Value> elementwiseOfScalars(StringRef mnemonic,
                                        ArrayRef<Value> operands,
                                        ArrayRef<NamedAttribute> attributes,
                                        Type resultType);

  ArrayRef<Value> left;
  KnownSizes *sizes; ///< May be null.
};

/// With the attribute `checked`, constants among indices along `dim` are
/// numbers of elements: else it fails, or the program, if the size is open.
LogicalResult checkConstantIndices(Emitter &e, Value tensor, int64_t dim,
                                   Value indices);

/// How an op by name is emitted, and which attributes it takes.
struct OpHandler {
  Results (*emit)(Emitter &emitter);
  /// Names, separated by spaces.
  StringRef attributes;
  /// The same of operands, or empty: "x eps has_weight?weight sizes...", where
  /// the flag says whether there is a weight, and the last ones are any number.
  StringRef operands = "";
};

/// What each file knows, by name.
using HandlerMap = llvm::StringMap<OpHandler>;
void addElementwiseOps(HandlerMap &map);
void addCompositeOps(HandlerMap &map);
void addReshapeOps(HandlerMap &map);
void addShapeOps(HandlerMap &map);
void addArrangementOps(HandlerMap &map);
void addFactoryOps(HandlerMap &map);
void addGatherOps(HandlerMap &map);
void addFibreOps(HandlerMap &map);
void addScatterOps(HandlerMap &map);
void addReductionOps(HandlerMap &map);
void addContractionOps(HandlerMap &map);
void addNormOps(HandlerMap &map);
void addNumpyOps(HandlerMap &map);
void addLossOps(HandlerMap &map);
void addActivationOps(HandlerMap &map);
void addDistanceOps(HandlerMap &map);
void addAttentionOps(HandlerMap &map);
void addProductOps(HandlerMap &map);
void addEinsumOps(HandlerMap &map);
void addVectorProductOps(HandlerMap &map);
void addQuantileOps(HandlerMap &map);
void addScaleLayoutOps(HandlerMap &map);
void addQuantizationOps(HandlerMap &map);

/// The number of an arith.constant of a scalar; null for other values.
TypedAttr getNumber(Value value);
inline bool isTensor(Value value) { return fusion::isTensor(value); }
inline Type getElement(Value value) { return getElementTypeOrSelf(value); }

/// One value as results.
inline Results single(FailureOr<Value> value) {
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}

} // namespace fuser::frontend

#endif // FUSER_LIB_FRONTEND_EMITTER_H
