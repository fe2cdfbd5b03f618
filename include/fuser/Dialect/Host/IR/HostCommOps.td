//===- HostCommOps.td - Communications between the members of a group --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"

def Host_ReduceKind : I32EnumAttr<"ReduceKind", "how elements of the members are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Mean", 4, "mean">]> {
  let cppNamespace = "::fuser::host";
  let genSpecializedAttr = 0;
}

def Host_ReduceKindAttr : EnumAttr<Host_Dialect, Host_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

// Marks communications, so that lowerings meet them by kind and not by name.
def Host_Communication : NativeOpTrait<"Communication"> {
  let cppNamespace = "::fuser::host";
}

class Host_CommOp<string mnemonic, list<Trait> traits = []>
    : Host_Op<mnemonic, !listconcat(traits, [Host_Communication,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  code commonConstraints = [{
    Asynchronous: it is enqueued on the current stream, and `host.wait` makes a stream wait for the result.

    Constraints:
    * `group_c1`: `group` lists the members' ranks: at least one, none negative, none twice.
  }];
  let results = (outs Host_Request:$request);
  let hasVerifier = 1;
}

def Host_AllGatherOp : Host_CommOp<"all_gather"> {
  let summary = "every member gets all members' buffers";
  let description = commonConstraints # [{
    * `all_gather_c1`: 0 <= `dim` < rank.
    * `all_gather_c2`: same rank and element type; where static, `dst`'s size in `dim` is `src`'s times
      the number of members, and other sizes are equal.

    ```mlir
    %r = host.all_gather %src, %dst dim 0 group [0, 1] : memref<4x8xf32>, memref<8x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim, DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $src `,` $dst `dim` $dim `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_AllReduceOp : Host_CommOp<"all_reduce"> {
  let summary = "every member gets the combination of all members' buffers";
  let description = commonConstraints # [{
    * `all_reduce_c1`: same rank and element type, equal static sizes.

    ```mlir
    %r = host.all_reduce <sum> %src, %dst group [0, 1] : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$dst,
                       DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $kind $src `,` $dst `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_ReduceScatterOp : Host_CommOp<"reduce_scatter"> {
  let summary = "every member gets its part of the combination of all members' buffers";
  let description = commonConstraints # [{
    * `reduce_scatter_c1`: 0 <= `dim` < rank.
    * `reduce_scatter_c2`: same rank and element type; where static, `src`'s size in `dim` is `dst`'s times
      the number of members, and other sizes are equal.

    ```mlir
    %r = host.reduce_scatter <sum> %src, %dst dim 0 group [0, 1] : memref<8xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim,
                       DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $kind $src `,` $dst `dim` $dim `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_BroadcastOp : Host_CommOp<"broadcast"> {
  let summary = "every member gets the root's buffer";
  let description = commonConstraints # [{
    * `broadcast_c1`: same rank and element type, equal static sizes.
    * `broadcast_c2`: `root` is a member.

    ```mlir
    %r = host.broadcast %src, %dst root 0 group [0, 1] : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$root,
                       DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $src `,` $dst `root` $root `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_AllToAllOp : Host_CommOp<"all_to_all"> {
  let summary = "member i gets part i of every member's buffer";
  let description = commonConstraints # [{
    Parts are equal ranges of dimension 0.
    * `all_to_all_c1`: same rank, at least 1, and element type, equal static sizes.
    * `all_to_all_c2`: a static size of dimension 0 is divisible by the number of members.

    ```mlir
    %r = host.all_to_all %src, %dst group [0, 1] : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $src `,` $dst `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_SendOp : Host_CommOp<"send"> {
  let summary = "sends a buffer to a member";
  let description = commonConstraints # [{
    ```mlir
    %r = host.send %src to %peer group [0, 1] : memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Index:$peer, DenseI64ArrayAttr:$group);
  let assemblyFormat = "$src `to` $peer `group` $group attr-dict `:` type($src)";
}

def Host_RecvOp : Host_CommOp<"recv"> {
  let summary = "receives a buffer from a member";
  let description = commonConstraints # [{
    ```mlir
    %r = host.recv %dst from %peer group [0, 1] : memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$dst, Index:$peer, DenseI64ArrayAttr:$group);
  let assemblyFormat = "$dst `from` $peer `group` $group attr-dict `:` type($dst)";
}

def Host_PermuteOp : Host_CommOp<"permute"> {
  let summary = "member to[k] gets the buffer of member from[k]";
  let description = commonConstraints # [{
    * `permute_c1`: same rank and element type, equal static sizes.
    * `permute_c2`: `from` and `to` have the same length, hold members, and none twice.

    ```mlir
    %r = host.permute %src, %dst from [0, 1] to [1, 0] group [0, 1] : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, DenseI64ArrayAttr:$from,
                       DenseI64ArrayAttr:$to, DenseI64ArrayAttr:$group);
  let assemblyFormat = [{
    $src `,` $dst `from` $from `to` $to `group` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_WaitOp : Host_Op<"wait", [Host_Communication, Host_Enqueues]> {
  let summary = "the current stream waits for a communication";
  let description = [{
    What is enqueued on the current stream from now on sees the communication done.

    ```mlir
    host.wait %r
    ```
  }];
  let arguments = (ins Host_Request:$request);
  let assemblyFormat = "$request attr-dict";
}

#endif // FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD
