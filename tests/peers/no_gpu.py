"""Runs the tests with pyarrow.cuda on a machine without a GPU. `host_cuda.c` takes the place of libcuda, and gdf uses
the memory as CPU memory.

The tests check the scripts. They also check that the built pyarrow.cuda reads and frees no memory that it must not use.
LIBRARY must be built without `--features cuda`.
"""

import contextlib
import ctypes

import pairs
import producer
import pyarrow as pa
from producer import CUDA

CPU = 1


class OnTheHost:
    """The functions of gdf for arrays of GPU 0. They call gdf with the same arrays as arrays of the CPU."""

    def __init__(self, gdf):
        self.gdf, self.path = gdf, gdf.path
        self.driver = ctypes.CDLL("libcuda.so.1")
        # All exported arrays have this event. The value of the CUevent is never used.
        self.event = ctypes.c_void_p(1)

    def name_of(self, context):
        return "no-gpu"

    @contextlib.contextmanager
    def here(self, array=None):
        """Makes the device memory accessible while gdf runs."""
        if array is not None:
            producer.set_device(pairs.Exported(None, array), CPU, -1)
        self.driver.host_cuda_reveal(1)
        yield
        self.driver.host_cuda_reveal(0)

    def there(self, exported):
        assert exported.device()[0] == CPU
        producer.forget_null_counts(pairs.at(exported.device_array, "device_array"))
        producer.set_device(exported, CUDA, 0, ctypes.addressof(self.event))
        return exported

    def device_round_trip(self, schema, array, owning):
        with self.here(array):
            return self.there(self.gdf.device_round_trip(schema, array, owning))

    def device_table_round_trip(self, schema, array):
        with self.here(array):
            return self.there(self.gdf.device_table_round_trip(schema, array))

    def lent_nulls(self, schema, array):
        with self.here(array):
            return self.gdf.lent_nulls(schema, array)

    def to_device(self, array, ordinal):
        return self.there(self.gdf.to_device(array, -1))

    def to_host(self, schema, array):
        with self.here(array):
            return pa.array(self.gdf.to_host(schema, array).to_pylist())

    def slow_column(self, rows, term, nanoseconds, ordinal):
        exported = self.there(self.gdf.slow_column(rows, term, nanoseconds, -1))
        self.driver.host_cuda_begin()
        return exported

    def device_of(self, address):
        assert self.gdf.device_of(address) == -1
        return 0

    def read_address(self, address, length, ordinal):
        with self.here():
            return self.gdf.read_address(address, length, -1)

    # gdf shares only memory of a GPU. Here pyarrow shares the memory, and the handle has the layout of gdf's handle.

    def share(self, source, length, ordinal):
        import pyarrow.cuda

        context = pyarrow.cuda.Context(0)
        before = b"what lies before"
        if not isinstance(source, bytes):
            with self.here():
                source = ctypes.string_at(source, length)
        buffer = context.buffer_from_data(before + source)
        memory = buffer.export_for_ipc().serialize().to_pybytes()[8:]
        numbers = len(before).to_bytes(8, "little") + length.to_bytes(8, "little")
        return b"gdf-ipc1" + memory + bytes(64) + numbers, lambda: None

    def open_shared(self, handle, length, ordinal):
        return self.open_driver_handle(handle[8:72], length, ordinal, int.from_bytes(handle[136:144], "little"))

    def open_driver_handle(self, handle, length, ordinal, offset=0):
        import pyarrow.cuda

        theirs = pyarrow.cuda.IpcMemHandle.from_buffer(pa.py_buffer(length.to_bytes(8, "little") + handle))
        return pyarrow.cuda.Context(0).open_ipc_buffer(theirs).slice(offset, length).to_pybytes()


def run(gdf, counts):
    import arrow_cuda_pairs
    import pyarrow.cuda

    here, context = OnTheHost(gdf), pyarrow.cuda.Context(0)
    assert "no GPU" in repr(context.device), "the machine has a driver; run the pairs on the GPU"
    for play in (arrow_cuda_pairs.run, early):
        play(here, context, counts)
    # pyarrow does not free memory that it has shared with other processes. These are three allocations of each size.
    live = here.driver.host_cuda_live()
    assert live == 9, f"{live} allocations were never freed"


def early(gdf, context, counts):
    """Prints the types that pyarrow reads before it waits for gdf's event: the types with text at any level."""
    import arrow_cuda_pairs

    found = []
    for name, array in pairs.values().items():
        there = gdf.to_device(array, 0)
        gdf.driver.host_cuda_begin()
        arrow_cuda_pairs.to_host(there)
        copies = gdf.driver.host_cuda_early_copies()
        assert copies >= 0 or name == "null", f"{name}: pyarrow has not waited for the event"
        if copies > 0:
            found.append(name)
    print(f"types that pyarrow reads before it waits for the event: {', '.join(found)}")
