#!/usr/bin/env bash
# Builds a pyarrow with pyarrow.cuda, which no wheel has. The result consists of the wheel and of the two missing
# libraries, which this script builds against the libraries of the wheel.
#
#     tests/peers/pyarrow_cuda.sh [--python PYTHON] [--arrow-source DIR] [--prune] OUT
#
# PYTHON (default python3) is a CPython with its headers. Its version must be the version that uses the result. The
# sources of Arrow come from the release on GitHub, or from DIR, a checkout of the release or of a commit near it. If
# both differ, the headers of the wheel are used. CUDA is not needed: cuda.h comes from a wheel, and the libraries are
# linked against tests/peers/host_cuda.c. OUT/site is for PYTHONPATH. OUT/no-gpu is for LD_LIBRARY_PATH on a machine
# without a driver. With --prune, OUT/site lacks the files that the pairs do not need.
set -euo pipefail

VERSION=26.0.1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=python3 source='' prune='' out=''
while (($#)); do
    case $1 in
        --python) python=$2; shift 2 ;;
        --arrow-source) source=$2; shift 2 ;;
        --prune) prune=yes; shift ;;
        -*) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
        *) out=$1; shift ;;
    esac
done
[[ $out ]] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
[[ ! -e $out ]] || { echo "$out exists" >&2; exit 1; }
mkdir -p "$out/site" "$out/no-gpu"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/tools"
pip() { "$work/tools/bin/python" -m pip --disable-pip-version-check "$@"; }
pip install --quiet 'cython>=3.1,<4' 'numpy>=2'
pip install --quiet --no-deps --only-binary=:all: --target "$out/site" "pyarrow==$VERSION"
pip install --quiet --no-deps --only-binary=:all: --target "$work/cuda" nvidia-cuda-runtime==13.0.88
if [[ ! $source ]]; then
    source=$work/arrow
    mkdir "$source"
    curl --fail --silent --show-error --location "https://github.com/apache/arrow/archive/refs/tags/apache-arrow-$VERSION.tar.gz" |
        tar xz -C "$source" --strip-components 1 --wildcards '*/cpp/src/*' '*/cpp/thirdparty/flatbuffers/*'
fi

pyarrow=$out/site/pyarrow
suffix=$("$work/tools/bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
headers=$("$work/tools/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
numpy=$("$work/tools/bin/python" -c 'import numpy; print(numpy.get_include())')
# CMake generates this header in the same way.
mkdir -p "$work/generated/arrow/gpu"
sed -e 's/@CUDA_VERSION_MAJOR@/13/' -e 's/@CUDA_VERSION_MINOR@/0/' \
    "$source/cpp/src/arrow/gpu/cuda_version.h.in" >"$work/generated/arrow/gpu/cuda_version.h"
include=(-I"$work/generated" -I"$pyarrow/include" -I"$source/cpp/src" -I"$source/cpp/thirdparty/flatbuffers/include"
    -I"$work/cuda/nvidia/cu13/include")
# The symbols of libarrow.so have this ABI of the C++ library.
flags=(-std=c++20 -O2 -DNDEBUG -fPIC -D_GLIBCXX_USE_CXX11_ABI=1 -shared -Wl,-rpath,'$ORIGIN' -Wl,--no-undefined)
so=2600

echo "building for $suffix" >&2
gcc -O1 -Wall -Wextra -shared -fPIC "${include[@]}" -Wl,-soname,libcuda.so.1 -o "$out/no-gpu/libcuda.so.1" "$here/host_cuda.c"
g++ "${flags[@]}" -DARROW_CUDA_EXPORTING "${include[@]}" -Wl,-soname,libarrow_cuda.so.$so -o "$pyarrow/libarrow_cuda.so.$so" \
    -Wl,--version-script="$source/cpp/src/arrow/symbols.map" \
    "$source"/cpp/src/arrow/gpu/{cuda_arrow_ipc,cuda_context,cuda_internal,cuda_memory}.cc \
    "$pyarrow/libarrow.so.$so" "$out/no-gpu/libcuda.so.1"
(cd "$out/site" && "$work/tools/bin/cython" -3 --cplus --no-c-in-traceback -X freethreading_compatible=True \
    -o "$work/_cuda.cpp" pyarrow/_cuda.pyx 2>"$work/cython.log") || { cat "$work/cython.log" >&2; exit 1; }
# The symbols of Python are in the interpreter, so they stay unresolved here.
g++ "${flags[@]}" -Wl,-z,lazy -Wl,--unresolved-symbols=ignore-all -fwrapv "${include[@]}" -I"$headers" -I"$numpy" \
    -o "$pyarrow/_cuda$suffix" "$work/_cuda.cpp" "$pyarrow/libarrow_cuda.so.$so" "$pyarrow/libarrow_python.so.$so" \
    "$pyarrow/libarrow.so.$so" -Wl,-rpath-link,"$pyarrow:$out/no-gpu"
strip --strip-unneeded "$pyarrow/libarrow_cuda.so.$so" "$pyarrow/_cuda$suffix"

if [[ $prune ]]; then
    cd "$pyarrow"
    # The library has three names, and one name is enough.
    rm -rf libarrow_python*.so libarrow_python*.so.$so.*
    rm -rf include includes src vendored/__pycache__ ./*.pyx ./*.pxi ./*.pxd libarrow_{flight,s3}.so.* libarrow_python_*.so.*
    rm -rf _{flight,s3fs,gcsfs,azurefs,hdfs,orc,substrait,feather,parquet,parquet_encryption,dataset,dataset_orc}.*.so
    rm -rf _{dataset_parquet,dataset_parquet_encryption,pyarrow_cpp_tests,json,csv}.*.so
    find tests -mindepth 1 ! -path tests/__init__.py ! -name 'test_cuda*.py' -delete
    find . -name __pycache__ -prune -exec rm -rf {} +
fi

# The test needs no GPU: it checks that all libraries are found, and that both libraries work with the wheel.
cd /
LD_LIBRARY_PATH=$out/no-gpu PYTHONPATH=$out/site PYTHONDONTWRITEBYTECODE=1 "$work/tools/bin/python" - <<'P'
import pyarrow as pa
import pyarrow.cuda

context = pyarrow.cuda.Context(0)
array = pa.array(["a", None, "text"])
there = array.copy_to(context.memory_manager)
assert not there.buffers()[1].is_cpu and there.copy_to(pa.default_cpu_memory_manager()).equals(array)
print(f"pyarrow {pa.__version__} with pyarrow.cuda: {context.device}")
P
echo "PYTHONPATH=$out/site"
