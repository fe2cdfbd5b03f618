/*===- mpi.h - Communications by MPI --------------------------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Ranks that are processes on CPUs. This is a library of its own, fuser_rt_mpi:
|* MPI libraries have no common ABI, so it is built for the one that is there.
|*
|*   FuserCommunicator communicator;
|*   status = fuser_mpi_communicator(0, &communicator);
|*   status = fuser_context_set_communicator(context, &communicator);
|*
\*===----------------------------------------------------------------------===*/

#ifndef FUSER_RT_MPI_H
#define FUSER_RT_MPI_H

#include "fuser_rt/communicator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of MPI_COMM_WORLD. All of them call this, the same number of times:
 * after a failure, for a communicator that replaces the one that failed.
 * `timeout_seconds`: how long a rank waits for another; 0: 600.
 *
 * Initialises MPI if the process has not; then MPI is finalised when the
 * process ends, since it could not be initialised again for a later
 * communicator. MPI that the caller has initialised offers
 * MPI_THREAD_SERIALIZED at least, and is finalised after the communicators are
 * destroyed. With MPI_THREAD_SERIALIZED, MPI calls of the caller are not at the
 * same time as the communicator's. */
FUSER_RT_EXPORT FuserStatus *fuser_mpi_communicator(double timeout_seconds,
                                                    FuserCommunicator *result);

#ifdef __cplusplus
}
#endif

#endif /* FUSER_RT_MPI_H */
