//===- FusionFibreOps.td - Scans and sorts -*- tablegen -*-===//
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
class Fusion_FibreOp<string mnemonic, string length, string element, list<string> methods>
    : Fusion_TensorOp<mnemonic, [DeclareOpInterfaceMethods<Fusion_FibreOpInterface, methods>,
                                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
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

def Fusion_ScanOp : Fusion_FibreOp<"scan", "::std::nullopt", "type", ["isExactFibre", "isProduct"]> {
  let summary = "sum, product, greatest or least of the elements up to each one";
  let description = [{
    `result[k]` is the sum (`sum`), the product (`prod`), the greatest (`max`) or the least (`min`) of `input[0]` to `input[k]` along
    `dim`, each fibre by itself. NaN among them gives NaN. It is `cumsum`, `cumprod`, and the values of `cummax` and `cummin` of PyTorch.

    Floats of 16 bits are accumulated in f32, and each element of the result is rounded from there; other types are accumulated in
    themselves, integers wrap. The order in which they are added depends on the length of the fibre, the element type and the target, and on
    nothing else. Today it is that of the elements, from the first to the last, which takes one thread a fibre.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) The kind is `sum`, `prod`, `max` or `min`.
    - (C3) `result` has the type of `input`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.scan <sum> %x dim 1 : tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_ReduceKindAttr:$kind, Fusion_NumberTensor:$input, I64Attr:$dim);
  let results = (outs Fusion_NumberTensor:$result);
  let assemblyFormat = "$kind $input `dim` $dim attr-dict `:` type($input)";
}

class Fusion_OrderOp<string mnemonic, string length>
    : Fusion_FibreOp<mnemonic, length, "::mlir::IntegerType::get(type.getContext(), 64)", ["isSelector"]> {
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
      %i = fusion.argsort %x dim 1 descending : tensor<?x8xf32> to tensor<?x8xi64>
      %v = fusion.take_along_axis %x, %i dim 1 : tensor<?x8xf32>, tensor<?x8xi64> to tensor<?x8xf32>
      return %v, %i : tensor<?x8xf32>, tensor<?x8xi64>
    }
    ```
  }];
  let arguments = (ins Fusion_Tensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let assemblyFormat = [{
    $input `dim` $dim (`descending` $descending^)? attr-dict `:` type($input) `to` type($result)
  }];
}

def Fusion_ArgTopKOp : Fusion_OrderOp<"argtopk", "int64_t(adaptor.getK())"> {
  let summary = "where the first elements of a fibre in order are";
  let description = [{
    The first `k` elements along `dim` of what `argsort` with the same `descending` gives, at a lower cost: where the `k` least elements of
    each fibre are, or, with `descending`, the `k` greatest, in order. With `descending` these are the indices of PyTorch's `topk`, of which equal elements
    come in the order of their indices here. The elements themselves are what `take_along_axis` reads there.

    Where a size that is open is less than `k`, what is left of the result is -1, the index of no element.

    Constraints:
    - (C1) `dim` is a dimension of `input`.
    - (C2) `k` is not negative, and no more than the size of `dim` where that is known.
    - (C3) `result` has i64 elements and the shape of `input`, with `k` in place of `dim`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
      %i = fusion.argtopk 2 %x dim 1 descending : tensor<?x8xf32> to tensor<?x2xi64>
      %v = fusion.take_along_axis %x, %i dim 1 : tensor<?x8xf32>, tensor<?x2xi64> to tensor<?x2xf32>
      return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
    }
    ```
  }];
  let arguments = (ins I64Attr:$k, Fusion_Tensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let assemblyFormat = [{
    $k $input `dim` $dim (`descending` $descending^)? attr-dict `:` type($input) `to` type($result)
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONFIBREOPS_TD
