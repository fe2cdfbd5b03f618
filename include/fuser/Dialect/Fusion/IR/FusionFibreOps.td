//===- FusionFibreOps.td - Scans, sorts and scatters -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONFIBREOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONFIBREOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

// Computes fibres of `input` along `dim`. The result has its shape but for `length` elements along `dim`, an optional number in C++,
// and elements of `element`, in C++ of that of the input, `type`.
class Fusion_FibreOp<string mnemonic, string length, string element, list<string> methods, list<Trait> traits = []>
    : Fusion_TensorOp<mnemonic, [DeclareOpInterfaceMethods<Fusion_FibreOpInterface, methods>,
                                 DeclareOpInterfaceMethods<InferTypeOpInterface>] # traits> {
  code fibreDefinition = reifyDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      auto input = ::llvm::dyn_cast<::mlir::RankedTensorType>(adaptor.getInput().getType());
      if (!input)
        return ::mlir::failure();
      [[maybe_unused]] ::mlir::Type type = input.getElementType();
      types.push_back(::fuser::fusion::getFibreType(input, adaptor.getDim(), }] # length # ", " # element # [{));
      return ::mlir::success();
    }
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned, int64_t dim) {
      return ::fuser::fusion::reifyDimOfOperand(ctx, getOperation(), dim);
    }
    int64_t $cppClass::getFibreDim() { return getDim(); }
  }];
  let extraClassDefinition = fibreDefinition;
  let hasVerifier = 1;
}

def Fusion_ScanOp : Fusion_FibreOp<"scan", "::std::nullopt", "type", ["isExactFibre", "isProduct"],
                                   [DeclareOpInterfaceMethods<Fusion_ScanOpInterface, ["isCommutative"]>]> {
  let summary = "sum, product, greatest or least of the elements up to each one";
  let description = [{
    `result[k]` is the sum (`sum`), the product (`prod`), the greatest (`max`) or the least (`min`) of `input[0]` to `input[k]` along
    `dim`, each fibre by itself. NaN among them gives NaN. It is `cumsum`, `cumprod`, and the values of `cummax` and `cummin` of PyTorch.

    Floats of 16 bits are accumulated in f32, and each element of the result is rounded from there; other types are accumulated in
    themselves, integers wrap. The order in which they are added depends on the length of the fibre, the element type and the target, and on
    nothing else: [which it is](../rationale/sums.md#scans).

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) The kind is `sum`, `prod`, `max` or `min`; of complex numbers `sum` or `prod`.
    - (C3) `result` has the type of `input`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.scan <sum> %x dim 1 : tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_ReduceKindAttr:$kind, Fusion_FieldTensor:$input, I64Attr:$dim);
  let results = (outs Fusion_FieldTensor:$result);
  let assemblyFormat = "$kind $input `dim` $dim attr-dict `:` type($input)";
  let hasCanonicalizeMethod = 1;
}

class Fusion_OrderOp<string mnemonic, string length>
    : Fusion_FibreOp<mnemonic, length, "::mlir::IntegerType::get(type.getContext(), 64)", ["isSelector"],
                     [DeclareOpInterfaceMethods<Fusion_OrderOpInterface>]> {
  let results = (outs Fusion_LongTensor:$result);
  let extraClassDefinition = fibreDefinition # [{
    bool $cppClass::isSelector(unsigned) { return true; }
  }];
}

def Fusion_ArgSortOp : Fusion_OrderOp<"argsort", "::std::nullopt"> {
  let summary = "where the elements of a fibre are in order";
  let description = [{
    Along `dim`, each fibre by itself, `result[k]` is the index of the element that has `k` elements before it in ascending order, or, with
    `descending`, in descending order. Of equal ones the one with the lower index is first (the order is *stable*), also with `descending`;
    -0 equals +0. NaN is greater than every number and equals NaN. Of i1, false is less than true. It is PyTorch's `argsort(stable=True)`.
    The sorted elements are what `take_along_axis` reads there.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `result` has i64 elements and the shape of `input`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xi64>) {
      %i = fusion.argsort %x dim 1 descending : tensor<?x8xf32>
      %v = fusion.take_along_axis %x, %i dim 1 : tensor<?x8xf32>, tensor<?x8xi64>
      return %v, %i : tensor<?x8xf32>, tensor<?x8xi64>
    }
    ```
  }];
  let arguments = (ins Fusion_RealTensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let assemblyFormat = [{
    $input `dim` $dim (`descending` $descending^)? attr-dict `:` type($input)
    custom<OrderType>(type($result), ref(type($input)))
  }];
}

def Fusion_ArgTopKOp : Fusion_OrderOp<"argtopk", "int64_t(adaptor.getK())"> {
  let summary = "where the first elements of a fibre in order are";
  let description = [{
    The first `k` elements along `dim` of what `argsort` with the same `descending` gives, at a lower cost: where the `k` least elements of
    each fibre are, or, with `descending`, the `k` greatest, in order. With `descending` these are the indices of PyTorch's `topk`, of which equal elements
    come in the order of their indices here. The elements themselves are what `take_along_axis` reads there.

    An open size that is less than `k` is an error when the program runs.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `k` is not negative, and no more than the size of `dim` where that is known.
    - (C3) `result` has i64 elements and the shape of `input`, with `k` in place of `dim`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
      %i = fusion.argtopk 2 %x dim 1 descending : tensor<?x8xf32>
      %v = fusion.take_along_axis %x, %i dim 1 : tensor<?x8xf32>, tensor<?x2xi64>
      return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
    }
    ```
  }];
  let arguments = (ins I64Attr:$k, Fusion_RealTensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let assemblyFormat = [{
    $k $input `dim` $dim (`descending` $descending^)? attr-dict `:` type($input)
    custom<TopType>(type($result), ref(type($input)), ref($k), ref($dim))
  }];
}

// A tensor, of which elements along `dim` are replaced by, or combined with, others. `indices` say which.
class Fusion_ScatterOpBase<string mnemonic, list<string> methods>
    : Fusion_FibreOp<mnemonic, "::std::nullopt", "type", ["isSelector", "isExactFibre", "isProduct", "getEqualDims"] # methods,
                     [DeclareOpInterfaceMethods<Fusion_ScatterOpInterface>]> {
  let arguments = (ins Fusion_Tensor:$input, Fusion_IndexTensor:$indices, Fusion_Tensor:$updates, I64Attr:$dim,
                       OptionalAttr<Fusion_ReduceKindAttr>:$combine);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dim` $dim (`combine` $combine^)? attr-dict `:` type($input) `,` type($indices) `,`
    type($updates)
  }];
  let extraClassDefinition = fibreDefinition # [{
    bool $cppClass::isSelector(unsigned operand) { return operand == 1; }
    bool $cppClass::isExactFibre() { return ::fuser::fusion::isExactScatter(*this, getCombine()); }
    bool $cppClass::isProduct() { return getCombine() == ::fuser::fusion::ReduceKind::Prod; }
    void $cppClass::emitFibre(::fuser::fusion::FibreContext &ctx) {
      ::fuser::fusion::emitScatter(ctx, *this);
    }
    bool $cppClass::isReplacing() { return !getCombine(); }
    ::mlir::Value $cppClass::emitUpdated(::fuser::fusion::EmitContext &ctx, ::mlir::Value before, ::mlir::Value update) {
      return getCombine() ? ::fuser::fusion::emitCombined(ctx, *getCombine(), getType().getElementType(), before, update) : update;
    }
  }];
}

def Fusion_ScatterOp : Fusion_ScatterOpBase<"scatter", ["getOperandFibreDim", "getFibreIndex"]> {
  let summary = "a tensor with other slices, by their numbers";
  let description = [{
    The elements of `input`, of which `result[i, indices[j], k]` is `updates[i, j, k]`: `i` are the dimensions before `dim`, `k` those
    after `dim`. It undoes what `take` with the same indices does, and is PyTorch's `index_copy`, and with `combine` its `index_add` and
    `index_reduce`.

    Updates come one after the other, in the order of `indices`. Of several for one element the last one counts. With `combine` an
    element becomes the sum (`sum`), the product (`prod`), the greatest (`max`) or the least (`min`) of itself and its updates, in that
    order, whatever the target is. An index that is no element of dimension `dim`, a negative one too, changes nothing.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `indices` has one dimension; `updates` has the element type of `input`, and its shape with the size of `indices` in place of `dim`.
    - (C3) `result` has the type of `input`.
    - (C4) `combine` is `sum`, `prod`, `max` or `min`, of numbers; sums and products are not of f16 or bf16, which would be rounded at each
      update: cast to f32 and back.

    Example:
    ```mlir
    // The gradient of rows of a table.
    func.func @f(%table: tensor<50257x768xf32>, %tokens: tensor<?xi64>, %g: tensor<?x768xf32>) -> tensor<50257x768xf32> {
      %r = fusion.scatter %table, %tokens, %g dim 0 combine <sum> : tensor<50257x768xf32>, tensor<?xi64>, tensor<?x768xf32>
      return %r : tensor<50257x768xf32>
    }
    ```
  }];
}

def Fusion_ScatterAlongAxisOp : Fusion_ScatterOpBase<"scatter_along_axis", []> {
  let summary = "a tensor with another element along a dimension for each index";
  let description = [{
    The elements of `input`, of which `result[j]` is `updates[i]`, with `j[dim] = indices[i]`, else `j[d] = i[d]`. It undoes what `take_along_axis` with
    the same indices does, and is NumPy's `put_along_axis` and, of equal sizes, PyTorch's `scatter`, and with `combine` its `scatter_reduce`.

    Order, `combine` and indices that are no elements are as for `scatter`.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `indices` and `updates` have the same shape, the rank of `input`, and its sizes but for `dim`; `updates` has its element type.
    - (C3) `result` has the type of `input`.
    - (C4) `combine` is as for `scatter`.

    Example:
    ```mlir
    // Which experts a token goes to.
    func.func @f(%zero: tensor<?x64xf32>, %expert: tensor<?x4xi64>, %weight: tensor<?x4xf32>) -> tensor<?x64xf32> {
      %r = fusion.scatter_along_axis %zero, %expert, %weight dim 1 : tensor<?x64xf32>, tensor<?x4xi64>, tensor<?x4xf32>
      return %r : tensor<?x64xf32>
    }
    ```
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONFIBREOPS_TD
