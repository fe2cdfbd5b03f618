// The patterns of codes on graphs of HiRace's benchmark (J. Jacobson et al., SC 2024), which are Indigo's (Y. Liu et al., ISPASS 2022): vertices by thread, warp or block; missing atomic accesses
// (its atomicBug), unprotected guards (guardBug), missing barriers (syncBug), missing bounds (boundsBug), races of path compression (raceBug). lit.local.cfg says what the marks mean.
// RUN: %fault count-atomic --entry=count --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault count-bounds --entry=count --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=count --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.count.npy
// RUN: %fault countwarp-atomic --entry=countwarp --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault countwarp-lanes --entry=countwarp --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=countwarp --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.countwarp.npy
// RUN: %fault countblock-atomic --entry=countblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault countblock-sync --entry=countblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=countblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.countblock.npy
// RUN: %fault most-atomic --entry=most --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault most-guard --entry=most --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault most-bounds --entry=most --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=most --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.most.npy
// RUN: %fault mostblock-atomic --entry=mostblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault mostblock-guard --entry=mostblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault mostblock-sync --entry=mostblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault mostblock-next --entry=mostblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=mostblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.mostblock.npy
// RUN: %fault pull-bounds --entry=pull --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault pull-place --entry=pull --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=pull --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.pull.npy
// RUN: %fault pullblock-sync --entry=pullblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault pullblock-first --entry=pullblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=pullblock --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.pullblock.npy
// RUN: %fault push-atomic --entry=push --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault push-guard --entry=push --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault push-bounds --entry=push --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=push --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.push.npy
// RUN: %fault pushwarp-atomic --entry=pushwarp --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=pushwarp --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.pushwarp.npy
// RUN: %fault list-atomic --entry=list --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault list-bounds --entry=list --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault list-last --entry=list --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=list --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.list.npy
// RUN: %fault path-race --entry=path --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault path-read --entry=path --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %fault path-write --entry=path --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota
// RUN: %right --entry=path --input=65xi32=iota --input=256xi32=iota --input=64xi32=iota --output=%t.path.npy
// RUN: %if numpy %{ %python -c "import numpy as np; f = lambda name: np.load('%t.' + name + '.npy').tolist(); r = range(64); \
// RUN:   near = [[(5 * j + 1) %% 64 for j in range(4 * i, 4 * i + 4)] for i in r]; more = sum(n > i for i in r for n in near[i]); assert f('count') == f('countwarp') == f('countblock') == [more]; \
// RUN:   assert f('most') == f('mostblock') == [max(n for i in r for n in near[i] if n > i)]; sums = [sum(n) for n in near]; assert f('pull') == f('pullblock') == sums; \
// RUN:   assert f('push') == f('pushwarp') == [min([99] + [i for i in r if n in near[i]]) for n in r]; \
// RUN:   assert sorted(f('list'))[256 - more:] == [j for j in range(256) if (5 * j + 1) %% 64 > j // 4]; assert f('path') == [0] * 64" %}

!index = memref<65xi32>
!list = memref<256xi32>
!data = memref<64xi32>
!one = memref<1xi32>
!s = memref<64xi32, #gpu.address_space<workgroup>>
#warp = array<i32: 32, 1, 1>
#two = array<i32: 64, 1, 1>

// conditional_vertex_neighbors, by thread: how many neighbours have a larger number.
// count-atomic: race: kernel 'count': thread {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("count")), which thread {{.*}} writes by memref.store (loc("new count")), in no order
// count-bounds: bounds: kernel 'count': thread (0, 0, 0) of block (2, 0, 0) reads 4 bytes by memref.load (loc("end")), from byte 260 on of argument 0 (260 bytes)
gpu.module @m_count {
  gpu.func @count(%index: !index, %list: !list, %data: !data, %y: !one) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %in = arith.cmpi ult, %i, %c64 : index // @count-bounds
    //@count-bounds %in = arith.constant true
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %sum = scf.for %j = %beg to %end step %c1 iter_args(%own = %zero) -> i32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        %add = arith.extui %is : i1 to i32
        %more = arith.addi %own, %add : i32
        scf.yield %more : i32
      }
      %old = memref.atomic_rmw addi %sum, %y[%c0] : (i32, !one) -> i32 // @count-atomic
      //@count-atomic %old = memref.load %y[%c0] : !one loc("count")
      //@count-atomic %new = arith.addi %old, %sum : i32
      //@count-atomic memref.store %new, %y[%c0] : !one loc("new count")
    }
    gpu.return
  }
}

// conditional_vertex_neighbors_warp: a warp for a vertex, lanes add by shuffles, one of them to the count.
// countwarp-atomic: race: kernel 'countwarp': thread ({{0|32}}, 0, 0) {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("count")), which thread ({{0|32}}, 0, 0) {{.*}} writes by memref.store (loc("new count")), in no order
// countwarp-lanes: race: kernel 'countwarp': thread ({{31|63}}, 0, 0) {{.*}} writes byte 0 of argument 3 (4 bytes) by memref.store (loc("lanes")), which thread {{.*}} writes by memref.store (loc("lanes")), in no order
// countwarp-lanes: race: kernel 'countwarp': thread {{.*}} updates byte 0 of argument 3 (4 bytes) by memref.atomic_rmw (loc("add")), which thread {{.*}} writes by memref.store (loc("lanes")), in no order
gpu.module @m_countwarp {
  gpu.func @countwarp(%index: !index, %list: !list, %data: !data, %y: !one) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %width = arith.constant 32 : i32
    %lane = gpu.lane_id
    %w = gpu.subgroup_id : index
    %b = gpu.block_id x
    %f = arith.muli %b, %c2 : index
    %i = arith.addi %f, %w : index
    %in = arith.cmpi ult, %i, %c64 : index
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %from = arith.addi %beg, %lane : index
      %part = scf.for %j = %from to %end step %c32 iter_args(%own = %zero) -> i32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        %add = arith.extui %is : i1 to i32
        %more = arith.addi %own, %add : i32
        scf.yield %more : i32
      }
      %total = scf.for %k = %c0 to %c5 step %c1 iter_args(%own = %part) -> i32 {
        %d = arith.shli %c1, %k : index
        %offset = arith.index_cast %d : index to i32
        %o, %valid = gpu.shuffle xor %own, %offset, %width : i32
        %more = arith.addi %own, %o : i32
        scf.yield %more : i32
      }
      %first = arith.cmpi eq, %lane, %c0 : index
      scf.if %first {
        %old = memref.atomic_rmw addi %total, %y[%c0] : (i32, !one) -> i32 loc("add") // @countwarp-atomic
        //@countwarp-atomic %old = memref.load %y[%c0] : !one loc("count")
        //@countwarp-atomic %new = arith.addi %old, %total : i32
        //@countwarp-atomic memref.store %new, %y[%c0] : !one loc("new count")
      }
      //@countwarp-lanes memref.store %total, %y[%c0] : !one loc("lanes")
    }
    gpu.return
  }
}

// conditional_vertex_neighbors_block, persistent: blocks take vertex after vertex, threads add in shared memory.
// countblock-atomic: race: kernel 'countblock': thread (0, 0, 0) of block {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("count")), which thread (0, 0, 0) of block {{.*}} writes by memref.store (loc("new count")), in no order
// countblock-sync: race: kernel 'countblock': thread {{.*}} of block (0, 0, 0) {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} of block (0, 0, 0) {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
gpu.module @m_countblock {
  gpu.func @countblock(%index: !index, %list: !list, %data: !data, %y: !one) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %grid = gpu.grid_dim x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.for %i = %b to %c64 step %grid {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %from = arith.addi %beg, %t : index
      %part = scf.for %j = %from to %end step %c64 iter_args(%own = %zero) -> i32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        %add = arith.extui %is : i1 to i32
        %more = arith.addi %own, %add : i32
        scf.yield %more : i32
      }
      memref.store %part, %s[%t] : !s loc("own")
      gpu.barrier // @countblock-sync
      scf.for %k = %c0 to %c6 step %c1 {
        %d = arith.shrui %c32, %k : index
        %low = arith.cmpi ult, %t, %d : index
        scf.if %low {
          %p = arith.addi %t, %d : index
          %u = memref.load %s[%t] : !s
          %o = memref.load %s[%p] : !s loc("other")
          %uo = arith.addi %u, %o : i32
          memref.store %uo, %s[%t] : !s loc("half")
        }
        gpu.barrier
      }
      scf.if %first {
        %total = memref.load %s[%c0] : !s loc("result")
        %old = memref.atomic_rmw addi %total, %y[%c0] : (i32, !one) -> i32 // @countblock-atomic
        //@countblock-atomic %old = memref.load %y[%c0] : !one loc("count")
        //@countblock-atomic %new = arith.addi %old, %total : i32
        //@countblock-atomic memref.store %new, %y[%c0] : !one loc("new count")
      }
      gpu.barrier
    }
    gpu.return
  }
}

// conditional_edge_neighbor, from the last edge to the first: the largest value of a neighbour, behind a test of what is there already or without one.
// most-atomic: race: kernel 'most': thread {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("old")), which thread {{.*}} writes by memref.store (loc("new")), in no order
// most-guard: race: kernel 'most': thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), which thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), in no order
// most-bounds: bounds: kernel 'most': thread (0, 0, 0) of block (2, 0, 0) reads 4 bytes by memref.load (loc("end")), from byte 260 on of argument 0 (260 bytes)
gpu.module @m_most {
  gpu.func @most(%index: !index, %list: !list, %data: !data, %y: !one) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %in = arith.cmpi ult, %i, %c64 : index // @most-bounds
    //@most-bounds %in = arith.constant true
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %last = arith.addi %beg, %end : index
      scf.for %back = %beg to %end step %c1 {
        %past = arith.subi %last, %back : index
        %j = arith.subi %past, %c1 : index
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        scf.if %is {
          %v = memref.load %data[%nei] : !data
          //@most-guard %seen = memref.load %y[%c0] : !one loc("guard")
          %less = arith.constant true // @most-guard
          //@most-guard %less = arith.cmpi slt, %seen, %v : i32
          scf.if %less {
            %old = memref.atomic_rmw maxs %v, %y[%c0] : (i32, !one) -> i32 loc("update") // @most-atomic
            //@most-atomic %old = memref.load %y[%c0] : !one loc("old")
            //@most-atomic %new = arith.maxsi %old, %v : i32
            //@most-atomic memref.store %new, %y[%c0] : !one loc("new")
          }
        }
      }
    }
    gpu.return
  }
}

// conditional_edge_neighbors_block, persistent: the same by blocks with a tree in shared memory, which the next vertex uses again.
// mostblock-atomic: race: kernel 'mostblock': thread (5, 0, 0) of block {{.*}} reads byte 0 of argument 3 (4 bytes) by memref.load (loc("old")), which thread (5, 0, 0) of block {{.*}} writes by memref.store (loc("new")), in no order
// mostblock-guard: race: kernel 'mostblock': thread (5, 0, 0) of block {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), which thread (5, 0, 0) of block {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), in no order
// mostblock-sync: race: kernel 'mostblock': thread {{.*}} of block (0, 0, 0) {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} of block (0, 0, 0) {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// mostblock-next: race: kernel 'mostblock': thread {{.*}} by memref.{{load|store}} (loc("{{own|result}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{own|result}}")), in no order
gpu.module @m_mostblock {
  gpu.func @mostblock(%index: !index, %list: !list, %data: !data, %y: !one) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %grid = gpu.grid_dim x
    %one = arith.cmpi eq, %t, %c5 : index
    scf.for %i = %b to %c64 step %grid {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %from = arith.addi %beg, %t : index
      %part = scf.for %j = %from to %end step %c64 iter_args(%own = %zero) -> i32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        %d = memref.load %data[%nei] : !data
        %max = arith.maxsi %own, %d : i32
        %more = arith.select %is, %max, %own : i32
        scf.yield %more : i32
      }
      memref.store %part, %s[%t] : !s loc("own")
      gpu.barrier // @mostblock-sync
      scf.for %k = %c0 to %c6 step %c1 {
        %d = arith.shrui %c32, %k : index
        %low = arith.cmpi ult, %t, %d : index
        scf.if %low {
          %p = arith.addi %t, %d : index
          %u = memref.load %s[%t] : !s
          %o = memref.load %s[%p] : !s loc("other")
          %uo = arith.maxsi %u, %o : i32
          memref.store %uo, %s[%t] : !s loc("half")
        }
        gpu.barrier
      }
      scf.if %one {
        %v = memref.load %s[%c0] : !s loc("result")
        //@mostblock-guard %seen = memref.load %y[%c0] : !one loc("guard")
        %less = arith.constant true // @mostblock-guard
        //@mostblock-guard %less = arith.cmpi slt, %seen, %v : i32
        scf.if %less {
          %old = memref.atomic_rmw maxs %v, %y[%c0] : (i32, !one) -> i32 loc("update") // @mostblock-atomic
          //@mostblock-atomic %old = memref.load %y[%c0] : !one loc("old")
          //@mostblock-atomic %new = arith.maxsi %old, %v : i32
          //@mostblock-atomic memref.store %new, %y[%c0] : !one loc("new")
        }
      }
      gpu.barrier // @mostblock-next
    }
    gpu.return
  }
}

// pull_node_neighbors, by thread: the sum of the neighbours' values, to another array or in place.
// pull-bounds: bounds: kernel 'pull': thread (0, 0, 0) of block (2, 0, 0) reads 4 bytes by memref.load (loc("end")), from byte 260 on of argument 0 (260 bytes)
// pull-place: race: kernel 'pull': thread {{.*}} by memref.{{load|store}} (loc("{{value|sum}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{value|sum}}")), in no order
gpu.module @m_pull {
  gpu.func @pull(%index: !index, %list: !list, %data: !data, %y: !data) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %in = arith.cmpi ult, %i, %c64 : index // @pull-bounds
    //@pull-bounds %in = arith.constant true
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %sum = scf.for %j = %beg to %end step %c1 iter_args(%own = %zero) -> i32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %v = memref.load %data[%nei] : !data loc("value") // @pull-place
        //@pull-place %v = memref.load %y[%nei] : !data loc("value")
        %more = arith.addi %own, %v : i32
        scf.yield %more : i32
      }
      memref.store %sum, %y[%i] : !data loc("sum")
    }
    gpu.return
  }
}

// pull_node_neighbors_block: a block for a vertex.
// pullblock-sync: race: kernel 'pullblock': thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{.*}}")), in no order
// pullblock-first: race: kernel 'pullblock': thread {{.*}} by memref.{{load|store}} (loc("{{other|half}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{other|half}}")), in no order
gpu.module @m_pullblock {
  gpu.func @pullblock(%index: !index, %list: !list, %data: !data, %y: !data) workgroup(%s: !s) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %i = gpu.block_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %n = arith.addi %i, %c1 : index
    %b4 = memref.load %index[%i] : !index loc("begin")
    %e4 = memref.load %index[%n] : !index loc("end")
    %bi = arith.index_cast %b4 : i32 to index
    %ei = arith.index_cast %e4 : i32 to index
    %beg = arith.muli %bi, %c4 : index
    %end = arith.muli %ei, %c4 : index
    %from = arith.addi %beg, %t : index
    %part = scf.for %j = %from to %end step %c64 iter_args(%own = %zero) -> i32 {
      %l = memref.load %list[%j] : !list loc("edge")
      %li = arith.index_cast %l : i32 to index
      %l5 = arith.muli %li, %c5 : index
      %l51 = arith.addi %l5, %c1 : index
      %nei = arith.remui %l51, %c64 : index
      %v = memref.load %data[%nei] : !data
      %more = arith.addi %own, %v : i32
      scf.yield %more : i32
    }
    memref.store %part, %s[%t] : !s loc("own")
    gpu.barrier // @pullblock-sync
    scf.for %k = %c0 to %c6 step %c1 {
      %d = arith.shrui %c32, %k : index
      %low = arith.cmpi ult, %t, %d : index
      scf.if %low {
        %p = arith.addi %t, %d : index
        %u = memref.load %s[%t] : !s
        %o = memref.load %s[%p] : !s loc("other")
        %uo = arith.addi %u, %o : i32
        memref.store %uo, %s[%t] : !s loc("half")
      }
      gpu.barrier // @pullblock-first
    }
    scf.if %first {
      %total = memref.load %s[%c0] : !s
      memref.store %total, %y[%i] : !data
    }
    gpu.return
  }
}

// push_node_neighbors, by thread, persistent: a vertex lowers its neighbours' values.
// push-atomic: race: kernel 'push': thread {{.*}} reads byte {{.*}} of argument 3 (256 bytes) by memref.load (loc("old")), which thread {{.*}} writes by memref.store (loc("new")), in no order
// push-guard: race: kernel 'push': thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), which thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{guard|update}}")), in no order
// push-bounds: bounds: kernel 'push': thread {{.*}} reads 4 bytes by memref.load (loc("edge")), from byte 1024 on of argument 1 (1024 bytes)
gpu.module @m_push {
  gpu.func @push(%index: !index, %list: !list, %data: !data, %y: !data) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %start = arith.addi %f, %t : index
    %grid = gpu.grid_dim x
    %all = arith.muli %grid, %c32 : index
    scf.for %i = %start to %c64 step %all {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %stop = arith.addi %end, %c0 : index // @push-bounds
      //@push-bounds %stop = arith.addi %end, %c1 : index
      scf.for %j = %beg to %stop step %c1 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %v = memref.load %data[%i] : !data
        //@push-guard %seen = memref.load %y[%nei] : !data loc("guard")
        %less = arith.constant true // @push-guard
        //@push-guard %less = arith.cmpi slt, %v, %seen : i32
        scf.if %less {
          %old = memref.atomic_rmw mins %v, %y[%nei] : (i32, !data) -> i32 loc("update") // @push-atomic
          //@push-atomic %old = memref.load %y[%nei] : !data loc("old")
          //@push-atomic %new = arith.minsi %old, %v : i32
          //@push-atomic memref.store %new, %y[%nei] : !data loc("new")
        }
      }
    }
    gpu.return
  }
}

// push_node_neighbors_warp: lanes take the edges of a vertex.
// pushwarp-atomic: race: kernel 'pushwarp': thread {{.*}} reads byte {{.*}} of argument 3 (256 bytes) by memref.load (loc("old")), which thread {{.*}} writes by memref.store (loc("new")), in no order
gpu.module @m_pushwarp {
  gpu.func @pushwarp(%index: !index, %list: !list, %data: !data, %y: !data) kernel attributes {known_block_size = #two} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %lane = gpu.lane_id
    %w = gpu.subgroup_id : index
    %b = gpu.block_id x
    %f = arith.muli %b, %c2 : index
    %i = arith.addi %f, %w : index
    %in = arith.cmpi ult, %i, %c64 : index
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      %from = arith.addi %beg, %lane : index
      scf.for %j = %from to %end step %c32 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %v = memref.load %data[%i] : !data
        %old = memref.atomic_rmw mins %v, %y[%nei] : (i32, !data) -> i32 loc("update") // @pushwarp-atomic
        //@pushwarp-atomic %old = memref.load %y[%nei] : !data loc("old")
        //@pushwarp-atomic %new = arith.minsi %old, %v : i32
        //@pushwarp-atomic memref.store %new, %y[%nei] : !data loc("new")
      }
    }
    gpu.return
  }
}

// populate_worklist_neighbors: edges that are wanted get a place in a list each.
// list-atomic: race: kernel 'list': thread {{.*}} reads byte 0 of argument 4 (4 bytes) by memref.load (loc("old")), which thread {{.*}} writes by memref.store (loc("new")), in no order
// list-bounds: bounds: kernel 'list': thread (0, 0, 0) of block (2, 0, 0) reads 4 bytes by memref.load (loc("end")), from byte 260 on of argument 0 (260 bytes)
// list-last: race: kernel 'list': thread {{.*}} by memref.{{.*}} (loc("{{item|next place|update}}")), which thread {{.*}} by memref.{{.*}} (loc("{{item|next place|update}}")), in no order
gpu.module @m_list {
  gpu.func @list(%index: !index, %list: !list, %data: !data, %y: !list, %n0: !one) kernel attributes {known_block_size = #warp} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %in = arith.cmpi ult, %i, %c64 : index // @list-bounds
    //@list-bounds %in = arith.constant true
    scf.if %in {
      %n = arith.addi %i, %c1 : index
      %b4 = memref.load %index[%i] : !index loc("begin")
      %e4 = memref.load %index[%n] : !index loc("end")
      %bi = arith.index_cast %b4 : i32 to index
      %ei = arith.index_cast %e4 : i32 to index
      %beg = arith.muli %bi, %c4 : index
      %end = arith.muli %ei, %c4 : index
      scf.for %j = %beg to %end step %c1 {
        %l = memref.load %list[%j] : !list loc("edge")
        %li = arith.index_cast %l : i32 to index
        %l5 = arith.muli %li, %c5 : index
        %l51 = arith.addi %l5, %c1 : index
        %nei = arith.remui %l51, %c64 : index
        %is = arith.cmpi ult, %i, %nei : index
        scf.if %is {
          %p = memref.atomic_rmw addi %one, %n0[%c0] : (i32, !one) -> i32 loc("update") // @list-atomic
          //@list-atomic %p = memref.load %n0[%c0] : !one loc("old")
          //@list-atomic %new = arith.addi %p, %one : i32
          //@list-atomic memref.store %new, %n0[%c0] : !one loc("new")
          //@list-last %after = memref.load %n0[%c0] : !one loc("next place")
          %place = arith.index_cast %p : i32 to index // @list-last
          //@list-last %last = arith.subi %after, %one : i32
          //@list-last %place = arith.index_cast %last : i32 to index
          %item = arith.index_cast %j : index to i32
          memref.store %item, %y[%place] : !list loc("item")
        }
      }
    }
    gpu.return
  }
}

// path_compression: each vertex looks for its root, by way of parents that others shorten at the same time. Reads and writes of parents are atomic accesses.
// path-race: race: kernel 'path': thread {{.*}} by memref.{{load|store}} (loc("{{parent|root}}")), which thread {{.*}} by memref.{{load|store}} (loc("{{parent|root}}")), in no order
// path-read: race: kernel 'path': thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{parent|root}}")), which thread {{.*}} by memref.{{load|atomic_rmw}} (loc("{{parent|root}}")), in no order
// path-write: race: kernel 'path': thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{parent|root}}")), which thread {{.*}} by memref.{{store|atomic_rmw}} (loc("{{parent|root}}")), in no order
gpu.module @m_path {
  gpu.func @path(%index: !index, %list: !list, %data: !data, %y: !data) kernel attributes {known_block_size = #warp} {
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.muli %b, %c32 : index
    %i = arith.addi %f, %t : index
    %root = scf.while (%v = %i) : (index) -> index {
      %p = memref.atomic_rmw ori %zero, %y[%v] : (i32, !data) -> i32 loc("parent") // @path-race @path-read
      //@path-race %p = memref.load %y[%v] : !data loc("parent")
      //@path-read %p = memref.load %y[%v] : !data loc("parent")
      %u = arith.index_cast %p : i32 to index
      %up = arith.cmpi ult, %u, %v : index
      scf.condition(%up) %u : index
    } do {
    ^bb0(%u: index):
      scf.yield %u : index
    }
    %r = arith.index_cast %root : index to i32
    %old = memref.atomic_rmw assign %r, %y[%i] : (i32, !data) -> i32 loc("root") // @path-race @path-write
    //@path-race memref.store %r, %y[%i] : !data loc("root")
    //@path-write memref.store %r, %y[%i] : !data loc("root")
    gpu.return
  }
}

gpu.module @m_halve {
  gpu.func @halve(%x: !data, %y: !data) kernel attributes {known_block_size = #two} {
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !data
    %h = arith.shrui %v, %one : i32
    memref.store %h, %y[%t] : !data
    gpu.return
  }
}

func.func @count(%index: !index, %list: !list, %data: !data) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %fill, %y : i32, !one
  host.launch @m_count::@count grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !one) writes [3]
  return %y : !one
}
func.func @countwarp(%index: !index, %list: !list, %data: !data) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 33 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %fill, %y : i32, !one
  host.launch @m_countwarp::@countwarp grid(%grid, %c1, %c1) block(64, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !one) writes [3]
  return %y : !one
}
func.func @countblock(%index: !index, %list: !list, %data: !data) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 3 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %fill, %y : i32, !one
  host.launch @m_countblock::@countblock grid(%grid, %c1, %c1) block(64, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !one) writes [3]
  return %y : !one
}
func.func @most(%index: !index, %list: !list, %data: !data) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %fill, %y : i32, !one
  host.launch @m_most::@most grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !one) writes [3]
  return %y : !one
}
func.func @mostblock(%index: !index, %list: !list, %data: !data) -> !one attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 3 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !one
  host.fill %fill, %y : i32, !one
  host.launch @m_mostblock::@mostblock grid(%grid, %c1, %c1) block(64, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !one) writes [3]
  return %y : !one
}
func.func @pull(%index: !index, %list: !list, %data: !data) -> !data attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !data
  host.fill %fill, %y : i32, !data
  host.launch @m_pull::@pull grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !data) writes [3]
  return %y : !data
}
func.func @pullblock(%index: !index, %list: !list, %data: !data) -> !data attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 64 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !data
  host.fill %fill, %y : i32, !data
  host.launch @m_pullblock::@pullblock grid(%grid, %c1, %c1) block(64, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !data) writes [3]
  return %y : !data
}
func.func @push(%index: !index, %list: !list, %data: !data) -> !data attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 1 : index
  %fill = arith.constant 99 : i32
  %y = host.output 0 () : !data
  host.fill %fill, %y : i32, !data
  host.launch @m_push::@push grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !data) writes [3]
  return %y : !data
}
func.func @pushwarp(%index: !index, %list: !list, %data: !data) -> !data attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 33 : index
  %fill = arith.constant 99 : i32
  %y = host.output 0 () : !data
  host.fill %fill, %y : i32, !data
  host.launch @m_pushwarp::@pushwarp grid(%grid, %c1, %c1) block(64, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !data) writes [3]
  return %y : !data
}
func.func @list(%index: !index, %list: !list, %data: !data) -> !list attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 4 : index
  %fill = arith.constant 0 : i32
  %y = host.output 0 () : !list
  host.fill %fill, %y : i32, !list
  %n = host.alloc () : !one
  host.fill %fill, %n : i32, !one
  host.launch @m_list::@list grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y, %n : !index, !list, !data, !list, !one) writes [3, 4]
  return %y : !list
}
func.func @path(%index: !index, %list: !list, %data: !data) -> !data attributes {host.program} {
  %c1 = arith.constant 1 : index
  %grid = arith.constant 2 : index
  %y = host.output 0 () : !data
  host.launch @m_halve::@halve grid(%c1, %c1, %c1) block(64, 1, 1) args(%data, %y : !data, !data) writes [1]
  host.launch @m_path::@path grid(%grid, %c1, %c1) block(32, 1, 1) args(%index, %list, %data, %y : !index, !list, !data, !data) writes [3]
  return %y : !data
}
