"""Exchanges device arrays between gdf and CuPy, Numba and PyTorch in both directions, in one process.

    cargo build -p gdf-tests-ffi --features cuda
    python3 tests/ffi/device.py target/debug/libgdf_tests_ffi.so

Each check prints a line. The check of a library that is not installed is skipped. With --all, a skipped check is a
failure.
"""

import ctypes
import gc
import importlib
import sys
import time

import numpy as np

MILLISECOND = 1_000_000
# NumPy 2.5 has removed `row_stack`, which numba-cuda still uses.
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack
c = ctypes


class Interface(c.Structure):
    _fields_ = [
        ("address", c.c_uint64), ("shape", c.c_uint64 * 2), ("strides", c.c_int64 * 2), ("stream", c.c_uint64),
        ("dimensions", c.c_uint32), ("read_only", c.c_uint32), ("has_strides", c.c_uint32), ("has_mask", c.c_uint32),
        ("typestr", c.c_char * 8),
    ]


RELEASE = c.CFUNCTYPE(None)
gdf = c.CDLL(sys.argv[1])
for name, result, arguments in [
    ("gdf_error", c.c_char_p, []),
    ("gdf_column", c.c_void_p, [c.c_int, c.c_void_p, c.c_size_t]),
    ("gdf_device", c.c_int, [c.c_void_p]),
    ("gdf_columns", c.c_size_t, [c.c_void_p]),
    ("gdf_read", c.c_int64, [c.c_void_p, c.c_size_t, c.c_void_p, c.c_size_t]),
    ("gdf_slow_add", c.c_int, [c.c_void_p, c.c_int, c.c_uint64]),
    ("gdf_wait_for", c.c_int, [c.c_void_p, c.c_int64]),
    ("gdf_stream", c.c_uint64, [c.c_void_p]),
    ("gdf_interface", c.c_int, [c.c_void_p, c.c_bool, c.POINTER(Interface)]),
    ("gdf_import_interface", c.c_void_p, [c.POINTER(Interface), RELEASE]),
    ("gdf_export_dlpack", c.c_void_p, [c.c_void_p, c.c_int64, c.c_bool]),
    ("gdf_export_dlpack_legacy", c.c_void_p, [c.c_void_p, c.c_int64]),
    ("gdf_copy_to_dlpack", c.c_void_p, [c.c_void_p, c.c_int64]),
    ("gdf_new_stream", c.c_void_p, [c.c_int]),
    ("gdf_number_of_stream", c.c_uint64, [c.c_void_p]),
    ("gdf_free_stream", None, [c.c_void_p]),
    ("gdf_import_dlpack", c.c_void_p, [c.c_void_p, c.c_bool, c.c_void_p]),
    ("gdf_free", None, [c.c_void_p]),
]:
    function = getattr(gdf, name)
    function.restype, function.argtypes = result, arguments

capsule_new = c.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
capsule_pointer = c.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
capsule_name = c.pythonapi.PyCapsule_GetName
capsule_name.restype, capsule_name.argtypes = c.c_char_p, [c.py_object]
capsule_rename = c.pythonapi.PyCapsule_SetName
capsule_rename.restype, capsule_rename.argtypes = c.c_int, [c.py_object, c.c_char_p]
# A capsule stores only the address of its name, so the names stay alive for the whole program.
NAMES = {name: c.c_char_p(name) for name in (b"dltensor", b"dltensor_versioned", b"used_dltensor", b"used_dltensor_versioned")}


def good(value):
    if value is None or (isinstance(value, int) and value == -1):
        raise BufferError(gdf.gdf_error().decode())
    return value


class Column:
    """A table of gdf that exports its memory to Python libraries."""

    def __init__(self, handle, writable=False):
        self.handle, self.writable = good(handle), writable

    @staticmethod
    def of(values, device=0, writable=False):
        values = np.ascontiguousarray(values, dtype=np.int32)
        return Column(gdf.gdf_column(device, values.ctypes.data, values.size), writable)

    def __del__(self):
        if getattr(self, "handle", None):
            gdf.gdf_free(self.handle)
            self.handle = None

    def read(self, dtype=np.int32, column=0):
        out = np.zeros(1 << 16, dtype=np.uint8)
        size = good(gdf.gdf_read(self.handle, column, out.ctypes.data, out.size))
        return out[:size].view(dtype)

    @property
    def __cuda_array_interface__(self):
        interface = Interface()
        good(gdf.gdf_interface(self.handle, self.writable, interface))
        return {
            "shape": (interface.shape[0],), "typestr": interface.typestr.decode(), "version": 3, "strides": None,
            "data": (interface.address, bool(interface.read_only)), "stream": interface.stream or None,
        }

    def __dlpack_device__(self):
        device = gdf.gdf_device(self.handle)
        return (1, 0) if device < 0 else (2, device)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        number = 1 if stream is None else int(stream)
        if copy:
            raw, name = gdf.gdf_copy_to_dlpack(self.handle, number), b"dltensor_versioned"
        elif max_version is not None and max_version[0] >= 1:
            raw, name = gdf.gdf_export_dlpack(self.handle, number, self.writable), b"dltensor_versioned"
        else:
            raw, name = gdf.gdf_export_dlpack_legacy(self.handle, number), b"dltensor"
        return capsule_new(good(raw), NAMES[name], None)


released = []


def import_interface(array):
    """Imports a device array as a table of gdf. The array stays alive until gdf releases the array."""
    description = array.__cuda_array_interface__
    interface = Interface(address=description["data"][0], read_only=description["data"][1])
    interface.typestr, interface.dimensions = description["typestr"].encode(), len(description["shape"])
    for i, extent in enumerate(description["shape"][:2]):
        interface.shape[i] = extent
    for i, stride in enumerate((description.get("strides") or ())[:2]):
        interface.strides[i], interface.has_strides = stride, 1
    interface.stream = description.get("stream") or 0
    interface.has_mask = description.get("mask") is not None
    state = {"array": array}

    def release():
        released.append(state.pop("array", None) is not None)

    callback = RELEASE(release)
    kept.append(callback)
    return Column(gdf.gdf_import_interface(interface, callback))


kept = []


def import_dlpack(array, ask_version=True):
    """Imports any object with `__dlpack__` as a table of gdf."""
    kind, device = array.__dlpack_device__()
    stream = good(gdf.gdf_new_stream(-1 if kind == 1 else device))
    options = {} if kind == 1 else {"stream": gdf.gdf_number_of_stream(stream)}
    try:
        capsule = array.__dlpack__(max_version=(1, 1), **options) if ask_version else array.__dlpack__(**options)
    except TypeError:
        capsule = array.__dlpack__(**options)
    name = capsule_name(capsule)
    raw = capsule_pointer(capsule, name)
    capsule_rename(capsule, NAMES[b"used_" + name])
    try:
        return Column(gdf.gdf_import_dlpack(raw, name == b"dltensor", stream)), name.decode()
    finally:
        gdf.gdf_free_stream(stream)


def check(condition, what):
    assert condition, what


def same(got, expected):
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))


def refused(call):
    try:
        call()
    except BufferError as error:
        return str(error)
    raise AssertionError("the call should have been refused")


def numpy_and_the_cpu(_):
    values = np.arange(6, dtype=np.float64)
    table, name = import_dlpack(values)
    same(table.read(np.float64), values)
    values = np.asfortranarray(np.arange(6, dtype=np.int16).reshape(3, 2))
    table, _ = import_dlpack(values)
    check(gdf.gdf_columns(table.handle) == 2, "the number of columns differs")
    same(table.read(np.int16, 1), values[:, 1])
    refused(lambda: import_dlpack(np.ascontiguousarray(values)))
    column = Column.of([1, 2, 3], device=-1)
    array = np.from_dlpack(column)
    check(not array.flags.writeable, "the array is not read-only")
    same(array, [1, 2, 3])
    return f"numpy {np.__version__}, {name}"


def seed_numba(cuda):
    """Tests both directions: a kernel of Numba changes gdf's memory in place, and gdf reads memory of Numba."""
    @cuda.jit
    def increment_by_one(an_array):
        pos = cuda.grid(1)
        if pos < an_array.size:
            an_array[pos] += 1

    column = Column.of(np.arange(4), writable=True)
    device_array = cuda.as_cuda_array(column)
    check(device_array.shape == (4,) and device_array.dtype == np.int32, "the type differs")
    increment_by_one[16, 16](device_array)
    cuda.synchronize()
    same(column.read(), [1, 2, 3, 4])
    same(device_array.copy_to_host(), [1, 2, 3, 4])

    array = cuda.to_device(np.arange(10, 14, dtype=np.int32))
    before = len(released)
    view = import_interface(array)
    check(gdf.gdf_device(view.handle) == 0, "the device differs")
    same(view.read(), [10, 11, 12, 13])
    del array, view
    gc.collect()
    wait_until(lambda: len(released) == before + 1)


def wait_until(condition):
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.001)
    raise AssertionError("the expected value was never read")


def numba_ordered(cuda):
    column = Column.of(np.zeros(1000), writable=True)
    good(gdf.gdf_slow_add(column.handle, 5, 50 * MILLISECOND))
    same(cuda.as_cuda_array(column).copy_to_host(), np.full(1000, 5))


def cupy_interface(cupy):
    column = Column.of(np.arange(1000), writable=True)
    good(gdf.gdf_slow_add(column.handle, 7, 50 * MILLISECOND))
    array = cupy.asarray(column)
    array += 1
    # The interface does not order gdf's stream after CuPy's stream, so the test orders the streams.
    good(gdf.gdf_wait_for(column.handle, 1))
    same(column.read(), np.arange(1000) + 8)
    for dtype in (np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64):
        values = cupy.arange(100, dtype=dtype)
        same(import_interface(values).read(dtype), np.arange(100, dtype=dtype))
    strided = cupy.arange(100, dtype=cupy.int32)[::2]
    refused(lambda: import_interface(strided))
    matrix = cupy.asfortranarray(cupy.arange(12, dtype=cupy.int32).reshape(4, 3))
    table = import_interface(matrix)
    check(gdf.gdf_columns(table.handle) == 3, "the number of columns differs")
    same(table.read(column=2), matrix[:, 2].get())
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        values = cupy.arange(1 << 20, dtype=cupy.int32)
        for _ in range(50):
            values = values + 1
        view = import_interface(values)
    out = cupy.asnumpy(cupy.asarray(view))
    check(out[5] == 55, "the read is not ordered after the stream of the array")


def cupy_dlpack(cupy):
    column = Column.of(np.arange(1000))
    good(gdf.gdf_slow_add(column.handle, 3, 50 * MILLISECOND))
    array = cupy.from_dlpack(column)
    same(array.get(), np.arange(1000) + 3)
    del column
    gc.collect()
    same(array.get(), np.arange(1000) + 3)
    owned = Column.of([1, 2, 3], writable=True)
    array = cupy.from_dlpack(owned)
    array += 1
    back, name = import_dlpack(array)
    same(back.read(), [2, 3, 4])
    legacy, old = import_dlpack(array, ask_version=False)
    same(legacy.read(), [2, 3, 4])
    matrix = cupy.asfortranarray(cupy.random.rand(5, 4))
    table, _ = import_dlpack(matrix)
    check(gdf.gdf_columns(table.handle) == 4, "the number of columns differs")
    same(table.read(np.float64, 3), matrix[:, 3].get())
    array = cupy.from_dlpack(capsule_of_copy(table))
    check(array.shape == (5, 4) and array.flags.f_contiguous, "the array is not column-major")
    same(array.get(), matrix.get())
    message = refused(lambda: import_dlpack(cupy.array([True, False])))
    check("Boolean" in message, message)
    return f"cupy {cupy.__version__}, {name}, {old}"


class capsule_of_copy:
    def __init__(self, column):
        self.column = column

    def __dlpack_device__(self):
        return self.column.__dlpack_device__()

    def __dlpack__(self, stream=None, **_):
        return self.column.__dlpack__(stream=stream, copy=True)


def memory_is_reused_in_order(cupy):
    """Frees a tensor while the consumer's kernels still read it. Later writes of gdf must wait for these kernels."""
    spin = cupy.RawKernel(r"""
        extern "C" __global__ void late_copy(const int* from, int* to, int count, long long nanoseconds) {
            unsigned long long now, start;
            asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
            do { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); } while (now - start < nanoseconds);
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < count) to[i] = from[i];
        }""", "late_copy")
    count, stream = 1000, cupy.cuda.Stream(non_blocking=True)
    for _ in range(5):
        out = cupy.zeros(count, dtype=cupy.int32)
        cupy.cuda.Device().synchronize()
        column = Column.of(np.full(count, 11))
        with stream:
            array = cupy.from_dlpack(column)
            spin((4,), (256,), (array, out, np.int32(count), np.int64(50 * MILLISECOND)))
            del array, column
            gc.collect()
        others = [Column.of(np.full(count, 99)) for _ in range(4)]
        stream.synchronize()
        same(out.get(), np.full(count, 11))
        del others


def streams_may_go_first(cupy):
    """Tests that a tensor may outlive the stream for which the tensor was made."""
    column = Column.of([1, 2, 3])
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        array = cupy.from_dlpack(column)
        total = array.sum()
    stream.synchronize()
    check(int(total) == 6, "the sum differs")
    del stream, column
    gc.collect()
    same(array.get(), [1, 2, 3])
    del array
    gc.collect()
    same(Column.of([4, 5]).read(), [4, 5])


def torch_dlpack(torch):
    column = Column.of(np.arange(1000), writable=True)
    good(gdf.gdf_slow_add(column.handle, 9, 50 * MILLISECOND))
    tensor = torch.from_dlpack(column)
    check(tensor.device.type == "cuda" and tensor.dtype == torch.int32, "the type differs")
    same(tensor.cpu().numpy(), np.arange(1000) + 9)
    tensor += 1
    back, name = import_dlpack(tensor)
    same(back.read(), np.arange(1000) + 10)
    values = torch.linspace(0, 1, 11, device="cuda", dtype=torch.float64)
    table, _ = import_dlpack(values)
    same(table.read(np.float64), values.cpu().numpy())
    matrix = torch.arange(12, device="cuda", dtype=torch.float32).reshape(3, 4).t()
    table, _ = import_dlpack(matrix)
    check(gdf.gdf_columns(table.handle) == 3, "the number of columns differs")
    same(table.read(np.float32, 2), matrix[:, 2].cpu().numpy())
    refused(lambda: import_dlpack(matrix.t()))
    host = torch.arange(5, dtype=torch.int32)
    same(import_dlpack(host)[0].read(), [0, 1, 2, 3, 4])
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        values = torch.zeros(1 << 22, device="cuda", dtype=torch.int32)
        for _ in range(100):
            values += 1
        table, _ = import_dlpack(values[:1000])
    same(table.read(), np.full(1000, 100))
    return f"torch {torch.__version__}, {name}"


CHECKS = [
    (numpy_and_the_cpu, "numpy"),
    (seed_numba, "numba.cuda"),
    (numba_ordered, "numba.cuda"),
    (cupy_interface, "cupy"),
    (cupy_dlpack, "cupy"),
    (memory_is_reused_in_order, "cupy"),
    (streams_may_go_first, "cupy"),
    (torch_dlpack, "torch"),
]


def main():
    failed = 0
    for function, library in CHECKS:
        try:
            module = importlib.import_module(library)
        except ImportError as error:
            print(f"skipped {function.__name__}: {error}")
            failed += "--all" in sys.argv
            continue
        try:
            print(f"ok {function.__name__} {function(module) or ''}", flush=True)
        except Exception:
            import traceback
            failed += 1
            print(f"FAILED {function.__name__}", flush=True)
            traceback.print_exc(file=sys.stdout)
    sys.exit(1 if failed else 0)


main()
