// A picture, in place of the text. It is well-formed, and holds what the text does; the same program gives the same bytes.
// RUN: fuser-opt %s --host-stream-loops --host-print-timeline=svg=%t.svg -o /dev/null 2>&1 | count 0
// RUN: %python -c "import sys, xml.etree.ElementTree as tree; [print(e.tag.split('}')[1] + '.' + e.get('class', ''), (e.text or '').strip()) for e in tree.parse(sys.argv[1]).iter() if e.tag[-5:] != 'style']" %t.svg | FileCheck %s
// RUN: fuser-opt %s --host-stream-loops --host-print-timeline=svg=- -o /dev/null | diff %t.svg -
// It names no other file.
// RUN: not grep -e href -e @import -e 'url([^#]' %t.svg
// RUN: grep 'prefers-color-scheme: dark' %t.svg
// Without a program, there is no file.
// RUN: echo 'func.func private @f()' | fuser-opt --host-print-timeline=svg=%t.none -o /dev/null
// RUN: not test -e %t.none
// RUN: not fuser-opt %s --host-print-timeline=svg=%t.none/timeline.svg -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: print-timeline-svg.mlir:[[#]]:{{[0-9]+}}: error: expected a file for the timeline: cannot open output file '{{.*}}timeline.svg': No such file or directory
// ERROR-NOT: error:

// CHECK:      svg.
// CHECK-NEXT: title. timeline of @"a<b>&\22c\22", timeline of @rows

// CHECK:      text.title timeline of @"a<b>&\22c\22"
// CHECK-NEXT: text.dim stream
// CHECK-NEXT: text.dim step 1
// CHECK-NEXT: text.dim 2
// CHECK-NEXT: text.dim 3
// CHECK-NEXT: text.dim 4
// CHECK-NEXT: rect.row
// CHECK-NEXT: text. caller
// CHECK:      text. 1
// CHECK:      text. 2
// CHECK-NOT:  rect.frame
// Too long for its box; all of it is in the tooltip.
// CHECK:      title. coalesce {send x? to 1; recv x? from rank(%{{[0-9]+}})}, after 1:2, 2:2
// CHECK-NEXT: rect.communication
// CHECK-NEXT: text. coalesce {send x? to 1; recv x? from {{[rank]+}}...
// CHECK:      title. linear x?[0:4], %arg1 -> %{{[0-9]+}}[0:4] (%arg2 = 0), after caller:0
// CHECK-NEXT: rect.work
// CHECK-NEXT: text. linear x?[0:4], %arg1 -> %{{[0-9]+}}[0:4] (%arg2 = 0)
// CHECK:      title. reduce <sum>
// CHECK-NEXT: rect.communication
// CHECK:      path.wait
// CHECK-NEXT: title. waits for 1:2
// CHECK:      title. waits for 2:2
// CHECK:      title. waits for caller:0
func.func @"a<b>&\22c\22"(%x: memref<8x8xf32> {host.name = "x\01"}, %w: memref<5x8xf32>) -> memref<4x5xf32> attributes {host.program} {
  %c1 = arith.constant 1 : index
  %pair = host.group [[0, 1]]
  %t = host.alloc () stream <0 chunks 2> : memref<8x5xf32>
  host.linear %x, %w, %t : memref<8x8xf32>, memref<5x8xf32>, memref<8x5xf32>
  %o = host.output 0 () : memref<4x5xf32>
  %0 = host.reduce_scatter <sum> %t, %o dim 0 in %pair : memref<8x5xf32>, memref<4x5xf32>
  %rank = host.rank %pair
  %1 = host.coalesce {
    %2 = host.send %x to %c1 in %pair : memref<8x8xf32>
    %3 = host.recv %x from %rank in %pair : memref<8x8xf32>
  }
  return %o : memref<4x5xf32>
}

// A loop's body stands in a frame, in each of its rows.

// CHECK:      text.title timeline of @rows
// CHECK:      title. for %arg2 = 0 to %arg1
// CHECK-NEXT: rect.frame
// CHECK-NEXT: text.dim for %arg2 = 0 to %arg1
// CHECK:      text. copy %arg0[%arg2] -> %0[%arg2]
// CHECK:      title. waits for 1..4:1
// CHECK-NEXT: path.wait
// CHECK-NEXT: title. waits for caller:0
// CHECK-NOT:  {{.}}
func.func @rows(%x: memref<?x8xf32>, %n: index) -> memref<?x8xf32> attributes {host.program} {
  %o = host.output 0 (%n) stream <0> : memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  return %o : memref<?x8xf32>
}
