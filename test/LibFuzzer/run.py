#!/usr/bin/env python3
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the first inputs of a fuzzer of this folder, from the programs of test and examples, and runs it.

What it finds beyond them is kept in BUILD/fuzz/NAME, for the next run; what fails in BUILD/fuzz/NAME-failed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from arguments import Parser  # noqa: E402

ENVIRONMENT = {**os.environ, "ASAN_SYMBOLIZER_PATH": "/usr/lib/llvm-22/bin/llvm-symbolizer"}
FUZZERS = ["text", "bytecode", "program", "arguments"]
# So that a run begins soon.
MAX_SEEDS = 2000
# Of those that a tool makes.
MAX_MADE = 300
# Beyond what seeds need, more bytes say little. Program files are cut by the fuzzer.
MAX_BYTES = {"text": 4096, "bytecode": 4096, "program": 65536, "arguments": 256}


def programs():
    """The text of every program of examples and test, that is expected to be right or not."""
    for source in sorted(p for d in ("examples", "test") for p in (ROOT / d).rglob("*.mlir")):
        for part in re.split(r"^// -----.*$", source.read_text(errors="replace"), flags=re.M):
            text = re.sub(r"^\s*//.*\n", "", part, flags=re.M).strip()
            if text and len(text) <= MAX_BYTES["text"]:
                yield text + "\n"


def write(folder, seeds):
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number}").write_bytes(seed)


def output_of(*command, data=None):
    """What the command writes; nothing if it fails."""
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else b""


def make_seeds(name, folder, tools, quick):
    texts = sorted(set(programs()), key=len)
    wanted = 30 if quick else MAX_MADE if name == "bytecode" else MAX_SEEDS
    texts = texts[:: -(-len(texts) // wanted)]
    if name == "text":
        write(folder, [text.encode() for text in texts])
    elif name == "bytecode":
        opt = [tools / "fuser-opt", "-", "--emit-bytecode"]
        write(folder, [code for text in texts if (code := output_of(*opt, data=text.encode()))])
    elif name == "program":
        # Of its code a fuzzer keeps little.
        command = [tools / "fuser-run", "--emit", "-", "--target"]
        sources = sorted((ROOT / "examples").glob("*.mlir"))[: 2 if quick else None]
        targets = ["cpu"] if quick else ["cpu", "cuda", "sim"]
        write(folder, [code for s in sources for t in targets if (code := output_of(*command, t, s))])


def write_words(path):
    """The words of programs, for mutations of text."""
    words = {word for text in programs() for word in re.findall(r'[%#!@"]?[A-Za-z_][\w.$-]*"?|<[a-z_]+|->|::', text)}
    words = sorted(word.replace('"', "") for word in words if 2 <= len(word) <= 40 and word.isascii())
    path.write_text("".join(f'"{word}"\n' for word in dict.fromkeys(words)))


def is_upstream(fuzzer, file):
    """Whether the input fails in MLIR or LLVM, by where the stack begins that is neither libc's nor the sanitizers'."""
    log = subprocess.run(
        [fuzzer, "-rss_limit_mb=1024", "-timeout=20", file],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    frames = re.findall(r"^ *#\d+ 0x\w+ (.*)", log, flags=re.M)
    other = r"libc\.so|libstdc\+\+|/sysdeps/|fuzzer::|^in (__|mem|str|free|malloc|abort|raise|operator)|SmallVectorBase|llvm::report"
    frames = [frame for frame in frames if not re.search(other, frame)]
    return bool(frames) and re.search(r"/lib(MLIR|LLVM)\.so", frames[0]) is not None


def sort_out(fuzzer, failed):
    """Names what fails in MLIR or LLVM `upstream-...`; the other inputs that failed."""
    ours = []
    for file in sorted(f for f in failed.iterdir() if not f.name.startswith("upstream-")):
        if file.name.startswith("oom-") or is_upstream(fuzzer, file):
            file.rename(failed / f"upstream-{file.name}")
        else:
            ours.append(file)
    return ours


def main():
    parser = Parser(prog="test/LibFuzzer/run.py", description=__doc__)
    parser.add_argument("fuzzer", choices=FUZZERS)
    parser.add_argument("--build", default=ROOT / "build-sanitize", type=Path, help="a build with FUSER_LIBFUZZER")
    parser.add_argument(
        "--tools", type=Path, help="where the programs are that make first inputs (default: in the build)"
    )
    parser.add_argument("--seconds", type=int, help="how long; 0: until it is interrupted", default=60)
    parser.add_argument("--runs", type=int, help="in place of --seconds")
    parser.add_argument("--quick", action="store_true", help="few first inputs, in a folder of its own")
    parser.add_argument("arguments", nargs="*", metavar="-option=value", help="libFuzzer's, behind --")
    options = parser.parse_args()
    fuzzer = options.build / f"test/LibFuzzer/fuzz-{options.fuzzer}"
    if not fuzzer.exists():
        parser.error(f"expected a build with the fuzzers, found no {fuzzer}: scripts/sanitize")
    work = options.build / ("fuzz-quick" if options.quick else "fuzz")
    folder, failed = work / options.fuzzer, work / f"{options.fuzzer}-failed"
    failed.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        folder.mkdir()
        make_seeds(options.fuzzer, folder, options.tools or options.build / "bin", options.quick)
    command = [fuzzer, folder, f"-artifact_prefix={failed}/", "-timeout=60", "-print_final_stats=1"]
    if options.fuzzer == "bytecode" and not options.quick:
        # MLIR's reader makes as many blocks as the bytes say, and attributes that none of its own code would: what fails in it is not
        # ours, and the others go on.
        command += ["-fork=1", "-ignore_ooms=1", "-ignore_crashes=1", "-rss_limit_mb=1024"]
    else:
        command.append("-rss_limit_mb=4096")
    command.append(f"-runs={options.runs}" if options.runs is not None else f"-max_total_time={options.seconds}")
    command.append(f"-max_len={MAX_BYTES[options.fuzzer]}")
    if options.fuzzer == "arguments":
        # It begins without inputs, and a call takes some bytes.
        command.append("-len_control=0")
    if options.fuzzer == "text":
        write_words(work / "words")
        command.append(f"-dict={work / 'words'}")
    code = subprocess.run([*command, *options.arguments], env=ENVIRONMENT, check=False).returncode
    if options.fuzzer != "bytecode":
        return code
    ours = sort_out(fuzzer, failed)
    for file in ours:
        print(f"fails: {file}")
    # It ends with an error of what it was to ignore, too.
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
