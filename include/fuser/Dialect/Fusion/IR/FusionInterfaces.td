//===- FusionInterfaces.td - Family interfaces of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes and emitters dispatch on these interfaces and never on op classes, so that an op of a known
// family needs no change in any of them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONINTERFACES_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONINTERFACES_TD

include "mlir/IR/OpBase.td"

def Fusion_TensorOpInterface : OpInterface<"TensorOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    Every op of the dialect that computes tensors. Its shape is a function of the sizes of its
    operands and of its scalar operands.
  }];
  let methods = [
    InterfaceMethod<[{
        The size of dimension `dim` of result `result`, from the sizes of the operands
        (`ctx.dim`) and the scalar operands (`ctx.scalar`). Static sizes come as attributes.
      }],
      "::mlir::OpFoldResult", "reifyDim",
      (ins "::fuser::fusion::EmitContext &":$ctx, "unsigned":$result, "int64_t":$dim)>,
  ];
}

def Fusion_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One result, whose element at an index depends on the elements of the tensor operands at that same
    index. All tensor operands and the result have the same shape.

    There are no element-wise ops of several results: a function that gives two numbers (a mantissa and an exponent)
    is two ops. Where one kernel has both, what they have in common is computed once, as its arithmetic is emitted element by element
    and simplified; and each result has a type, an error bound and a cost of its own, and can be left out.
  }];
  let methods = [
    InterfaceMethod<[{
        Emits the element. `operands` holds the element (scalar) or elements (1-D vector) of every
        tensor operand, in its *compute type*: `f32` for `f16` and `bf16` tensors, else the element type
        (all floats are `f64` in the reference). Returns a value of compute type `resultType`
        (scalar or vector of the same length). Rounding to the result's element type is the emitter's.
      }],
      "::mlir::Value", "emitElement",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::ValueRange":$operands,
           "::mlir::Type":$resultType)>,
    InterfaceMethod<[{
        True if the element needs no rounding to the result's element type: it is one of the operands'
        elements, perhaps with another sign (max, neg, where, ...), or not a float.
      }],
      "bool", "isExact", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        The cost of one element in simple arithmetic instructions: 1 for an addition, about 20 for a
        transcendental function.
      }],
      "unsigned", "getElementCost", (ins), "", [{ return 1; }]>,
    InterfaceMethod<[{
        True if the op rounds floats to a narrower type because the program says so (a cast from f64 to f32). The
        reference, which keeps what is f32 in f64, rounds results of such ops only, and all that are f16 or bf16.
      }],
      "bool", "isNarrowing", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        How far the element of a kernel may be from the one in the reference, both of the same operands' elements and before
        they are rounded to f16 or bf16, or by a narrowing: in units in the last place, at the element, of the compute type.
        A half is what rounding to nearest gives: an element that f32 holds is then exact. `fuser-run --check` allows
        this much. The default is right for one instruction, and for a function that is right to 4 units.
      }],
      "double", "getErrorUnits", (ins), "", [{
        if ($_op.isExact())
          return 0;
        return $_op.getElementCost() <= 1 ? 0.5 : 4;
      }]>,
  ];
}

def Fusion_SampledOpInterface : OpInterface<"SampledOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    An element-wise op without attributes of its own that random programs (`fuser-fuzz`) have, and what they need to know to make
    one. Its type follows from its operands.
  }];
  let methods = [
    StaticInterfaceMethod<"True if tensors of this element type are operands.",
      "bool", "takesElement", (ins "::mlir::Type":$element)>,
    StaticInterfaceMethod<"The greatest magnitude that float operands are given; infinite if any will do.",
      "double", "getOperandLimit", (ins)>,
    StaticInterfaceMethod<"The least that the first float operand is given; 0 if it may be negative.",
      "double", "getLeastOperand", (ins)>,
    StaticInterfaceMethod<[{
        A limit of the result's magnitude for operands of magnitudes up to `x` and `y` (the same for one).
      }],
      "double", "getResultLimit", (ins "double":$x, "double":$y)>,
  ];
}

def Fusion_IndexMapOpInterface : OpInterface<"IndexMapOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One result, each of whose elements is an element of one of the tensor operands, its *sources* (broadcast, permute,
    reshape, slice, cat, take), or, where none of them is valid, a *fill* (pad). Which element may depend on elements of other
    tensor operands, the *selectors* (the indices of a take), which follow the sources. It costs index arithmetic and no memory.
  }];
  let methods = [
    InterfaceMethod<"How many of the tensor operands, the first ones, are sources.",
      "unsigned", "getNumSources", (ins), "", [{
        return ::fuser::fusion::getTensorOperands($_op).size();
      }]>,
    InterfaceMethod<[{
        The index into tensor operand `operand` (counting tensor operands only) of the element that
        the result has at `resultIndex`. For a scalar operand list see `ctx.scalar`. Of a selector, the element that decides;
        a source may ask for it (`ctx.selector`).
      }],
      "::fuser::fusion::MappedIndex", "mapIndex",
      (ins "::fuser::fusion::EmitContext &":$ctx, "unsigned":$operand,
           "::mlir::ValueRange":$resultIndex)>,
    InterfaceMethod<"True if no source may be valid: `emitFill` gives such elements.",
      "bool", "hasFill", (ins), "", [{ return false; }]>,
    InterfaceMethod<"The element where no source is valid, a scalar of compute type `resultType`.",
      "::mlir::Value", "emitFill",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Type":$resultType), "", [{ return nullptr; }]>,
    InterfaceMethod<"The sizes of different tensor operands that must be equal.",
      "::llvm::SmallVector<::fuser::fusion::EqualDims>", "getEqualDims", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
        For analysis: the map from result dimensions to operand dimensions if it is affine with
        static coefficients, else null. Constants (offsets) that are dynamic give null.
      }],
      "::mlir::AffineMap", "getAffineIndexMap", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
        For analysis: the largest power of two `w` not above `width` such that, for every result index
        whose last coordinate is a multiple of `w`, the `w` result elements from there on are `w`
        elements of one operand, all valid or all not, that are neighbours in the operand's last
        dimension (or one and the same element), starting at a multiple of `w` unless they are one.
        1 is always right. `divisors` says what open sizes and offsets are multiples of.
      }],
      "int64_t", "getContiguousWidth",
      (ins "int64_t":$width, "const ::fuser::fusion::SizeDivisors &":$divisors), "", [{ return 1; }]>,
    InterfaceMethod<[{
        True if neighbours in the result's last dimension are one and the same element of
        operand `operand` (a broadcast of the last dimension).
      }],
      "bool", "isUniformInLastDim", (ins "unsigned":$operand), "", [{ return false; }]>,
    InterfaceMethod<[{
        True if the elements of the result in row-major order are all those of its one tensor operand in row-major order
        (a reshape). Of dense memory it is a view, whatever its index map is. That there are as many must be checked where
        sizes are values.
      }],
      "bool", "keepsLinearOrder", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        For views (results that are other strides of an operand's memory): each coordinate of the operand as a linear function
        of the result's, where it is one, in values where the builder stands (`ctx`) or, if they are static, attributes. Only
        for ops all of whose elements are elements of this operand; hence none unless the op says otherwise, for which
        `getStridedIndices` makes it from an affine map.
      }],
      "::std::optional<::llvm::SmallVector<::fuser::fusion::StridedIndex>>", "getStridedMap",
      (ins "::fuser::fusion::EmitContext &":$ctx, "unsigned":$operand), "", [{ return ::std::nullopt; }]>,
    InterfaceMethod<[{
        The dimension of the result that goes along with dimension `dim` of tensor operand `operand`: where both are cut into as
        many equal ranges, the elements of a range of one are those of the same range of the other. -1 if there is none. The
        default takes it from the affine map; it is right for ops that read all of the operand.
      }],
      "int64_t", "getResultDim", (ins "unsigned":$operand, "int64_t":$dim), "", [{
        ::mlir::AffineMap map = $_op.getAffineIndexMap(operand);
        if (!map)
          return -1;
        auto expr = ::llvm::dyn_cast<::mlir::AffineDimExpr>(map.getResult(dim));
        return expr ? static_cast<int64_t>(expr.getPosition()) : -1;
      }]>,
    InterfaceMethod<[{
        Changes the size that the op states for dimension `dim` of its result, if it states one, to a `parts`-th of it: ops that
        compute the new size go where `builder` stands.
      }],
      "void", "divideResultSize", (ins "::mlir::OpBuilder &":$builder, "int64_t":$dim, "int64_t":$parts), "", [{ return; }]>,
    InterfaceMethod<[{
        Brings what the op states of dimensions up to date where its sources and its result have got one more each, of `size` elements and
        behind all others: what it moved, it moves together with these. False if it cannot; then nothing has changed.
      }],
      "bool", "appendDim", (ins "int64_t":$size), "", [{ return false; }]>,
    InterfaceMethod<[{
        The dimension of the result along which the sources lie one behind the other, each of them whole (a cat); none if they do not.
      }],
      "::std::optional<int64_t>", "getJoinedDim", (ins), "", [{ return ::std::nullopt; }]>,
  ];
}

def Fusion_ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One tensor operand, reduced over some of its dimensions into one result. The reduction is a monoid over one or
    more accumulators, each of a type of its own: prepare maps an element, and where it is if the op asks for that, into
    accumulators, combine is associative, finalize maps the accumulators to the result's element.
  }];
  let methods = [
    InterfaceMethod<"The reduced dimensions of the operand, ascending.",
      "::llvm::SmallVector<int64_t>", "getReductionDims", (ins)>,
    InterfaceMethod<"True if reduced dimensions stay in the result with size 1.",
      "bool", "getKeepsDims", (ins)>,
    InterfaceMethod<[{
        The types of the accumulators for operand elements of compute type `computeType` (scalar): floats and integers of
        32 or 64 bits, which is what all memory that threads share holds and moves.
      }],
      "::llvm::SmallVector<::mlir::Type>", "getAccumulatorTypes",
      (ins "::mlir::Type":$computeType)>,
    InterfaceMethod<[{
        The neutral accumulators, as scalars of `accumulatorTypes`.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitNeutral",
      (ins "::fuser::fusion::EmitContext &":$ctx,
           "::llvm::ArrayRef<::mlir::Type>":$accumulatorTypes)>,
    InterfaceMethod<[{
        Whether what an element is prepared to depends on where it is. Then `emitPrepare` gets positions.
      }],
      "bool", "needsPosition", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        The accumulators of one element (scalar or vector, of compute type). `accumulatorTypes` are
        scalars; vectors come out if `element` is one. `position` is null unless the op needs positions; then it is an
        i64, or a vector of them if `element` is one: the number of the element among those that are reduced to the same
        result, in row-major order of the reduced dimensions.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitPrepare",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Value":$element, "::mlir::Value":$position,
           "::llvm::ArrayRef<::mlir::Type>":$accumulatorTypes)>,
    InterfaceMethod<[{
        Whether the bits of the result depend neither on the order in which elements are combined nor on how often each is
        (a maximum): nothing is rounded on the way. Then emitters need not keep to the order of sums, and `--check` allows
        no error but the operand's.
      }],
      "bool", "isIdempotent", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{
        Whether the result is the position of one of the elements, an i64, that combine prefers to all others. `--check`
        lets it be that of another one which may be as good, as far as the elements may be off.
      }],
      "bool", "givesPosition", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Whether a result is a product: small errors, relative to the elements, add up to that of the result, relative to
        it. Else it is a sum: errors add up as they are.
      }],
      "bool", "isProduct", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        How results of equal parts of the reduced elements are combined to the result of all of them; none if they cannot be (a
        variance).
      }],
      "::std::optional<::fuser::fusion::ReduceKind>", "getPartialKind", (ins), "", [{ return ::std::nullopt; }]>,
    InterfaceMethod<"Combines two sets of accumulators (scalars, or vectors lane by lane).",
      "::llvm::SmallVector<::mlir::Value>", "emitCombine",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::ValueRange":$lhs,
           "::mlir::ValueRange":$rhs)>,
    InterfaceMethod<[{
        What a loop over elements in their order starts from, as scalars of `accumulatorTypes`. Combined with the accumulators of all
        elements, the first of which is at position 0, it changes nothing; with those of some it may.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitStart",
      (ins "::fuser::fusion::EmitContext &":$ctx,
           "::llvm::ArrayRef<::mlir::Type>":$accumulatorTypes), "", [{
        return $_op.emitNeutral(ctx, accumulatorTypes);
      }]>,
    InterfaceMethod<[{
        The same as `emitCombine` where all elements of `lhs` are in front of those of `rhs`, or `lhs` is what `emitStart` gives: positions,
        which are in order, need no comparison.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitCombineInOrder",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::ValueRange":$lhs,
           "::mlir::ValueRange":$rhs), "", [{
        return $_op.emitCombine(ctx, lhs, rhs);
      }]>,
    InterfaceMethod<[{
        The result's element in compute type `resultType` (scalar) from scalar accumulators. `count` is the
        number of elements reduced, an `index`.
      }],
      "::mlir::Value", "emitFinalize",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::ValueRange":$accumulators,
           "::mlir::Value":$count, "::mlir::Type":$resultType)>,
  ];
}

def Fusion_FibreOpInterface : OpInterface<"FibreOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One result. The elements of a tensor whose indices differ in one dimension only are a *fibre*. Each fibre of the result is
    computed of fibres of the operands as a whole (a scan, a sort, a scatter): what one of its elements is may depend on all of
    theirs, and on those of the result that are there already. It is never fused with other ops, and a kernel has each fibre computed
    by one thread, unless the op implements one of the three interfaces below and a scheduler asks them.
  }];
  let methods = [
    InterfaceMethod<"The dimension of the result that its fibres are along.", "int64_t", "getFibreDim", (ins)>,
    InterfaceMethod<[{
        The dimension of tensor operand `operand` along which positions count.
      }],
      "int64_t", "getOperandFibreDim", (ins "unsigned":$operand), "", [{ return $_op.getFibreDim(); }]>,
    InterfaceMethod<[{
        The index into tensor operand `operand` of the element at `position` of the fibre that goes with the result's at
        `resultIndex`, which is null in its dimension. By default the index but for that dimension is the result's.
      }],
      "::llvm::SmallVector<::mlir::Value>", "getFibreIndex",
      (ins "unsigned":$operand, "::llvm::ArrayRef<::mlir::Value>":$resultIndex, "::mlir::Value":$position), "", [{
        ::llvm::SmallVector<::mlir::Value> index(resultIndex);
        index[$_op.getFibreDim()] = position;
        return index;
      }]>,
    InterfaceMethod<[{
        Emits what computes one fibre of the result and stores it, in `scf`, `arith` and `math` ops, where the builder of `ctx.emit`
        stands; it stands behind that afterwards. All elements must be stored, and which ones are read must not depend on
        whether floats are rounded.
      }],
      "void", "emitFibre", (ins "::fuser::fusion::FibreContext &":$ctx)>,
    InterfaceMethod<"The sizes of different tensor operands that must be equal.",
      "::llvm::SmallVector<::fuser::fusion::EqualDims>", "getEqualDims", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
        Whether nothing is rounded on the way: each element is one of an operand's, or a position.
      }],
      "bool", "isExactFibre", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
        Whether elements are products, of which small errors are relative to the elements. Else the result grows, or stays, where an
        element of an operand of floats grows: `--check` rests on it.
      }],
      "bool", "isProduct", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Whether elements of tensor operand `operand` decide where elements go, and not what they are (the keys of a sort): their
        errors may make anything of the result.
      }],
      "bool", "isSelector", (ins "unsigned":$operand), "", [{ return false; }]>,
  ];
}

def Fusion_ScanOpInterface : OpInterface<"ScanOpInterface", [Fusion_FibreOpInterface]> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    Each element of the result is what the elements of a fibre of its one tensor operand up to there are combined to. The result has the type
    of the operand. Combining is associative, up to rounding, so that threads can share a fibre.
  }];
  let methods = [
    InterfaceMethod<"What none are combined to, of compute type `type`.",
      "::mlir::Value", "emitNeutral", (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Type":$type)>,
    InterfaceMethod<"What two neighbouring parts of a fibre are combined to; scalars or vectors of compute type.",
      "::mlir::Value", "emitCombined",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Value":$before, "::mlir::Value":$after)>,
    InterfaceMethod<"Whether parts that are no neighbours may be combined, and in any order.",
      "bool", "isCommutative", (ins), "", "return false;">,
  ];
}

def Fusion_OrderOpInterface : OpInterface<"OrderOpInterface", [Fusion_FibreOpInterface]> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    The elements of the result are where the elements of a fibre of its one tensor operand are in order, the first ones of them, and -1 where
    there are no more.
  }];
  let methods = [
    InterfaceMethod<[{
        An integer that is less, without a sign, where `element`, a scalar or vector of compute type, comes before in order, and is the same where
        positions decide. An i64 for an element type `type` of 64 bits, else an i32, of which it has as many of the lowest bits as `type`.
      }],
      "::mlir::Value", "emitSortKey",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Value":$element, "::mlir::Type":$type)>,
  ];
}

def Fusion_ScatterOpInterface : OpInterface<"ScatterOpInterface", [Fusion_FibreOpInterface]> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    Tensor operand 0 is what the result is at first, of its type; operand 1 are indices, as many along a fibre as operand 2, the updates, has elements. An element of the result is
    made of that of operand 0 and of the updates whose indices are its position, one after the other. So `emitFibre` of a fibre of one element, with those updates alone and indices of 0, emits what all updates
    make of it, and threads can share a fibre.
  }];
  let methods = [
    InterfaceMethod<"What an update makes of elements that are `before`: scalars or vectors of compute type.",
      "::mlir::Value", "emitUpdated",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::Value":$before, "::mlir::Value":$update)>,
    InterfaceMethod<"Whether an update takes the place of all that came before.", "bool", "isReplacing", (ins)>,
  ];
}

def Fusion_ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    Two tensor operands and one result. Each dimension of the three has a role: dimensions of the same role follow each other in
    the same order, without others between them, and have the same sizes wherever they are. *Batch*
    dimensions are in all three and come first, *rows* are in operand 0 and the result, *columns* in operand 1 and the result, *contracted* ones
    in both operands. An element of the result is the sum, over the indices in the contracted dimensions, of products of an
    element of each operand. In row-major order such a tensor is a matrix, or a batch of them: what libraries take.
  }];
  let methods = [
    InterfaceMethod<"The role of each dimension of operand `tensor`, or, for 2, of the result.",
      "::llvm::SmallVector<::fuser::fusion::DimRole>", "getDimRoles", (ins "unsigned":$tensor)>,
  ];
  let extraSharedClassDeclaration = [{
    /// Operand `number` or, for 2, the result.
    ::mlir::Value getContractedTensor(unsigned number) {
      return number == 2 ? $_op->getResult(0) : $_op->getOperand(number);
    }
    /// Its dimensions of this role, in order.
    ::llvm::SmallVector<int64_t> getDims(unsigned number, ::fuser::fusion::DimRole role) {
      ::llvm::SmallVector<int64_t> dims;
      for (auto [dim, found] : ::llvm::enumerate($_op.getDimRoles(number)))
        if (found == role)
          dims.push_back(dim);
      return dims;
    }
  }];
}

def Fusion_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One tensor operand, the first, and one result, which is made of what the operand is on the ranks of a group. Both are row-major in
    memory. It is never fused with other ops. The fusion dialect has no such ops: those of upstream's `shard` dialect implement it.
  }];
  let methods = [
    InterfaceMethod<[{
        Enqueues the communication in a host program, where `builder` stands. `operands` are what the op's operands are there, a
        buffer the first; `destination` is the buffer of the result. Emits an error if there is no such communication.
      }],
      "::llvm::LogicalResult", "emitTransfer",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands, "::mlir::Value":$destination)>,
  ];
}

def Fusion_FactoryOpInterface : OpInterface<"FactoryOpInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    One result, whose elements depend on their index and on scalar operands only.
  }];
  let methods = [
    InterfaceMethod<[{
        The element at `index`, a scalar of compute type `resultType`. Or as many elements as the vector type `resultType`
        has: then one coordinate is a vector of as many indices, and the others, which all of them share, are scalars.
      }],
      "::mlir::Value", "emitElement",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::mlir::ValueRange":$index,
           "::mlir::Type":$resultType)>,
    InterfaceMethod<"True if all elements are the same.", "bool", "isUniform", (ins), "",
      [{ return false; }]>,
    InterfaceMethod<[{
        True if recomputing the op where it is used is as good as reading it: the same elements at
        no noticeable cost.
      }],
      "bool", "isForwardable", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
        Of an op all of whose elements are the same (`isUniform`): a tensor of `type` of such elements, whose open sizes are `sizes`, which
        goes where `builder` stands. Null of others.
      }],
      "::mlir::Value", "emitUniform",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::RankedTensorType":$type, "::mlir::ValueRange":$sizes), "",
      [{ return nullptr; }]>,
  ];
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

// The program asks for the tensor that the op makes, though what it computes is trivial: nothing removes it.
def Fusion_RequestedCopy : NativeOpTrait<"RequestedCopy"> {
  let cppNamespace = "::fuser::fusion";
}

// Stands between segments: what computes its operand and what uses its result, equal tensors, never share one.
// fusion-segment removes it.
def Fusion_SegmentBoundary : NativeOpTrait<"SegmentBoundary"> {
  let cppNamespace = "::fuser::fusion";
}

// A kernel may compute f32 by an approximation, off by a few units in the last place, which costs less than the exact
// form. `fusion.exactness` says which one it is.
def Fusion_HasApproximateForm : NativeOpTrait<"HasApproximateForm"> {
  let cppNamespace = "::fuser::fusion";
}

// What the op computes last is a quotient. Programs rely on what exact quotients are (x / x is 1).
def Fusion_EndsInQuotient : NativeOpTrait<"EndsInQuotient"> {
  let cppNamespace = "::fuser::fusion";
}

// Small errors of the operands, relative to their values, make an error of the result that is no larger, relative to its
// value, than they are together: a product does, a difference does not. An index map does so without saying it.
def Fusion_KeepsRelativeErrors : NativeOpTrait<"KeepsRelativeErrors"> {
  let cppNamespace = "::fuser::fusion";
}

// Two operands, the last of which (or, with `scalar_first`, the last but one) may be a number instead, the attribute `scalar`.
def Fusion_TakesScalar : NativeOpTrait<"TakesScalar"> {
  let cppNamespace = "::fuser::fusion";
}

// No operand is of integers, as its type says: builders make floats of them for such an op.
def Fusion_TakesNoIntegers : NativeOpTrait<"TakesNoIntegers"> {
  let cppNamespace = "::fuser::fusion";
}

// Any error of an operand may make anything of the result (the bits of an integer, a remainder).
def Fusion_IsErratic : NativeOpTrait<"IsErratic"> {
  let cppNamespace = "::fuser::fusion";
}

// The decision of how a segment becomes a kernel, written on the segment.
def Fusion_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::fuser::fusion";
  let description = [{
    A schedule: one attribute for each scheduler. Heuristics write it, emission obeys it, a user
    can write it by hand.
  }];
  let methods = [
    InterfaceMethod<"The name of the scheduler it belongs to.", "::llvm::StringRef",
      "getSchedulerName", (ins)>,
    InterfaceMethod<[{
        Checks the schedule against the segment (an op of class SegmentOp).
      }],
      "::llvm::LogicalResult", "verifySchedule", (ins "::mlir::Operation *":$segment)>,
  ];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONINTERFACES_TD
