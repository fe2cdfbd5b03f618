# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors are exceptions that say where and why."""

import re
import subprocess
import sys
from pathlib import Path

import fuser
import numpy as np
import pytest

EXP = """func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fusion.exp %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


def test_syntax_error_has_its_place():
    with pytest.raises(fuser.Error, match=r"my\.mlir\D+2:8") as caught:
        fuser.compile(EXP.replace("fusion.exp", "fusion.nonsense"), file_name="my.mlir")
    assert caught.value.code == 1
    # The line of the source is the last one.
    assert str(caught.value).splitlines()[-1].strip() == "^" and not str(caught.value).endswith("\n")


def test_type_error_in_the_program():
    with pytest.raises(
        fuser.Error, match=r"<text>:2:19: error: use of value '%x' expects different type than prior uses"
    ):
        fuser.compile(EXP.replace("exp %x : tensor<?x8xf32>", "exp %x : tensor<?x8xf16>"))


def test_a_path_is_no_text():
    with pytest.raises(fuser.Error, match="expected the text of a program, got what looks like a path"):
        fuser.compile("examples/rms.mlir")


def test_a_function_is_no_text():
    with pytest.raises(TypeError, match="expected the text of a program, got a function: fuser.jit compiles"):
        fuser.compile(lambda x: x)


def test_what_is_no_context():
    for given, name in ((1, "int"), (None, "NoneType"), (fuser.Context, "type")):
        with pytest.raises(TypeError, match=f"^expected a fuser.Context, got {name}$"):
            fuser.Executable(given, EXP)


def test_text_as_bytes():
    x = np.zeros((3, 8), np.float32)
    np.testing.assert_array_equal(fuser.compile(("// \u00e4\n" + EXP).encode())(x), np.ones((3, 8)))
    np.testing.assert_array_equal(fuser.compile(fuser.compile_to_bytes(EXP))(x), np.ones((3, 8)))
    with pytest.raises(fuser.Error, match="damaged program"):
        fuser.compile(b"FUSERFX\n")
    with pytest.raises(fuser.Error, match="expected a text in UTF-8, got byte 0x80"):
        fuser.compile(bytes(range(128, 200)))


@pytest.mark.parametrize("compile", [fuser.compile, fuser.compile_to_bytes])
def test_text_that_is_no_utf_8(compile):
    with pytest.raises(fuser.Error, match="^<text>:2:4: error: expected a text in UTF-8, got byte 0xe9$"):
        compile(b"// \xc3\xa9\n// \xe9\n" + EXP.encode())
    with pytest.raises(
        fuser.Error, match="^<text>:1:1: error: expected a text in UTF-8, got byte 0xff, as UTF-16 begins$"
    ):
        compile(b"\xff\xfe" + EXP.encode("utf-16-le"))
    with pytest.raises(fuser.Error, match="got half of a surrogate pair in it$"):
        compile("// \udc80\n" + EXP)


def test_text_with_the_mark_of_utf_8():
    x = np.zeros((3, 8), np.float32)
    for text in ("\ufeff" + EXP, EXP.encode("utf-8-sig")):
        np.testing.assert_array_equal(fuser.compile(text)(x), np.ones((3, 8)))
        np.testing.assert_array_equal(fuser.load(fuser.compile_to_bytes(text))(x), np.ones((3, 8)))
    with pytest.raises(fuser.Error, match="^my.mlir:1:1: error: "):
        fuser.compile("\ufeffnonsense", file_name="my.mlir")


def test_what_the_compiler_refuses_has_its_place():
    # Parsed and verified, then refused by a pass.
    text = EXP.replace("fusion.exp %x", "arith.addf %x, %x")
    with pytest.raises(fuser.Error, match=r"my\.mlir:2:8: error: .*expected only ops of the fusion dialect") as caught:
        fuser.compile(text, file_name="my.mlir")
    assert caught.value.code == 1


def test_several_functions_need_an_entry():
    with pytest.raises(
        fuser.Error, match="expected one public function, or the name of an entry; got 2 public functions"
    ):
        fuser.compile(EXP + EXP.replace("@f", "@g"))
    with pytest.raises(fuser.Error, match="expected a function 'nobody' with a body, got none"):
        fuser.compile(EXP, entry="nobody")


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((3, 7), np.float32), "expected dimension 1 to be 8, got 7"),
        (np.zeros((3, 8), np.float64), "expected element type f32, got f64"),
        (np.zeros(8, np.float32), r"expected tensor<\?x8xf32> of rank 2, got rank 1"),
    ],
    ids=["size", "type", "rank"],
)
def test_wrong_input(x, message):
    with pytest.raises(fuser.Error, match=f"program 'f': input 0 '%x': {message}") as caught:
        fuser.compile(EXP)(x)
    assert caught.value.code == 1


def test_wrong_number_of_inputs():
    exe, x = fuser.compile(EXP), np.zeros((3, 8), np.float32)
    with pytest.raises(fuser.Error, match=r"program 'f': expected 1 input tensor \('%x'\), got 0"):
        exe()
    with pytest.raises(fuser.Error, match=r"program 'f': expected 1 input tensor \('%x'\), got 2"):
        exe(x, x)
    with pytest.raises(fuser.Error, match="program 'f': expected 0 scalar inputs, got 1"):
        exe(x, 3)


SCALED = """func.func @f(%x: tensor<f32>, %s: f32 {fusion.name = "s"}, %n: index) -> tensor<?xf32> {
  %0 = fusion.full %s sizes(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


def test_numbers_are_no_tensors():
    exe, x = fuser.compile(SCALED), np.zeros((), np.float32)
    expected = r"program 'f': expected 1 tensor and 2 numbers, got "
    message = rf"^{expected}0 and 3; arguments 0, 1, 2 are numbers: numpy.asarray\(number\) is a tensor$"
    with pytest.raises(fuser.Error, match=message) as caught:
        exe(np.float32(2), 1.0, 3)
    assert caught.value.code == 1
    message = rf"^{expected}2 and 1; arguments 0, 1 are tensors: tensor.item\(\) is a number$"
    with pytest.raises(fuser.Error, match=message):
        exe(x, x, 3)
    with pytest.raises(fuser.Error, match="expected 1 tensor and 0 numbers, got 0 and 1; argument 0 is a number: "):
        fuser.compile(EXP)(np.float32(2))
    # Of an array that is given twice each is an argument.
    with pytest.raises(fuser.Error, match="expected 1 tensor and 1 number, got 2 and 0; arguments 0, 1 are tensors: "):
        fuser.compile(SCALED.replace(", %n: index", "").replace("sizes(%n) ", "").replace("?x", "2x"))(x, x)


def test_integers_of_more_than_64_bits():
    exe, x = fuser.compile(SCALED), np.zeros((), np.float32)
    for number in (2**63, -(2**63) - 1):
        message = (
            rf"program 'f': scalar 0 's': expected an integer of -2\*\*63 to 2\*\*63 - 1, or a float, got {number}"
        )
        with pytest.raises(ValueError, match=message):
            exe(x, number, 3)
    np.testing.assert_array_equal(np.from_dlpack(exe(x, float(2**70), 1)), [np.float32(2**70)])


@pytest.mark.parametrize("compile", [fuser.compile, fuser.compile_to_bytes])
@pytest.mark.parametrize("program", [3, None, bytearray(b"f")])
def test_not_a_program(compile, program):
    message = f"expected a program: its text as a str, or bytes, got {type(program).__name__}"
    with pytest.raises(TypeError, match=message):
        compile(program)


def test_compile_to_bytes_reports_errors_as_compile_does():
    for text in (
        EXP.replace("fusion.exp", "fusion.nonsense"),
        EXP.replace("fusion.exp %x", "arith.addf %x, %x"),
        EXP + EXP.replace("@f", "@g"),
        EXP.replace("xf32", "xi4").replace("exp", "neg"),
    ):
        errors = []
        for compile in (fuser.compile, fuser.compile_to_bytes):
            with pytest.raises(fuser.Error) as caught:
                compile(text)
            errors.append((str(caught.value), caught.value.code))
        assert errors[0] == errors[1]


@pytest.mark.parametrize("compile", [fuser.compile, fuser.compile_to_bytes])
def test_an_error_of_the_whole_file_has_no_line(compile):
    with pytest.raises(fuser.Error, match=r"^my\.mlir: error: expected a function 'nobody'"):
        compile(EXP, entry="nobody", file_name="my.mlir")


def test_wrong_output():
    exe, x = fuser.compile(EXP), np.zeros((3, 8), np.float32)
    with pytest.raises(fuser.Error, match="output 0 'result0': expected dimension 0 to be 3 because .*, got 4"):
        exe(x, out=np.zeros((4, 8), np.float32))
    with pytest.raises(ValueError, match="expected 1 outputs in out, got 2"):
        exe(x, out=(None, None))
    out = np.zeros((3, 8), np.float32)
    out.flags.writeable = False
    with pytest.raises(
        ValueError, match="program 'f': output 0 'result0': expected a writable tensor, got a read-only one"
    ):
        exe(x, out=out)


def test_dynamic_sizes_that_disagree():
    text = """
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.add %x, %y : tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    """
    message = "input 1 '%y': expected dimension 0 to be 3 because input 0 '%x' dimension 0 is 3, got 4"
    with pytest.raises(fuser.Error, match=message) as caught:
        fuser.compile(text)(np.zeros((3, 8), np.float32), np.zeros((4, 8), np.float32))
    assert caught.value.code == 1


def test_overlapping_output():
    buffer = np.arange(40, dtype=np.float32)
    with pytest.raises(fuser.Error, match="input 0 '%x': expected memory apart from output 0 'result0' because"):
        fuser.compile(EXP)(buffer[:32].reshape(4, 8), out=buffer[8:].reshape(4, 8))


def test_errors_leak_no_reference():
    exe, x, wrong = fuser.compile(EXP), np.zeros((3, 8), np.float32), np.zeros((3, 7), np.float32)
    before = [sys.getrefcount(o) for o in (x, wrong)]
    for _ in range(100):
        for call, error, message in (
            (lambda: exe(wrong), fuser.Error, "input 0 '%x': expected dimension 1 to be 8, got 7"),
            (lambda: exe(x, wrong), fuser.Error, "expected 1 input tensor"),
            (lambda: exe(x, out=wrong), fuser.Error, "output 0 'result0': expected dimension 1 to be 8, got 7"),
            (lambda: exe(x, "text"), TypeError, "argument 1: expected a number or a tensor with __dlpack__, got str"),
        ):
            with pytest.raises(error, match=message):
                call()
    assert [sys.getrefcount(o) for o in (x, wrong)] == before


def test_not_a_tensor():
    with pytest.raises(TypeError, match="argument 0: expected a number or a tensor with __dlpack__, got"):
        fuser.compile(EXP)("text")
    with pytest.raises(
        TypeError, match=r"in the order of 'input_names', and no keyword but 'out', got keywords \['nonsense'\]"
    ):
        fuser.compile(EXP)(np.zeros((3, 8), np.float32), nonsense=1)


@pytest.mark.parametrize("make", [fuser.compile, lambda text: fuser.load(fuser.compile_to_bytes(text))])
def test_names_that_are_no_utf8(make):
    text = EXP.replace("@f", '@"\\80f"').replace("f32>)", 'f32> {fusion.name = "x\\FF"})')
    exe = make(text)
    assert exe.name == "\ufffdf" and exe.input_names == ("x\ufffd",)
    assert repr(exe) == "<fuser.Executable \ufffdf(tensor<?x8xf32>) -> (tensor<?x8xf32>)>"
    with pytest.raises(fuser.Error, match="program '\ufffdf': input 0 'x\ufffd': expected dimension 1 to be 8, got 7"):
        exe(np.zeros((3, 7), np.float32))
    with pytest.raises(fuser.Error, match="<text>:1:1: note: '\ufffdf' is here") as caught:
        make(text + EXP)
    assert caught.value.code == 1


def test_unknown_target():
    with pytest.raises(ValueError, match="expected target cuda, cpu or sim, got 'tpu'"):
        fuser.compile(EXP, target="tpu")


def test_keywords_that_are_spelled_wrong():
    b = fuser.Builder()
    b.output(b.input((3,)))
    for function, wrong, near in (
        (lambda **keywords: fuser.compile(EXP, **keywords), "taget", "target"),
        (b.compile, "cach", "cache"),
        (b.compile_to_bytes, "entri", "entry"),
    ):
        with pytest.raises(TypeError) as caught:
            function(**{wrong: "cpu"})
        assert re.match(r"(fuser|Builder)\.compile(_to_bytes)?: expected keywords among target, ", str(caught.value))
        assert str(caught.value).endswith(f", got '{wrong}'; did you mean '{near}'?")


@pytest.mark.parametrize("option", [{"entry": "f"}, {"file_name": "a.mlir"}, {"schedules": [None]}, {"cache": False}])
def test_options_for_what_is_compiled_already(option):
    program = fuser.compile_to_bytes(EXP)
    message = f"{next(iter(option))}: expected no option of the compiler for a program that is compiled already"
    with pytest.raises(ValueError, match=message):
        fuser.compile(program, **option)
    fuser.compile(program)


def test_damaged_program():
    program = bytearray(fuser.compile_to_bytes(EXP))
    program[len(program) // 2] ^= 1
    with pytest.raises(fuser.Error, match="damaged program: byte 24: expected the checksum to be 0x") as caught:
        fuser.load(bytes(program))
    assert caught.value.code == 5


def test_no_gpu_is_an_error():
    message = "expected (to open libcuda.so.1|libcuda.so.1 of CUDA 12|the CUDA driver to start|an ordinal of 0 to -?[0-9]+), got"
    with pytest.raises(fuser.Error, match=message) as caught:
        fuser.Context("cuda", 99)
    assert caught.value.code == 3


def test_compiling_without_a_gpu():
    """What works without one is said where a GPU is missing."""
    try:
        fuser.Context("cuda")
    except fuser.Error as error:
        missing = str(error)
    else:
        pytest.skip("there is a GPU")
    with pytest.raises(fuser.Error) as caught:
        fuser.compile(EXP, "cuda")
    assert str(caught.value).startswith(missing) and caught.value.code == 3
    assert 'fuser.compile_to_bytes(text, "cuda", arch="sm_90") compiles without a GPU' in str(caught.value)
    assert fuser.compile_to_bytes(EXP, "cuda", arch="sm_90")


def test_what_is_loaded():
    with pytest.raises(
        fuser.Error, match=r"or the path of a \.fx file, got what looks like the text of a program: fuser\.compile"
    ) as caught:
        fuser.load(EXP * 100)
    assert caught.value.code == 1
    with pytest.raises(
        TypeError, match=r"expected the bytes of a compiled program, or the path of a \.fx file, got int"
    ):
        fuser.load(3)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.fx"):
        fuser.load("nowhere.fx")


def test_files_of_something_else(tmp_path):
    path = tmp_path / "exp.mlir"
    path.write_text(EXP)
    for given in (path, str(path), EXP.encode()):
        with pytest.raises(
            fuser.Error, match=r"got what looks like the text of a program: fuser\.compile\(text\) comp"
        ):
            fuser.load(given)
    message = 'expected the magic "FUSERFX.n" of a compiled program, got '
    with pytest.raises(fuser.Error, match=message + "what looks like a text, which is to be compiled"):
        fuser.load(b"x" * 40)
    with pytest.raises(fuser.Error, match=message + "other bytes"):
        fuser.load(b"\0" * 40)
    with pytest.raises(fuser.Error, match="expected a header of 32 bytes, got a file of 3 bytes"):
        fuser.load(b"FUS")


def test_programs_of_another_target():
    wrong = "can run here: it is for {}, and the context is for {}: load it for the target {}$"
    program = fuser.compile_to_bytes(EXP, "sim")
    with pytest.raises(fuser.Error, match=wrong.format("the simulator of GPUs", "the CPU", "sim")):
        fuser.load(program)
    fuser.load(program, "sim")
    with pytest.raises(fuser.Error, match=wrong.format("the CPU", "the simulator of GPUs", "cpu")):
        fuser.load(fuser.compile_to_bytes(EXP), "sim")
    with pytest.raises(fuser.Error, match=wrong.format(r"a GPU \(sm_90\)", "the CPU", "cuda")):
        fuser.load(fuser.compile_to_bytes(EXP, "cuda", arch="sm_90"))


def test_a_program_without_outputs_is_at_the_line():
    b = fuser.Builder()
    b.input((3,))
    line = test_a_program_without_outputs_is_at_the_line.__code__.co_firstlineno + 5
    with pytest.raises(fuser.Error) as caught:
        b.compile()
    expected = "error: expected a program with at least one output, got none"
    assert str(caught.value) == f"{__file__}:{line}: {expected}" and caught.value.code == 1


ORDERED = """func.func @f(%x: tensor<4x6xf32> {fusion.name = "x"ATTRIBUTE}) -> tensor<4x6xf32> {
  %0 = fusion.exp %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
"""


def test_what_the_program_requires_is_not_compiled_away():
    exe = fuser.compile(ORDERED.replace("ATTRIBUTE", ", fusion.stride_order = array<i64: 1, 0>"))
    wrong = np.zeros((4, 6), np.float32)
    message = r"input 0 'x': expected strides \[1, 4\] \(.*\) because the program requires it, got \[6, 1\]$"
    for _ in range(3):
        with pytest.raises(fuser.Error, match=message) as caught:
            exe(wrong)
        assert caught.value.code == 1
        assert exe.num_variants == 1
    np.testing.assert_array_equal(exe(np.zeros((6, 4), np.float32).T), np.ones((4, 6), np.float32))
    assert exe.num_variants == 1


def test_elements_that_are_not_aligned():
    x = np.zeros(4 * 9 + 1, np.uint8)[1:].view(np.float32)
    exe = fuser.compile(
        "func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %y = fusion.exp %x : tensor<?xf32>\n  return %y : tensor<?xf32>\n}"
    )
    # No variant would take them: nothing is said of the one that was made for the call.
    message = r"'%x': expected data aligned to 4 bytes.*: pass a copy \(x.copy\(\) of NumPy's arrays\)$"
    with pytest.raises(fuser.Error, match=message) as caught:
        exe(x)
    assert caught.value.code == 1
    np.testing.assert_array_equal(exe(x.copy()), np.ones(9, np.float32))


def test_the_alignment_that_the_program_requires_too():
    exe = fuser.compile(ORDERED.replace("ATTRIBUTE", ", fusion.alignment = 64 : i64"))
    memory = np.zeros(64, np.float32)
    start = (-memory.ctypes.data // 4) % 16
    aligned, shifted = (memory[i : i + 24].reshape(4, 6) for i in (start, start + 4))
    exe(aligned)
    for _ in range(2):
        with pytest.raises(
            fuser.Error, match="expected data aligned to 64 bytes because the program requires it, got address"
        ) as caught:
            exe(shifted)
        assert caught.value.code == 1
        assert exe.num_variants == 1
    # Strides are none of it: for other ones there is another variant.
    exe(np.lib.stride_tricks.as_strided(aligned, (4, 6), (32, 4)))
    assert exe.num_variants == 2


@pytest.mark.parametrize("target", ["cpu", "sim"])
def test_devices_of_targets_that_have_one(target):
    for make in (lambda: fuser.Context(target, 3), lambda: fuser.compile(EXP, target, device=3)):
        with pytest.raises(fuser.Error, match=f"expected device 0 of the target '{target}', got 3$"):
            make()


def test_the_ranks_of_the_tutorial_say_what_is_missing(tmp_path):
    script = Path(__file__).resolve().parents[2] / "docs/tutorial/ranks.py"

    def run(*arguments):
        command = [sys.executable, script, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    usage = "`python docs/tutorial/ranks.py make` makes the inputs, and the commands of docs/tutorial/5-ranks.md the results\n"
    missing = "ranks.py: expected build/tutorial/{}.npy, which is not there: " + usage
    assert run().stderr == missing.format("dy0")
    assert run("make").returncode == 0
    assert run().stderr == missing.format("db0")
    assert run("make", "4").stderr == f"ranks.py: expected no argument or 'make', got make 4: {usage}"
