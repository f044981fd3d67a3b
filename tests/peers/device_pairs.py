"""Exchanges arrays of GPU memory between gdf and gdf itself through C, cupy, pylibcudf and pyarrow.cuda."""

import ctypes

import pairs
import producer
import pyarrow as pa
from producer import CUDA


def run(gdf, ordinal, counts, peers):
    """Runs the tests with the named peers, which must be installed, or else with all peers that are installed."""
    for name, play in PLAYS.items():
        if peers and name not in peers:
            continue
        try:
            play(gdf, ordinal, counts)
        except ImportError as error:
            if peers:
                raise
            print(f"not run: {name} is not installed: {error}")


def with_gdf(gdf, ordinal, counts):
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            for owning in (False, True):
                there = gdf.to_device(array, ordinal)
                assert there.device() == (CUDA, ordinal)
                there = gdf.device_round_trip(there.schema, there.device_array, owning)
                assert gdf.to_host(there.schema, there.device_array).equals(array), (name, shape)
                counts["gdf through C", name, shape] += 1


# -- cupy: the test builds the structs from cupy's memory, streams and events


def buffers_of(exported, sizes, cupy, stream):
    """Returns the buffers of an array of gdf as cupy arrays of bytes, for use on `stream`."""
    event = producer.event(exported)
    if event:
        cupy.cuda.runtime.streamWaitEvent(stream.ptr, ctypes.c_void_p.from_address(event).value)
    out = []
    for address, size in zip(producer.addresses(exported, len(sizes)), sizes):
        if not address:
            out.append(None)
            continue
        memory = cupy.cuda.UnownedMemory(address, size, exported)
        out.append(cupy.ndarray((size,), cupy.uint8, cupy.cuda.MemoryPointer(memory, 0)))
    return out


def with_cupy(gdf, ordinal, counts):
    import cupy

    with cupy.cuda.Device(ordinal):
        exports = producer.Producer()
        writer, consumer = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        for name, array in pairs.values().items():
            if not producer.takes(array):
                continue
            for shape, array in list(pairs.shapes(array))[:4]:
                for owning in (False, True):
                    # The values are written late. A consumer that does not wait for the event reads zeros.
                    event = cupy.cuda.Event(disable_timing=True)
                    with writer:
                        sources = [b and cupy.asarray(memoryview(b)) for b in array.buffers()]
                        device = [s if s is None else cupy.zeros_like(s) for s in sources]
                        spin(cupy)
                        for target, source in zip(device, sources):
                            if source is not None:
                                target[...] = source
                        event.record(writer)
                    sizes = [0 if d is None else d.size for d in device]
                    pointers = [d if d is None else d.data.ptr for d in device]
                    capsule = exports.export(
                        ordinal, len(array), pointers, (device, event), event.ptr, array.null_count, array.offset
                    )
                    del device, sources
                    back = gdf.device_round_trip(array.type.__arrow_c_schema__(), capsule, owning)
                    with consumer:
                        found = buffers_of(back, sizes, cupy, consumer)
                        host = [f if f is None else cupy.asnumpy(f, stream=consumer) for f in found]
                        consumer.synchronize()
                    if len(array):
                        again = pa.Array.from_buffers(
                            array.type,
                            len(array),
                            [h if h is None else pa.py_buffer(h) for h in host],
                            array.null_count,
                            producer.offset(back),
                        )
                        assert again.equals(array), (name, shape, again, array)
                    counts["cupy", name, shape] += 1
                    del back, found
        consumer.synchronize()
    exports.wait()


def spin(cupy):
    """Keeps the current stream busy for a while."""
    kernel = cupy.RawKernel(
        'extern "C" __global__ void spin() { long long end = clock64() + 200000; while (clock64() < end) {} }', "spin"
    )
    kernel((1,), (1,), ())


def with_pylibcudf(gdf, ordinal, counts):
    import importlib.metadata
    import time

    import pylibcudf as plc

    names = importlib.metadata.packages_distributions().get("pylibcudf", ["pylibcudf"])
    version = importlib.metadata.version(names[0])

    refused = {}
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            for owning in (False, True):
                try:
                    theirs = plc.Column.from_arrow(array)
                    schema, device_array = theirs.__arrow_c_device_array__()
                except Exception as error:  # a type that pylibcudf does not support is no failure
                    refused[name] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
                    continue
                back = gdf.device_round_trip(schema, device_array, owning)
                there = plc.Column.from_arrow(back)
                found, expected = there.to_arrow(), theirs.to_arrow()
                assert found.equals(expected), (name, shape, found, expected)
                counts["pylibcudf " + version, name, shape] += 1
                # The release callback of pylibcudf counts references on another thread without the interpreter's lock.
                del theirs, schema, device_array, back, there, found, expected
                time.sleep(0.003)
    uncounted = pa.array([1, None, 3], pa.int32())
    there = gdf.to_device(uncounted, ordinal)
    ctypes.c_int64.from_address(pairs.at(there.device_array, "device_array") + 8).value = -1
    # libcudf 26.10 takes -1, which means "not counted", for the number of nulls.
    print(f"null count in pylibcudf, for 1 null that was not counted: {plc.Column.from_arrow(there).null_count()}")
    for name, why in refused.items():
        print(f"pylibcudf does not support {name}: {why}")


def with_pyarrow_cuda(gdf, ordinal, counts):
    import pyarrow.cuda

    import arrow_cuda_pairs

    arrow_cuda_pairs.run(gdf, pyarrow.cuda.Context(ordinal), counts)


def with_pyarrow_cuda_and_numba(gdf, ordinal, counts):
    import pyarrow.cuda

    import arrow_cuda_pairs

    arrow_cuda_pairs.with_numba(gdf, pyarrow.cuda.Context(ordinal), counts)


PLAYS = {
    "gdf": with_gdf,
    "cupy": with_cupy,
    "pylibcudf": with_pylibcudf,
    "pyarrow.cuda": with_pyarrow_cuda,
    "numba": with_pyarrow_cuda_and_numba,
}
