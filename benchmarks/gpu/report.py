# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of peers.py as a table and as a plot."""

import math

PEERS = ["eager", "inductor", "autotune", "cub"]


def best_peer(times):
    """The time of the fastest peer, or None."""
    return min((times[name] for name in PEERS if name in times), default=None)


class Table:
    """Prints one line for each case: times in us, and the floor over our time and over that of the fastest peer."""

    def __init__(self, contenders):
        self.columns = ["floor", *contenders]
        self.has_peers = len(contenders) > 1
        self.ratios = {"fuser": [], "best": []}
        titles = [*(f"{name} us" for name in self.columns), "floor/fuser"] + ["floor/best"] * self.has_peers
        print(f"{'case':42s}" + "".join(f"{title:>13s}" for title in titles), flush=True)

    def add(self, name, row):
        if "error" in row:
            print(f"{name:42s} {row['error']}", flush=True)
            return
        times = row["us"]
        ratios = {"fuser": times["floor"] / times["fuser"]}
        if best := best_peer(times):
            ratios["best"] = times["floor"] / best
        for key, ratio in ratios.items():
            self.ratios[key].append(ratio)
        cells = [f"{times[column]:.1f}" if column in times else "-" for column in self.columns]
        cells += [f"{ratio:.3f}" for ratio in ratios.values()]
        print(f"{name:42s}" + "".join(f"{cell:>13s}" for cell in cells), flush=True)
        for peer, message in row.get("errors", {}).items():
            print(f"  {peer}: {message.splitlines()[0]}", flush=True)

    def finish(self):
        means = {
            key: math.exp(sum(map(math.log, values)) / len(values)) for key, values in self.ratios.items() if values
        }
        cells = [""] * len(self.columns) + [f"{mean:.3f}" for mean in means.values()]
        title = f"geometric mean of {len(self.ratios['fuser'])}"
        print(f"{title:42s}" + "".join(f"{cell:>13s}" for cell in cells), flush=True)


def show(figures):
    """The table of a run that was written."""
    rows = figures["cases"]
    measured = {name for row in rows.values() for name in row.get("us", {})}
    table = Table([name for name in ("fuser", *PEERS) if name in measured])
    for name, row in rows.items():
        table.add(name, row)
    table.finish()


def plot(figures, path):
    """GB/s over the length of rows, one picture for each program, with the floor drawn in."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [row for row in figures["cases"].values() if "us" in row]
    entries = list(dict.fromkeys(row["entry"] for row in rows))
    columns = min(3, len(entries))
    lines = -(-len(entries) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(6 * columns, 4 * lines), squeeze=False, sharey=True)
    for entry, axis in zip(entries, axes.flat):
        draw(axis, [row for row in rows if row["entry"] == entry])
        axis.set(title=entry, xlabel="elements a row", ylabel="GB/s", ylim=(0, None))
        axis.set_xscale("log", base=2)
        axis.legend(fontsize="small")
    for axis in axes.flat[len(entries) :]:
        axis.remove()
    machine = figures["machine"]
    figure.suptitle(f"{machine.get('device', '')}, L2 {machine['L2']}")
    figure.tight_layout()
    figure.savefig(path)


def draw(axis, rows):
    """The lines of one program: the floor, and each contender with sizes that are known and that are open."""

    def line(name, rows, **style):
        points = {row["length"]: row["bytes"] / row["us"][name] / 1e3 for row in rows if name in row["us"]}
        if points:
            axis.plot(*zip(*sorted(points.items())), **style)

    line("floor", rows, label="floor", linestyle=":", color="black")
    for dynamic, style in ((False, "-"), (True, "--")):
        for number, name in enumerate(("fuser", *PEERS)):
            label = name + (", sizes open" if dynamic else "")
            kind = [row for row in rows if row["dynamic"] == dynamic]
            line(name, kind, label=label, linestyle=style, color=f"C{number}", marker="o", markersize=3)
