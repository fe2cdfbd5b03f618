//===- Products.cpp - Products of matrices with scales, and of groups -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In plain form: factors times their scales, then one product, in f32, of f64
// in f64. Each result is rounded once.
//
//===----------------------------------------------------------------------===//

#include "ScaleLayouts.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace fuser;
using namespace fuser::frontend;

//===----------------------------------------------------------------------===//
// Factors and their scales
//===----------------------------------------------------------------------===//

namespace {
/// Two factors, the result's element type, and what the product is scaled by.
struct Product {
  Term lhs, rhs;
  Type type;
  /// Numbers that the product is times.
  SmallVector<Term> after;
};
} // namespace

/// A scale of blocks along `dim` of `matrix`, each of `repeats` elements.
static Term spreadScale(const Term &matrix, const Term &scale, int64_t dim,
                        int64_t repeats) {
  Emitter &e = matrix.emitter();
  Type wide = matrix.getWideType();
  Term spread =
      repeats == 1
          ? scale
          : scale.apply("repeat_interleave", {},
                        {e.intAttr("dim", dim), e.intAttr("repeats", repeats)});
  return matrix.castTo(wide) * spread.castTo(wide);
}

/// `matrix` times a scale of blocks of `block` elements along `dim`, what is
/// summed over, in tiles: its rows are those of a matrix that is summed over
/// along its last dimension.
static FailureOr<Term> applyTiles(const Term &matrix, const Term &tiles,
                                  int64_t dim, int64_t block) {
  Emitter &e = matrix.emitter();
  int64_t rank = matrix.rank(), last = rank - 1;
  int64_t size = matrix.type().getDimSize(dim);
  if (!ShapedType::isDynamic(size) && size % block != 0)
    return e.error() << "a 'swizzled_block' that divides dimension " << dim
                     << " of " << matrix.type() << ", got " << block;
  if (tiles.rank() != rank)
    return e.error() << "scales of " << rank << " dimensions, for "
                     << matrix.type() << ", got " << tiles.type();
  OpFoldResult rows = e.getDim(matrix.get(), dim == last ? last - 1 : last);
  OpFoldResult columns = e.divide(e.getDim(matrix.get(), dim), block);
  Term scale = unswizzleScales(tiles, rows, columns);
  return spreadScale(matrix, dim == last ? scale : scale.transpose(), dim,
                     block);
}

/// `matrix` times `scale`, which is one number, or has the dimensions of the
/// matrix, and along `dim`, what is summed over, one number for as many
/// elements in a row. One number is left for the product. With a `block` scales
/// of blocks are in tiles.
static FailureOr<Term> applyScale(Product &product, const Term &matrix,
                                  const Term &scale, int64_t dim,
                                  int64_t block) {
  Emitter &e = matrix.emitter();
  RankedTensorType type = scale.type();
  if (type.hasStaticShape() && type.getNumElements() == 1) {
    product.after.push_back(
        scale.shaped("reshape", {}).castTo(matrix.getWideType()));
    return matrix;
  }
  if (block != 0)
    return applyTiles(matrix, scale, dim, block);
  int64_t size = matrix.type().getDimSize(dim),
          blocks = scale.rank() == matrix.rank() ? type.getDimSize(dim) : 0;
  bool isKnown = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(blocks);
  if (blocks != 1 && (!isKnown || blocks < 1 || size % blocks != 0))
    return e.error() << "a scale of one number, or of the dimensions of "
                     << matrix.type() << " with a number of elements in "
                     << "dimension " << dim << " that divides its size, got "
                     << type;
  return spreadScale(matrix, scale, dim, blocks == 1 ? 1 : size / blocks);
}

/// What a library multiplies: 8-bit floats as bf16, which has them all.
static Term widenFactor(const Term &factor) {
  if (!factor || factor.element().getIntOrFloatBitWidth() > 8)
    return factor;
  return factor.castTo(factor.emitter().builder.getBF16Type());
}

/// The size of the blocks of scales that are in tiles, of the types that tensor
/// cores take; 0 of others.
static int64_t getTiled(const Term &scale) {
  bool isTiled = scale.rank() > 1 &&
                 isa<Float8E4M3FNType, Float8E8M0FNUType>(scale.element());
  return isTiled ? getBlockSize(scale.element()) : 0;
}

/// Scales, if they are there: of the left, and of the right factor.
static LogicalResult takeScales(Emitter &e, Product &product) {
  FailureOr<bool> hasScales = e.getFlag("has_scales");
  FailureOr<int64_t> block = e.getInt("swizzled_block", 0);
  FailureOr<bool> isSwizzled = e.getFlag("swizzled");
  if (failed(hasScales) || failed(block) || failed(isSwizzled))
    return failure();
  if (*block < 0 || (*block > 0 && !*hasScales))
    return e.error() << "scales beside a positive 'swizzled_block', got "
                     << *block << (*hasScales ? "" : " and no scales");
  if (!*hasScales)
    return success();
  std::pair<Term *, int64_t> factors[] = {
      {&product.lhs, product.lhs.rank() - 1},
      {&product.rhs, product.rhs.rank() - 2}};
  for (auto [factor, dim] : factors) {
    FailureOr<Term> scale = takeFloats(e);
    if (failed(scale))
      return failure();
    FailureOr<Term> scaled = applyScale(
        product, *factor, *scale, dim, *isSwizzled ? getTiled(*scale) : *block);
    if (failed(scaled))
      return failure();
    *factor = *scaled;
  }
  return success();
}

/// Two matrices or batches of them, of floats, and the type of the result.
static FailureOr<Product> takeProduct(Emitter &e) {
  FailureOr<Term> lhs = takeFloats(e);
  if (failed(lhs))
    return failure();
  FailureOr<Term> rhs = takeFloats(e);
  if (failed(rhs))
    return failure();
  if (lhs->rank() < 2 || rhs->rank() < 2)
    return e.error() << "tensors of at least two dimensions, got "
                     << lhs->type() << " and " << rhs->type();
  Type type = promoteOperands({lhs->get(), rhs->get()});
  if (e.has("type")) {
    FailureOr<Type> given = e.getType("type");
    if (failed(given))
      return failure();
    type = *given;
  }
  return Product{*lhs, *rhs, type, {}};
}

/// Both factors in the type that they have in common.
static LogicalResult unifyFactors(Product &product) {
  product.lhs = widenFactor(product.lhs);
  product.rhs = widenFactor(product.rhs);
  if (!product.lhs || !product.rhs)
    return failure();
  Type element = promoteOperands({product.lhs.get(), product.rhs.get()});
  product.lhs = product.lhs.castTo(element);
  product.rhs = product.rhs.castTo(element);
  return success(product.lhs && product.rhs);
}

/// alpha * product + beta * bias, of what is there.
static Results finishProduct(Emitter &e, const Product &product, Term sum) {
  FailureOr<bool> hasAlpha = e.getFlag("has_alpha"),
                  hasBias = e.getFlag("has_bias"),
                  hasBeta = e.getFlag("has_beta");
  if (failed(hasAlpha) || failed(hasBias) || failed(hasBeta))
    return failure();
  if (*hasBeta && !*hasBias)
    return e.error() << "a bias beside 'has_beta', got none";
  for (const Term &scale : product.after)
    sum = sum * scale;
  SmallVector<Term> given;
  for (bool isThere : {*hasAlpha, *hasBias, *hasBeta}) {
    Value operand = isThere ? e.takeOperand() : Value();
    if (isThere && !operand)
      return e.error() << "an operand for each of alpha, bias and beta that "
                          "is there, got "
                       << e.countOperands() << e.listOperands();
    given.push_back(Term(e, operand));
  }
  if (failed(e.checkNoneLeft()))
    return failure();
  if (*hasAlpha)
    sum = sum * given[0];
  if (*hasBias)
    sum = sum + (*hasBeta ? given[1] * given[2] : given[1]);
  return finish(sum.castTo(product.type));
}

/// Operands are two matrices or batches of them, a scale of each, alpha, a bias
/// and beta.
static Results emitScaledProduct(Emitter &e) {
  FailureOr<Product> product = takeProduct(e);
  if (failed(product) || failed(takeScales(e, *product)) ||
      failed(unifyFactors(*product)))
    return failure();
  Type wide = product->lhs.getWideType();
  Term sum = product->lhs.apply("matmul", product->rhs, e.typeAttr(wide));
  return finishProduct(e, *product, sum);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The product of all groups with all of the other factor; of each row or
/// column that of its own group, 0 behind the last group. The number of a group
/// is how many of the ends `offsets` come before.
static Term selectGroups(const Product &product, const Term &offsets,
                         bool isRow) {
  Emitter &e = offsets.emitter();
  Type wide = product.lhs.getWideType();
  Term lhs = isRow ? product.lhs.unsqueeze(0) : product.lhs;
  Term rhs = isRow ? product.rhs : product.rhs.unsqueeze(0);
  Term all = lhs.apply("matmul", rhs, e.typeAttr(wide));
  const Term &divided = isRow ? product.lhs : product.rhs;
  Term group = countBounds(offsets, e.getDim(divided.get(), isRow ? 0 : 1));
  group = isRow ? group.unsqueeze({0, 2}) : group.unsqueeze({0, 1});
  Term count(e, e.toInteger(e.getDim(offsets.get(), 0)));
  Term chosen = all.apply("take_along_axis", group, e.intAttr("dim", 0));
  chosen = choose(group.compare("lt", count), chosen, makeFloat(e, 0));
  return chosen.squeeze(0);
}

/// Each group's part of what is summed.
static Term sumGroups(const Product &product, const Term &offsets) {
  Emitter &e = offsets.emitter();
  Type wide = product.lhs.getWideType();
  Term group = countBounds(offsets, e.getDim(product.lhs.get(), 1));
  Term number = makeRange(e, e.getDim(offsets.get(), 0), 0).unsqueeze({1, 2});
  Term isIn = group.unsqueeze({0, 1}).compare("eq", number);
  Term zero = makeFloat(e, 0);
  Term lhs = choose(isIn, product.lhs.unsqueeze(0), zero);
  Term rhs = choose(group.unsqueeze({0, 2}).compare("eq", number),
                    product.rhs.unsqueeze(0), zero);
  return lhs.apply("matmul", rhs, e.typeAttr(wide));
}

/// Operands are two factors and where groups end, then as above. With three
/// dimensions the first one of a factor counts groups.
static Results emitGroupedProduct(Emitter &e) {
  FailureOr<Product> product = takeProduct(e);
  if (failed(product))
    return failure();
  FailureOr<Term> offsets = takeOffsets(e, "offsets");
  if (failed(offsets) || !offsets->get())
    return failure();
  int64_t left = product->lhs.rank(), right = product->rhs.rank();
  if (left + right > 5 || left > 3 || right > 3)
    return e.error() << "two factors of two dimensions, or one of three, got "
                     << product->lhs.type() << " and " << product->rhs.type();
  if (failed(takeScales(e, *product)) || failed(unifyFactors(*product)))
    return failure();
  // One matrix a group.
  if (left != right &&
      failed(
          demandSame(left == 3 ? product->lhs : product->rhs, 0, *offsets, 0)))
    return failure();
  Term sum = left == right ? sumGroups(*product, *offsets)
                           : selectGroups(*product, *offsets, left == 2);
  return finishProduct(e, *product, sum);
}

namespace {
/// Rows in groups, times a matrix of each group, with scales in tiles.
struct GroupedTiles {
  Product product;
  Term ofRows, ofMatrices, alpha, sizes, starts, padded;
};
} // namespace

static FailureOr<GroupedTiles> takeGroupedTiles(Emitter &e) {
  FailureOr<Product> product = takeProduct(e);
  if (failed(product))
    return failure();
  SmallVector<Term> given;
  for (int64_t number = 0; number < 4; ++number) {
    FailureOr<Term> operand = number < 3 ? takeFloats(e) : takeAny(e);
    if (failed(operand))
      return failure();
    given.push_back(*operand);
  }
  FailureOr<Term> starts = takeOffsets(e, "where groups begin");
  if (failed(starts))
    return failure();
  FailureOr<Term> padded = takeOffsets(e, "where groups of scales begin");
  if (failed(padded) || failed(e.checkNoneLeft()))
    return failure();
  if (product->lhs.rank() != 2 || product->rhs.rank() != 3 ||
      given[0].rank() != 2)
    return e.error() << "factors of M x K and G x K x N, and scales of two "
                        "dimensions, got "
                     << product->lhs.type() << ", " << product->rhs.type()
                     << " and " << given[0].type();
  if (given[2].rank() != 1 || given[3].rank() != 2 ||
      !given[3].element().isInteger())
    return e.error() << "a factor for each group and G x 3 integers, got "
                     << given[2].type() << " and " << given[3].type();
  if (!starts->get() || !padded->get())
    return failure();
  for (Term *ofGroups : {&given[1], &given[2], &given[3], &*starts, &*padded})
    if (failed(demandSame(*ofGroups, 0, product->rhs, 0)))
      return failure();
  return GroupedTiles{*product, given[0], given[1], given[2],
                      given[3], *starts,  *padded};
}

/// Each row of `sum` times the factor of its group.
static Term scaleGroups(const Term &sum, const Term &alpha, const Term &ends,
                        OpFoldResult rows) {
  Emitter &e = sum.emitter();
  Term last(e, e.toInteger(e.getDim(ends.get(), 0)));
  last = last - makeInteger(e, 1);
  Term group = countBounds(ends, rows).apply("min", last);
  Term factor = alpha.apply("take", group, e.intAttr("dim", 0));
  return sum * factor.castTo(sum.element()).unsqueeze(1);
}

/// Operands are the factors, their scales, a factor for each group, the sizes
/// of each group's product, of which the first is its rows, and where each
/// begins among rows, and among rows of scales.
static Results emitBlockScaledGroupedProduct(Emitter &e) {
  FailureOr<GroupedTiles> of = takeGroupedTiles(e);
  if (failed(of))
    return failure();
  Product &product = of->product;
  int64_t block = getBlockSize(of->ofRows.element());
  OpFoldResult rows = e.getDim(product.lhs.get(), 0),
               columns = e.divide(e.getDim(product.lhs.get(), 1), block);
  Term scales =
      unswizzleScales(of->ofRows, e.getDim(of->ofRows.get(), 0), columns);
  if (!scales)
    return failure();
  scales = unpadGroups(scales, of->starts, of->padded, rows);
  product.lhs = spreadScale(product.lhs, scales, 1, block);
  FailureOr<Term> matrices = applyTiles(product.rhs, of->ofMatrices, 1, block);
  if (failed(matrices) || !product.lhs)
    return failure();
  product.rhs = *matrices;
  Term ends = of->sizes.apply("select", {},
                              {e.intAttr("dim", 1), e.intsAttr("index", 0)});
  ends = of->starts + ends.castTo(of->starts.element());
  if (failed(unifyFactors(product)) || !ends)
    return failure();
  Term sum = selectGroups(product, ends, /*isRow=*/true);
  if (!sum)
    return failure();
  return finish(scaleGroups(sum, of->alpha, ends, rows).castTo(product.type));
}

void frontend::addProductOps(HandlerMap &map) {
  map["scaled_mm"] = {
      emitScaledProduct,
      "type has_scales swizzled swizzled_block has_alpha has_bias has_beta",
      "a b has_scales?scale_a has_scales?scale_b has_alpha?alpha has_bias?bias "
      "has_beta?beta"};
  map["grouped_mm"] = {
      emitGroupedProduct, "type has_scales has_alpha has_bias has_beta",
      "a b offsets has_scales?scale_a has_scales?scale_b has_alpha?alpha "
      "has_bias?bias has_beta?beta"};
  map["block_scaled_grouped_mm"] = {
      emitBlockScaledGroupedProduct, "type",
      "a b scale_a scale_b alpha sizes starts starts_of_scales"};
}
