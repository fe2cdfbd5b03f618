"""Sizes that a program asks for, and that only a call shows not to fit: errors, also where nothing is left to compute."""

import fuser
import numpy as np
import pytest

BROADCAST = "test_size_checks.py:[0-9]+: expected a shape of size {} in dimension {}, as the operand has, got {}$"
RESHAPE = (
    "test_size_checks.py:[0-9]+: fusion.reshape: expected a shape of as many elements as the input has, {}, got {}$"
)


def sizes(b, x):
    return b.size(x, 0), b.size(x, 1)


# What is asked of y by the sizes of z; what y is, and what the error says of y of 3 x 8 and z of 2 x 8.
ASKED = {
    "broadcast_to": (lambda b, y, z: b.broadcast_to(y, sizes(b, z)), (None, None), BROADCAST.format(3, 0, 2)),
    "broadcast_to a known size": (lambda b, y, z: b.broadcast_to(y, sizes(b, z)), (3, 8), BROADCAST.format(3, 0, 2)),
    "broadcast_to of more": (
        lambda b, y, z: b.broadcast_to(y, (4, *sizes(b, z))),
        (None, 8),
        BROADCAST.format(3, 1, 2),
    ),
    "broadcast_to, -1": (lambda b, y, z: b.broadcast_to(y, (b.size(z, 0), -1)), (None, 8), BROADCAST.format(3, 0, 2)),
    "reshape": (lambda b, y, z: y.reshape(b.size(z, 0), 8), (None, 8), RESHAPE.format(24, 16)),
    "reshape of two open": (lambda b, y, z: y.reshape(*sizes(b, z)), (None, None), RESHAPE.format(24, 16)),
    "reshape and back": (
        lambda b, y, z: y.reshape(b.size(z, 0), 2, 4).reshape(b.size(y, 0), 8),
        (None, 8),
        RESHAPE.format(24, 16),
    ),
    "where": (
        lambda b, y, z: b.where(b.full((b.size(y, 0), 8), True, "bool"), y, b.full((b.size(z, 0), 8), 0.0)),
        (None, 8),
        "to be 3, as dimension 0 of input 0 'y', got 2$",
    ),
    "slice of one value": (
        lambda b, y, z: y + b.full((b.size(z, 0), 8), 1.0)[: b.size(y, 0)],
        (None, 8),
        "expected a slice of the 2 elements of the input, got offset 0, size 3 and step 1$",
    ),
}


@pytest.mark.parametrize("case", ASKED)
def test_asked_sizes(case):
    ask, shape, message = ASKED[case]
    b = fuser.Builder()
    y, z = b.input(shape, name="y"), b.input((None, None), name="z")
    b.output(ask(b, y, z))
    program = b.compile()
    given = np.arange(24, dtype=np.float32).reshape(3, 8)
    got = program(given, np.ones((3, 8), np.float32))
    added = 1 if case == "slice of one value" else 0
    np.testing.assert_array_equal(got, np.broadcast_to(given + added, got.shape))
    with pytest.raises(fuser.Error, match=message):
        program(given, np.ones((2, 8), np.float32))


def test_own_sizes_are_not_checked():
    """What is a tensor's own size needs no check, and no op."""
    b = fuser.Builder()
    y = b.input((None, None))
    b.output(-b.broadcast_to(y, sizes(b, y)).reshape(*sizes(b, y)))
    text = str(b)
    assert "fusion.check" not in text
    assert "reshape" not in text and "expand" not in text


def test_groups_of_open_channels():
    b = fuser.Builder()
    b.output(b.group_norm(b.input((None, None, 5)), 3)[0])
    norm = b.compile()
    x = np.random.default_rng(1).standard_normal((2, 6, 5), np.float32)
    groups = x.reshape(2, 3, 10).astype(np.float64)
    expected = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(norm(x), expected.reshape(x.shape), rtol=1e-5, atol=1e-6)
    with pytest.raises(fuser.Error, match="expected a number of groups that divides the 4 channels, got 3$"):
        norm(np.ascontiguousarray(x[:, :4]))
