//===- HostCommOps.td - Communications between ranks -------*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD

include "fuser/Dialect/Host/IR/HostDialect.td"
include "fuser/Dialect/Host/IR/HostInterfaces.td"

def Host_ReduceKind : I32EnumAttr<"ReduceKind", "how elements of the ranks are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Avg", 4, "avg">]> {
  let cppNamespace = "::fuser::host";
  let genSpecializedAttr = 0;
}

def Host_ReduceKindAttr : EnumAttr<Host_Dialect, Host_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

def Host_GroupOp : Host_Op<"group", [Host_Enqueues]> {
  let summary = "the ranks that communicate with each other";
  let description = [{
    The list that holds this rank; without lists, all ranks. Ranks of a group are numbered as its list has them. Every rank runs this op,
    whether or not a list holds it (NCCL makes a group with all ranks); a rank that no list holds gets a group of size 0, in which
    communications do nothing. The context keeps a group, so that asking for it again costs little.

    Constraints:
    * `group_c1`: there is a list, and each list has at least one rank.
    * `group_c2`: ranks are not negative, and none stands twice.

    ```mlir
    %all = host.group
    %pair = host.group [[0, 1], [2, 3]]
    ```
  }];
  let arguments = (ins OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of ranks">>:$lists);
  let results = (outs Host_Group:$group);
  let assemblyFormat = "(custom<RankLists>($lists)^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of ranks in each list; dynamic where they differ or there are none.
    int64_t getStaticSize();
  }];
}

class Host_GroupInfoOp<string mnemonic> : Host_Op<mnemonic, [Pure]> {
  let arguments = (ins Host_Group:$group);
  let results = (outs Index:$result);
  let assemblyFormat = "$group attr-dict";
}

def Host_RankOp : Host_GroupInfoOp<"rank"> {
  let summary = "this rank's number in a group";
  let description = [{
    From 0 on, in the order of the group's list; -1 if this rank is not in the group.

    ```mlir
    %r = host.rank %all
    ```
  }];
}

def Host_SizeOp : Host_GroupInfoOp<"size"> {
  let summary = "the number of ranks in a group";
  let description = [{
    0 if this rank is not in the group.

    ```mlir
    %n = host.size %all
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Communications
//===----------------------------------------------------------------------===//

class Host_CommOp<string mnemonic, string kind, bit hasSrc = 1, bit hasDst = 1, bit hasPeer = 0,
                  bit reduces = 0, bit hasDim = 0>
    : Host_Op<mnemonic, [Host_CommunicationOpInterface, MemoryEffectsOpInterface]> {
  code commonDescription = [{
    Buffers are contiguous, row-major; with `dim`, in the order in which `dim` comes first. Where the types do not show it, that is checked at run time;
    `host-stage-communications` copies what does not lie so.

    It is enqueued on the current stream, and `host.wait` makes another stream wait for it. A rank that is not in the group does nothing. All
    ranks of a group come to the same communications in the same order; that they agree about kind, type and sizes is checked where ranks are
    threads or use MPI.

    Constraints:
    * `comm_c1`: elements are integers of 1, 8, 16, 32 or 64 bits, f64, f32, f16, bf16, f8E4M3FN or f8E5M2; where they are combined, not of 1 or 16
      bits if integers.
  }];
  let results = (outs Host_Request:$request);
  let extraClassDeclaration =
    "static TransferKind getTransferKind() { return TransferKind::" # kind # "; }\n" #
    "::mlir::OpOperand *getSource() { return " # !if(hasSrc, "&getSrcMutable()", "nullptr") # "; }\n" #
    "::mlir::OpOperand *getDestination() { return " # !if(hasDst, "&getDstMutable()", "nullptr") # "; }\n" #
    "::mlir::Value getPeerRank() { return " # !if(hasPeer, "getPeer()", "{}") # "; }\n" #
    "std::optional<ReduceKind> getReduction() { return " # !if(reduces, "getKind()", "std::nullopt") # "; }\n" #
    "int64_t getPartDim() { return " # !if(hasDim, "getDim()", "0") # "; }\n" #
    "void getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) "
    "{ addCommunicationEffects(*this, effects); }\n";
}

def Host_AllGatherOp : Host_CommOp<"all_gather", "AllGather", 1, 1, 0, 0, 1> {
  let summary = "every rank gets all ranks' buffers";
  let description = commonDescription # [{
    * `all_gather_c1`: 0 <= `dim` < rank.
    * `all_gather_c2`: same rank and element type; `dst`'s size in `dim` is `src`'s times the number of ranks, and other sizes are
      equal.

    ```mlir
    %r = host.all_gather %src, %dst dim 0 in %all : memref<4x8xf32>, memref<8x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `dim` $dim `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_AllReduceOp : Host_CommOp<"all_reduce", "AllReduce", 1, 1, 0, 1> {
  let summary = "every rank gets the combination of all ranks' buffers";
  let description = commonDescription # [{
    * `all_reduce_c1`: same rank and element type, equal static sizes.

    `dst` may be `src`.

    ```mlir
    %r = host.all_reduce <sum> %src, %dst in %all : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$dst, Host_Group:$group);
  let assemblyFormat = [{
    $kind $src `,` $dst `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_ReduceScatterOp : Host_CommOp<"reduce_scatter", "ReduceScatter", 1, 1, 0, 1, 1> {
  let summary = "every rank gets its part of the combination of all ranks' buffers";
  let description = commonDescription # [{
    * `reduce_scatter_c1`: 0 <= `dim` < rank.
    * `reduce_scatter_c2`: same rank and element type; `src`'s size in `dim` is `dst`'s times the number of ranks, and other sizes
      are equal.

    ```mlir
    %r = host.reduce_scatter <sum> %src, %dst dim 0 in %all : memref<8xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim, Host_Group:$group);
  let assemblyFormat = [{
    $kind $src `,` $dst `dim` $dim `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_BroadcastOp : Host_CommOp<"broadcast", "Broadcast", 1, 1, 1> {
  let summary = "every rank gets the root's buffer";
  let description = commonDescription # [{
    * `broadcast_c1`: same rank and element type, equal static sizes.

    The root is a rank of the group, checked at run time. `dst` may be `src`; other ranks' `src` is not read.

    ```mlir
    %r = host.broadcast %src, %dst root %p in %all : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `root` $peer `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_ReduceOp : Host_CommOp<"reduce", "Reduce", 1, 1, 1, 1> {
  let summary = "the root gets the combination of all ranks' buffers";
  let description = commonDescription # [{
    * `reduce_c1`: same rank and element type, equal static sizes.

    The root is a rank of the group, checked at run time. `dst` may be `src`; other ranks' `dst` is not written.

    ```mlir
    %r = host.reduce <max> %src, %dst root %p in %all : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_ReduceKindAttr:$kind, Host_Buffer:$src, Host_Buffer:$dst, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $kind $src `,` $dst `root` $peer `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_GatherOp : Host_CommOp<"gather", "Gather", 1, 1, 1, 0, 1> {
  let summary = "the root gets all ranks' buffers";
  let description = commonDescription # [{
    * `gather_c1`: 0 <= `dim` < rank.
    * `gather_c2`: same rank and element type; on the root `dst`'s size in `dim` is `src`'s times the number of ranks, and other sizes
      are equal.

    The root is a rank of the group, checked at run time. Other ranks' `dst` is not written, and may be empty.

    ```mlir
    %r = host.gather %src, %dst dim 0 root %p in %all : memref<4x8xf32>, memref<?x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `dim` $dim `root` $peer `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_ScatterOp : Host_CommOp<"scatter", "Scatter", 1, 1, 1, 0, 1> {
  let summary = "every rank gets its part of the root's buffer";
  let description = commonDescription # [{
    * `scatter_c1`: 0 <= `dim` < rank.
    * `scatter_c2`: same rank and element type; on the root `src`'s size in `dim` is `dst`'s times the number of ranks, and other sizes
      are equal.

    The root is a rank of the group, checked at run time. Other ranks' `src` is not read, and may be empty.

    ```mlir
    %r = host.scatter %src, %dst dim 0 root %p in %all : memref<?x8xf32>, memref<4x8xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, I64Attr:$dim, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `dim` $dim `root` $peer `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
}

def Host_AllToAllOp : Host_CommOp<"all_to_all", "AllToAll"> {
  let summary = "rank i gets part i of every rank's buffer";
  let description = commonDescription # [{
    * `all_to_all_c1`: same rank, at least 1, and element type, equal static sizes.
    * `all_to_all_c2`: a static size of dimension 0 is divisible by the number of ranks.

    Parts are equal ranges of dimension 0. `dst` is not `src`.

    ```mlir
    %r = host.all_to_all %src, %dst in %all : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
}

def Host_SendOp : Host_CommOp<"send", "Send", 1, 0, 1> {
  let summary = "sends a buffer to a rank";
  let description = commonDescription # [{

    It is done when the other rank has received it, so that two ranks that first send to each other wait for ever (until the timeout):
    `host.coalesce` lets sends and receives go on at the same time.

    ```mlir
    %r = host.send %src to %p in %all : memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $src `to` $peer `in` $group attr-dict `:` type($src)
  }];
}

def Host_RecvOp : Host_CommOp<"recv", "Recv", 0, 1, 1> {
  let summary = "receives a buffer from a rank";
  let description = commonDescription # [{

    ```mlir
    %r = host.recv %dst from %p in %all : memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$dst, Index:$peer, Host_Group:$group);
  let assemblyFormat = [{
    $dst `from` $peer `in` $group attr-dict `:` type($dst)
  }];
}

def Host_PermuteOp : Host_CommOp<"permute", "Permute"> {
  let summary = "rank to[k] gets the buffer of rank from[k]";
  let description = commonDescription # [{
    * `permute_c1`: same rank and element type, equal static sizes.
    * `permute_c2`: `from` and `to` have the same length, hold ranks of the group, and none twice.

    Ranks that do not stand in `to` get nothing: their `dst` stays as it is. `dst` is not `src`.

    ```mlir
    %r = host.permute %src, %dst from [0, 1] to [1, 0] in %all : memref<4xf32>, memref<4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$src, Host_Buffer:$dst, DenseI64ArrayAttr:$from, DenseI64ArrayAttr:$to, Host_Group:$group);
  let assemblyFormat = [{
    $src `,` $dst `from` $from `to` $to `in` $group attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
}

def Host_CoalesceOp : Host_Op<"coalesce", [SingleBlock, NoTerminator, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "communications that go on at the same time";
  let description = [{
    The communications in the body are enqueued together, when all of them are known: a rank can send and receive without one waiting for the
    other, and many small ones cost less.

    Constraints:
    * `coalesce_c1`: the body holds communications and ops without effects or regions; the communications' own requests are not used.

    The communications are of one group, which is checked at run time.

    ```mlir
    %r = host.coalesce {
      %0 = host.send %a to %next in %all : memref<4xf32>
      %1 = host.recv %b from %last in %all : memref<4xf32>
    }
    host.wait %r
    ```
  }];
  let results = (outs Host_Request:$request);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def Host_WaitOp : Host_Op<"wait", [Host_Enqueues]> {
  let summary = "the current stream waits for a communication";
  let description = [{
    What is enqueued on the current stream from now on sees the communication done, and all else that its stream has been given until now. On the
    communication's own stream this does nothing.

    ```mlir
    host.wait %r
    ```
  }];
  let arguments = (ins Host_Request:$request);
  let assemblyFormat = "$request attr-dict";
}

#endif // FUSER_DIALECT_HOST_IR_HOSTCOMMOPS_TD
