# ===- lit.cfg.py - How lit runs the tests --------------------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# A site file (lit.site.cfg.py, in the build tree or in a bundle) sets the paths and loads this file.
# Tools are found on PATH, so a tool that was not built fails only the tests that call it.
#
# ===----------------------------------------------------------------------===#

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import lit.formats

config.name = "Fuser"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib", "Unit", "python"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.fuser_test_exec_root

SOURCE_ROOT = Path(config.fuser_source_root)
sys.path.insert(0, str(SOURCE_ROOT / "scripts"))
from has_gpu import count_gpus, has_gpu  # noqa: E402


def find_ptxas():
    """ptxas from CUDA_HOME, the usual toolkit folder, the project's venv, or PATH."""
    candidates = [Path(os.environ["CUDA_HOME"], "bin/ptxas")] if "CUDA_HOME" in os.environ else []
    candidates.append(Path("/usr/local/cuda/bin/ptxas"))
    candidates += sorted(SOURCE_ROOT.glob(".venv/lib/python3*/site-packages/nvidia/cu13/bin/ptxas"))
    for path in candidates:
        if os.access(path, os.X_OK):
            return str(path)
    return shutil.which("ptxas")


def find_library(*names):
    """The folder of the library: where the loader finds it (an empty name), a toolkit's, or that of a Python package. None without."""
    for name in names:
        try:
            ctypes.CDLL(name)
            return ""
        except OSError:
            pass
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([find_python(), "-c", code], capture_output=True, text=True, check=False).stdout.strip()
    folders = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64"), *Path(packages, "nvidia").glob("*/lib")]
    return next((str(folder) for folder in folders if any((folder / name).exists() for name in names)), None)


def cpu_features():
    """The processor's features under LLVM's names (avx2, avx512f, avx512bf16...)."""
    flags = set()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                flags = set(line.split(":", 1)[1].split())
                break
    except OSError:
        pass
    wanted = {"avx", "avx2", "fma", "f16c"}
    return {f.replace("_", "") for f in flags if f in wanted or f.startswith(("avx512", "amx_"))}


def find_part(count):
    """Of so many parts of a large set of programs the one of this run, "NUMBER/COUNT": FUSER_TEST_PART, by default the first. All with FUSER_FULL_TESTS."""
    return "0/1" if IS_FULL else f"{int(os.environ.get('FUSER_TEST_PART', 0)) % count}/{count}"


def find_python():
    """FUSER_TEST_PYTHON, which may have more packages, or the environment that scripts/setup makes."""
    venv = SOURCE_ROOT / ".venv/bin/python"
    return os.environ.get("FUSER_TEST_PYTHON") or (str(venv) if venv.exists() else sys.executable)


def has_archive():
    """True with a bundle that is not older than the tools of the build."""
    archive = Path(config.fuser_build_root, "fuser-bundle.tar.zst")
    tool = Path(config.fuser_tools_dir, "fuser-run")
    return archive.exists() and tool.exists() and archive.stat().st_mtime >= tool.stat().st_mtime


def has_mpi():
    """True with MPI's launcher and fuser's library for MPI."""
    try:
        ctypes.CDLL(str(Path(config.fuser_lib_dir, "libfuser_rt_mpi.so")))
    except OSError:
        return False
    return shutil.which("mpirun") is not None


def has_module(name):
    """True if the Python that the tests run has the module."""
    return subprocess.run([find_python(), "-c", f"import {name}"], capture_output=True).returncode == 0


ptxas = find_ptxas()
config.available_features.update(cpu_features())
if ptxas:
    config.available_features.add("ptxas")
if has_gpu():
    config.available_features.add("cuda")
cublaslt = find_library(*(f"libcublasLt.so.{version}" for version in (13, 12, 11))) if has_gpu() else None
if cublaslt is not None:
    config.available_features.add("cublaslt")
# Ranks on GPUs have one each.
nccl = find_library("libnccl.so.2") if count_gpus() > 1 else None
if nccl is not None:
    config.available_features.add("nccl")
if shutil.which("taskset"):
    config.available_features.add("taskset")
IS_FULL = bool(os.environ.get("FUSER_FULL_TESTS"))
if IS_FULL:
    config.available_features.add("full")
for name in ("hypothesis", "numpy", "torch"):
    if has_module(name):
        config.available_features.add(name)
if not config.fuser_bundle and has_archive():
    config.available_features.add("bundle-archive")
if Path(config.fuser_build_root, "test/LibFuzzer/fuzz-arguments").exists():
    config.available_features.add("libfuzzer")
# A build tree has compilers, CMake and the libraries; a bundle has only what it carries.
config.available_features.add("bundle" if config.fuser_bundle else "build-tree")

if has_mpi():
    config.available_features.add("mpi")
    # Open MPI refuses more ranks than cores, and root, unless told otherwise.
    config.environment.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
    )

tool_dirs = [config.fuser_tools_dir, config.llvm_tools_dir]
if ptxas:
    tool_dirs.append(os.path.dirname(ptxas))
config.environment["PATH"] = os.pathsep.join([*tool_dirs, os.environ.get("PATH", "")])
# Tests are of the compiler, not of what an earlier one has left.
config.environment["FUSER_CACHE_DIR"] = ""
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
# NCCL's variables say what a machine's network can do.
machine = ("CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
config.environment.update((k, v) for k, v in os.environ.items() if k in machine or k.startswith("NCCL_"))
if cublaslt or nccl:
    paths = [config.environment.get("LD_LIBRARY_PATH", ""), cublaslt, nccl]
    config.environment["LD_LIBRARY_PATH"] = os.pathsep.join(path for path in paths if path)
python_paths = [config.fuser_python_dir, os.environ.get("PYTHONPATH", "")]
config.environment["PYTHONPATH"] = os.pathsep.join(p for p in python_paths if p)

config.substitutions += [
    ("%python", find_python()),
    ("%ptxas", ptxas or "ptxas"),
    ("%source_root", str(SOURCE_ROOT)),
    ("%first_cpu", str(min(os.sched_getaffinity(0)))),
    ("%examples", str(SOURCE_ROOT / "examples")),
    ("%build_root", config.fuser_build_root),
    ("%tools_dir", config.fuser_tools_dir),
    ("%lib_dir", config.fuser_lib_dir),
    *((rf"%part_of_{count}\b", find_part(count)) for count in (4, 8, 16, 32, 64, 128)),
]
