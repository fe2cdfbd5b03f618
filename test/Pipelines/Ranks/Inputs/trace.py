# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the rows of a trace and the events on them, and fails if events of a row are out of order or overlap.

usage: trace.py FILE
"""

import json
import sys
from collections import defaultdict


def main():
    trace = json.load(open(sys.argv[1], encoding="utf-8"))
    names, rows = {}, defaultdict(list)
    for event in trace["traceEvents"]:
        row = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            names[row] = event["args"]["name"]
            rows[row] = []
        elif event["ph"] == "X":
            rows[row].append(event)
    for row, events in rows.items():
        print(f"{names[row[0]]}, {names[row]} ({row[1]}):")
        end = 0
        for event in events:
            # Times have three digits behind the point.
            assert event["dur"] >= 0 and event["ts"] >= end - 0.0005, f"{event} begins before {end}"
            end = event["ts"] + event["dur"]
            print(f"  {event['cat']}: {event['name']} {json.dumps(event['args'])}")
    print(json.dumps(trace["otherData"]))


if __name__ == "__main__":
    main()
