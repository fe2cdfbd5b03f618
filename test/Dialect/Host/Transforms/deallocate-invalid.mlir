// RUN: fuser-opt %s --pass-pipeline='builtin.module(func.func(host-deallocate))' -verify-diagnostics

func.func @named(%n: index) attributes {host.program} {
  // expected-error @below {{expected names of buffers to be resolved, got 't': run host-resolve-aliases first}}
  %t = host.declare "t" : memref<?xf32>
  return
}
