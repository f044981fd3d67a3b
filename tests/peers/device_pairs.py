"""The pairs of `pairs.py` in memory of a GPU: with gdf itself through C, cupy, pylibcudf and pyarrow.cuda, those that are installed."""

import ctypes

import pairs
import pyarrow as pa

CUDA = 2


def run(gdf, ordinal, counts):
    with_gdf(gdf, ordinal, counts)
    for play in (with_cupy, with_pylibcudf, with_pyarrow_cuda):
        try:
            play(gdf, ordinal, counts)
        except ImportError as error:
            print(f"not played: {play.__name__}: {error}")


def with_gdf(gdf, ordinal, counts):
    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            for owning in (False, True):
                there = gdf.to_device(array, ordinal)
                assert there.device() == (CUDA, ordinal)
                there = gdf.device_round_trip(there.schema, there.device_array, owning)
                assert gdf.to_host(there.schema, there.device_array).equals(array), (name, shape)
                counts["gdf through C", name, shape] += 1


# -- cupy: a producer and consumer that knows nothing of Arrow but the layout of its structs


class Producer:
    """Keeps what it exported until `release` is called, then drops it at once."""

    alive = {}

    def __init__(self):
        self.callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.release)

    def release(self, address):
        ctypes.c_void_p.from_address(address + 64).value = None
        self.alive.pop(ctypes.c_int64.from_address(address + 72).value)

    def export(self, ordinal, length, buffers, event, null_count=0, offset=0):
        """A device array of these cupy arrays (None: no buffer), after `event`."""
        number = len(self.alive) + 1
        while number in self.alive:
            number += 1
        addresses = (ctypes.c_void_p * len(buffers))(*[b.data.ptr if b is not None else None for b in buffers])
        handle = ctypes.c_void_p(event.ptr)
        self.alive[number] = (buffers, event, addresses, handle)
        capsule, at = pairs.room("device_array")
        for i, value in enumerate((length, null_count, offset, len(buffers), 0)):
            ctypes.c_int64.from_address(at + 8 * i).value = value
        ctypes.c_void_p.from_address(at + 40).value = ctypes.addressof(addresses)
        ctypes.c_void_p.from_address(at + 64).value = ctypes.cast(self.callback, ctypes.c_void_p).value
        ctypes.c_int64.from_address(at + 72).value = number
        ctypes.c_int64.from_address(at + 80).value = ordinal
        ctypes.c_int32.from_address(at + 88).value = CUDA
        ctypes.c_void_p.from_address(at + 96).value = ctypes.addressof(handle)
        return capsule


PRODUCER = Producer()


def buffers_of(exported, sizes, cupy, stream):
    """The buffers that gdf exported as cupy arrays of bytes, for use on `stream`."""
    at = pairs.at(exported.device_array, "device_array")
    event = ctypes.c_void_p.from_address(at + 96).value
    if event:
        cupy.cuda.runtime.streamWaitEvent(stream.ptr, ctypes.c_void_p.from_address(event).value)
    addresses = (ctypes.c_void_p * len(sizes)).from_address(ctypes.c_void_p.from_address(at + 40).value)
    out = []
    for address, size in zip(addresses, sizes):
        if not address:
            out.append(None)
            continue
        memory = cupy.cuda.UnownedMemory(address, size, exported)
        out.append(cupy.ndarray((size,), cupy.uint8, cupy.cuda.MemoryPointer(memory, 0)))
    return out


def with_cupy(gdf, ordinal, counts):
    import cupy

    with cupy.cuda.Device(ordinal):
        producer, consumer = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        for name, array in pairs.values().items():
            if array.type.num_buffers > 3 or pa.types.is_nested(array.type) or pa.types.is_dictionary(array.type):
                continue
            if "view" in name or name == "null" or "run-end" in name:
                continue
            for shape, array in list(pairs.shapes(array))[:4]:
                for owning in (False, True):
                    # written late: whoever does not wait for the event sees zeros
                    event = cupy.cuda.Event(disable_timing=True)
                    with producer:
                        sources = [b and cupy.asarray(memoryview(b)) for b in array.buffers()]
                        device = [s if s is None else cupy.zeros_like(s) for s in sources]
                        spin(cupy)
                        for target, source in zip(device, sources):
                            if source is not None:
                                target[...] = source
                        event.record(producer)
                    sizes = [0 if d is None else d.size for d in device]
                    capsule = PRODUCER.export(
                        ordinal, len(array), device, event, array.null_count, array.offset
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
                            pairs_offset(back),
                        )
                        assert again.equals(array), (name, shape, again, array)
                    counts["cupy", name, shape] += 1
                    del back, found
        consumer.synchronize()
    wait_for_releases()


def pairs_offset(exported):
    return ctypes.c_int64.from_address(pairs.at(exported.device_array, "device_array") + 16).value


def spin(cupy):
    """Keeps the current stream busy for a while."""
    kernel = cupy.RawKernel(
        'extern "C" __global__ void spin() { long long end = clock64() + 200000; while (clock64() < end) {} }', "spin"
    )
    kernel((1,), (1,), ())


def wait_for_releases():
    import time

    begin = time.monotonic()
    while PRODUCER.alive and time.monotonic() - begin < 5:
        time.sleep(0.01)
    assert not PRODUCER.alive, f"{len(PRODUCER.alive)} arrays were never released"


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
                except Exception as error:  # their own limits are no failure of the pair
                    refused[name] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
                    continue
                back = gdf.device_round_trip(schema, device_array, owning)
                there = plc.Column.from_arrow(back)
                found, expected = there.to_arrow(), theirs.to_arrow()
                assert found.equals(expected), (name, shape, found, expected)
                counts["pylibcudf " + version, name, shape] += 1
                # its release callback, which comes from another thread, counts references without the interpreter's lock
                del theirs, schema, device_array, back, there, found, expected
                time.sleep(0.003)
    uncounted = pa.array([1, None, 3], pa.int32())
    there = gdf.to_device(uncounted, ordinal)
    ctypes.c_int64.from_address(pairs.at(there.device_array, "device_array") + 8).value = -1
    # libcudf 26.10 takes -1 for the number itself
    print(f"pylibcudf says that of 3 rows with 1 null, which nobody counted, {plc.Column.from_arrow(there).null_count()} are null")
    for name, why in refused.items():
        print(f"pylibcudf does not take {name}: {why}")


def with_pyarrow_cuda(gdf, ordinal, counts):
    import pyarrow.cuda  # noqa: F401

    for name, array in pairs.values().items():
        for shape, array in pairs.shapes(array):
            there = gdf.to_device(array, ordinal)
            theirs = pa.Array._import_from_c_device_capsule(there.schema, there.device_array)
            assert theirs.copy_to(pa.default_cpu_memory_manager()).equals(array), (name, shape)
            counts["pyarrow.cuda", name, shape] += 1
