//===- HostDialect.td - The host dialect, its types and resources --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTDIALECT_TD
#define FUSER_DIALECT_HOST_IR_HOSTDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::fuser::host";
  let summary = "The program around the kernels: buffers, streams, launches";
  let description = [{
    A host program is a `func.func` that carries the attribute `host.program`. Its memrefs are buffers in
    device memory: the program computes addresses, sizes and launch dimensions, and never reads or writes
    an element. It allocates buffers, launches kernels on streams, and says what becomes of its outputs. Size arithmetic is `arith` and `index`,
    control flow is `scf`, and views are `memref` ops or `host.select` and `host.slice`.

    ```mlir
    func.func @f(%x: memref<?x8xf32>) -> memref<?x8xf32> attributes {host.program} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %x, %c0 : memref<?x8xf32>
      %y = host.output 0 (%n) : memref<?x8xf32>
      host.launch @f_0::@f_0 grid(%n, %c1, %c1) block(128, 1, 1)
          args(%x, %y : memref<?x8xf32>, memref<?x8xf32>) writes [1]
      return %y : memref<?x8xf32>
    }
    ```

    **Streams.** Work is enqueued on the *current stream*. Which stream that is, is a resource:
    `host.set_stream` writes it, everything that enqueues reads and writes it. So no pass that respects
    memory effects moves work across a change of stream, or past other work.

    **Errors.** Every op that calls the runtime may fail. The program then ends at once with the runtime's code, and
    the runtime frees what it had allocated.

    **Outputs.** Output `i` of a program is made by exactly one of `host.output i` (a buffer of the caller, or
    a new one) and `host.output_view i` (an input's buffer, or a view of it, or a buffer that is handed over). A program
    returns these memrefs; the lowering drops the returned values.

    **Signature.** Arguments and results may carry `host.name`, what messages call them, and `host.tensor`, what the program asks of
    an input's memory and promises of an output's (`#host.tensor`). `host.sizes` of the program is what it asks of open sizes (`#host.size`).
    `host.users` says which op needs a size of an input to be another one's, as the message of a call begins in which it is not: `["model.py:3: fusion.add: ", ""]`.
    `host.complex` says that the last dimension, of 2, is the parts of complex numbers, as which callers see the memref, `host.packed = f4E2M1FN` that its
    bytes are two elements of that type each.

    Constraints of a program: `program_c1` it is a function; `program_c2` its arguments are memrefs,
    `index`, integers or floats of at most 64 bits, and its results are memrefs; `signature_c1` `host.name` is a string that is not empty, and `host.tensor`
    a `#host.tensor` on a memref of its rank and static sizes, `host.complex` a unit attribute on a memref of 32 or 64 bits an element whose last dimension is 2, `host.users` on a memref a string for each dimension,
    `host.packed` the type f4E2M1FN on a memref of 8 bits an element and at least one dimension; `signature_c2` with its element type, and static strides of the memref are those
    of its sizes and order, or belong to a view.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Host_Type<string name, string typeMnemonic> : TypeDef<Host_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Host_Stream : Host_Type<"Stream", "stream">,
                  BuildableType<"$_builder.getType<::fuser::host::StreamType>()"> {
  let summary = "a stream of the device";
  let description = [{
    Work that is enqueued on one stream runs in order. Stream 0 is the caller's.
  }];
}

def Host_Request : Host_Type<"Request", "request">,
                   BuildableType<"$_builder.getType<::fuser::host::RequestType>()"> {
  let summary = "a communication under way";
  let description = [{
    The result of a communication, which `host.wait` makes the current stream wait for. It may be dropped: what is enqueued behind the
    communication on its own stream comes after it anyway.
  }];
}

def Host_Group : Host_Type<"Group", "group">,
                 BuildableType<"$_builder.getType<::fuser::host::GroupType>()"> {
  let summary = "ranks that communicate with each other";
  let description = [{
    The result of `host.group`. Its ranks are numbered from 0 on.
  }];
}

def Host_Buffer : Type<
    And<[AnyMemRef.predicate,
         CPred<"::llvm::cast<::mlir::MemRefType>($_self).isStrided()">]>,
    "ranked memref with a strided layout", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// Resources and op classes
//===----------------------------------------------------------------------===//

// Which stream is current, and the order of what was enqueued.
def Host_CurrentStream : Resource<"::fuser::host::CurrentStreamResource">;

// Effects of an op that enqueues or depends on the order of what was enqueued.
def Host_Enqueues : MemoryEffects<[MemRead<Host_CurrentStream>, MemWrite<Host_CurrentStream>]>;

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

#endif // FUSER_DIALECT_HOST_IR_HOSTDIALECT_TD
