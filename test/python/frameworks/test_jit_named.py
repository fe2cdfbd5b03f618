# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's tensors that a function of fuser.jit names: what PyTorch computes of them is a part of the program; and calls within torch.compile."""

import re
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

X = torch.tensor([1.0, 2.0, 3.0, 4.0])
W = torch.tensor([0.5, 1.0, 2.0, 3.0])
SQUARE = torch.arange(16.0).reshape(4, 4)
FACTOR = torch.tensor(2.0)
ARRAY = np.array([0.5, 1, 2, 3], np.float32)
HOLDER = types.SimpleNamespace(weight=W)


def check(function, *given):
    torch.testing.assert_close(fuser.jit(function)(*given), function(*given))


# What is computed of tensors that are named

COMPUTED = {
    "1 + w": lambda x: x * (1 + W),
    "1 / w": lambda x: x * (1 / W) - (2**W),
    "w + 1": lambda x: x * (W + 1) - W**2,
    "-w": lambda x: x * -W + abs(W),
    "w.T": lambda x: x @ SQUARE.T + x @ SQUARE.mT,
    "w.t()": lambda x: x @ SQUARE.t(),
    "w @ w": lambda x: x + (SQUARE @ W),
    "torch.exp": lambda x: x * torch.exp(W),
    "method": lambda x: x * W.sigmoid().sum(),
    "index": lambda x: x * SQUARE[1] + SQUARE[:, None, 2].squeeze(1),
    "view": lambda x: x + SQUARE.view(2, 8)[0, :4] + SQUARE.reshape(-1)[4:8],
    "cast": lambda x: x * W.double().to(torch.float32) + W.half().float(),
    "detach": lambda x: x * W.detach() + W.data,
    "comparison": lambda x: torch.where(W > 1, x, -x),
    "stack": lambda x: x + torch.stack([W, W * 2])[1] + torch.cat([W, W])[4:],
    "softmax": lambda x: x * F.softmax(SQUARE, dim=-1)[0],
    "linear": lambda x: F.linear(x, SQUARE + 1, W * 2),
    "unbind": lambda x: x + SQUARE.unbind(0)[2],
    "item of a list": lambda x: x * [W * 2, W][0],
    "attribute": lambda x: x * (HOLDER.weight - 1),
    "as_tensor": lambda x: x + torch.as_tensor(ARRAY) * 2,
    "as_tensor of a type": lambda x: x + torch.as_tensor(ARRAY, dtype=torch.float64).float(),
    "in fuser.numpy": lambda x: x + W * 2,
    "alone": lambda x: W * 2 + 0 * x,
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_pytorch_computes_is_traced(name, monkeypatch):
    """Another tensor of that name, and another content of it, are seen."""
    function, jitted = COMPUTED[name], fuser.jit(COMPUTED[name])
    for factor in (1, 2, 0.5):
        monkeypatch.setitem(globals(), "W", torch.tensor([0.5, 1.0, 2.0, 3.0]) * factor)
        monkeypatch.setitem(globals(), "SQUARE", torch.arange(16.0).reshape(4, 4) * factor)
        monkeypatch.setitem(globals(), "ARRAY", np.array([0.5, 1, 2, 3], np.float32) * np.float32(factor))
        HOLDER.weight = W
        torch.testing.assert_close(jitted(X), function(X))
        W.add_(1)
        SQUARE.mul_(0.5)
        ARRAY[:] = 7
        torch.testing.assert_close(jitted(X), function(X))
    assert jitted.num_programs == 1


def test_results_alone(monkeypatch):
    function, shown = fuser.jit(lambda x: W), fuser.jit(lambda x: (x, W * 2, SQUARE.T))
    for factor in (1, 3):
        monkeypatch.setitem(globals(), "W", torch.ones(4) * factor)
        assert torch.equal(function(X), W)
        x, doubled, transposed = shown(X)
        assert torch.equal(x, X) and torch.equal(doubled, W * 2) and torch.equal(transposed, SQUARE.T)


@torch.no_grad()
def test_parameters():
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(4))
            self.linear = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 4))

        def forward(self, x):
            return self.linear(x * (1 + self.weight))

    model = Scale()
    function = fuser.jit(model)
    for change in (
        lambda: None,
        lambda: model.weight.fill_(2),
        lambda: setattr(model, "weight", torch.nn.Parameter(X)),
    ):
        change()
        torch.testing.assert_close(function(X), model(X))


@pytest.mark.parametrize("values", [(1.0, 3.0), (torch.ones(4), torch.full((4,), 3.0))], ids=["number", "array"])
def test_modules_that_are_handed_on(values):
    """What other functions, and methods of a class behind, have of them is seen."""

    def attend(module, x):
        return x * module.factor

    class Attention(torch.nn.Module):
        def forward(self, x):
            return attend(self, x)

    class Other(Attention):
        def forward(self, x):
            return super().forward(x) + 1

    def run(modules, x):
        for each in modules:
            x = each(x)
        return x

    model, layers = Other(), [Attention(), Attention()]
    functions = fuser.jit(model), fuser.jit(lambda x: run(layers, x))
    for value in values:
        for each in (model, *layers):
            each.factor = value
        torch.testing.assert_close(functions[0](X), model(X))
        torch.testing.assert_close(functions[1](X), run(layers, X))


def test_arrays_that_a_module_keeps():
    class Attention(torch.nn.Module):
        factor = 1

        def forward(self, x):
            self.weights = torch.softmax(x, -1)
            return self.weights * self.factor

    model = Attention()
    function = fuser.jit(model)
    for model.factor in (1, 3):
        for _ in range(2):
            torch.testing.assert_close(function(X), torch.softmax(X, -1) * model.factor)
    with pytest.raises(
        TypeError, match="got an array that an earlier trace made at .*:[0-9]+ and that something has kept"
    ):
        torch.exp(model.weights)


@torch.no_grad()
def test_a_batch_norm_that_counts_its_calls():
    module = torch.nn.BatchNorm1d(3)
    traced = fuser.jit(lambda x: module(x))
    with pytest.raises(TypeError, match=r"by 'add_': with training=True a batch norm counts .*; call module.eval\(\)"):
        traced(torch.ones(2, 3))
    module.eval()
    torch.testing.assert_close(traced(torch.ones(2, 3)), module(torch.ones(2, 3)))


def test_training_is_seen():
    model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.ReLU()).eval()
    function = fuser.jit(model)
    assert torch.equal(function(X), X)
    model.train()
    with pytest.raises(TypeError, match=re.escape("expected training=False or p=0, got p=0.5")):
        function(X)
    model.eval()
    assert torch.equal(function(X), X)


def test_tensors_of_numbers_alone():
    """PyTorch makes these at once."""
    check(lambda x: x * torch.arange(4) + torch.ones(4).cumsum(0) * torch.tensor(2.0), X)
    check(lambda x: x * W + torch.eye(4)[1] + torch.zeros_like(W) + torch.linspace(0, 1, 4), X)
    check(lambda x: x[torch.tensor([3, 0])] * float(torch.tensor(2.0)), X)


# What is refused


@pytest.mark.parametrize(
    "function, name",
    [
        (lambda x: x * FACTOR.item(), "item"),
        (lambda x: x * float(FACTOR), "__float__"),
        (lambda x: x if FACTOR else -x, "__bool__"),
        (lambda x: x * W.tolist()[0], "tolist"),
        (lambda x: x * float(W[0]), None),
        (lambda x: x * np.exp(W), "__array__"),
        (lambda x: x + W.numpy(), "numpy"),
        (lambda x: x + np.from_dlpack(W), "__dlpack__"),
        (lambda x: x if torch.equal(W, W) else -x, "equal"),
    ],
)
def test_elements_are_not_taken_out(function, name):
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(X)
    if name is None:  # It is an array that is traced.
        assert str(caught.value).startswith("expected a number that is known while the function is traced, got one")
        return
    shown = "torch.equal" if name == "equal" else f"torch.Tensor.{name}"
    assert str(caught.value) == (
        f"{shown}: expected elements that may change to stay in the program, got a tensor that the function names: they are not known to it; take them"
        " out before, and pass them as an argument"
    )


@pytest.mark.parametrize(
    "function, name",
    [
        (lambda x: x + W.add_(1), "add_"),
        (lambda x: x + W.zero_(), "zero_"),
        (lambda x: (W.__setitem__(0, 1.0), x)[1], "__setitem__"),
        (lambda x: (setattr(W, "data", X), x)[1], "data"),
    ],
)
def test_tensors_stay_as_they_are(function, name):
    before = W.clone()
    expected = (
        f"expected tensors that stay as they are while a function is traced, got a change of one that it names, by '{name}': change it outside of the"
        " function"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(expected)}$"):
        fuser.jit(function)(X)
    assert torch.equal(W, before)


def test_an_operator_that_would_change_a_tensor():
    """It gives another array, as of one that is an argument."""

    def function(x):
        w = W
        w += x
        w *= 2
        return w

    before = W.clone()
    for _ in range(2):
        torch.testing.assert_close(fuser.jit(function)(X), (before + X) * 2)
    assert torch.equal(W, before)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: x + torch.fft.fft(W).real, "expected a function that fuser.numpy has, too, got torch.fft.fft"),
        (
            lambda x: x + torch.rand(4),
            "expected a function that fuser.jit has, got torch.rand: write fuser.numpy.uniform",
        ),
        (lambda x: x[torch.randperm(4)], "expected a function that fuser.numpy has, too, got torch.randperm"),
        (
            lambda x: x + torch.as_tensor([ARRAY, ARRAY]),
            "torch.as_tensor: expected tensors, got an array: torch.as_tensor(array) is a tensor",
        ),
    ],
)
def test_what_is_not_there(function, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        fuser.jit(function)(X)


@pytest.mark.parametrize(
    "function, maker, names",
    [
        (lambda x: x + torch.from_numpy(ARRAY * 2), "PyTorch", "'ARRAY'"),
        (lambda x: fnp.add(x, ARRAY * 2), "NumPy", "'ARRAY'"),
        (lambda x: x + torch.nn.Parameter(W, requires_grad=False), "PyTorch", "'W'"),
    ],
)
def test_what_nobody_sees(function, maker, names):
    with pytest.raises(TypeError) as caught:
        fuser.jit(function)(X)
    assert str(caught.value).startswith(
        f"{__file__}:{function.__code__.co_firstlineno}: expected an array that the function names, or one that fuser.numpy makes, got one that {maker} made"
        f" while the function was traced, which may have been computed of {names}: it would stay as it is"
    )


def test_arrays_of_numpy_beside_tensors():
    """NumPy cannot have computed them of tensors."""
    result = fuser.jit(lambda x: fnp.add(x * W / np.sqrt(4.0), np.arange(4, dtype=np.float32)))(X)
    torch.testing.assert_close(result, X * W / 2 + torch.arange(4))


def test_tracing_ends():
    """Functions of PyTorch compute at once again, after an error, too."""
    with pytest.raises(
        TypeError, match=r"^torch\.Tensor\.item: expected elements that may change to stay in the program, got a tensor"
    ):
        fuser.jit(lambda x: x * W.item())(X)
    fuser.jit(lambda x: x * W)(X)
    assert torch.rand(4).shape == (4,) and W.sum().item() == float(W.numpy().sum())


# Within torch.compile


def run_compiled(function, *given, **options):
    return torch.compile(function, backend="eager", **options)(*given)


def test_a_call_within_torch_compile():
    """A break of the graph; what is around it is compiled."""
    scale = fuser.jit(lambda x, factor=2: x * factor + W)

    def function(x):
        return scale(x + 1, factor=3) - 1

    for _ in range(2):
        torch.testing.assert_close(run_compiled(function, X), (X + 1) * 3 + W - 1)
    assert scale.num_programs == 1
    explained = torch._dynamo.explain(function)(X)
    assert explained.graph_break_count >= 1 and explained.graph_count == 2


def test_a_method_within_torch_compile():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.ones(4)

        @fuser.jit
        def scale(self, x):
            return torch.tanh(x * self.w)

        def forward(self, x):
            return self.scale(x) + 1

    model = Model()
    for factor in (1, 2):
        model.w = torch.ones(4) * factor
        torch.testing.assert_close(run_compiled(model, X), torch.tanh(X * factor) + 1)


def test_a_whole_graph_is_an_error():
    scale = fuser.jit(lambda x: x * 2)
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"(?s)fuser\.jit has compiled it"):
        run_compiled(lambda x: scale(x) + 1, X, fullgraph=True)


# Indices


@pytest.mark.parametrize("dynamic", [True, False])
def test_named_indices_that_no_element_has(dynamic):
    """They are seen where the function is traced, as those of NumPy's arrays are."""
    beyond, behind, good = torch.tensor([4, 0]), torch.tensor([-5, 0]), torch.tensor([3, 0])
    columns = beyond.int()[:, None].expand(2, 4)
    for function, wanted in (
        (lambda x: x[beyond], "-4 to 3 in dimension 0 of .*, got 4"),
        (lambda x: x[behind], "-4 to 3 in dimension 0 of .*, got -5"),
        (lambda x: x[:, beyond], "-4 to 3 in dimension 1 of .*, got 4"),
        (lambda x: torch.take_along_dim(x, columns.long(), 0), None),  # Computed.
        (lambda x: torch.index_select(x, 0, beyond), "0 to 3 in dimension 0 of .*, got 4"),
        (lambda x: x.index_select(-1, behind), "0 to 3 in dimension -1 of .*, got -5"),
        (lambda x: torch.gather(x, 0, columns), "0 to 3 in dimension 0 of .*, got 4"),
        (lambda x: F.embedding(beyond, x), "got 4"),
        (lambda x: x.index_add(0, beyond, x[:2]), "got 4"),
        (lambda x: x[torch.tensor([7])], "got 7"),
    ):
        if wanted is not None:
            with pytest.raises(IndexError, match=f"test_jit_named.py:.*expected indices of .*{wanted}"):
                fuser.jit(function, dynamic=dynamic)(SQUARE)
    for function in (
        lambda x: x[good],
        lambda x: x[-good],
        lambda x: torch.index_select(x, 1, good),
        lambda x: x[good[:0]],
    ):
        torch.testing.assert_close(fuser.jit(function, dynamic=dynamic)(SQUARE), function(SQUARE))


@pytest.mark.parametrize("target", ["updates", "indices"])
def test_scatters_of_fewer_indices_are_at_their_line(target):
    """Of open sizes it is not known that the first elements count."""
    x, index, source = torch.zeros(5, 6), torch.zeros(3, 4, dtype=torch.long), torch.ones(3, 4)
    source = torch.ones(4, 5) if target == "updates" else source
    expected = "as many indices as elements in dimension 0" if target == "updates" else "indices of all 6 elements"

    def scatter(x, index, source):
        y = x * 2
        return torch.scatter(y, 0, index, source)

    def add(x, index, source):
        y = x * 2
        return y.scatter_add(0, index, source)

    def write(x, index, source):
        y = x * 2
        y.scatter_(0, index, source if target == "updates" else 3.0)
        return y

    for function in (scatter, add, write):
        line = function.__code__.co_firstlineno + 2
        with pytest.raises(fuser.Error, match=rf"test_jit_named.py:{line}: error: '\w+': expected {expected}"):
            fuser.jit(function)(x, index, source)
        wanted = function(x, index, source)
        torch.testing.assert_close(fuser.jit(function, dynamic=False)(x, index, source), wanted)
