"""Exchanges arrays between gdf and other libraries through Arrow's C interfaces, and counts the exchanges.

    pairs.py LIBRARY [--device cuda:0 [--only PEER...]]

LIBRARY is the C library of `tests/peers`. On the CPU, the other libraries are pyarrow and nanoarrow. On a GPU, they are
gdf itself, cupy, pylibcudf, pyarrow.cuda, and numba through pyarrow.cuda. Libraries that are not installed are left
out, unless --only names them. `pyarrow_cuda.sh` builds a pyarrow with pyarrow.cuda. With --device no-gpu, the exchanges
with pyarrow.cuda run without a GPU (`no_gpu.py`). If a result differs, the program ends with an error. At the end, the
program prints the counts.
"""

import argparse
import collections
import ctypes
import sys

import pyarrow as pa

SIZES = {"schema": 72, "array": 80, "device_array": 128, "stream": 40, "device_stream": 48}
RELEASE = {"schema": 56, "array": 64, "device_array": 64, "stream": 24, "device_stream": 32}
# The number of bytes of a handle, `IpcHandle::BYTES`.
HANDLE = 152
CAPSULES = {
    "schema": b"arrow_schema",
    "array": b"arrow_array",
    "device_array": b"arrow_device_array",
    "stream": b"arrow_array_stream",
    "device_stream": b"arrow_device_array_stream",
}

libc = ctypes.CDLL(None)
libc.calloc.restype = ctypes.c_void_p
libc.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of_object = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
pointer_of_dying = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def release(address, kind):
    callback = ctypes.c_void_p.from_address(address + RELEASE[kind]).value
    if callback:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(callback)(address)


def destructor(kind):
    def destroy(capsule):
        address = pointer_of_dying(capsule, CAPSULES[kind])
        release(address, kind)
        libc.free(address)

    return ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)


DESTRUCTORS = {kind: destructor(kind) for kind in SIZES}


def room(kind):
    """Returns a capsule with a released struct, which a producer can fill, and the address of the struct."""
    address = libc.calloc(1, SIZES[kind])
    return new_capsule(address, CAPSULES[kind], ctypes.cast(DESTRUCTORS[kind], ctypes.c_void_p)), address


def at(capsule, kind):
    return pointer_of_object(capsule, CAPSULES[kind])


class Exported:
    """An array that gdf has exported, with the methods of the capsule protocol. Each capsule can be taken once."""

    def __init__(self, schema, array):
        self.schema, self.device_array = schema, array

    def __arrow_c_schema__(self):
        return self.schema

    def __arrow_c_device_array__(self, requested_schema=None, **_):
        return self.schema, self.device_array

    def __arrow_c_array__(self, requested_schema=None):
        source = at(self.device_array, "device_array")
        assert ctypes.c_int32.from_address(source + 88).value == 1, "the data are not on the CPU"
        array, address = room("array")
        ctypes.memmove(address, source, SIZES["array"])
        ctypes.c_void_p.from_address(source + RELEASE["device_array"]).value = None
        return self.schema, array

    def device(self):
        source = at(self.device_array, "device_array")
        return ctypes.c_int32.from_address(source + 88).value, ctypes.c_int64.from_address(source + 80).value


class Gdf:
    def __init__(self, path):
        self.path, self.library = path, ctypes.CDLL(path)
        self.library.gdf_last_error.restype = ctypes.c_char_p
        self.library.gdf_lent_nulls.restype = ctypes.c_int64

    def call(self, name, *arguments):
        arguments = [ctypes.c_void_p(a) if isinstance(a, int) and a > 1 << 20 else a for a in arguments]
        if getattr(self.library, name)(*arguments) != 0:
            raise RuntimeError(f"{name}: {self.library.gdf_last_error().decode()}")

    def call_for_bytes(self, name, length, *arguments):
        """Calls a function whose last argument is a buffer of `length` bytes, and returns the bytes of the buffer."""
        out = ctypes.create_string_buffer(length)
        self.call(name, *arguments, out)
        return out.raw

    def name_of(self, context):
        return f"cuda:{context.device_number}"

    def device_round_trip(self, schema, array, owning):
        (out_schema, schema_at), (out, out_at) = room("schema"), room("device_array")
        self.call("gdf_round_trip", at(array, "device_array"), at(schema, "schema"), int(owning), out_at, schema_at)
        return Exported(out_schema, out)

    def round_trip(self, peer, owning):
        schema, array = peer.__arrow_c_array__()
        device_array, address = room("device_array")
        ctypes.memmove(address, at(array, "array"), SIZES["array"])
        ctypes.c_void_p.from_address(at(array, "array") + RELEASE["array"]).value = None
        ctypes.c_int64.from_address(address + 80).value = -1
        ctypes.c_int32.from_address(address + 88).value = 1
        return self.device_round_trip(schema, device_array, owning)

    def table_round_trip(self, peer):
        return self.device_table_round_trip(*peer.__arrow_c_device_array__())

    def device_table_round_trip(self, schema, array):
        (out_schema, schema_at), (out, out_at) = room("schema"), room("device_array")
        self.call("gdf_table_round_trip", at(array, "device_array"), at(schema, "schema"), out_at, schema_at)
        return Exported(out_schema, out)

    def lent_nulls(self, schema, array):
        nulls = self.library.gdf_lent_nulls(
            ctypes.c_void_p(at(array, "device_array")), ctypes.c_void_p(at(schema, "schema"))
        )
        if nulls < 0:
            raise RuntimeError(self.library.gdf_last_error().decode())
        return nulls

    def stream_round_trip(self, peer):
        (source, (out, out_at)) = (peer.__arrow_c_stream__(), room("stream"))
        self.call("gdf_stream_round_trip", at(source, "stream"), out_at)
        return out

    def to_device(self, peer, ordinal):
        schema, array = peer.__arrow_c_array__()
        kept, kept_at = room("schema")
        # gdf takes over the first schema, so a second schema is exported.
        again = peer.type.__arrow_c_schema__()
        out, out_at = room("device_array")
        self.call("gdf_to_device", at(array, "array"), at(schema, "schema"), ordinal, out_at)
        del kept, kept_at
        return Exported(again, out)

    def to_host(self, schema, array):
        (out_schema, schema_at), (out, out_at) = room("schema"), room("array")
        self.call("gdf_to_host", at(array, "device_array"), at(schema, "schema"), out_at, schema_at)
        return pa.Array._import_from_c_capsule(out_schema, out)

    def slow_column(self, rows, term, nanoseconds, ordinal):
        (out_schema, schema_at), (out, out_at) = room("schema"), room("device_array")
        self.call("gdf_slow_column", rows, term, ctypes.c_uint64(nanoseconds), ordinal, out_at, schema_at)
        return Exported(out_schema, out)

    def device_of(self, address):
        out = ctypes.c_int()
        self.call("gdf_device_of", address, ctypes.byref(out))
        return out.value

    def read_address(self, address, length, ordinal):
        return self.call_for_bytes("gdf_read_address", length, address, ctypes.c_size_t(length), ordinal)

    def share(self, source, length, ordinal):
        """Shares a copy of bytes, or memory at an address. Returns the handle, and a function that ends the sharing."""
        name = "gdf_share_bytes" if isinstance(source, bytes) else "gdf_share_address"
        shared, handle = ctypes.c_void_p(), ctypes.create_string_buffer(HANDLE)
        self.call(name, source, ctypes.c_size_t(length), ordinal, handle, ctypes.byref(shared))
        return handle.raw, lambda: self.library.gdf_unshare(shared)

    def open_shared(self, handle, length, ordinal):
        return self.call_for_bytes("gdf_open_shared", length, handle, ctypes.c_size_t(length), ordinal)

    def open_driver_handle(self, handle, length, ordinal):
        return self.call_for_bytes("gdf_open_driver_handle", length, handle, ctypes.c_size_t(length), ordinal)


def values():
    """Returns, by name, an array with nulls of each type that this pyarrow can make."""
    numbers = [1, None, 3, 4, None, 6, 7, 8, 9, 10, None]
    texts = ["a", None, "", "grüße", "a text of more than twelve bytes", None, "日本語", "b", "c", "d", "e"]
    lists = [[1, 2], None, [], [3, None], [4], [5, 6, 7], None, [8], [], [9], [10]]
    out = {"null": pa.nulls(11), "bool": pa.array([n and n % 2 == 0 for n in numbers], pa.bool_())}
    for t in ("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 date32 date64".split()):
        of = pa.array(numbers, pa.int32() if t != "date64" else pa.int64())
        if t == "date64":
            of = pa.array([n and n * 86_400_000 for n in numbers], pa.int64())
        out[t] = of.cast(getattr(pa, t)())
    for unit in ("s", "ms", "us", "ns"):
        time = pa.time32 if unit in ("s", "ms") else pa.time64
        out[f"time {unit}"] = pa.array(numbers, pa.int32() if time is pa.time32 else pa.int64()).cast(time(unit))
        out[f"timestamp {unit}"] = pa.array(numbers, pa.int64()).cast(pa.timestamp(unit))
        out[f"duration {unit}"] = pa.array(numbers, pa.int64()).cast(pa.duration(unit))
    out["timestamp with zone"] = pa.array(numbers, pa.int64()).cast(pa.timestamp("us", "+02:00"))
    out["interval"] = pa.array([n and pa.MonthDayNano([n, 2, 3]) for n in numbers])
    for bits, precision in ((32, 9), (64, 18), (128, 38), (256, 76)):
        decimal = getattr(pa, f"decimal{bits}")(precision, 2)
        out[f"decimal{bits}"] = pa.array(numbers, pa.int32()).cast(pa.decimal128(12, 2)).cast(
            decimal, safe=False
        ) if precision >= 12 else pa.array([None if n is None else __import__("decimal").Decimal(n) for n in numbers], decimal)
    for t in ("string", "large_string", "string_view"):
        out[t] = pa.array(texts, getattr(pa, t)())
    for t in ("binary", "large_binary", "binary_view"):
        out[t] = pa.array([text and text.encode() for text in texts], getattr(pa, t)())
    out["fixed_size_binary"] = pa.array([n and bytes([n] * 5) for n in numbers], pa.binary(5))
    for t in ("list_", "large_list", "list_view", "large_list_view"):
        out[t.strip("_")] = pa.array(lists, getattr(pa, t)(pa.int16()))
    out["list of text"] = pa.array([l and [str(i) for i in l] for l in lists], pa.list_(pa.string()))
    out["fixed_size_list"] = pa.array([n and [n, None, n + 1] for n in numbers], pa.list_(pa.int32(), 3))
    out["map"] = pa.array([l and [(str(i), i) for i in l if i] for l in lists], pa.map_(pa.string(), pa.int64()))
    fields = pa.struct([("n", pa.int32()), ("t", pa.string()), ("l", pa.list_(pa.int8()))])
    rows = zip(numbers, texts, lists)
    out["struct"] = pa.array([n and {"n": n, "t": t, "l": l} for n, t, l in rows], fields)
    out["dictionary"] = pa.array(texts).dictionary_encode()
    ids = pa.array([0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1], pa.int8())
    children = [pa.array(numbers, pa.int32()), pa.array(texts)]
    out["sparse union"] = pa.UnionArray.from_sparse(ids, children)
    out["dense union"] = pa.UnionArray.from_dense(ids, pa.array(range(11), pa.int32()), children)
    ends = pa.array([2, 5, 9, 11], pa.int32())
    out["run-end encoded"] = pa.RunEndEncodedArray.from_arrays(ends, pa.array(["x", None, "y", "z"]))
    return out


def shapes(array):
    """Returns the array with nulls, without nulls, sliced, empty, and as a field of a struct with null rows."""
    yield "nulls", array
    filled = array
    if array.type.id not in (pa.lib.Type_NA,) and array.null_count:
        filled = pa.concat_arrays([array.slice(i, 1) for i in range(len(array)) if array[i].is_valid] or [array])
    yield "no nulls", filled
    yield "sliced", array.slice(3, 5)
    yield "empty", array.slice(0, 0)
    mask = pa.array([i % 4 == 3 for i in range(len(array))])
    yield "nested", pa.StructArray.from_arrays([array], ["field"], mask=mask)


def with_pyarrow(gdf, counts):
    for name, array in values().items():
        for shape, array in shapes(array):
            for owning in (False, True):
                again = pa.array(gdf.round_trip(array, owning))
                again.validate(full=True)
                assert again.type == array.type and again.equals(array), (name, shape, array, again)
                counts["pyarrow", name, shape] += 1
            schema, device_array = array.__arrow_c_device_array__()
            gdf.lent_nulls(schema, device_array)
            counts["pyarrow, lent", name, shape] += 1


def with_pyarrow_tables(gdf, counts):
    all_values = values()
    metadata = {"of": "the schema"}
    fields = [pa.field(name, array.type, metadata={"n": name}) for name, array in all_values.items()]
    batch = pa.RecordBatch.from_arrays(list(all_values.values()), schema=pa.schema(fields, metadata=metadata))
    for part in (batch, batch.slice(2, 7), batch.slice(0, 0)):
        again = pa.record_batch(gdf.table_round_trip(part))
        assert again.equals(part, check_metadata=True)
        counts["pyarrow, tables", "all", str(part.num_rows)] += 1
    batches = [batch, batch.slice(1, 4), batch.slice(3, 0)]
    reader = pa.RecordBatchReader.from_batches(batch.schema, batches)
    again = pa.RecordBatchReader._import_from_c_capsule(gdf.stream_round_trip(reader))
    assert again.schema.equals(batch.schema, check_metadata=True)
    assert all(a.equals(b) for a, b in zip(again, batches, strict=True))
    counts["pyarrow, streams", "all", "3 batches"] += 1


def with_nanoarrow(gdf, counts):
    import nanoarrow as na

    # nanoarrow cannot convert these types to Python objects, but can pass their structs on.
    opaque = {"float16", "fixed_size_binary", "run-end encoded", "sparse union", "dense union", "map", "list_view", "large_list_view", "interval"}
    for name, array in values().items():
        for shape, array in shapes(array):
            for owning in (False, True):
                # nanoarrow 0.9.0 corrupts memory when it exports views, even without gdf, so it only imports views.
                views = name in ("string_view", "binary_view")
                exported = gdf.round_trip(array if views else na.c_array(array), owning)
                theirs = na.c_array(exported)
                assert (theirs.length, theirs.null_count) == (len(array), array.null_count), (name, shape)
                if views:
                    assert theirs.n_buffers == len(array.buffers()) + 1 or shape == "nested", (name, shape)
                elif name in opaque or name.startswith(("duration", "decimal")) or name.endswith(" ns"):
                    assert pa.array(theirs).equals(array), (name, shape)
                else:
                    assert na.Array(theirs).to_pylist() == array.to_pylist(), (name, shape)
                counts["nanoarrow", name, shape] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    gdf, counts = Gdf(arguments.library), collections.Counter()
    try:
        play(gdf, arguments, counts)
    finally:
        tell(counts)


def play(gdf, arguments, counts):
    if arguments.device == "cpu":
        with_pyarrow(gdf, counts)
        with_pyarrow_tables(gdf, counts)
        with_nanoarrow(gdf, counts)
    elif arguments.device == "no-gpu":
        import no_gpu

        no_gpu.run(gdf, counts)
    else:
        import device_pairs

        device_pairs.run(gdf, int(arguments.device.partition(":")[2] or 0), counts, arguments.only)


def tell(counts):
    peers = collections.defaultdict(lambda: (set(), set(), 0))
    for (peer, name, shape), count in counts.items():
        names, all_shapes, total = peers[peer]
        peers[peer] = (names | {name}, all_shapes | {shape}, total + count)
    print("| with | types | shapes | pairs |\n|---|---|---|---|")
    for peer, (names, all_shapes, total) in peers.items():
        print(f"| {peer} | {len(names)} | {len(all_shapes)} | {total} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
