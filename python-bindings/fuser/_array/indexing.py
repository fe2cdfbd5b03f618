# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`value[key]`: slices, numbers, new dimensions and tensors of indices as ops."""

from .._program import END, Operand, is_bool, read_integer, read_integers, split_sizes


def _is_tensor(key):
    """True for a tensor of indices with dimensions."""
    return isinstance(key, Operand) and bool(key._program.type(key)[1])


def _get_place(kinds):
    """Where the dimensions of indices stand among kinds of keys: in front unless all are side by side."""
    places = [at for at, kind in enumerate(kinds) if kind]
    return places[0] if places[-1] - places[0] + 1 == len(places) else 0


def _check_order(keys):
    """NumPy counts numbers among the indices, PyTorch takes them first; where results differ, the program has to say what it means."""
    if all(key is None or isinstance(key, slice) or _is_tensor(key) for key in keys):
        return
    numpy = _get_place([not (key is None or isinstance(key, slice)) for key in keys])
    torch = _get_place([_is_tensor(key) for key in keys if key is None or isinstance(key, slice) or _is_tensor(key)])
    before = sum(not (key is None or isinstance(key, slice) or _is_tensor(key)) for key in keys[:numpy])
    if numpy - before != torch:
        raise TypeError(
            "expected numbers beside the tensors of indices, or none, got others between them, of which NumPy and PyTorch have the dimensions in another"
            " order: x[0][:, t] in place of x[0, :, t]"
        )


def _check_number(key):
    """Booleans are masks in NumPy and PyTorch, and never 0 and 1."""
    if isinstance(key, bool):
        raise TypeError("expected indices, got booleans, of which the number of results is not known: use where")


def read_indices(value, key, dim):
    """A list of numbers along a dimension of `value` as a tensor of them, which count from a known end if they are negative; anything else as it is."""
    if not isinstance(key, list):
        return key
    for each in key:
        _check_number(each)
    numbers, sizes = read_integers(key, "integers as indices"), value._program.type(value)[1] or ()
    # A dimension that is none is an error of the op.
    size = sizes[dim] if -len(sizes) <= dim < len(sizes) else None
    if size is not None:
        wrong = next((each for each in numbers if not -size <= each < size), None)
        if wrong is not None:
            expected = f"indices of -{size} to {size - 1}" if size else "no index of no elements"
            raise value._program.make_error(f"expected {expected} in dimension {dim} of {value!r}, got {wrong}")
        numbers = [each % size for each in numbers]
    indices = value._program.op("constant", (), {"values": numbers, "shape": [len(key)], "type": "i64"})
    value._program.lists[indices._value] = min(numbers, default=0)
    return indices


def count_from_end(value, key, dim, read):
    """Indices along a dimension of `value` as ops take them. read: what makes them of others than lists."""
    least = value._program.lists.get(key._value) if isinstance(key, Operand) else None
    if least is None:
        return read(value, key, dim)
    if least >= 0:
        return key
    program = value._program
    return program.op("where", (key < 0, key + program.op("size", (value,), {"dim": dim}), key))


def check_lists(program, keys):
    """The attribute of an op whose indices have to be elements: numbers that were written, unlike those of a tensor."""
    are_lists = any(isinstance(key, Operand) and key._value in program.lists for key in keys)
    return {"checked": True} if are_lists else {}


def expand_keys(value, key, rank):
    """A key for each of `rank` dimensions, and None for each new one."""
    keys = list(key) if isinstance(key, tuple) else [key]
    given = sum(each is not None and each is not Ellipsis for each in keys)
    if given > rank:
        reason = f"at most {rank} indices of {value!r}, got {given}" if rank else f"no index of {value!r}, got {given}"
        raise value._program.make_error(f"too many indices: expected {reason}")
    ellipses = sum(each is Ellipsis for each in keys)
    if ellipses > 1:
        raise value._program.make_error(f"expected at most one '...' in an index, got {ellipses}")
    rest = [slice(None)] * (rank - given)
    # An operand is equal to nothing in particular: identity it is.
    place = next((i for i, each in enumerate(keys) if each is Ellipsis), len(keys))
    keys[place : place + 1] = rest
    dims = iter(range(rank))
    return [None if each is None else read_indices(value, each, next(dims)) for each in keys]


def take(value, keys):
    """`value[keys]`, with a key for each dimension, and None for a new one."""
    if not any(map(_is_tensor, keys)):
        return _take_parts(value, keys)
    _check_order(keys)
    part = _take_parts(value, [slice(None) if _is_tensor(key) else key for key in keys])
    left = [key for key in keys if key is None or isinstance(key, slice) or _is_tensor(key)]
    dims = [dim for dim, key in enumerate(left) if _is_tensor(key)]
    for dim in dims:
        if is_bool(value._program.type(left[dim])[0]):
            raise TypeError("expected indices, got booleans, of which the number of results is not known: use where")
    indices = [count_from_end(part, left[dim], dim, value._read_index) for dim in dims]
    checked = check_lists(value._program, [left[dim] for dim in dims])
    if len(dims) == 1:
        return value._program.op("take", (part, indices[0]), {"dim": dims[0]} | checked)
    return value._program.op("index", (part, *indices), {"dims": dims} | checked)


def _take_parts(value, keys):
    starts, stops, steps, dropped, added = [], [], [], [], []
    for key in keys:
        if key is None:
            added.append(len(starts) + len(added) - len(dropped))
        elif isinstance(key, slice):
            step = 1 if key.step is None else read_integer(key.step, "a step")
            ends = (key.start, key.stop)
            if step < 0:
                ends = _turn(ends, value._program.type(value)[1][len(starts)], step)
            starts.append(0 if ends[0] is None else ends[0])
            stops.append(END if ends[1] is None else ends[1])
            steps.append(step)
        else:
            _check_number(key)
            dropped.append((len(starts), key))
            starts.append(0)
            stops.append(END)
            steps.append(1)
    # Bounds may be values, of which a comparison is an op.
    if any(isinstance(key, slice) and {key.start, key.stop, key.step} != {None} for key in keys):
        value = _slice(value, starts, stops, steps)
    for dim, key in reversed(dropped):
        value = _drop(value, dim, key)
    return value.expand_dims(added) if added else value


def _turn(ends, size, step):
    """The bounds of the elements between those of a slice that goes backward, in ascending order. size: of the dimension, None if it is open."""
    start, stop = ends
    if start is None and stop is None:
        return ends
    if size is not None and not isinstance(start, Operand) and not isinstance(stop, Operand):
        start, stop, _ = slice(start, stop, step).indices(size)
        return stop + 1, max(start, stop) + 1
    if not isinstance(stop, Operand) and stop == -1:
        return 0, 0  # The last one is not among them.
    # Behind the last one is the end.
    is_last = start is None or (not isinstance(start, Operand) and start == -1)
    return None if stop is None else _get_next(stop), None if is_last else _get_next(start)


def _get_next(bound):
    """That behind an element. Behind the last one, -1, is the end, also where the program computes it."""
    if not isinstance(bound, Operand):
        return bound + 1
    program = bound._program
    return program.op("where", (program.op("eq", (bound, -1)), END, bound + 1))


def _slice(value, starts, stops, steps):
    """Parts between ascending bounds, backward in dimensions of a negative step."""
    backward = [dim for dim, step in enumerate(steps) if step < 0]
    (starts, stops, first), values = split_sizes(
        starts, stops, [1 if dim in backward else step for dim, step in enumerate(steps)]
    )
    if first != [1] * len(first) or set(starts) != {0} or set(stops) != {END}:
        value = value._program.op("slice", (value, *values), {"starts": starts, "stops": stops, "steps": first})
    if not backward:
        return value
    value = value._program.op("flip", (value,), {"dims": backward})
    keys = [slice(None, None, -steps[dim] if dim in backward else None) for dim in range(len(steps))]
    return _take_parts(value, keys)


def _drop(value, dim, key):
    """The part of one index: a number, a scalar, or a tensor of rank 0."""
    if isinstance(key, Operand) and key._program.type(key)[1] is not None:
        return value._program.op("take", (value, value._read_index(value, key, dim)), {"dim": dim})
    if not isinstance(key, Operand) and not hasattr(key, "__index__"):
        raise TypeError(f"expected integers, slices, None, ... or tensors of integers as indices, got {key!r}")
    (index,), values = split_sizes([value._read_number(key, dim)])
    return value._program.op("select", (value, *values), {"dim": dim, "index": index})
