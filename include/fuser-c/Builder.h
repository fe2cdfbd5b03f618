/*===- Builder.h - Programs built op by op, in C --------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A program without text: inputs, ops by name, outputs. Element types are
|* promoted and shapes broadcast as PyTorch does it; types of results follow.
|* What fuser_builder_finish gives is what fuser_compile and
|* fuser_executable_create take.
|*
|*   FuserBuilder *builder;
|*   FuserValue x, y;
|*   fuser_builder_create("f", &builder);
|*   int64_t sizes[] = {FUSER_DYNAMIC, 8};
|*   fuser_builder_input(builder, &(FuserInputSpec){"x", "f32", sizes, 2}, &x);
|*   fuser_builder_op(builder, &(FuserOpSpec){"exp", &x, 1}, &y, 1, NULL);
|*   fuser_builder_output(builder, y, NULL);
|*   fuser_builder_finish(builder, &program);
|*
|* Every call that can fail returns a status, as those of fuser_rt/fuser_rt.h
|* do: null for success. FUSER_INVALID_ARGUMENT says what was expected and what
|* was got, with the place in the user's program where one was set. A call that
|* failed changed nothing, and the builder goes on; but for an op for whose
|* results there was too little room, which is in the program without a use. A
|* builder is used by one thread at a time.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_C_BUILDER_H
#define FUSER_C_BUILDER_H

#include "fuser-c/Compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the elements of a type are; a bool is no integer. */
typedef enum FuserElementKind {
  FUSER_ELEMENT_FLOAT = 0,
  FUSER_ELEMENT_SIGNED = 1,   /* integers */
  FUSER_ELEMENT_UNSIGNED = 2, /* integers */
  FUSER_ELEMENT_BOOL = 3,
  FUSER_ELEMENT_COMPLEX = 4
} FuserElementKind;

typedef struct FuserElementInfo {
  FuserElementKind kind;
  uint32_t bits; /* Of both parts of a complex number. */
} FuserElementInfo;
/* What is known of an element type by its name: "f32", a name of
 * docs/spec/fusion.md. */
FUSER_RT_EXPORT FuserStatus *fuser_element_info(const char *element,
                                                FuserElementInfo *info);

typedef struct FuserBuilder FuserBuilder;

/* A tensor or a scalar of one builder. A value of another builder, or one that
 * was never made, is an error. {0, 0}: none. */
typedef struct FuserValue {
  uint32_t builder;
  uint32_t index;
} FuserValue;

/* A size that a type leaves open. In a list of sizes or bounds: the next of the
 * op's last operands, an integer scalar. */
#define FUSER_DYNAMIC INT64_MIN

/* `name` is the program's; null: "fusion". */
FUSER_RT_EXPORT FuserStatus *fuser_builder_create(const char *name,
                                                  FuserBuilder **builder);
FUSER_RT_EXPORT void fuser_builder_destroy(FuserBuilder *builder);

/* Where in the user's program what follows stands: messages of the builder and
 * of the compiler begin with it. A line of 0 or a null file: nowhere. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_set_location(FuserBuilder *builder,
                                                        const char *file,
                                                        uint32_t line,
                                                        uint32_t column);

/* Errors of ops list the operands, with the attributes that say which there
 * are, unless `lists` is 0: for a caller whose own users name arguments. */
FUSER_RT_EXPORT FuserStatus *
fuser_builder_set_lists_operands(FuserBuilder *builder, int32_t lists);

/* A tensor that the program takes: zero-initialised but for its type, it has
 * no name, and any strides. */
typedef struct FuserInputSpec {
  const char *name;    /* For messages and callers; null: none. */
  const char *element; /* "f32": a name of docs/spec/fusion.md. */
  const int64_t *sizes;
  size_t rank;
  /* The dimensions from slowest to fastest in memory, all of them; null: any
   * order. */
  const int64_t *stride_order;
} FuserInputSpec;
FUSER_RT_EXPORT FuserStatus *fuser_builder_input(FuserBuilder *builder,
                                                 const FuserInputSpec *spec,
                                                 FuserValue *value);
/* A number that the program takes. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_scalar_input(FuserBuilder *builder,
                                                        const char *name,
                                                        const char *element,
                                                        FuserValue *value);
/* A number that is known: "i1", "i64" or "f64", if `element` is null the last
 * two by its kind. With tensors a number counts as one of Python does with
 * PyTorch: f32 tensor * f64 number is f32. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_number(FuserBuilder *builder,
                                                  const FuserScalar *number,
                                                  const char *element,
                                                  FuserValue *value);

typedef enum FuserAttributeKind {
  FUSER_ATTRIBUTE_INT = 0, /* integer; also a flag, 0 or 1 */
  FUSER_ATTRIBUTE_STRING = 1,
  FUSER_ATTRIBUTE_INTS = 2,  /* integers, count */
  FUSER_ATTRIBUTE_FLOATS = 3 /* floats, count */
} FuserAttributeKind;

typedef struct FuserAttribute {
  const char *name;
  FuserAttributeKind kind;
  int64_t integer;
  const char *string;
  const int64_t *integers;
  const double *floats;
  size_t count;
} FuserAttribute;

/* An op. Names and attributes are listed in docs/spec/builder-ops.md. */
typedef struct FuserOpSpec {
  const char *name;
  const FuserValue *operands;
  size_t num_operands;
  const FuserAttribute *attributes;
  size_t num_attributes;
} FuserOpSpec;
/* Writes the results to `results`, which has room for `capacity` of them (8 are
 * enough for most ops; `broadcast_tensors` has as many as operands, `chunk` as
 * parts), and their number to `num_results`. That may be null, if there is room
 * for all. Of more, fuser_builder_last_results has the rest. */
FUSER_RT_EXPORT FuserStatus *
fuser_builder_op(FuserBuilder *builder, const FuserOpSpec *spec,
                 FuserValue *results, size_t capacity, size_t *num_results);
/* The results of the op that was added last, in the same way. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_last_results(FuserBuilder *builder,
                                                        FuserValue *results,
                                                        size_t capacity,
                                                        size_t *num_results);
/* The names of all ops, separated by spaces. */
FUSER_RT_EXPORT const char *fuser_builder_op_names(void);
/* Those of them that are ops of the dialect `fusion`, element by element, of so
 * many operands, 1 or 2, without attributes. */
FUSER_RT_EXPORT const char *
fuser_builder_elementwise_names(size_t num_operands);
/* What a library ("array_api", "numpy", "torch", "nvfuser") calls ops that have
 * another name here: its name and the one here, in turn, separated by spaces.
 * Of ops element by element of so many operands; 0: of all the others. */
FUSER_RT_EXPORT const char *fuser_builder_other_names(const char *library,
                                                      size_t num_operands);

/* Zero-initialised, an output is new memory in row-major order. */
typedef struct FuserOutputSpec {
  const char *name; /* Null: "result0", ... */
  /* The dimensions from slowest to fastest in memory; null: any order. */
  const int64_t *stride_order;
  /* The input that the output is written over; {0, 0}: none. The output is
   * cast to its element type. */
  FuserValue alias;
} FuserOutputSpec;
/* `value` is a result of the program; a scalar becomes a tensor of rank 0.
 * `spec` may be null. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_output(FuserBuilder *builder,
                                                  FuserValue value,
                                                  const FuserOutputSpec *spec);

/* What is known of a value. An op may make it more exact: see
 * docs/rationale/frontend.md. It belongs to the builder, until the next call
 * with it. */
typedef struct FuserValueType {
  const char *element;
  int32_t is_scalar;
  size_t rank;
  const int64_t *sizes; /* FUSER_DYNAMIC: open. */
} FuserValueType;
FUSER_RT_EXPORT FuserStatus *fuser_builder_value_type(FuserBuilder *builder,
                                                      FuserValue value,
                                                      FuserValueType *type);

/* Ends the program: MLIR bytecode behind a checksum, with the locations that
 * were set. Nothing can be added any more, but types and text can be asked for.
 */
FUSER_RT_EXPORT FuserStatus *fuser_builder_finish(FuserBuilder *builder,
                                                  FuserBytes **program);
/* The program's text. It compiles, too, and says nothing of locations. An error
 * before fuser_builder_finish. */
FUSER_RT_EXPORT FuserStatus *fuser_builder_text(FuserBuilder *builder,
                                                FuserBytes **text);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_C_BUILDER_H */
