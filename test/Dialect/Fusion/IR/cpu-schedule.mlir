// RUN: fuser-opt %s | fuser-opt | FileCheck %s

// What is left out is not printed, and neither is what is said though it need not be.
// CHECK: s = #fusion.cpu<kind = "generic", vector = 8>
func.func private @short() attributes {s = #fusion.cpu<kind = "generic", vector = 8>}
// CHECK: s = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>, #fusion.cpu_tiles]>
func.func private @groups() attributes {s = #fusion.cpu<kind = "pointwise", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>, #fusion.cpu_tiles]>}
// CHECK: s = #fusion.cpu_tiles<order = [1, 0, 2], item_dims = 2, chunk = 4, lanes = 16>
func.func private @tiles() attributes {s = #fusion.cpu_tiles<order = [1, 0, 2], item_dims = 2, chunk = 4, lanes = 16>}
// CHECK: s = #fusion.cpu_tiles<item_dims = 0>
func.func private @one_item() attributes {s = #fusion.cpu_tiles<item_dims = 0, chunk = 1, lanes = 0>}
// CHECK: s = #fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>
func.func private @squares() attributes {s = #fusion.cpu_squares<dim = 0, lanes = 16, chunk = 64>}
// CHECK: s = #fusion.cpu_squares<dim = 1, lanes = 2, chunk = 2, order = [1, 0, 2]>
func.func private @squares_order() attributes {s = #fusion.cpu_squares<dim = 1, lanes = 2, chunk = 2, order = [1, 0, 2]>}
// CHECK: s = #fusion.cpu_parts<chunk = 64, lanes = 16, narrow = 4>
func.func private @parts() attributes {s = #fusion.cpu_parts<chunk = 64, lanes = 16, narrow = 4>}
// CHECK: s = #fusion.cpu_parts<chunk = 3>
func.func private @parts_of_rows() attributes {s = #fusion.cpu_parts<chunk = 3, lanes = 1, narrow = 0>}
