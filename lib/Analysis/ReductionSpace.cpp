//===- ReductionSpace.cpp - What reductions reduce together ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ReductionSpace.h"
#include "fuser/Analysis/Accesses.h"

using namespace fuser;
using fusion::ReductionOpInterface;
using fusion::SegmentOp;

/// Of the reductions of `space`, which has some.
static Decision setReducedSpace(const ShapeSymbols &symbols,
                                ReductionSpace &space) {
  space.tensor = space.reductions.front()->getOperand(0);
  space.reducedDims = space.reductions.front().getReductionDims();
  for (int64_t dim = 0; dim < space.getRank(); ++dim)
    if (!llvm::is_contained(space.reducedDims, dim))
      space.keptDims.push_back(dim);
  bool isOne = llvm::all_of(space.reductions, [&](ReductionOpInterface op) {
    return op.getReductionDims() == space.reducedDims &&
           symbols.getShape(op->getOperand(0)) ==
               symbols.getShape(space.tensor);
  });
  return isOne && space.getRank() != 0
             ? Decision::yes()
             : Decision::no("its reductions are over different rows");
}

Decision fuser::findReducedSpace(SegmentOp segment, const ShapeSymbols &symbols,
                                 ReductionSpace &space) {
  llvm::append_range(space.reductions,
                     segment.getBody().getOps<ReductionOpInterface>());
  if (space.reductions.empty())
    return Decision::no("it holds no reduction");
  return setReducedSpace(symbols, space);
}

static void setDepths(SegmentOp segment, ReductionSpace &space) {
  for (Operation &op : segment.getBody().front()) {
    unsigned deepest = 0;
    for (Value operand : op.getOperands())
      deepest = std::max(deepest, space.depths.lookup(operand));
    bool isOwn = llvm::is_contained(space.reductions, &op);
    for (Value value : op.getResults())
      space.depths[value] = deepest + isOwn;
  }
}

/// From the space to a tensor of `shape` with one element a row; null if it is
/// none.
static AffineMap getRowMap(const ReductionSpace &space,
                           const SymbolicShape &shape,
                           const ShapeSymbols &symbols) {
  MLIRContext *context = space.tensor.getContext();
  for (bool keepsDims : {true, false}) {
    SymbolicShape expected;
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < space.getRank(); ++dim) {
      bool isKept = space.isKept(dim);
      if (!isKept && !keepsDims)
        continue;
      expected.push_back(isKept ? symbols.getSize(space.tensor, dim) : 1);
      exprs.push_back(isKept ? getAffineDimExpr(dim, context)
                             : getAffineConstantExpr(0, context));
    }
    if (shape == expected)
      return AffineMap::get(space.getRank(), 0, exprs, context);
  }
  return {};
}

/// Whether `at`, the index in the result of `op` for one in the space, is that
/// of the own row.
static bool isOwnRow(ReductionOpInterface op, AffineMap at,
                     const ReductionSpace &space, const SymbolicShape &shape) {
  AffineMap index = at ? dropUnitDims(at, shape) : AffineMap();
  for (int64_t dim = 0, place = 0; dim < space.getRank(); ++dim) {
    bool isKept = space.isKept(dim);
    if (isKept && shape[dim] != 1 &&
        (!index ||
         index.getResult(place) != getAffineDimExpr(dim, op.getContext())))
      return false;
    if (isKept || op.getKeepsDims())
      ++place;
  }
  return true;
}

/// Whether what is made of reductions, of which `findSpace` gives the space,
/// is made of those of the own row.
static Decision
areOwnRows(ArrayRef<Access> starts, const SymbolicShape &shape,
           llvm::function_ref<bool(Value)> isReduced,
           llvm::function_ref<const ReductionSpace &(Operation *)> findSpace) {
  bool isOwn = true;
  walkAccesses(starts, [&](Value tensor, AffineMap at) {
    if (!isReduced(tensor))
      return false;
    Operation *op = tensor.getDefiningOp();
    if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
      isOwn &= isOwnRow(reduction, at, findSpace(op), shape);
      return false;
    }
    isOwn &=
        isa<fusion::ElementwiseOpInterface, fusion::IndexMapOpInterface>(op);
    return isOwn;
  });
  return isOwn ? Decision::yes()
               : Decision::no("the result of a reduction is needed in other "
                              "rows");
}

Decision fuser::findReductionSpace(SegmentOp segment,
                                   const ShapeSymbols &symbols,
                                   ReductionSpace &space) {
  if (Decision decision = findReducedSpace(segment, symbols, space); !decision)
    return decision;
  setDepths(segment, space);
  SymbolicShape shape = symbols.getShape(space.tensor);
  SmallVector<Access> starts;
  AffineMap identity = getIdentityMap(space.tensor);
  for (ReductionOpInterface op : space.reductions)
    starts.push_back({op->getOperand(0), identity});
  for (OpResult result : segment.getResults()) {
    SymbolicShape own = symbols.getShape(result);
    bool isFull = own == shape;
    (isFull ? space.fullResults : space.rowResults)
        .push_back(result.getResultNumber());
    AffineMap map = isFull ? identity : getRowMap(space, own, symbols);
    if (!map)
      return Decision::no("a result has neither an element for each element of "
                          "a row nor one for each row");
    starts.push_back({segment.getYielded(result.getResultNumber()), map});
  }
  return areOwnRows(
      starts, shape,
      [&](Value tensor) { return space.depths.lookup(tensor) != 0; },
      [&](Operation *) -> const ReductionSpace & { return space; });
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

/// Sets what reduces the last dimensions, and what reduces all the others.
static Decision splitReductions(SegmentOp segment, const ShapeSymbols &symbols,
                                ReductionSpace &rows, ReductionSpace &columns) {
  for (auto op : segment.getBody().getOps<ReductionOpInterface>()) {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    SmallVector<int64_t> dims = op.getReductionDims();
    bool isInner = llvm::is_contained(dims, type.getRank() - 1);
    (isInner ? rows : columns).reductions.push_back(op);
  }
  if (rows.reductions.empty() || columns.reductions.empty())
    return Decision::no("not both rows and columns are reduced");
  for (ReductionSpace *space : {&rows, &columns})
    if (Decision decision = setReducedSpace(symbols, *space); !decision)
      return decision;
  bool isOne =
      symbols.getShape(rows.tensor) == symbols.getShape(columns.tensor);
  bool areLast = rows.keptDims.empty() || rows.reducedDims.empty() ||
                 rows.keptDims.back() < rows.reducedDims.front();
  return isOne && areLast && columns.reducedDims == rows.keptDims
             ? Decision::yes()
             : Decision::no("what stays of its rows is not what is reduced of "
                            "its columns");
}

Decision fuser::findRowsAndColumns(SegmentOp segment,
                                   const ShapeSymbols &symbols,
                                   ReductionSpace &rows,
                                   ReductionSpace &columns) {
  if (Decision decision = splitReductions(segment, symbols, rows, columns);
      !decision)
    return decision;
  setDepths(segment, rows);
  setDepths(segment, columns);
  SymbolicShape shape = symbols.getShape(rows.tensor);
  AffineMap identity = getIdentityMap(rows.tensor);
  // What a kernel computes before it has the columns, and after it.
  SmallVector<Access> before, after;
  for (const ReductionSpace *space : {&rows, &columns})
    for (ReductionOpInterface op : space->reductions)
      before.push_back({op->getOperand(0), identity});
  if (llvm::any_of(before, [&](const Access &access) {
        return columns.depths.lookup(access.first) != 0;
      }))
    return Decision::no("a row needs what columns are reduced to");
  for (OpResult result : segment.getResults()) {
    unsigned number = result.getResultNumber();
    Value value = segment.getYielded(number);
    SymbolicShape own = symbols.getShape(result);
    bool isColumn = columns.depths.lookup(value) != 0;
    bool isFull = own == shape && !isColumn;
    ReductionSpace &space = isColumn ? columns : rows;
    AffineMap map = isFull ? identity : getRowMap(space, own, symbols);
    if (!map)
      return Decision::no("a result has neither an element for each element of "
                          "a row nor one for each row or column");
    (isFull ? rows.fullResults : space.rowResults).push_back(number);
    (isColumn ? after : before).push_back({value, map});
  }
  SmallVector<Access> starts = before;
  llvm::append_range(starts, after);
  return areOwnRows(
      starts, shape,
      [&](Value tensor) {
        return rows.depths.lookup(tensor) + columns.depths.lookup(tensor) != 0;
      },
      [&](Operation *op) -> const ReductionSpace & {
        return llvm::is_contained(rows.reductions, op) ? rows : columns;
      });
}
