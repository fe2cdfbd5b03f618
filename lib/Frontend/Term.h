//===- Term.h - Formulas of ops by name -------------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composites are formulas of other ops that emitOp knows:
//
//   Term mean = x.reduce("mean", dims), y = (x - mean) * rstd;
//
// A term is null once an op has failed, and so are those that are made of it:
// whoever emits the results looks once. Errors name the op that was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FRONTEND_TERM_H
#define FUSER_LIB_FRONTEND_TERM_H

#include "Emitter.h"

namespace fuser::frontend {

class Term {
public:
  Term(Emitter &e, Value value) : e(&e), value(value) {}
  Term(Emitter &e, FailureOr<Value> value)
      : e(&e), value(succeeded(value) ? *value : Value()) {}

  explicit operator bool() const { return bool(value); }
  Value get() const { return value; }
  Emitter &emitter() const { return *e; }

  // What is known of a term, which must not be null.
  RankedTensorType type() const {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t rank() const { return type().getRank(); }
  Type element() const { return getElement(value); }
  bool isFloat() const { return isa<FloatType>(element()); }
  bool isTensor() const { return frontend::isTensor(value); }

  /// The result of an op by its name, of this operand and others.
  Term apply(StringRef name, ArrayRef<Term> others = {},
             ArrayRef<NamedAttribute> attributes = {}) const;
  Term castTo(Type element) const;
  /// The type that functions are computed in: f32 for narrow floats and
  /// integers.
  Type getWideType() const;
  Term widen() const { return castTo(getWideType()); }
  /// A reduction whose dimensions stay, with size 1.
  Term reduce(StringRef kind, ArrayRef<int64_t> dims) const;
  /// Sums over dimensions that go; of none the term itself.
  Term sumOver(ArrayRef<int64_t> dims) const;
  Term squeeze(ArrayRef<int64_t> dims) const;
  /// With new dimensions of size 1 at these places of the result.
  Term unsqueeze(ArrayRef<int64_t> dims) const;
  Term permute(ArrayRef<int64_t> dims) const;
  /// With the last two dimensions exchanged.
  Term transpose() const;
  /// `op` with the attribute `shape`: a reshape or an expand.
  Term shaped(StringRef op, ArrayRef<OpFoldResult> sizes) const;
  Term compare(StringRef predicate, const Term &other) const {
    return apply(predicate, other);
  }

private:
  Emitter *e;
  Value value;
};

/// Emitter::demandSame() of terms that are tensors.
LogicalResult demandSame(Term &x, int64_t dim, Term &other, int64_t otherDim);
/// The results of an op by its name, `count` of them, all null after a failure.
SmallVector<Term> applyAll(StringRef name, ArrayRef<Term> operands,
                           ArrayRef<NamedAttribute> attributes, size_t count);
/// Numbers that promote no tensor of floats, or none of numbers.
Term makeFloat(Emitter &e, double number);
Term makeInteger(Emitter &e, int64_t number);
/// Numbers from 0 on along `dim`, of i64.
Term makeRange(Emitter &e, ArrayRef<OpFoldResult> sizes, int64_t dim);
/// A number as errors have it.
std::string describeNumber(double number);
Term choose(const Term &condition, const Term &x, const Term &y);

inline Term operator+(const Term &x, const Term &y) {
  return x.apply("add", y);
}
inline Term operator-(const Term &x, const Term &y) {
  return x.apply("sub", y);
}
inline Term operator*(const Term &x, const Term &y) {
  return x.apply("mul", y);
}
inline Term operator/(const Term &x, const Term &y) {
  return x.apply("true_divide", y);
}
inline Term operator-(const Term &x) { return x.apply("neg"); }
inline Term operator+(const Term &x, double y) {
  return x + makeFloat(x.emitter(), y);
}
inline Term operator-(double x, const Term &y) {
  return makeFloat(y.emitter(), x) - y;
}
inline Term operator/(double x, const Term &y) {
  return makeFloat(y.emitter(), x) / y;
}
inline Term operator/(const Term &x, double y) {
  return x / makeFloat(x.emitter(), y);
}
inline Term operator*(const Term &x, double y) {
  return x * makeFloat(x.emitter(), y);
}

/// The next operand, which has to be a tensor.
FailureOr<Term> takeAny(Emitter &e);
/// The next operand; a number as a tensor without dimensions.
FailureOr<Term> takeTensorOrNumber(Emitter &e);
/// The only operand, as a tensor.
FailureOr<Term> takeOnly(Emitter &e);
/// The only two operands, as tensors.
FailureOr<std::pair<Term, Term>> takePair(Emitter &e);
/// The next operand, which has to be a tensor of floats.
FailureOr<Term> takeFloats(Emitter &e);
/// The next operand, a tensor if `isThere`; else none.
FailureOr<std::optional<Term>> takeIf(Emitter &e, bool isThere);
/// The next operand, a scalar, as f64.
FailureOr<Term> takeNumber(Emitter &e);
/// The next operand, an integer scalar, as i64. `what` it is, for errors: "a
/// seed".
FailureOr<Term> takeInteger(Emitter &e, StringRef what);
/// The next operand, the rate of a dropout: a number that is known is from 0 to
/// 1.
FailureOr<Term> takeRate(Emitter &e);
/// The terms as results of the op.
Results finish(ArrayRef<Term> terms);

/// Operands of a formula that is rounded once: tensors in the type that is
/// computed in, f32, of f64 f64, and numbers as they are.
class WideOperands {
public:
  WideOperands(ArrayRef<Term> terms, Type own) : terms(terms), own(own) {}

  const Term &operator[](size_t number) const { return terms[number]; }
  /// A number as the type has it that the operands are promoted to.
  Term getRounded(size_t number) const { return terms[number].castTo(own); }
  /// The result, rounded to the type that the operands are promoted to.
  Results finish(const Term &result) const {
    return frontend::finish(result.castTo(own));
  }

private:
  SmallVector<Term> terms;
  Type own;
};

/// All operands that are left, of which there are to be `count` and one has to
/// be a tensor; integers count as f32.
FailureOr<WideOperands> takeWide(Emitter &e, size_t count);

} // namespace fuser::frontend

#endif // FUSER_LIB_FRONTEND_TERM_H
