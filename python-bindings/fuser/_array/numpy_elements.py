# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NumPy element by element that the array API standard has not, and that are several others of a builder."""

import math

from .._program import Operand, get_bits, is_complex, is_float
from .names import name_calls

#: The function i0 (modified Bessel, of order 0) as Chebyshev polynomials, the last coefficient first, as Cephes and NumPy have them: exp(-x) * i0(x) of x / 2 - 2
#: up to 8, and exp(-x) * sqrt(x) * i0(x) of 32 / x - 2 beyond.
_I0_UP_TO_8 = (
    *(-4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15),
    *(-1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12),
    *(-1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09),
    *(-1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07, 1.1173875391201037e-06),
    *(-4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165),
    *(-0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998),
    *(-0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877),
    *(-0.3046826723431984, 0.6767952744094761),
)
_I0_BEYOND_8 = (
    *(-7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17),
    *(-2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15),
    *(-9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13),
    *(7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11),
    *(1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08),
    *(2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943),
    0.8044904110141088,
)
#: What no coefficient of f32 is below, but for later ones.
_LEAST_OF_F32 = 1e-10


@name_calls
class NumpyElements:
    """What a builder has of NumPy's functions element by element, made of its other functions. Those of mathematics compute integers and floats of 16 bits as
    float32, and round results to the type of floats once."""

    def _widen(self, x):
        """x in a type of floats that sums and positions are computed in."""
        element = x._program.type(x)[0]
        return x if element in ("f32", "f64") or is_complex(element) else self.astype(x, "float32")

    def _narrow(self, result, x):
        """The result in the type of x, if that is one of floats."""
        element = x._program.type(x)[0]
        is_other = is_float(element) and result._program.type(result)[0] != element
        return self.astype(result, element) if is_other else result

    def _evaluate(self, x, coefficients):
        """The sum of Chebyshev polynomials of x / 2, of which the first coefficient is that of the highest one; in the type of x, which is f32 or f64."""
        if x._program.type(x)[0] == "f32":
            first = next(at for at, each in enumerate(coefficients) if abs(each) > _LEAST_OF_F32)
            coefficients = coefficients[first:]
        result, last, before = coefficients[0], 0.0, 0.0
        for each in coefficients[1:]:
            result, last, before = x * result - last + each, result, last
        return (result - before) * 0.5

    def i0(self, x):
        """The modified Bessel function of the first kind, of order 0."""
        size = self.abs(self._widen(x))
        beyond = self.divide(self._evaluate(self.divide(32, size) - 2, _I0_BEYOND_8), self.sqrt(size))
        factor = self.where(self.less_equal(size, 8), self._evaluate(size * 0.5 - 2, _I0_UP_TO_8), beyond)
        return self._narrow(self.exp(size) * factor, x)

    def logaddexp2(self, x1, x2):
        """log2(2**x1 + 2**x2), also where the powers are beyond all numbers."""
        first, second = (self._widen(each) if isinstance(each, Operand) else each for each in (x1, x2))
        greatest = self.maximum(first, second)
        # Of equal ones, which may be infinite, the difference is 0.
        less = self.where(self.equal(first, second), 0.0, self.minimum(first, second) - greatest)
        return self._narrow(greatest + self.log1p(self.exp2(less)) * (1 / math.log(2)), self.add(x1, x2))

    def spacing(self, x):
        """The distance from x to the next number of its type, away from 0, with the sign of x; of integers as float32."""
        x = x if is_float(x._program.type(x)[0]) else self.astype(x, "float32")
        end = self.astype(self.where(self.less(x, 0), float("-inf"), float("inf")), x._program.type(x)[0])
        return self.nextafter(x, end) - x

    def bitwise_count(self, x):
        """How many bits of abs(x), an integer, are 1: a uint8."""
        element = x._program.type(x)[0]
        if element == "i1":
            return self.astype(x, "uint8")
        if is_float(element) or is_complex(element):
            raise TypeError(f"expected integers, got {x!r}: x.view of an integer type has the bits of floats")
        bits = get_bits(element)
        # The sum of each 2, 4 and 8 neighbouring bits, at their place; then of all bytes, in the highest one.
        every_2, every_4, every_8, bytes_of_1 = (
            sum(part << place for place in range(0, bits, width))
            for part, width in ((0x1, 2), (0x3, 4), (0xF, 8), (0x1, 8))
        )
        count = self.astype(self.abs(x), f"uint{bits}")
        count = count - (count >> 1 & every_2)
        count = (count & every_4) + (count >> 2 & every_4)
        count = count + (count >> 4) & every_8
        return self.astype(count if bits == 8 else count * bytes_of_1 >> bits - 8, "uint8")
