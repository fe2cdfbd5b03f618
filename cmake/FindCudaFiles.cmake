# Finds the few files of a CUDA toolkit that the build and the tests use. No CUDA language, no CUDA library is needed.
#
#   CudaFiles_LIBDEVICE   libdevice.10.bc, which becomes part of the compiler
#   CudaFiles_PTXAS       ptxas, with which the tests assemble what the compiler writes (may be missing)
#   CudaFiles_INCLUDE_DIR the folder of cuda.h (may be missing)
#
# Looked for, in this order: CUDA_HOME and CUDA_PATH, /usr/local/cuda, and what PyPI's nvidia-cuda-nvcc, nvidia-nvvm and nvidia-cuda-runtime
# put into the virtual environment .venv of the project.

file(GLOB _cuda_files_roots ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu[0-9]*)
list(PREPEND _cuda_files_roots "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)
list(REMOVE_ITEM _cuda_files_roots "")

find_file(CudaFiles_LIBDEVICE libdevice.10.bc PATHS ${_cuda_files_roots}
  PATH_SUFFIXES nvvm/libdevice libdevice NO_DEFAULT_PATH)
find_program(CudaFiles_PTXAS ptxas PATHS ${_cuda_files_roots} PATH_SUFFIXES bin NO_DEFAULT_PATH)
find_path(CudaFiles_INCLUDE_DIR cuda.h PATHS ${_cuda_files_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
mark_as_advanced(CudaFiles_LIBDEVICE CudaFiles_PTXAS CudaFiles_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaFiles
  REQUIRED_VARS CudaFiles_LIBDEVICE
  REASON_FAILURE_MESSAGE "install a CUDA toolkit, or set CUDA_HOME, or 'pip install nvidia-nvvm nvidia-cuda-nvcc' into .venv")
