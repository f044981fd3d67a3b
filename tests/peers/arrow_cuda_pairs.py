"""Exchanges arrays and buffers between gdf and pyarrow.cuda on a GPU. `pairs.py` starts the tests.

A user of gdf and of pyarrow 26.0.1 has to know three facts:
- pyarrow counts the nulls of every level on the CPU when it exports an array. On a GPU, the nulls must therefore be
  counted before the export (`counted`).
- pyarrow copies to the device on the default stream, and exports no event. The copies must therefore be complete before
  the export (`synchronize`).
- pyarrow waits for the event of an imported array when it copies the array to the CPU, but reads the last offset of
  text before this wait. Writes of text must therefore be complete before the import (`synchronize`).
"""

import subprocess
import sys

import pairs
import producer
import pyarrow as pa
from producer import CUDA
from pyarrow import cuda

CPU = pa.default_cpu_memory_manager()
ROWS, TERM, SLOWLY = 1000, 7, 50_000_000


def run(gdf, context, counts):
    for play in (arrays, arrays_of_gdf, lent, batches, messages, by_address, buffers, late, processes):
        play(gdf, context, counts)


# -- Arrow's device interface


def counted(array):
    """Returns the same array after the nulls of every level have been counted."""
    return type(array)._import_from_c_capsule(*array.__arrow_c_array__())


def to_device(array, context):
    """Copies the array to the GPU, and returns the structs that pyarrow exports to pointers."""
    there = counted(array).copy_to(context.memory_manager)
    context.synchronize()
    (schema, schema_at), (out, out_at) = pairs.room("schema"), pairs.room("device_array")
    there._export_to_c_device(out_at, schema_at)
    exported = pairs.Exported(schema, out)
    if getattr(array, "type", None) == pa.null():
        # A null array has no memory, and pyarrow reports that it is on the CPU.
        assert exported.device() == (1, -1)
        producer.set_device(exported, CUDA, context.device_number)
    assert exported.device() == (CUDA, context.device_number)
    return exported


def to_host(exported, kind=pa.Array):
    """Imports structs of gdf into pyarrow, and returns a copy on the CPU."""
    schema_at, array_at = pairs.at(exported.schema, "schema"), pairs.at(exported.device_array, "device_array")
    there = kind._import_from_c_device(array_at, schema_at)
    host = there.copy_to(CPU)
    host.validate(full=True)
    return host


def arrays(gdf, context, counts):
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            for owning in (False, True):
                there = to_device(array, context)
                back = gdf.device_round_trip(there.schema, there.device_array, owning)
                assert back.device() == (CUDA, context.device_number)
                again = to_host(back)
                assert again.type == array.type and again.equals(array), (name, shape, array, again)
                counts["pyarrow.cuda, there and back", name, shape] += 1


def arrays_of_gdf(gdf, context, counts):
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            there = gdf.to_device(array, context.device_number)
            context.synchronize()
            again = to_host(there)
            assert again.type == array.type and again.equals(array), (name, shape, array, again)
            counts["pyarrow.cuda, from gdf", name, shape] += 1


def lent(gdf, context, counts):
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            there = to_device(array, context)
            found = gdf.lent_nulls(there.schema, there.device_array)
            assert found == array.null_count, (name, shape, found, array.null_count)
            counts["pyarrow.cuda, lent", name, shape] += 1


def batch_of(arrays):
    fields = [pa.field(name, array.type, metadata={"n": name}) for name, array in arrays.items()]
    return pa.RecordBatch.from_arrays(list(arrays.values()), schema=pa.schema(fields, metadata={"of": "the schema"}))


def batches(gdf, context, counts):
    batch = batch_of(pairs.values())
    for part in (batch, batch.slice(2, 7), batch.slice(0, 0)):
        there = to_device(part, context)
        again = to_host(gdf.device_table_round_trip(there.schema, there.device_array), pa.RecordBatch)
        assert again.equals(part, check_metadata=True), again
        counts["pyarrow.cuda, tables", "all", str(part.num_rows)] += 1


def messages(gdf, context, counts):
    """Tests Arrow's IPC messages: batches of pyarrow in one allocation, and messages in memory of gdf."""
    for name, array in pairs.values().items():
        if pa.types.is_dictionary(array.type):
            continue  # dictionaries have separate messages
        batch = batch_of({name: array})
        # All parts have rows. pyarrow reads empty buffers to the CPU, and exports no batch that is on two devices.
        for part in (batch, batch.slice(3, 5)):
            shape = str(part.num_rows)
            message = cuda.serialize_record_batch(part, context)
            there = cuda.read_record_batch(message, part.schema)
            context.synchronize()
            (schema, schema_at), (out, out_at) = pairs.room("schema"), pairs.room("device_array")
            there._export_to_c_device(out_at, schema_at)
            if name == "null":
                producer.set_device(pairs.Exported(schema, out), CUDA, context.device_number)
            back = gdf.device_table_round_trip(schema, out)
            # gdf copies these buffers, because they are aligned to 8 bytes only.
            context.synchronize()
            again = to_host(back, pa.RecordBatch)
            assert again.equals(part, check_metadata=True), (name, shape, again)
            counts["pyarrow.cuda, messages", name, shape] += 1

            ours = buffer_of_gdf(gdf, context, part.serialize())
            again = cuda.read_record_batch(ours, part.schema).copy_to(CPU)
            assert again.equals(part), (name, shape, again)
            counts["pyarrow.cuda, messages of gdf", name, shape] += 1
    batch = batch_of(pairs.values())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    ours = buffer_of_gdf(gdf, context, sink.getvalue())
    table = pa.ipc.open_stream(cuda.BufferReader(ours)).read_all()
    [again] = [there.copy_to(CPU) for there in table.to_batches()]
    assert again.equals(batch, check_metadata=True)
    counts["pyarrow.cuda, messages of gdf", "all, by BufferReader", str(batch.num_rows)] += 1


# -- addresses


def buffer_of_gdf(gdf, context, data):
    """Copies bytes to memory of gdf, and returns this memory as a buffer of pyarrow."""
    data = pa.py_buffer(data)
    column = pa.Array.from_buffers(pa.uint8(), data.size, [None, data])
    there = gdf.to_device(column, context.device_number)
    context.synchronize()
    return context.foreign_buffer(producer.addresses(there, 2)[1], data.size, base=there)


def by_address(gdf, context, counts):
    """Does the same as `arrays`, but passes addresses: `CudaBuffer.address` to gdf, and `foreign_buffer` back."""
    exports = producer.Producer()
    for name, array in pairs.values().items():
        if not producer.takes(array):
            continue
        for shape, array in list(pairs.shapes(array))[:4]:
            for owning in (False, True):
                there = [b and context.buffer_from_data(b) for b in array.buffers()]
                context.synchronize()
                pointers = [b and b.address for b in there]
                sizes = [b.size if b else 0 for b in there]
                capsule = exports.export(
                    context.device_number, len(array), pointers, there, None, array.null_count, array.offset
                )
                del there
                back = gdf.device_round_trip(array.type.__arrow_c_schema__(), capsule, owning)
                context.synchronize()
                # An array without rows may have no buffers.
                if len(array):
                    found = [
                        address and context.foreign_buffer(address, size, base=back)
                        for address, size in zip(producer.addresses(back, len(sizes)), sizes)
                    ]
                    again = pa.Array.from_buffers(array.type, len(array), found, array.null_count, producer.offset(back))
                    assert again.copy_to(CPU).equals(array), (name, shape, again)
                    del found, again
                del back
                counts["pyarrow.cuda, by address", name, shape] += 1
    exports.wait()


def buffers(gdf, context, counts):
    """Follows the steps of pyarrow's page about CUDA. gdf reads or provides the memory of each buffer."""
    import numpy as np

    values = np.arange(4, dtype=np.int32)
    theirs = context.buffer_from_data(values)
    context.synchronize()
    assert (theirs.size, theirs.context.device_number) == (values.nbytes, context.device_number)
    assert gdf.device_of(theirs.address) == context.device_number
    assert gdf.read_address(theirs.address, theirs.size, context.device_number) == values.tobytes()
    part = theirs.slice(4, 8)
    assert gdf.read_address(part.address, part.size, context.device_number) == values[1:3].tobytes()
    pinned = cuda.new_host_buffer(values.nbytes, context.device_number)
    np.frombuffer(pinned, np.int32)[:] = values
    assert gdf.read_address(pinned.address, pinned.size, context.device_number) == values.tobytes()

    ours = buffer_of_gdf(gdf, context, values.tobytes())
    assert (ours.size, ours.is_cpu, ours.context.device_number) == (values.nbytes, False, context.device_number)
    assert ours.copy_to_host().to_pybytes() == values.tobytes()
    assert np.array_equal(np.frombuffer(ours.slice(4, 8).copy_to_host(), np.int32), values[1:3])
    copy = context.new_buffer(ours.size)
    copy.copy_from_device(ours)
    assert copy.copy_to_host().equals(ours.copy_to_host())
    assert context.buffer_from_object(Interface(ours)).copy_to_host().equals(ours.copy_to_host())
    # A CudaBuffer with memory of gdf is passed back to gdf.
    array = pa.Array.from_buffers(pa.int32(), 4, [None, ours])
    (schema, schema_at), (out, out_at) = pairs.room("schema"), pairs.room("device_array")
    array._export_to_c_device(out_at, schema_at)
    assert gdf.to_host(schema, out).to_pylist() == values.tolist()
    for name in ("CudaBuffer", "slice", "HostBuffer", "foreign_buffer", "copy_from_device", "buffer_from_object", "from_buffers"):
        counts["pyarrow.cuda, buffers", name, "bytes"] += 1


class Interface:
    """A buffer with the CUDA array interface."""

    def __init__(self, buffer):
        self.buffer = buffer
        self.__cuda_array_interface__ = {
            "shape": (buffer.size,), "typestr": "|u1", "data": (buffer.address, False), "version": 3, "strides": None,
        }


def late(gdf, context, counts):
    """Tests that pyarrow waits for gdf's event before it copies."""
    for _ in range(5):
        there = gdf.slow_column(ROWS, TERM, SLOWLY, context.device_number)
        assert producer.event(there)
        assert to_host(there).to_pylist() == [TERM] * ROWS
        counts["pyarrow.cuda, written late", "int32", "no nulls"] += 1


# -- two processes


def processes(gdf, context, counts):
    with Process(gdf, context) as other:
        for size in (1, 1000, 1 << 20):
            data = bytes(i * 37 % 251 for i in range(size))
            ours = context.buffer_from_data(data)
            context.synchronize()
            handle, unshare = gdf.share(ours.address, size, context.device_number)
            assert other.ask("gdf", size, handle) == data
            unshare()
            counts["pyarrow.cuda, shared by gdf with gdf's process", "bytes", str(size)] += 1

            ours = context.buffer_from_data(data)
            context.synchronize()
            handle = ours.export_for_ipc().serialize().to_pybytes()
            assert other.ask("driver", size, handle[8:]) == data
            counts["pyarrow.cuda, shared with gdf's process", "bytes", str(size)] += 1

            handle, unshare = gdf.share(data, size, context.device_number)
            assert other.ask("pyarrow", size, handle) == data
            unshare()
            counts["pyarrow.cuda, opens what gdf shares", "bytes", str(size)] += 1


class Process:
    """Another process, which opens handles and returns the bytes of their memory."""

    def __init__(self, gdf, context):
        self.command = [sys.executable, __file__, gdf.path, gdf.name_of(context)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def ask(self, how, size, handle):
        print(how, size, handle.hex(), file=self.process.stdin, flush=True)
        return bytes.fromhex(self.process.stdout.readline())

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait() == 0


def open_handles(gdf, context):
    """Runs in the other process. An input line has a method, a size and a handle. An output line has the bytes."""
    for line in sys.stdin:
        how, size, handle = line.split()
        size, handle = int(size), bytes.fromhex(handle)
        if how == "gdf":
            data = gdf.open_shared(handle, size, context.device_number)
        elif how == "driver":
            data = gdf.open_driver_handle(handle, size, context.device_number)
        else:
            # A handle of gdf has a name, the driver's handles of the allocation and of an event, and an offset.
            memory, offset = handle[8:72], int.from_bytes(handle[136:144], "little")
            theirs = cuda.IpcMemHandle.from_buffer(pa.py_buffer(size.to_bytes(8, "little") + memory))
            data = context.open_ipc_buffer(theirs).slice(offset, size).copy_to_host().to_pybytes()
        print(data.hex(), flush=True)


# -- Numba


def with_numba(gdf, context, counts):
    """Tests a kernel of Numba that uses memory of gdf, and gdf reading memory of Numba, as on pyarrow's page."""
    import numpy as np

    # NumPy 2.5 has removed `row_stack`, which numba-cuda still uses.
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack
    import numba.cuda
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    @numba.cuda.jit
    def increment_by_one(an_array):
        pos = numba.cuda.grid(1)
        if pos < an_array.size:
            an_array[pos] += 1

    values = np.arange(4, dtype=np.int32)
    there = gdf.to_device(pa.array(values), context.device_number)
    context.synchronize()
    ours = context.foreign_buffer(producer.addresses(there, 2)[1], values.nbytes, base=there)
    array = DeviceNDArray(values.shape, values.strides, values.dtype, gpu_data=ours.to_numba())
    increment_by_one[16, 16](array)
    context.synchronize()
    assert np.array_equal(np.frombuffer(ours.copy_to_host(), np.int32), values + 1)
    assert gdf.to_host(there.schema, there.device_array).to_pylist() == [1, 2, 3, 4]
    counts["pyarrow.cuda, Numba's kernel on gdf's memory", "int32", "no nulls"] += 1

    values = np.arange(10, 14, dtype=np.int32)
    array = numba.cuda.to_device(values)
    context.synchronize()
    try:
        theirs = cuda.CudaBuffer.from_numba(array.gpu_data)
    except (AttributeError, TypeError) as error:
        print(f"pyarrow {pa.__version__}'s from_numba does not know Numba {numba.__version__}: {error}")
        theirs = context.buffer_from_object(array)
    assert gdf.device_of(theirs.address) == context.device_number
    assert gdf.read_address(theirs.address, theirs.size, context.device_number) == values.tobytes()
    counts["pyarrow.cuda, Numba's memory to gdf", "int32", "no nulls"] += 1


def main():
    library, device = sys.argv[1:]
    gdf = pairs.Gdf(library)
    if device == "no-gpu":
        import no_gpu

        gdf = no_gpu.OnTheHost(gdf)
    open_handles(gdf, cuda.Context(int(device.partition(":")[2] or 0)))


if __name__ == "__main__":
    main()
