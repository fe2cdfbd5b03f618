# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of models with their gradients by NumPy in float64 and, where it is installed, by PyTorch: PEERS have the same functions."""

import math

import numpy as np

try:
    import torch
except ImportError:
    torch = None

#: So small that its square is nothing beside any number here: a derivative is the imaginary part over it, to the last bits.
STEP = 1e-30


def erf(x):
    """Of complex numbers as well, whose imaginary part is a step."""
    real = np.vectorize(math.erf, otypes=[np.float64])(x.real)
    return real + 1j * x.imag * 2 / math.sqrt(math.pi) * np.exp(-x.real * x.real) if np.iscomplexobj(x) else real


def normalize(x, axes, eps):
    away = x - x.mean(axes, keepdims=True)
    return away / np.sqrt((away * away).mean(axes, keepdims=True) + eps)


def scale(y, weight, bias, rest=0):
    """By a weight and a bias, or None, of the last dimensions but `rest`."""
    for operand, combine in ((weight, np.multiply), (bias, np.add)):
        if operand is not None:
            y = combine(y, operand.reshape(operand.shape + (1,) * rest))
    return y


class NumPy:
    """By formulas that take complex numbers, for the derivatives."""

    @staticmethod
    def compute(function, *inputs):
        results = function(*inputs)
        return results if isinstance(results, tuple) else (results,)

    @staticmethod
    def differentiate(function, inputs, gradient):
        """The result, and the gradients of the inputs, element by element."""
        gradients = []
        for place, each in enumerate(inputs):
            gradients.append(np.empty_like(each))
            for index in np.ndindex(each.shape):
                moved = each.astype(np.complex128)
                moved[index] += STEP * 1j
                result = function(*inputs[:place], moved, *inputs[place + 1 :])
                gradients[-1][index] = (np.imag(result) * gradient).sum() / STEP
        return (np.asarray(function(*inputs)), *gradients)

    @staticmethod
    def layer_norm(x, weight=None, bias=None, ndim=1, eps=1e-5):
        return scale(normalize(x, tuple(range(-ndim, 0)), eps), weight, bias)

    @staticmethod
    def layer_norm_statistics(x, eps):
        return NumPy.layer_norm(x, eps=eps), x.mean(-1, keepdims=True), 1 / np.sqrt(x.var(-1, keepdims=True) + eps)

    @staticmethod
    def rms_norm(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight

    @staticmethod
    def batch_norm(x, weight=None, bias=None, running=None):
        """With the mean and variance of `running`, or those of the batch."""
        if running is None:
            y = normalize(x, (0, *range(2, x.ndim)), 1e-5)
        else:
            mean, variance = (each.reshape(-1, *(1,) * (x.ndim - 2)) for each in running)
            y = (x - mean) / np.sqrt(variance + 1e-5)
        return scale(y, weight, bias, x.ndim - 2)

    @staticmethod
    def move_statistics(x, mean, variance):
        """The running ones after a step of training."""
        axes = (0, *range(2, x.ndim))
        return 0.9 * mean + 0.1 * x.mean(axes), 0.9 * variance + 0.1 * x.var(axes, ddof=1)

    @staticmethod
    def group_norm(x, weight, bias, groups):
        y = normalize(x.reshape(len(x), groups, -1), -1, 1e-5)
        return scale(y.reshape(x.shape), weight, bias, x.ndim - 2)

    @staticmethod
    def logsumexp(x, axis, keepdims=False):
        greatest = x.real.max(axis, keepdims=True)
        sums = np.log(np.exp(x - greatest).sum(axis, keepdims=True)) + greatest
        return sums if keepdims else sums.squeeze(axis)

    @staticmethod
    def log_softmax(x, axis):
        return x - NumPy.logsumexp(x, axis, True)

    @staticmethod
    def softmax(x, axis):
        return np.exp(NumPy.log_softmax(x, axis))

    @staticmethod
    def cross_entropy(x, target, weight=None, reduction="mean", smoothing=None, ignore_index=-100):
        """Classes are dimension 1."""
        weight = np.ones(x.shape[1]) if weight is None else weight
        losses = -scale(NumPy.log_softmax(x, 1), weight, None, x.ndim - 2)
        is_counted = target != ignore_index
        known = np.where(is_counted, target, 0)
        loss = np.take_along_axis(losses, known[:, None], 1)[:, 0]
        if smoothing:
            loss = (1 - smoothing) * loss + smoothing * losses.mean(1)
        loss = np.where(is_counted, loss, 0)
        if reduction == "none":
            return loss
        return loss.sum() / ((weight[known] * is_counted).sum() if reduction == "mean" else 1)

    @staticmethod
    def linear(x, weight, bias=None):
        return scale(x @ weight.T, None, bias)

    @staticmethod
    def gelu(x, approximate="none"):
        if approximate == "tanh":
            return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return x / 2 * (1 + erf(x / math.sqrt(2)))

    @staticmethod
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    @staticmethod
    def silu(x):
        return x * NumPy.sigmoid(x)

    @staticmethod
    def tanh(x):
        return np.tanh(x)

    @staticmethod
    def leaky_relu(x, slope):
        return np.where(x > 0, x, x * slope)

    @staticmethod
    def softplus(x, beta=1.0, threshold=20.0):
        return np.where(x * beta > threshold, x, np.log1p(np.exp(np.minimum(x * beta, threshold))) / beta)

    @staticmethod
    def get_scores(query, key, mask=None, causal=False, factor=None):
        scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if factor is None else factor)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
        return np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf) if causal else scores

    @staticmethod
    def attend(query, key, value, kept=None, **options):
        """With weights that are dropped, the others are divided by 0.75."""
        weights = NumPy.softmax(NumPy.get_scores(query, key, **options), -1)
        return (weights if kept is None else np.where(kept, weights / 0.75, 0)) @ value


class PyTorch:
    """By its own functions, where it has them."""

    @staticmethod
    def compute(function, *inputs):
        results = function(*map(torch.tensor, inputs))
        return tuple(each.numpy() for each in (results if isinstance(results, tuple) else (results,)))

    @staticmethod
    def differentiate(function, inputs, gradient):
        inputs = [torch.tensor(each, requires_grad=True) for each in inputs]
        y = function(*inputs)
        return tuple(each.detach().numpy() for each in (y, *torch.autograd.grad(y, inputs, torch.tensor(gradient))))

    @staticmethod
    def layer_norm(x, weight=None, bias=None, ndim=1, eps=1e-5):
        return torch.nn.functional.layer_norm(x, x.shape[x.ndim - ndim :], weight, bias, eps)

    @staticmethod
    def layer_norm_statistics(x, eps):
        return torch.native_layer_norm(x, x.shape[-1:], None, None, eps)

    @staticmethod
    def rms_norm(x, weight):
        return torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)

    @staticmethod
    def batch_norm(x, weight=None, bias=None, running=None):
        running = (None, None) if running is None else map(torch.tensor, running)
        mean, variance = running
        return torch.nn.functional.batch_norm(x, mean, variance, weight, bias, mean is None)

    @staticmethod
    def move_statistics(x, mean, variance):
        torch.nn.functional.batch_norm(x, mean, variance, training=True)
        return mean, variance

    @staticmethod
    def group_norm(x, weight, bias, groups):
        return torch.nn.functional.group_norm(x, groups, weight, bias)

    @staticmethod
    def logsumexp(x, axis):
        return torch.logsumexp(x, axis)

    @staticmethod
    def log_softmax(x, axis):
        return torch.log_softmax(x, axis)

    @staticmethod
    def softmax(x, axis):
        return torch.softmax(x, axis)

    @staticmethod
    def cross_entropy(x, target, weight=None, reduction="mean", smoothing=None, ignore_index=-100):
        weight = None if weight is None else torch.tensor(weight)
        options = {"reduction": reduction, "label_smoothing": smoothing or 0, "ignore_index": ignore_index}
        return torch.nn.functional.cross_entropy(x, torch.as_tensor(target), weight, **options)

    @staticmethod
    def linear(x, weight, bias=None):
        return torch.nn.functional.linear(x, weight, bias)

    @staticmethod
    def gelu(x, approximate="none"):
        return torch.nn.functional.gelu(x, approximate=approximate)

    @staticmethod
    def sigmoid(x):
        return torch.sigmoid(x)

    @staticmethod
    def silu(x):
        return torch.nn.functional.silu(x)

    @staticmethod
    def tanh(x):
        return torch.tanh(x)

    @staticmethod
    def leaky_relu(x, slope):
        return torch.nn.functional.leaky_relu(x, slope)

    @staticmethod
    def softplus(x, beta=1.0, threshold=20.0):
        return torch.nn.functional.softplus(x, beta, threshold)

    @staticmethod
    def get_scores(query, key, mask=None, causal=False, factor=None):
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if factor is None else factor)
        if mask is not None:
            mask = torch.tensor(mask)
            scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        return scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), -torch.inf) if causal else scores

    @staticmethod
    def attend(query, key, value, kept=None, **options):
        mask, causal = options.get("mask"), options.get("causal", False)
        if kept is None and (mask is None or not causal):
            named = {"attn_mask": None if mask is None else torch.tensor(mask), "is_causal": causal}
            named["scale"] = options.get("factor")
            return torch.nn.functional.scaled_dot_product_attention(query, key, value, **named)
        weights = PyTorch.get_scores(query, key, **options).softmax(-1)
        return (weights if kept is None else torch.where(torch.tensor(kept), weights / 0.75, 0.0)) @ value


#: Each is compared with.
PEERS = [NumPy, PyTorch] if torch else [NumPy]
