//===- HostKernelOps.td - Kernels and their launches --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTKERNELOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTKERNELOPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"
include "mlir/IR/SymbolInterfaces.td"

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def Host_ParamKind : I32EnumAttr<"ParamKind", "what a parameter of a kernel is made from", [
    I32EnumAttrCase<"Pointer", 0, "pointer">, I32EnumAttrCase<"Size", 1, "size">,
    I32EnumAttrCase<"Stride", 2, "stride">, I32EnumAttrCase<"Scalar", 3, "scalar">,
    I32EnumAttrCase<"TensorMap", 4, "tensor_map">]> {
  let cppNamespace = "::fuser::host";
  let genSpecializedAttr = 0;
}

def Host_ParamAttr : AttrDef<Host_Dialect, "Param"> {
  let mnemonic = "param";
  let summary = "one parameter of a kernel, made from an argument of its launch";
  let description = [{
    * `pointer A`: the address of the first element of argument `A`, a memref (a workspace is one too).
    * `size A dim D`, `stride A dim D`: of argument `A`, a memref, in dimension `D`, as an i64; strides count elements.
    * `scalar A`: argument `A`, in its own type; `index` is an i64, and i1 a byte that is 0 or 1.
    * `tensor_map A as DESCRIPTOR`: an encoded tensor map (CUDA's CUtensorMap, 128 bytes by value) of argument `A`, a memref: with it a GPU loads and
      stores boxes of elements. The descriptor says what a box is, as the kernel's loads do: its sizes and elements, how it lies in shared memory, and what
      lies out of bounds (the type of an operand of `nvgpu.tma.async.load`). The runtime encodes it at the first launch with a tensor and keeps it.

    Constraints:
    * `param_c1`: sizes and strides name a dimension, others none.
    * `param_c2`: a tensor map has a descriptor, an `!nvgpu.tensormap.descriptor`, others none.
    * `param_c3`: its box has rank 1 to 5, or 3 to 5 if it is interleaved, and sizes of 1 to 256.
    * `param_c4`: its elements are integers of 1 (a byte in memory), 8, 16, 32 or 64 bits, f16, bf16, f32 or f64.
    * `param_c5`: unless it is interleaved, the last dimension of the box takes a multiple of 16 bytes, and no more than the span of the swizzle if there
      is one; `interleave_32b` goes with `swizzle_32b`.
    * `param_c6`: only floats are NaN out of bounds.

    ```mlir
    #host.param<pointer 0>
    #host.param<size 0 dim 1>
    #host.param<tensor_map 0 as !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>,
        swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>>
    ```
  }];
  let parameters = (ins "ParamKind":$kind, "unsigned":$argument, "std::optional<unsigned>":$dim,
                        "::mlir::Type":$descriptor);
  let builders = [AttrBuilder<(ins "ParamKind":$kind, "unsigned":$argument,
                                   CArg<"std::optional<unsigned>", "std::nullopt">:$dim), [{
    return $_get($_ctxt, kind, argument, dim, ::mlir::Type());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The text between the angle brackets.
    static ::mlir::ParseResult parseBody(::mlir::AsmParser &parser, ParamAttr &attr);
    void printBody(::llvm::raw_ostream &os) const;
    /// launch_c8: checks that `tensor` can be what this tensor map is made from. `emitError` is called where it cannot, and the message goes on
    /// with what was expected.
    ::llvm::LogicalResult verifyTensor(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, ::mlir::MemRefType tensor) const;
  }];
}

def Host_KernelOp : Host_Op<"kernel", [Symbol]> {
  let summary = "a kernel that programs launch: its code, its parameters, its limits";
  let description = [{
    `image` is what the device loads, PTX text or a cubin, and `entry` the kernel's name in it (the symbol, where it is not
    given). Without an image the kernel is native code of the program, a function of that name in one of the modules beside it.
    Kernels with the same image share it. Each parameter of the code is made from an argument of the launch and takes 8 bytes or less, a tensor map
    128 (in PTX `.param .align 64 .b8 map[128]`). `threads` is the largest block that the code is made for, `scratch` the bytes of memory that each
    thread of a CPU gets. Kernels of a program are numbered in the order of the text.

    Generated kernels and those written by hand are the same op: `emit-kernels` makes it of every lowered kernel.

    Constraints:
    * `kernel_c1`: `threads` is 1 to 1024, and `scratch` not negative.
    * `kernel_c2`: the image, if there is one, is not empty.
    * `kernel_c3`: native code takes no tensor map.

    ```mlir
    host.kernel @double(pointer 0, pointer 1, size 0 dim 0) threads 256 image ".version 8.0 ..."
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<Host_ParamAttr, "parameters">:$params,
                       OptionalAttr<StrAttr>:$entry, OptionalAttr<I32Attr>:$threads,
                       OptionalAttr<I64Attr>:$scratch, OptionalAttr<StrAttr>:$image);
  let assemblyFormat = [{
    $sym_name `` custom<KernelParams>($params) (`entry` $entry^)? (`threads` $threads^)? (`scratch` $scratch^)?
    (`image` $image^)? attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the code calls the kernel.
    ::llvm::StringRef getEntryName() { return getEntry().value_or(getSymName()); }
    /// The parameters, in order.
    auto getParamAttrs() { return getParams().getAsRange<ParamAttr>(); }
  }];
}

def Host_LaunchOp : Host_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "enqueues a kernel on the current stream";
  let description = [{
    Launches `kernel` over `grid` blocks of `block` threads. On the `cpu` target the grid counts work items and the
    block is (1, 1, 1). A grid with a zero launches nothing. `writes` lists the arguments (memrefs, by position) that the kernel may
    write; it only reads the others. Without it, every memref may be written.

    `kernel` is a `host.kernel`, which makes its parameters from the arguments; before kernels are lowered it is a function.

    `cooperative` asks for all blocks to be resident at once, so that the grid may synchronise; more blocks than fit are an error,
    as is a launch that is cooperative on a CPU. `programmatic` lets the kernel start before the one before it on the stream has
    ended: it must wait (PTX `griddepcontrol.wait`) before it touches memory that this one writes. It is a hint where a device cannot.

    Constraints:
    * `launch_c1`: `block` and `cluster` have three sizes, each at least 1.
    * `launch_c2`: arguments are memrefs, `index`, integers or floats of at most 64 bits.
    * `launch_c3`: `writes` holds positions of memref arguments, ascending.
    * `launch_c4`: if the module that the symbol's root names is there, the kernel is in it; a symbol without a root is
      found beside the function.
    * `launch_c5`: if the kernel is a function of builtin types, its arguments (on `cpu` without those that follow the launch's:
      the two `index` arguments of a range of work items, and scratch memory) are as many as the launch's, and each has its type or, for
      memrefs, its rank, its element type, and no static size or stride but those that the launch's has too. A `memref.cast` before the
      launch says more of a buffer. The kernel is given the address of the first element, so offsets do not matter, nor do strides of
      dimensions of size 1.
    * `launch_c6`: if the kernel is a `host.kernel`, each of its parameters asks for an argument that is there: a memref, with that
      dimension, or a scalar; and the block has no more threads than the kernel is made for.
    * `launch_c7`: a cooperative launch is not programmatic.
    * `launch_c8`: what a tensor map is made from has the rank of its box, and elements that lie in memory as the box's do, whatever the sign of integers; those
      of the last dimension lie side by side, as far as the type says.
    * `launch_c9`: the block is the `known_block_size` of a kernel that has one.

    ```mlir
    host.launch @f_0::@f_0 grid(%gx, %gy, %gz) block(128, 1, 1) shared %bytes
        args(%a, %b, %n : memref<?xf32>, memref<?xf32>, index) writes [1]
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel,
                       Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       DenseI32ArrayAttr:$block, OptionalAttr<DenseI32ArrayAttr>:$cluster,
                       Optional<Index>:$shared_bytes, Variadic<AnyType>:$args,
                       OptionalAttr<DenseI64ArrayAttr>:$writes,
                       UnitAttr:$cooperative, UnitAttr:$programmatic);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)` `block` `` custom<Extents>($block)
    (`cluster` `` custom<Extents>($cluster)^)? (`shared` $shared_bytes^)? (`cooperative` $cooperative^)?
    (`programmatic` $programmatic^)?
    `args` `(` ($args^ `:` type($args))? `)` (`writes` $writes^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::SymbolRefAttr":$kernel, "::mlir::ValueRange":$grid,
                   "::llvm::ArrayRef<int32_t>":$block, "::mlir::ValueRange":$args,
                   CArg<"::mlir::Value", "{}">:$sharedBytes)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if the kernel may write argument `arg`, a memref.
    bool mayWrite(unsigned arg);
  }];
}

#endif // FUSER_DIALECT_HOST_IR_HOSTKERNELOPS_TD
