"""Fails where two arrays differ: equal.py EXPECTED.npy GOT.npy"""

import sys

import numpy as np

expected, got = map(np.load, sys.argv[1:])
np.testing.assert_array_equal(got, expected)
