// RUN: fuser-opt %s --host-print-timeline --verify-diagnostics -o /dev/null

// expected-error @below {{expected structured control flow (scf), got several blocks: print the timeline before they are made}}
func.func @blocks(%c: i1) attributes {host.program} {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}
