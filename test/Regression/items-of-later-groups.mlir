// Where a thread had only items of later groups, the last elements of a flat group were computed again, and elements before the first one, too.
// RUN: fuser-run %s --entry in_place --target=cpu --num-threads=2 --check --input=9xf32=random:1 --input=33xf32=random:2
// RUN: fuser-run %s --entry uneven --target=cpu --num-threads=2 --check --guard=begin --input=1xi32=random:1
// RUN: fuser-run %s --entry uneven --target=cpu --num-threads=2 --check --guard=end --input=1xi32=random:1

// Added twice, in place, the elements are wrong.
func.func @in_place(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<reuse, 0>}, tensor<?xf32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?xf32>, %b = %y : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 64, groups = [#fusion.cpu_flat<chunk = 4096>, #fusion.cpu_flat<chunk = 4096>]>} {
    %1 = fusion.add %a, %a : tensor<?xf32>
    %2 = fusion.exp %b : tensor<?xf32>
    fusion.yield %1, %2 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// Items are no multiple of the vectors.
func.func @uneven(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>) {
  %0:2 = fusion.segment "generic" (%a = %x : tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>)
      attributes {schedule = #fusion.cpu<kind = "generic", vector = 16, groups = [#fusion.cpu_flat<chunk = 63>, #fusion.cpu_tiles<order = [], item_dims = 0, chunk = 1, lanes = 16>]>} {
    %1 = fusion.add %a, %a : tensor<?xi32>
    %2 = fusion.reduce <sum> %a dims [0] : tensor<?xi32> to tensor<i32>
    fusion.yield %1, %2 : tensor<?xi32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<?xi32>, tensor<i32>
}
