//===- SimThread.cpp - What a simulated thread is and calls ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimThread.h"
#include "fuser_rt/sim_abi.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cstddef>

using namespace fuser;

static Type getPointer(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

Value SimThread::loadField(OpBuilder &b, Location loc, Value base, Type type,
                           size_t offset) {
  Value address =
      LLVM::GEPOp::create(b, loc, getPointer(b), b.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)},
                          LLVM::GEPNoWrapFlags::inbounds);
  // Nothing of it changes while the kernel runs.
  auto load = LLVM::LoadOp::create(b, loc, type, address);
  load.setInvariant(true);
  return load;
}

Value SimThread::loadFromThread(OpBuilder &b, Location loc, Value thread,
                                Type type, size_t offset) {
  return loadField(b, loc, thread, type, offset);
}

Value SimThread::loadFromBlock(OpBuilder &b, Location loc, Value thread,
                               Type type, size_t offset) {
  Value block =
      loadField(b, loc, thread, getPointer(b), offsetof(FuserSimThread, block));
  return loadField(b, loc, block, type, offset);
}

/// "FILE:LINE:COLUMN", or what names the place best.
static std::string printLocation(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

std::string fuser::nameBuffer(StringRef what, MemRefType type,
                              std::optional<uint64_t> bytes, Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Its space is plain from what it is.
  os << what << " ("
     << MemRefType::get(type.getShape(), type.getElementType(),
                        type.getLayout());
  if (bytes)
    os << ", " << *bytes << " bytes";
  if (!isa<UnknownLoc>(loc))
    os << ", " << printLocation(loc);
  os << ")";
  return text;
}

Value SimThread::getString(OpBuilder &b, Location loc, StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global) {
    std::string name = (kernel + ".text." + Twine(strings.size())).str();
    std::string bytes = text.str() + '\0';
    OpBuilder top = OpBuilder::atBlockBegin(&module->getRegion(0).front());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name,
                                    b.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

LLVM::GlobalOp
SimThread::createConstant(Location loc, const Twine &name, Type type,
                          llvm::function_ref<Value(OpBuilder &)> initializer) {
  OpBuilder top = OpBuilder::atBlockBegin(&module->getRegion(0).front());
  auto global =
      LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name.str(), Attribute());
  OpBuilder init(module->getContext());
  init.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(init, loc, initializer(init));
  return global;
}

/// A struct or an array of `fields`.
static Value collect(OpBuilder &b, Location loc, Type type,
                     ArrayRef<Value> fields) {
  Value result = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    result = LLVM::InsertValueOp::create(b, loc, result, field, i);
  return result;
}

static Value getInteger(OpBuilder &b, Location loc, uint64_t value,
                        unsigned width) {
  return LLVM::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(width), APInt(width, value)));
}

static Type getSiteType(OpBuilder &b) {
  Type pointer = getPointer(b);
  return LLVM::LLVMStructType::getLiteral(b.getContext(),
                                          {pointer, pointer, pointer});
}

/// What an op was in the kernel stage is what its location is named.
static std::pair<std::string, Location> findSource(Operation *op) {
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    return {named.getName().str(), named.getChildLoc()};
  return {op->getName().getStringRef().str(), op->getLoc()};
}

SmallVector<Value> SimThread::getSiteFields(OpBuilder &b, Operation *op) {
  auto [name, loc] = findSource(op);
  return {getString(b, loc, kernel), getString(b, loc, name),
          getString(b, loc, printLocation(loc))};
}

Value SimThread::getSite(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Type type = getSiteType(b);
  LLVM::GlobalOp site = createConstant(
      loc, kernel + ".site." + Twine(numSites++), type, [&](OpBuilder &init) {
        return collect(init, loc, type, getSiteFields(init, op));
      });
  return LLVM::AddressOfOp::create(b, loc, site);
}

static_assert(sizeof(FuserSimSite) == 24 && sizeof(FuserSimAccess) == 56,
              "another layout, look at getAccess");

Value SimThread::getAccess(OpBuilder &b, Operation *op,
                           const SimAccess &access) {
  Location loc = op->getLoc();
  Type i32 = b.getI32Type(), siteType = getSiteType(b);
  Type type = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      {siteType, i32, i32, i32, i32, b.getI64Type(), getPointer(b)});
  LLVM::GlobalOp global = createConstant(
      loc, kernel + ".access." + Twine(numSites++), type, [&](OpBuilder &init) {
        SmallVector<Value> fields{
            collect(init, loc, siteType, getSiteFields(init, op))};
        for (uint32_t field :
             {access.kind, access.lanes, access.laneBytes, access.alignment})
          fields.push_back(getInteger(init, loc, field, 32));
        fields.push_back(getInteger(init, loc, access.bufferBytes, 64));
        fields.push_back(
            access.buffer.empty()
                ? Value(LLVM::ZeroOp::create(init, loc, getPointer(init)))
                : getString(init, loc, access.buffer));
        return collect(init, loc, type, fields);
      });
  return LLVM::AddressOfOp::create(b, loc, global);
}

static_assert(sizeof(FuserSimParam) == 16 && sizeof(FuserSimInfo) == 48 &&
                  sizeof(FuserSimBuffer) == 32,
              "another layout, look at createInfo");

/// The address of a list of the structs of `type` that `fill` makes of `items`.
template <typename Item, typename Fn>
Value SimThread::createList(OpBuilder &b, Location loc, const Twine &name,
                            Type type, ArrayRef<Item> items, Fn fill) {
  Type listType = LLVM::LLVMArrayType::get(type, items.size());
  LLVM::GlobalOp list =
      createConstant(loc, name, listType, [&](OpBuilder &init) {
        SmallVector<Value> entries;
        for (const Item &item : items)
          entries.push_back(collect(init, loc, type, fill(init, item)));
        return collect(init, loc, listType, entries);
      });
  return LLVM::AddressOfOp::create(b, loc, list);
}

Value SimThread::createParams(OpBuilder &b, Location loc,
                              ArrayRef<SimParam> params) {
  Type i32 = b.getI32Type();
  Type type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               {i32, i32, b.getI64Type()});
  return createList(b, loc, kernel + ".params", type, params,
                    [&](OpBuilder &init, const SimParam &param) {
                      return SmallVector<Value>{
                          getInteger(init, loc, uint32_t(param.argument), 32),
                          getInteger(init, loc, param.access, 32),
                          getInteger(init, loc, param.alignment, 64)};
                    });
}

Value SimThread::createBuffers(OpBuilder &b, Location loc) {
  Type i64 = b.getI64Type();
  Type type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               {getPointer(b), i64, i64, i64});
  return createList(b, loc, kernel + ".buffers", type, ArrayRef(buffers),
                    [&](OpBuilder &init, const SimBuffer &buffer) {
                      return SmallVector<Value>{
                          getString(init, loc, buffer.name),
                          getInteger(init, loc, buffer.offset, 64),
                          getInteger(init, loc, buffer.bytes, 64),
                          getInteger(init, loc, buffer.mbarrierBytes, 64)};
                    });
}

Value SimThread::createInfo(OpBuilder &b, Location loc,
                            std::optional<ArrayRef<SimParam>> params) {
  Type i64 = b.getI64Type(), pointer = getPointer(b);
  Type type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, i64, pointer, i64, pointer, i64});
  LLVM::GlobalOp info =
      createConstant(loc, kernel + ".info", type, [&](OpBuilder &init) {
        ArrayRef<SimParam> list = params.value_or(ArrayRef<SimParam>());
        return collect(init, loc, type,
                       {getString(init, loc, kernel),
                        getInteger(init, loc, list.size(), 64),
                        createParams(init, loc, list),
                        getInteger(init, loc, buffers.size(), 64),
                        createBuffers(init, loc),
                        getInteger(init, loc, params.has_value(), 64)});
      });
  return LLVM::AddressOfOp::create(b, loc, info);
}

Operation *SimThread::callWith(OpBuilder &b, Location loc, Value thread,
                               size_t offset, Type result,
                               ValueRange operands) {
  Value api =
      loadField(b, loc, thread, getPointer(b), offsetof(FuserSimThread, api));
  SmallVector<Value> arguments{loadField(b, loc, api, getPointer(b), offset),
                               thread};
  llvm::append_range(arguments, operands);
  SmallVector<Type> types;
  for (Value argument : llvm::drop_begin(arguments))
    types.push_back(argument.getType());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(b.getContext()), types);
  return LLVM::CallOp::create(b, loc, type, arguments);
}

Operation *SimThread::call(OpBuilder &b, Operation *op, Value thread,
                           size_t offset, Type result, ValueRange operands) {
  SmallVector<Value> arguments(operands);
  arguments.push_back(getSite(b, op));
  return callWith(b, op->getLoc(), thread, offset, result, arguments);
}
