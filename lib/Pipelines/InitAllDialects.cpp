//===- InitAllDialects.cpp - Every dialect that the tools know ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/InitAllDialects.h"
#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Frontend/LenientOps.h"
#include "fuser/Support/LLVM.h"
#include "fuser/Target/PTX/TranslateToPTX.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace fuser;

void fuser::registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, fusion::FusionDialect,
              gpu::GPUDialect, host::HostDialect, index::IndexDialect,
              kernel::KernelDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, nvgpu::NVGPUDialect, NVVM::NVVMDialect,
              scf::SCFDialect, shard::ShardDialect, tensor::TensorDialect,
              ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  registerCpuKernelEmitters(registry);
  registerGpuKernelEmitters(registry);
  registerLibraryEmitter(registry);
  registerCommunicationEmitter(registry);
  registerShardTransfers(registry);
  registerPTXTranslation(registry);
  frontend::registerComposites(registry);
}
