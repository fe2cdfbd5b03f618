# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Einstein's sums as products of matrices: which labels the dimensions of operands have, and what is multiplied and summed."""

import math
from collections import Counter
from string import ascii_lowercase, ascii_uppercase

from .._program import read_integer

_LETTERS = ascii_uppercase + ascii_lowercase


def _read_labels(term, rank):
    """The labels of the dimensions of an operand: letters, and for "..." the place of each from the last one on."""
    before, dots, behind = term.partition("...")
    count = rank - len(before) - len(behind)
    letters = before + behind
    if (count < 0 if dots else count) or not (letters.isalpha() or letters == ""):
        raise ValueError(f"einsum: expected a letter for each dimension, got '{term}' for an array of {rank}")
    return [*before, *range(count, 0, -1), *behind]


def _write_label(label):
    """The letter of a number, as NumPy and PyTorch have them."""
    if label is Ellipsis:
        return "..."
    number = read_integer(label, "numbers of dimensions, or ...")
    if not 0 <= number < len(_LETTERS):
        raise ValueError(f"einsum: expected numbers from 0 to {len(_LETTERS) - 1} of dimensions, got {number}")
    return _LETTERS[number]


def _write_term(labels):
    if not isinstance(labels, (list, tuple)):
        raise TypeError(f"einsum: expected a list of numbers behind each operand, got {labels!r}")
    return "".join(map(_write_label, labels))


def write_subscripts(given):
    """(the subscripts as a text, the operands) of operands with a list of numbers behind each, and perhaps one for the result behind all."""
    pairs = len(given) // 2 * 2
    text = ",".join(map(_write_term, given[1:pairs:2]))
    if pairs < len(given):
        text += f"->{_write_term(given[-1])}"
    return text, given[:pairs:2]


def read_subscripts(subscripts, ranks):
    """(the labels of each operand, those of the result)"""
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: expected a text such as 'ij,jk->ik', got {subscripts!r}")
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: expected {len(terms)} operands for '{left}', got {len(ranks)}")
    labels = [_read_labels(term, rank) for term, rank in zip(terms, ranks, strict=True)]
    counts = Counter(label for each in labels for label in each)
    others = sorted((label for label in counts if isinstance(label, int)), reverse=True)
    if not arrow:
        return labels, [*others, *sorted(label for label in counts if label not in others and counts[label] == 1)]
    before, dots, behind = right.partition("...")
    result = [*before, *(others if dots else ()), *behind]
    wrong = [label for label in result if label not in counts]
    if wrong or len(set(result)) < len(result):
        raise ValueError(f"einsum: expected each letter of the result once, and in an operand, got '{right}'")
    return labels, result


def contract(b, operands, labels, result, name="einsum"):
    """The sum of products of operands with these labels, with those of the result. name: of what errors call it."""
    terms = [_take_diagonals(b, x, own, name) for x, own in zip(operands, labels, strict=True)]
    x, own = terms[0]
    for number, (y, others) in enumerate(terms[1:], 2):
        kept = {label for _, each in terms[number:] for label in each} | set(result)
        _check_sizes(b, (x, own), (y, others), name)
        x, own = _multiply(b, (x, own), (y, others), kept)
    x, own = _sum_others(b, x, own, set(result))
    return _permute(b, x, own, result)


def _take_diagonals(b, x, labels, of):
    """(x, its labels), where dimensions that have one label are one, the diagonal, in front of the others. of: the function."""
    for label in [each for each, count in Counter(labels).items() if count > 1]:
        places = [place for place, each in enumerate(labels) if each == label]
        rest = [place for place in range(len(labels)) if place not in places]
        x = b.permute_dims(x, places + rest)
        sizes = b._get_sizes(x)[: len(places)]
        for size in sizes[1:]:
            _check_size(b, label, sizes[0], size, of)
        x = b.index(x, [b.arange(sizes[0])] * len(places))
        labels = [label, *(labels[place] for place in rest)]
    return x, labels


def _permute(b, x, labels, order):
    return x if labels == order else b.permute_dims(x, [labels.index(label) for label in order])


def _sum_others(b, x, labels, kept):
    """The sum over dimensions whose labels are not among `kept`, in the type of x."""
    dims = [dim for dim, label in enumerate(labels) if label not in kept]
    if not dims:
        return x, labels
    element = x._program.type(x)[0]
    summed = b.any(x, dims) if element == "i1" else b.sum(x, dims, element)
    return summed, [label for label in labels if label in kept]


def _spread(b, x, own, labels):
    """x with its dimensions in the order of labels, and one of size 1 for each that it has not; a number as it is."""
    x = _permute(b, x, own, [label for label in labels if label in own])
    new = [dim for dim, label in enumerate(labels) if label not in own]
    return b.expand_dims(x, new) if new and own else x


def _multiply(b, first, second, kept):
    """(the product, its labels), summed over labels of both that are not among `kept`."""
    (x, own), (y, others) = _sum_others(b, *first, kept | set(second[1])), _sum_others(b, *second, kept | set(first[1]))
    summed = [label for label in own if label in others and label not in kept]
    batch = [label for label in own if label in others and label in kept]
    rows, columns = [label for label in own if label not in others], [label for label in others if label not in own]
    order = batch + rows + columns
    if not summed:
        labels = order + summed
        product = b.multiply(_spread(b, x, own, labels), _spread(b, y, others, labels))
        return _sum_others(b, product, labels, kept)
    left, right = _permute(b, x, own, batch + rows + summed), _permute(b, y, others, batch + summed + columns)
    sizes, last = b._get_sizes(left), b._get_sizes(right)
    shape, inner = sizes[: len(batch)], sizes[len(batch) + len(rows) :]
    height, width = sizes[len(batch) : len(batch) + len(rows)], last[len(batch) + len(summed) :]
    product = b.matmul(
        b.reshape(left, (*shape, _count(height), _count(inner))),
        b.reshape(right, (*shape, _count(inner), _count(width))),
    )
    return b.reshape(product, (*shape, *height, *width)), order


def _count(sizes):
    return math.prod(sizes[1:], start=sizes[0]) if sizes else 1


def _check_sizes(b, first, second, of):
    """A label has one size; programs check the open ones. of: the function."""
    sizes = dict(zip(first[1], b._get_sizes(first[0]), strict=True)) if first[1] else {}
    for label, size in zip(second[1], b._get_sizes(second[0]) if second[1] else (), strict=True):
        _check_size(b, label, sizes.get(label, size), size, of)


def _check_size(b, label, known, size, of):
    name = f"'{label}'" if isinstance(label, str) else "'...'"
    b._program.check_equal(known, size, f"one size of {name}, got {{0}} and {{1}}", of)
