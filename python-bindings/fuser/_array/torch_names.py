# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What errors say of PyTorch's functions that are not here. F is torch.nn.functional."""

from .names import INSTEAD as OF_BUILDERS

#: What to write in place of functions, and of methods of tensors, that are not here.
INSTEAD = {
    **{
        name: OF_BUILDERS[name].format("fuser.numpy")
        for name in (
            "argwhere bincount corrcoef cov diag diagflat diagonal dsplit float_power gradient hsplit isin lcm ldexp logspace multinomial nonzero row_stack"
            " searchsorted sinc trapezoid trapz tril_indices triu_indices unfold unique unravel_index vander vsplit"
        ).split()
    },
    "_int_mm": "a.to(torch.int32) @ b.to(torch.int32)",
    "addbmm": "c + (a @ b).sum(0)",
    "addmv": "c + a @ x",
    "addr": "c + torch.outer(a, b)",
    **dict.fromkeys(
        ("as_tensor", "asarray", "tensor"), "x itself, x.to(dtype), or torch.stack of a list of arrays of the program"
    ),
    "bilinear": "torch.einsum('bi,oij,bj->bo', x, w, y) + bias",
    "bucketize": "(edges < x[..., None]).sum(-1), with right=True (edges <= x[..., None]).sum(-1)",
    "cdist": "torch.linalg.vector_norm(a[..., :, None, :] - b[..., None, :, :], dim=-1)",
    "chain_matmul": "a @ b @ c",
    "channel_shuffle": "x.reshape(n, groups, c // groups, h, w).transpose(1, 2).reshape(n, c, h, w)",
    "cosine_embedding_loss": "torch.where(y == 1, 1 - s, torch.relu(s - margin)).mean() of s = F.cosine_similarity(a, b)",
    "cumulative_trapezoid": "torch.cumsum((y[1:] + y[:-1]) / 2, 0)",
    "dist": "torch.linalg.vector_norm(a - b)",
    "embedding": "torch.nn.functional.embedding(indices, weight)",
    "embedding_bag": "F.embedding(indices, weight).mean(1), or .sum(1), of a matrix of indices",
    "gaussian_nll_loss": "(torch.log(v) + (x - y) ** 2 / v).mean() / 2 of v = torch.clamp(var, min=1e-6)",
    "ger": "torch.outer(a, b)",
    "gru_cell": (
        "n + z * (h - n) of n = torch.tanh(a[2] + torch.sigmoid(a[0] + b[0]) * b[2]), z = torch.sigmoid(a[1] + b[1]),"
        " a = F.linear(x, w_ih, b_ih).chunk(3, -1), b = F.linear(h, w_hh, b_hh).chunk(3, -1)"
    ),
    "gumbel_softmax": "F.softmax((x - torch.log(-torch.log(u))) / tau, -1) of u = fuser.numpy.uniform(x.shape, seed, offset)",
    "hinge_embedding_loss": "torch.where(y == 1, x, torch.relu(margin - x)).mean()",
    "lstm_cell": (
        "torch.sigmoid(g[3]) * torch.tanh(c) of c = torch.sigmoid(g[1]) * c0 + torch.sigmoid(g[0]) * torch.tanh(g[2]),"
        " g = (F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)).chunk(4, -1)"
    ),
    "margin_ranking_loss": "torch.relu(margin - y * (a - b)).mean()",
    "msort": "torch.sort(x, 0).values",
    "mv": "a @ x",
    "nanmedian": "fuser.numpy.nanmedian(x, axis), which has the mean of two in the middle",
    "normal": "mean + std * fuser.numpy.normal(shape, seed, offset)",
    "pixel_shuffle": "x.reshape(n, c, r, r, h, w).permute(0, 1, 4, 2, 5, 3).reshape(n, c, h * r, w * r)",
    "pixel_unshuffle": "x.reshape(n, c, h, r, w, r).permute(0, 1, 3, 5, 2, 4).reshape(n, c * r * r, h, w)",
    "poisson_nll_loss": "(torch.exp(x) - y * x).mean()",
    "rnn_relu_cell": "torch.relu(F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh))",
    "rnn_tanh_cell": "torch.tanh(F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh))",
    "rrelu": "F.leaky_relu(x, (lower + upper) / 2), which it is but in training",
    "sgn": "torch.sign(x), of complex numbers torch.where(x == 0, 0, x / torch.abs(x))",
    **dict.fromkeys(("select_scatter", "slice_scatter"), "h = x.clone(), h[key] = y"),
    "soft_margin_loss": "F.softplus(-y * x).mean()",
    "triplet_margin_loss": "torch.relu(F.pairwise_distance(a, p) - F.pairwise_distance(a, n) + margin).mean()",
    "unique_consecutive": "x[1:] != x[:-1]: the number of results would not be known",
    "batch_norm": "fuser.numpy.batch_norm, which has the running statistics as results",
    "backward": "the gradients of fuser.numpy (layer_norm_backward, ...), or torch.compile(backend='fuser')",
    "cuda": "arrays of the other device as arguments: a program runs where they are",
    "cummax": "fuser.numpy.cummax, which gives no indices",
    "cummin": "fuser.numpy.cummin, which gives no indices",
    "equal": "(x == y).all(), an array: its element is not known while the function is traced",
    "dropout": "fuser.numpy.dropout(x, rate, seed, offset), whose numbers come from a seed",
    "item": "the array itself as a result: its elements are not known while the function is traced",
    "logcumsumexp": "torch.log(torch.cumsum(torch.exp(x - m), dim)) + m of m = x.amax(dim, True), which is -inf as long as all is far below m",
    "masked_select": "fuser.numpy.where: the number of results would not be known",
    "numpy": "the array itself: NumPy's functions take it",
    "rand": "fuser.numpy.uniform(shape, seed, offset)",
    "rand_like": "fuser.numpy.uniform(shape, seed, offset)",
    "randn": "fuser.numpy.normal(shape, seed, offset)",
    "randn_like": "fuser.numpy.normal(shape, seed, offset)",
    "tolist": "the array itself as a result: its elements are not known while the function is traced",
}
