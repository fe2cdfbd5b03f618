# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, norms of vectors and losses, with PyTorch's names of arguments, or NumPy's where it has the function."""

from .._program import (
    Operand,
    get_axes,
    get_bits,
    is_complex,
    is_float,
    normalize_axis,
    read_flag,
    read_integer,
    take_given,
)
from .names import name_calls


@name_calls
class Formulas:
    """Functions of a Builder that PyTorch or NumPy has: activations, norms of vectors, losses.

    These compute in float32, of float64 in float64, and round each result once. `axis`: one dimension or several, by default all. `reduction` of a loss:
    "mean", "sum" or "none". docs/spec/builder-ops.md has the formulas.
    """

    def _fold(self, name, x, axis, keepdims, **attributes):
        return self._program.op(name, (x,), {"keep": read_flag(keepdims, "keepdims"), **attributes} | get_axes(axis))

    def _lose(self, name, operands, reduction, **given):
        others, flags = take_given(given)
        return self._program.op(name, (*operands, *others), flags | {"reduction": reduction})

    def _widen(self, x):
        """A tensor of floats of less than 32 bits as one of float32; anything else as it is."""
        element = self._program.type(x)[0] if isinstance(x, Operand) else None
        return self.astype(x, "f32") if is_float(element) and get_bits(element) < 32 else x

    def _refuse_complex(self, x):
        if is_complex(self._program.type(x)[0]):
            raise TypeError(
                f"expected floats or integers, got {x!r}, whose infinities have no sign: x.real and x.imag have"
            )

    # Element by element

    def frac(self, x):
        """x without its integer part, with the sign of x."""
        return self._program.op("frac", (x,))

    def isposinf(self, x):
        """Where x is inf."""
        self._refuse_complex(x)
        return self._program.op("isposinf", (x,))

    def isneginf(self, x):
        """Where x is -inf."""
        self._refuse_complex(x)
        return self._program.op("isneginf", (x,))

    def nan_to_num(self, x, nan=0.0, posinf=None, neginf=None):
        """x with numbers in place of NaN, inf and -inf: by default 0, the greatest and the least number of the type."""
        is_default = not isinstance(nan, Operand) and not nan
        operands, flags = take_given({"nan": None if is_default else nan, "posinf": posinf, "neginf": neginf})
        return self._program.op("nan_to_num", (x, *operands), flags)

    def threshold(self, x, threshold, value):
        """x where it is above the threshold, elsewhere `value`."""
        return self._program.op("threshold", (x, threshold, value))

    def xlogy(self, x1, x2):
        """x1 * log(x2); 0 where x1 is 0 and x2 no NaN."""
        return self._program.op("xlogy", (x1, x2))

    def logit(self, x, eps=None):
        """log(x / (1 - x)), with `eps` of x between that and 1 - eps."""
        return self._program.op("logit", (x if eps is None else self.clip(x, eps, 1 - eps),))

    def addcmul(self, x, tensor1, tensor2, value=1):
        """x + tensor1 * tensor2 * value."""
        return self._program.op("addcmul", (x, tensor1, tensor2, value))

    def addcdiv(self, x, tensor1, tensor2, value=1):
        """x + tensor1 / tensor2 * value."""
        return self._program.op("addcdiv", (x, tensor1, tensor2, value))

    # Activations

    def elu(self, x, alpha=1.0):
        """x, where it is negative alpha * (exp(x) - 1)."""
        return self._program.op("elu", (x, alpha))

    def celu(self, x, alpha=1.0):
        """x, where it is negative alpha * (exp(x / alpha) - 1)."""
        return self._program.op("celu", (x, alpha))

    def selu(self, x):
        """1.0507... times the `elu` of alpha 1.6732..."""
        return self._program.op("selu", (x,))

    def mish(self, x):
        """x * tanh(softplus(x))."""
        return self._program.op("mish", (x,))

    def hardsigmoid(self, x):
        """clip(x + 3, 0, 6) / 6."""
        return self._program.op("hardsigmoid", (x,))

    def hardswish(self, x):
        """x * clip(x + 3, 0, 6) / 6."""
        return self._program.op("hardswish", (x,))

    def softsign(self, x):
        """x / (1 + abs(x))."""
        return self._program.op("softsign", (x,))

    def tanhshrink(self, x):
        """x - tanh(x)."""
        return self._program.op("tanhshrink", (x,))

    def hardshrink(self, x, lambd=0.5):
        """x, 0 where abs(x) is no greater than `lambd`."""
        return self._program.op("hardshrink", (x, lambd))

    def softshrink(self, x, lambd=0.5):
        """x, `lambd` nearer to 0; 0 where abs(x) is no greater than that."""
        return self._program.op("softshrink", (x, lambd))

    def log_sigmoid(self, x):
        """log(sigmoid(x))."""
        return self._program.op("log_sigmoid", (x,))

    def prelu(self, x, weight):
        """x, where it is negative times the weight, which is one number, or of one dimension: one for each of dimension 1."""
        return self._program.op("prelu", (x, weight))

    # Reductions

    def nansum(self, x, axis=None, keepdims=False):
        """The sum of the elements that are no NaN."""
        return self._fold("nansum", x, axis, keepdims)

    def nanmean(self, x, axis=None, keepdims=False):
        """The mean of the elements that are no NaN."""
        return self._fold("nanmean", x, axis, keepdims)

    def logsumexp(self, x, axis=None, keepdims=False):
        """log(sum(exp(x))), of which no exponential is too large."""
        return self._fold("logsumexp", x, axis, keepdims)

    def trace(self, x, offset=0, axis1=0, axis2=1, dtype=None):
        """The sum of the diagonal of a matrix, or of those of the dimensions `axis1` and `axis2`; offset: how far it is beside that of the first elements. As
        `sum`, of integers an int64."""
        if x.ndim < 2:
            return self._program.op("trace", (x,))  # An error, of no matrix.
        first, second = (normalize_axis(each, x.ndim) for each in (axis1, axis2))
        if first == second:
            raise ValueError(f"expected two dimensions, got {axis1} and {axis2}, which are one")
        if x.ndim == 2 and offset == 0 and dtype is None:
            return self._program.op("trace", (x,))
        sizes = self._get_sizes(x)
        rows, columns = (
            self.expand_dims(self.iota([sizes[dim]]), [each for each in range(x.ndim) if each != dim])
            for dim in (first, second)
        )
        places = self.equal(rows + read_integer(offset, "an integer as offset"), columns)
        return self.sum(self.where(places, x, 0), (first, second), dtype)

    def vector_norm(self, x, ord=2, axis=None, keepdims=False):
        """sum(abs(x) ** ord) ** (1 / ord); of inf and -inf the greatest and the least magnitude, of 0 the number of elements that are not 0."""
        if isinstance(ord, str):
            raise TypeError(
                f"expected a number as ord, of a norm of vectors, got {ord!r}: that of matrices is x.reshape(-1) with 2"
            )
        return self._fold("vector_norm", x, axis, keepdims, order=[float(ord)])

    def normalize(self, x, p=2.0, axis=1, eps=1e-12):
        """x over its norm of order `p`, which is taken to be no less than `eps`."""
        return self._program.op("normalize", (x, eps), {"order": [float(p)]} | get_axes(axis))

    def cosine_similarity(self, x1, x2, axis=1, eps=1e-8):
        """The sum of products over the product of norms, each taken to be no less than `eps`."""
        return self._program.op("cosine_similarity", (x1, x2, eps), get_axes(axis))

    # Losses

    def mse_loss(self, x, target, reduction="mean", weight=None):
        """Squares of differences, times the weight. A mean of weighted ones is over the sum of the weights."""
        return self._lose("mse_loss", (x, target), reduction, weight=weight)

    def l1_loss(self, x, target, reduction="mean", weight=None):
        """Magnitudes of differences, times the weight."""
        return self._lose("l1_loss", (x, target), reduction, weight=weight)

    def huber_loss(self, x, target, reduction="mean", delta=1.0, weight=None):
        """Half a square of the difference up to `delta`, a line beyond, times the weight."""
        return self._lose("huber_loss", (x, target, delta), reduction, weight=weight)

    def smooth_l1_loss(self, x, target, reduction="mean", beta=1.0, weight=None):
        """The `huber_loss` of delta `beta`, divided by that; of 0 the `l1_loss`."""
        if not isinstance(beta, Operand) and beta == 0:
            return self.l1_loss(x, target, reduction, weight)
        return self._lose("smooth_l1_loss", (x, target, beta), reduction, weight=weight)

    def binary_cross_entropy_with_logits(self, x, target, weight=None, reduction="mean", pos_weight=None):
        """-(pos_weight * target * log(s) + (1 - target) * log(1 - s)) of s = sigmoid(x), times the weight."""
        given = {"pos_weight": pos_weight, "weight": weight}
        return self._lose("binary_cross_entropy_with_logits", (x, target), reduction, **given)

    def kl_div(self, x, target, reduction="mean", log_target=False):
        """target * (log(target) - x); of a logarithm as target exp(target) * (target - x). reduction: also "batchmean", the sum over the size of dimension 0."""
        flags = {"reduction": reduction, "log_target": read_flag(log_target, "log_target")}
        if reduction != "batchmean":
            return self._program.op("kl_div", (x, target), flags)
        flags["reduction"] = "sum"
        loss = self._program.op("kl_div", (x, target), flags)
        element = self._program.type(loss)[0]
        if get_bits(element) >= 32:
            return self.divide(loss, self.size(x, 0))
        # The sum may be more than these have numbers for.
        loss = self._program.op("kl_div", tuple(map(self._widen, (x, target))), flags)
        return self.astype(self.divide(loss, self.size(x, 0)), element)
