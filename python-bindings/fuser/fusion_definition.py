# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FusionDefinition: programs with the names and the orders of arguments of nvFuser's Python interface.

    with fuser.FusionDefinition() as fd:
        t0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=fuser.DataType.Float)
        t1 = fd.ops.exp(t0)
        fd.add_output(fd.ops.sum(t1, 1))
    (y,) = fd.execute([x])

It runs on the device of its inputs: on the CPU, too. docs/nvfuser.md says what is there and what differs.
"""

import contextvars
import inspect
import itertools
import operator
import re
import sys
import weakref

from . import _frameworks, _fuser
from ._inspect import MAKE_INPUTS, write_input
from ._nvfuser_ops import (
    BY_HAND,
    NAMES,
    Absent,
    DataType,
    Ops,
    TensorView,
    convert_stride_order,
    get_element_of,
)
from ._program import (
    ELEMENTS,
    NO_ATTRIBUTES,
    Operand,
    Program,
    find_near,
    get_bits,
    get_element,
    get_kind,
    make_error,
    read_integers,
)
from .builder import OpByOp, read_input_sizes

_CUDA = 2  # kDLCUDA
#: The profiler in whose block executions are, if there is one: nvfuser_direct/_profiler.py sets it.
PROFILER = contextvars.ContextVar("fuser profiler", default=None)
#: Numbers of definitions, as profiles show them.
_NUMBERS = itertools.count()


def get_data_type(dtype):
    """The DataType of a dtype of NumPy or PyTorch."""
    element = get_element(dtype)
    for data_type in DataType:
        if data_type.value == element:
            return data_type
    raise NotImplementedError(f"expected an element type that fuser has tensors of, got {dtype}")


def _is_contiguity(value):
    """Strides are numbers; contiguity is a flag, or a flag or None for each dimension."""
    if isinstance(value, (list, tuple)):
        return all(each is None or isinstance(each, bool) for each in value)
    return value is None or isinstance(value, bool)


class _Recorder(OpByOp):
    """A program whose definition remembers what operators and methods of values add to it, too."""

    def __init__(self, definition):
        super().__init__("fusion", TensorView)
        self._definition = definition
        self._place = self.find_location()
        self.is_recording = True

    def op(self, name, operands, attributes=NO_ATTRIBUTES):
        """The result of an op, or a tuple of its results; while nvFuser's calls are recorded this is one of them."""
        result = super().op(name, operands, attributes)
        if self.is_recording:
            self._definition._remember(f"fd.ops.{NAMES.get(name, name)}", operands, attributes, result)
        return result

    def finish(self):
        """The program as bytes. Without an output a fuser.Error, which says what nvFuser's older frontend did."""
        if self._has_outputs:
            return super().finish()
        reason = "expected a program with at least one output, got none"
        if hasattr(self._definition, "definition"):
            reason += (
                ": a method definition() is of nvFuser's older frontend, and not called; write `with FusionDefinition() as fd:` around what it does,"
                " or call it"
            )
        file, line = self._place
        raise make_error(f"{file}:{line}: error: {reason}" if file else reason)


#: Keywords of `execute` in nvFuser's older frontend, and what there is.
_OLDER = {
    "capture_debug_output": "fd.executable.ir, explain and ptx show what was compiled",
    "override_user_schedule": BY_HAND,
    "print_repro": "print(fd.repro_script_for(inputs)) does it",
    "profile": "fuser.nvfuser_direct.PythonProfiler and fd.executable.report(*inputs) show what each kernel takes",
}


#: Its own keywords.
_OF_EXECUTE = ("save_repro_inputs", "_enable_options", "_disable_options")


def _refuse_others(given):
    """What is none of the keywords of `execute`."""
    for name, value in given.items():
        if name not in _OLDER:
            near = find_near(name, ("device", "save_repro_inputs"), cutoff=0.6)
            raise TypeError(f"fd.execute: expected the keywords device and save_repro_inputs, got '{name}'{near}")
        if value:
            raise NotImplementedError(f"fd.execute with {name}={value!r}: {_OLDER[name]}")


def _list_inputs(function, inputs):
    """The inputs, if they are several: a tensor would be taken for a list of its rows."""
    if hasattr(inputs, "__dlpack__") or not hasattr(inputs, "__iter__"):
        got = "one tensor" if hasattr(inputs, "__dlpack__") else repr(inputs)
        raise TypeError(f"{function}: expected a list of inputs, got {got}: write {function}([x])")
    return list(inputs)


def _flatten_inputs(inputs):
    """Tensors and numbers in order: a vector is a list of numbers."""
    flat = []
    for each in inputs:
        flat.extend(each if isinstance(each, (list, tuple)) else [each])
    return flat


def _drop_gradients(arguments):
    """Gradients are not computed: what requires one is a tensor as any other."""
    return [each.detach() if getattr(each, "requires_grad", False) else each for each in arguments]


def _find_place(argument):
    """The device of a tensor as DLPack has it; None of a number, and of a tensor that DLPack refuses, as the call then says."""
    try:
        return argument.__dlpack_device__() if hasattr(argument, "__dlpack_device__") else None
    except (BufferError, TypeError, ValueError, RuntimeError):
        return None


def _take_number(tensor, position, element):
    """The element of a tensor without dimensions."""
    if not hasattr(tensor, "__dlpack__"):
        return tensor
    got = get_element(tensor.dtype)
    if tuple(tensor.shape) or got != element:
        text = "fd.execute: expected a tensor of {} without dimensions as input {}, got one of {} {}"
        raise make_error(text.format(element, position, got, list(tensor.shape)))
    return tensor.item()


def _read_device(device):
    """(target, number) of a device that is given: a torch.device, its name, or the number of a GPU."""
    torch = sys.modules.get("torch")
    if hasattr(device, "__index__") and not isinstance(device, bool) and device >= 0:
        return "cuda", operator.index(device)
    is_named = isinstance(device, str) or (torch and isinstance(device, torch.device))
    found = re.fullmatch(r"(cpu|sim|cuda)(?::(\d+))?", str(device)) if is_named else None
    if found is None or (found[2] and found[1] == "sim"):
        expected = 'a number, a torch.device, "cpu", "sim", "cuda" or one such as "cuda:1"'
        raise ValueError(f"expected as device {expected}, got {device!r}")
    number = int(found[2] or 0)
    if number and found[1] == "cpu":
        raise ValueError(f"expected device 0 of target 'cpu', got {number}")
    return found[1], number


class _Sched:
    """nvFuser's scheduling by hand, of which nothing is here."""

    def __getattr__(self, name):
        raise Absent(f"fd.sched.{name}: {BY_HAND}")


class Fusion:
    """The program of a FusionDefinition, as `fd.fusion` has it."""

    def __init__(self, program):
        self._program = program

    def __getattr__(self, name):
        if name in ("add_input", "add_output"):
            raise Absent(f"Fusion.{name}: the program has ended; fd.define_tensor, fd.define_scalar and fd.add_output")
        raise AttributeError(f"expected an attribute of a Fusion, got '{name}'{find_near(name, dir(self))}")

    def __str__(self):
        return self._program.text()

    def __eq__(self, other):
        return isinstance(other, Fusion) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def inputs(self):
        """The tensors and scalars that the program takes, in order."""
        return list(self._program._definition._inputs)

    def outputs(self):
        """The results, in order, with those that are written over inputs."""
        return list(self._program._definition._outputs)

    def vals(self):
        """All tensors and scalars that `repr` of the definition has names for, in the order in which they were made."""
        return list(self._program._definition._values.values())

    def print_math(self, from_outputs_only=True):
        """The text of the program, without ops that no output needs: it is not printed."""
        if not from_outputs_only:
            raise NotImplementedError(
                "Fusion.print_math with from_outputs_only=False: repr of the definition shows what no output needs"
            )
        return str(self)

    def print_kernel(self, compile_params=None):
        """The PTX of its kernels for inputs of any sizes: for the GPU that executed it last, else for a simulated one."""
        if compile_params is not None:
            raise NotImplementedError(f"Fusion.print_kernel with compile_params: {BY_HAND}")
        definition = self._program._definition
        return definition._compile(*_find_gpu(definition._last_target)).ptx


def _find_gpu(place):
    """A target with kernels in PTX: the one of a (target, number), or a simulated GPU."""
    return ("sim", 0) if place is None or place[0] == "cpu" else place


class _Executables(dict):
    """What was compiled of a program, by target and number of the device."""

    #: Target and number of the execution that was last, and its inputs: tensors weakly, or None where they cannot be.
    recent = None

    def keep_recent(self, place, inputs):
        """Remembers an execution."""
        try:
            weak = list(map(weakref.ref, inputs))
        except TypeError:
            weak = list(map(_make_weak, inputs))
        self.recent = place, weak

    def get_recent(self):
        """What keep_recent got; a fuser.Error if there was none, or a tensor is gone."""
        if self.recent is None:
            raise _fuser.Error("expected a program that was executed, got one that was not: call execute first")
        place, inputs = self.recent
        inputs = [each() if isinstance(each, weakref.ref) else each for each in inputs]
        if any(each is None for each in inputs):
            raise _fuser.Error(
                "expected the tensors of the last execution to be alive, got one that is gone: get_scheduled_ir(inputs) takes others"
            )
        return place, inputs


def _make_weak(value):
    """A weak reference to a tensor, None if there can be none; a number as it is."""
    try:
        return weakref.ref(value)
    except TypeError:
        return None if hasattr(value, "__dlpack__") else value


class FusionExecutorCache:
    """What was compiled of a program, which definitions of the same program may share: `fd.fec = cache`."""

    def __init__(self, fusion, fusion_id=0, auto_schedule=True):
        if not auto_schedule:
            raise NotImplementedError(f"FusionExecutorCache with auto_schedule=False: {BY_HAND}")
        self._definition = fusion._program._definition

    def __getattr__(self, name):
        if name == "get_output_shardings":
            raise Absent(f"FusionExecutorCache.{name}: several ranks (docs/tutorial/5-ranks.md)")
        raise AttributeError(f"expected an attribute of a FusionExecutorCache, got '{name}'")

    def fusion(self):
        """The program."""
        return self._definition.fusion

    def execute(self, inputs, *, device=None, _enable_options=(), _disable_options=()):
        """The outputs, as of FusionDefinition.execute."""
        return self._definition.execute(inputs, device=device)

    def is_compiled(self, inputs, device=None):
        """Whether there is code for the device of these inputs, which takes those of other sizes, too."""
        inputs = _list_inputs("FusionExecutorCache.is_compiled", inputs)
        return self._definition._choose_target(_flatten_inputs(inputs), device) in self._definition._executables

    def get_cuda_kernel(self, inputs, intrinsic_code=False, device=None):
        """The PTX of the kernels that run for inputs like these. Of inputs on the CPU it is that of a simulated GPU.

        intrinsic_code changes nothing: nothing is left out of PTX. The program is compiled once more for these inputs, and not run.
        """
        inputs = _flatten_inputs(_list_inputs("FusionExecutorCache.get_cuda_kernel", inputs))
        place = _find_gpu(self._definition._choose_target(inputs, device))
        return self._definition._specialize(place, inputs).ptx

    def get_scheduled_ir(self, inputs, tensor_transforms=False, device=None):
        """The program after the compiler's stage "schedules", as it is compiled for inputs like these: each segment with its schedule.

        tensor_transforms: after the stage "kernels" instead, where loops and memory are what the schedules make of tensors.
        """
        inputs = _flatten_inputs(_list_inputs("FusionExecutorCache.get_scheduled_ir", inputs))
        return self._get_scheduled_ir(self._definition._choose_target(inputs, device), inputs, tensor_transforms)

    def get_most_recent_scheduled_ir(self, tensor_transforms=False):
        """The same for the inputs of the last execution, whose tensors have to be alive: they are not kept."""
        return self._get_scheduled_ir(*self._definition._executables.get_recent(), tensor_transforms)

    def _get_scheduled_ir(self, place, inputs, tensor_transforms):
        stage = "kernels" if tensor_transforms else "schedules"
        return self._definition._specialize(place, inputs).ir(stage)


def _read_sizes(name, sizes):
    """A list of integers."""
    if not hasattr(sizes, "__iter__"):
        raise TypeError(f"fd.define_tensor: expected a list of integers as {name}, got {sizes!r}")
    return read_integers(list(sizes), f"integers as {name}")


class FusionDefinition:
    """A program that is defined in a `with` block, or by calls one after another, and then executed."""

    def __init__(self):
        self._program = _Recorder(self)
        self._number = next(_NUMBERS)
        self._lines = []
        #: By their numbers: names of values, and what stands for them.
        self._names, self._values = {}, {}
        self._inputs, self._outputs = [], []
        self._num_tensors = 0
        #: Of inputs that are tensors on the CPU their numbers, and what their elements are: the program takes these.
        self._cpu_scalars = {}
        #: Where in the arguments of the program the seeds are that each execution draws, ascending.
        self._seeds = []
        self._aliases = []
        self._executables = _Executables()
        self._last_target = self._last_inputs = None
        self.ops = Ops(self)
        self.sched = _Sched()

    def __getattr__(self, name):
        near = "" if name.startswith("_") else find_near(name, [each for each in dir(self) if not each.startswith("_")])
        raise AttributeError(f"expected an attribute of a FusionDefinition, got '{name}'{near}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.validate_definition()

    @property
    def fusion(self):
        """The program, which ends it."""
        self.validate_definition()
        return Fusion(self._program)

    @property
    def executable(self):
        """The fuser.Executable that was executed last, with its `ir`, `explain`, `report` and `graph`."""
        if self._last_target not in self._executables:
            raise _fuser.Error("expected a definition that was executed, got one that was not: call execute first")
        return self._executables[self._last_target]

    @property
    def fec(self):
        """What was compiled of the program; that of another definition of the same program may be set."""
        return FusionExecutorCache(self.fusion)

    @fec.setter
    def fec(self, cache):
        """Takes what was compiled from the cache of another definition; a fuser.Error if that is of another program."""
        if cache.fusion() != self.fusion:
            raise _fuser.Error("expected what was compiled of the same program, got that of another one")
        self._executables = cache._definition._executables

    def validate_definition(self):
        """Ends the program, and checks it."""
        self._program.finish()

    # Inputs and outputs

    def define_tensor(self, *args, **kwargs):
        """A tensor that the program takes.

        define_tensor(shape, contiguity=None, dtype=DataType.Float, is_cpu=False, stride_order=[])
        define_tensor(sizes, strides, dtype=DataType.Float, static_sizes=False, is_cpu=False)

        A size of -1 is open. Strides and contiguity are not required: there is code for any strides. stride_order is, of a tensor that is
        contiguous: for each dimension its place among the strides, 0 the least. is_cpu: of a tensor without dimensions, that it is on the CPU, also where others
        are on a GPU.
        """
        is_of_strides = "sizes" in kwargs or "strides" in kwargs or (len(args) > 1 and not _is_contiguity(args[1]))
        function, signature = _TENSORS[is_of_strides]
        try:
            given = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            names = [*signature.parameters][1:]
            wrong = next((name for name in kwargs if name not in names), None)
            near = find_near(wrong, names, cutoff=0.6) if wrong else ""
            raise TypeError(f"fd.define_tensor: expected the arguments {', '.join(names)}: {error}{near}") from None
        result = function(*given.args, **given.kwargs)
        self._num_tensors += len(self._inputs) not in self._cpu_scalars
        self._inputs.append(result)
        self._remember("fd.define_tensor", args, kwargs, result)
        return result

    def _define_of_shape(self, shape, contiguity=None, dtype=DataType.Float, is_cpu=False, stride_order=()):
        sizes = read_input_sizes(self._program, _read_sizes("shape", shape))
        if is_cpu:
            return self._define_on_cpu(sizes, get_element_of(dtype))
        if isinstance(contiguity, (list, tuple)) and (len(contiguity) != len(sizes) or not _is_contiguity(contiguity)):
            text = (
                f"expected True, False or None as contiguity of each of the {len(sizes)} dimensions, got {contiguity}"
            )
            raise self._program.make_error(text)
        flags = contiguity if isinstance(contiguity, (list, tuple)) else [contiguity is not False]
        order = convert_stride_order(stride_order) if all(flags) else None
        return self._program.input(get_element_of(dtype), sizes, None, order)

    def _define_of_strides(self, sizes, strides, dtype=DataType.Float, static_sizes=False, is_cpu=False):
        sizes, strides = read_input_sizes(self._program, _read_sizes("sizes", sizes)), _read_sizes("strides", strides)
        if len(sizes) != len(strides):
            raise ValueError(f"expected a stride for each of the {len(sizes)} sizes, got {len(strides)}")
        if is_cpu:
            return self._define_on_cpu(sizes, get_element_of(dtype))
        # A size of 1 is known, for broadcasting.
        sizes = [size if static_sizes or size == 1 else None for size in sizes]
        return self._program.input(get_element_of(dtype), sizes)

    def _define_on_cpu(self, sizes, element):
        """A tensor of the CPU, which the program takes as a number: it may run elsewhere."""
        if sizes:
            raise ValueError(
                f"fd.define_tensor: expected a tensor without dimensions where is_cpu=True, got one of {len(sizes)}"
            )
        if get_kind(element) not in ("float", "signed", "bool") or get_bits(element) < 8 and element != "i1":
            name = ELEMENTS[element]
            raise NotImplementedError(
                f"fd.define_tensor of {name} with is_cpu=True: a program takes no numbers of this type; leave is_cpu out"
            )
        self._cpu_scalars[len(self._inputs)] = element
        number = self._program.input(element, None)
        return Program.op(self._program, "full", (number,), {"shape": [], "type": element})

    def from_pytorch(self, tensor, static_sizes=False):
        """An input for tensors of this rank and type; of its sizes only those that are 1, unless `static_sizes`."""
        shape = [int(size) for size in tensor.shape]
        return self._define_like(shape, get_data_type(tensor.dtype), static_sizes)

    def _define_like(self, shape, dtype, static_sizes):
        return self.define_tensor(
            shape=[size if static_sizes or size == 1 else -1 for size in shape],
            contiguity=True,
            dtype=dtype,
        )

    def define_scalar(self, value=None, dtype=None):
        """A number: define_scalar(dtype) or define_scalar(None, dtype) is one that the program takes, define_scalar(value, dtype=None)
        one that it knows."""
        args = (value, dtype)
        if isinstance(value, DataType):
            value, dtype = None, value
        if value is None:
            result = self._program.input(get_element_of(dtype or DataType.Double), None)
            self._inputs.append(result)
        else:
            result = self._program.number(value)
            if dtype is not None:
                result = Program.op(self._program, "cast", (result,), {"type": get_element_of(dtype)})
        self._remember("fd.define_scalar", args[: 1 + (args[1] is not None)], {}, result)
        return result

    def _add_seed(self):
        """A seed that each execution draws."""
        self._seeds.append(len(self._inputs) + len(self._seeds))
        return self._program.input("i64", None)

    def define_vector(self, size):
        """`size` scalars of Int that the program takes, such as a shape; `execute` takes them as a list, too."""
        result = [self._program.input("i64", None) for _ in range(size)]
        self._inputs += result
        self._remember("fd.define_vector", (size,), {}, result)
        return result

    def add_output(self, output, alias_input=None):
        """Makes `output` a result. With `alias_input` it is written over that input instead, and `execute` does not return it."""
        order = getattr(output, "_stride_order", None)
        self._program.output(output, None, order, alias_input)
        self._aliases.append(alias_input is not None)
        self._outputs.append(output)
        self._remember("fd.add_output", (output,) if alias_input is None else (output, alias_input), {}, None)

    # Execution

    def execute(
        self, inputs, *, device=None, save_repro_inputs=False, _enable_options=(), _disable_options=(), **others
    ):
        """The outputs, a list, of tensors and numbers in the order in which inputs were defined.

        Tensors are of any framework with DLPack, and outputs of that of the first one; if there is none, of PyTorch if that is imported, else
        of NumPy. device: the number of a GPU, or a torch.device; without it that of
        the inputs. others: keywords of nvFuser's older frontend, which say what there is instead.
        """
        _refuse_others(others)
        return self._execute(inputs, device, save_repro_inputs)[0]

    def _execute(self, inputs, device, save_inputs, copies=None):
        """(the outputs, the target that they were computed on). copies: a list that gets the program's arguments as they are before, in the memory of the CPU.

        Other threads may execute it meanwhile, on other devices.
        """
        inputs = _list_inputs("fd.execute", inputs)
        profiler = PROFILER.get()
        call = profiler._begin(self) if profiler else None
        given = _flatten_inputs(inputs)
        arguments = self._list_arguments(given)
        place = self._choose_target(arguments, device)
        self._last_inputs = _drop_gradients(given) if save_inputs else None
        if self._seeds:
            self._check_count(arguments)
            draw = _find_generator(arguments)
            for position in self._seeds:
                arguments.insert(position, draw())
        if copies is not None:
            copies += map(_copy_to_cpu, arguments)
        executable = self._compile(*place)
        if call:
            call.keep(executable, arguments, place[1])
        results = self._run(executable, arguments)
        self._last_target = place
        self._executables.keep_recent(place, given)
        if call:
            call.end(results)
        return self._leave_aliases(results), place[0]

    def _list_arguments(self, given):
        """What the program takes of the inputs."""
        arguments = _drop_gradients(given)
        for position, element in self._cpu_scalars.items():
            if position < len(arguments):
                arguments[position] = _take_number(arguments[position], position, element)
        return arguments

    def _compile(self, target, number):
        """The Executable for a device."""
        if (target, number) not in self._executables:
            from . import _default_context

            context = _default_context(target, number)
            self._executables[target, number] = _fuser.Executable(context, self._program.finish())
        return self._executables[target, number]

    def _specialize(self, place, inputs):
        """The Executable for inputs like these alone. Seeds need not be among them."""
        return self._compile(*place).specialize(*self._list_arguments(inputs))

    def _run(self, executable, arguments):
        """All results, as a list."""
        try:
            results = executable(*arguments)
        except RuntimeError:  # Of PyTorch, of tensors whose memory it does not say; ours is none.
            from ._jit._structure import refuse_transformed

            refuse_transformed("fd.execute", arguments)
            raise
        results = results if len(self._aliases) != 1 else (results,)
        # Without a tensor among the inputs there is no framework that outputs could be of.
        return [_to_framework(each) if isinstance(each, _fuser.Tensor) else each for each in results]

    def _leave_aliases(self, results):
        return [result for result, is_alias in zip(results, self._aliases, strict=True) if not is_alias]

    def _check_count(self, arguments):
        """As a call does it, which would count the seeds, too."""
        tensors = sum(hasattr(each, "__dlpack__") for each in arguments)
        expected, got = (self._num_tensors, len(self._inputs) - self._num_tensors), (tensors, len(arguments) - tensors)
        if got != expected:
            counts = zip(expected, ("tensor", "number"), strict=True)
            listed = " and ".join(f"{number} {kind}{'' if number == 1 else 's'}" for number, kind in counts)
            raise make_error(f"fd.execute: expected {listed}, got {got[0]} and {got[1]}")

    @staticmethod
    def _choose_target(arguments, device):
        """The target and the number of the device, that is given or that of the first tensor that is not on the CPU."""
        if device is not None:
            return _read_device(device)
        place = _fuser._find_device(arguments)
        # Of tensors that cannot be borrowed their frameworks are asked.
        places = [place] if place else filter(None, map(_find_place, arguments))
        return next((("cuda", number) for kind, number in places if int(kind) == _CUDA), ("cpu", 0))

    def validate(self, inputs, reference_outputs=None, device=None, **kwargs):
        """Executes, and compares with `reference_outputs`, which have the same element types and sizes. The outputs. kwargs: what else `execute` takes.

        Without reference outputs it compares with what another target computes of the same inputs: that of a GPU with the CPU, and the CPU with a simulated GPU. What
        is wrong in the program itself is so on both.

        Elements of Double, Float, Half and BFloat16 may differ by 1e-10, 1e-4, 1e-2 and 5e-2 of themselves and of the greatest one, complex numbers as
        their parts; all others are the same. NaN is equal to NaN. What is not so is an AssertionError.
        """
        _refuse_others({name: value for name, value in kwargs.items() if name not in _OF_EXECUTE})
        copies = [] if reference_outputs is None else None
        outputs, target = self._execute(inputs, device, kwargs.get("save_repro_inputs"), copies)
        if copies is not None:
            reference = self._compile("sim" if target == "cpu" else "cpu", 0)
            reference_outputs = self._leave_aliases(self._run(reference, copies))
        if len(outputs) != len(reference_outputs):
            raise ValueError(f"expected {len(reference_outputs)} outputs, got {len(outputs)}")
        for number, (output, reference) in enumerate(zip(outputs, reference_outputs, strict=True)):
            _compare(f"output {number}", output, reference)
        return outputs

    def manual_execute(self, inputs, heuristic_params=None):
        """Not there."""
        raise NotImplementedError(f"fd.manual_execute: {BY_HAND}")

    def manual_validate(self, inputs, reference_outputs=None):
        """Not there."""
        raise NotImplementedError(f"fd.manual_validate: {BY_HAND}")

    # What it prints

    def _remember(self, function, args, kwargs, result):
        """A line that would define the same."""
        arguments = [self._show(each) for each in args]
        arguments += [f"{name}={self._show(each)}" for name, each in kwargs.items()]
        call = f"{function}({', '.join(arguments)})"
        if function == "fd.ops.floor_div":  # Python's operator alone.
            call = f"{arguments[0]} // {arguments[1]}"
        if result is not None:
            results = result if isinstance(result, (tuple, list)) else (result,)
            names = []
            for each in results:
                if each is None:
                    names.append("_")
                    continue
                if each._value not in self._names:
                    self._names[each._value] = f"{'T' if each.is_tensor() else 'S'}{len(self._names)}"
                    self._values[each._value] = each
                names.append(self._names[each._value])
            left = ", ".join(names)
            call = f"{f'[{left}]' if isinstance(result, (tuple, list)) else left} = {call}"
        self._lines.append(call)

    def _show(self, value):
        """A value as the definition names it."""
        if isinstance(value, Operand):
            return self._names.get(value._value, "?")
        if hasattr(value, "tolist"):  # NumPy's arrays and numbers.
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self._show, value))}]"
        if isinstance(value, float) and value != value or value in (float("inf"), float("-inf")):
            return f'float("{value}")'
        return repr(value)

    def __repr__(self):
        """Python that defines the same program."""
        lines = ["def nvfuser_fusion(fd: FusionDefinition) -> None:", *(f"    {line}" for line in self._lines)]
        return "\n".join(lines) + "\n"

    def repro_script_for(self, inputs=None):
        """A script that defines the program, and executes it with random inputs of the same types, sizes and strides."""
        script = "import numpy\nfrom fuser import DataType, FusionDefinition\n\n\n" + repr(self)
        script += "\n\nwith FusionDefinition() as fd:\n    nvfuser_fusion(fd)\n"
        if inputs is None:
            return script
        lines = "".join(f"    {write_input(each)},\n" for each in _list_inputs("fd.repro_script_for", inputs))
        return f"{script}{MAKE_INPUTS}inputs = [\n{lines}]\nfd.execute(inputs)\n"

    def last_repro_script(self):
        """repro_script_for the inputs of the last execution, which has to have had save_repro_inputs."""
        if self._last_inputs is None:
            raise ValueError("expected an execution with save_repro_inputs=True before, got none")
        return self.repro_script_for(self._last_inputs)


#: The forms of define_tensor: of a shape, and of sizes and strides.
_TENSORS = [
    (function, inspect.signature(function))
    for function in (FusionDefinition._define_of_shape, FusionDefinition._define_of_strides)
]


def _find_generator(arguments):
    """A function that draws a seed from the generator of the tensors' framework: PyTorch's, or NumPy's."""
    tensor = next((each for each in arguments if hasattr(each, "__dlpack__")), None)
    torch = sys.modules.get("torch")
    if torch and (tensor is None or isinstance(tensor, torch.Tensor)):
        return lambda: int(torch.randint(2**62, (), dtype=torch.int64))
    import numpy

    return lambda: int(numpy.random.randint(2**62, dtype=numpy.int64))


def _copy_to_cpu(value):
    """A copy of a tensor in the memory of the CPU, in the same order of dimensions; a number as it is."""
    if hasattr(value, "clone"):  # PyTorch's.
        return value.cpu() if value.is_cuda else value.clone()
    if hasattr(value, "get"):  # CuPy's.
        return value.get(order="A")
    if not hasattr(value, "__dlpack__"):
        return value
    import numpy

    return numpy.array(value, order="K")


def _to_framework(tensor):
    torch = sys.modules.get("torch")
    return torch.from_dlpack(tensor) if torch else _frameworks.to_numpy(tensor)


#: By how much a result may differ, of each element and of the greatest one. Elements of other types are the same.
_TOLERANCES = {"f16": 1e-2, "bf16": 5e-2, "f32": 1e-4, "f64": 1e-10, "complex<f32>": 1e-4, "complex<f64>": 1e-10}


def _compare(what, output, reference):
    """An AssertionError where a result is not its reference."""
    import numpy

    (element, output), (expected, reference) = _read_elements(output), _read_elements(reference)
    if (element, output.shape) != (expected, reference.shape):
        raise AssertionError(f"{what}: expected {expected} {list(reference.shape)}, got {element} {list(output.shape)}")
    if element not in _TOLERANCES:
        numpy.testing.assert_array_equal(output, reference, what)
        return
    tolerance = _TOLERANCES[element]
    greatest = numpy.abs(reference)[numpy.isfinite(reference)].max(initial=0)
    # What should be 0 is what roundings of numbers around 1 leave of it.
    atol = max(tolerance * greatest, 1e-14 if "f64" in element else 1e-6)
    numpy.testing.assert_allclose(output, reference, tolerance, atol, err_msg=what)


def _read_elements(tensor):
    """(element type, array) of a tensor of any framework; floats are wider where NumPy cannot compare them, so that none is lost."""
    import numpy

    if isinstance(tensor, _fuser.Tensor):
        tensor = _frameworks.to_numpy(tensor)
    if not hasattr(tensor, "dtype"):
        tensor = numpy.asarray(tensor)
    element = get_element(tensor.dtype)
    if hasattr(tensor, "detach"):  # PyTorch's.
        tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
        if element == "f4E2M1FN":
            tensor = tensor.view(sys.modules["torch"].uint8)
        elif tensor.dtype.is_floating_point:
            tensor = tensor.double()
    elif hasattr(tensor, "get"):  # CuPy's.
        tensor = tensor.get()
    array = numpy.asarray(tensor)
    return element, array if array.dtype.kind in "biuc" else array.astype(numpy.float64)
