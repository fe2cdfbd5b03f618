//===- Host.h - The host dialect ------------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOST_H
#define FUSER_DIALECT_HOST_IR_HOST_H

#include "fuser/Support/LLVM.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <optional>

namespace fuser::host {

/// Which stream is current, and the order of what was enqueued.
struct CurrentStreamResource
    : public mlir::SideEffects::Resource::Base<CurrentStreamResource> {
  llvm::StringRef getName() final { return "<CurrentStream>"; }
};

/// On a function: it is a host program (UnitAttr).
constexpr llvm::StringLiteral kProgramAttrName = "host.program";

/// On an argument or result of a program: what messages call it (StringAttr).
constexpr llvm::StringLiteral kNameAttrName = "host.name";
/// On a memref among these: a TensorAttr.
constexpr llvm::StringLiteral kTensorAttrName = "host.tensor";

/// On an argument among these: of each dimension which op needs its size to be
/// another one's, as messages begin ("model.py:3: fusion.add: "), or nothing
/// (an array of StringAttr).
constexpr llvm::StringLiteral kUsersAttrName = "host.users";

/// On a memref among these whose last dimension, of 2, is the parts of complex
/// numbers, as which callers see it (UnitAttr).
constexpr llvm::StringLiteral kComplexAttrName = "host.complex";
/// On a memref among these of bytes that are several numbers each of a type, as
/// which callers see it (TypeAttr).
constexpr llvm::StringLiteral kPackedAttrName = "host.packed";

/// On a program: what it asks of sizes that are symbols (an array of SizeAttr).
constexpr llvm::StringLiteral kSizesAttrName = "host.sizes";

/// Strides, in elements, of a dense tensor whose dimensions lie in memory in
/// `strideOrder` (slowest first; empty: in order). kDynamic where a stride
/// depends on a dynamic size.
llvm::SmallVector<int64_t> getDenseStrides(llvm::ArrayRef<int64_t> sizes,
                                           llvm::ArrayRef<int64_t> strideOrder);

/// Whether two sizes of types may be equal at run time.
inline bool mayBeEqual(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}

/// Strided memory as arithmetic.
struct StridedView {
  /// The sizes that the type is to know.
  llvm::SmallVector<int64_t> shape;
  mlir::OpFoldResult offset;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;

  /// The memory of `buffer` as this.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value buffer) const;
};

/// The type of a new buffer: dense in `strideOrder`, identity layout where that
/// is row-major.
mlir::MemRefType getDenseBufferType(llvm::ArrayRef<int64_t> sizes,
                                    mlir::Type elementType,
                                    llvm::ArrayRef<int64_t> strideOrder = {});

/// launch_c5: checks that arguments of types `args` fit `kernel`, a function of
/// builtin types (others are not looked at). `emitError` is called where they
/// do not, and the message goes on with what was expected.
mlir::LogicalResult
verifyKernelArguments(mlir::FunctionOpInterface kernel, mlir::TypeRange args,
                      llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fuser::host

#include "fuser/Dialect/Host/IR/HostDialect.h.inc"
#include "fuser/Dialect/Host/IR/HostEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fuser/Dialect/Host/IR/HostTypes.h.inc"

namespace fuser::host {

class CommunicationOpInterface;
class TensorOpInterface;

/// comm_c1, the sizes of its buffers and its dimension.
mlir::LogicalResult verifyCommunication(CommunicationOpInterface op);

/// It reads its source, writes its destination, and is enqueued.
void addCommunicationEffects(
    CommunicationOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// It reads its other operands, writes its result, and is enqueued.
void addTensorOpEffects(
    TensorOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// The order in which buffers of a communication are contiguous: the dimension
/// of the ranks' parts, then the others.
llvm::SmallVector<int64_t> getPartsOrder(int64_t rank, int64_t dim);

/// Whether buffers of a type are contiguous in `order`, the dimensions from the
/// slowest to the fastest; nullopt if only the program knows.
std::optional<bool> isContiguous(mlir::MemRefType type,
                                 llvm::ArrayRef<int64_t> order);

} // namespace fuser::host

#include "fuser/Dialect/Host/IR/HostOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Host/IR/HostAttrs.h.inc"

namespace fuser::host {

/// On a lowered kernel, what its host.kernel will have: the parameters (an
/// ArrayAttr of ParamAttr), and the bytes of scratch memory that a thread needs
/// (an i64).
constexpr llvm::StringLiteral kParamsAttrName = "fuser.params";
constexpr llvm::StringLiteral kScratchBytesAttrName = "fuser.scratch_bytes";

/// What `fuser.params` of a lowered kernel says. A diagnostic on failure.
mlir::FailureOr<llvm::SmallVector<ParamAttr>>
getKernelParams(mlir::Operation *kernel);

} // namespace fuser::host

#define GET_OP_CLASSES
#include "fuser/Dialect/Host/IR/HostOps.h.inc"

#endif // FUSER_DIALECT_HOST_IR_HOST_H
