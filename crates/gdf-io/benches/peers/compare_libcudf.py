"""Times gdf and NVIDIA's libcudf (through pylibcudf 26.10) on the same Parquet files, in one lease of a machine.

    cargo build --release -p gdf-io --features cuda --example time_parquet
    pip install numpy pyarrow pylibcudf-cu13
    GDF_TIME_READ=target/release/examples/time_parquet python crates/gdf-io/benches/peers/compare_libcudf.py

For each family of types, the script writes files with pyarrow (row groups of 1,048,576 rows) into a folder of
/dev/shm, times libcudf, times gdf, and removes the files. A name of a file has the type, the encoding, the codec, and
`nulls` if a tenth of the values are null. `--only` selects files by a regular expression, and `--table` prints the
table of earlier runs again. `--write` writes files, keeps them, and times nothing.

There are two sources:

- `file`: each library reads the file from its path. gdf keeps the footers of files that it has read before, and libcudf
  parses the footer each time.
- `device`: libcudf reads the file from a buffer on the GPU. gdf has no such reader. Its decoder gets the pages in a
  buffer on the GPU, and their headers have been parsed before, in contrast to libcudf. Files that the decoder does not
  support have no time of gdf.

Both libraries take memory from a pool, and decimals of at most 18 digits become 64-bit decimals. A time ends with a
synchronization. The script sets KVIKIO_NTHREADS, the number of threads by which libcudf reads files, to the number of
cores, if it is not set. Lines are appended to `--out`: case, engine, source, rows, bytes of the result, median and
shortest time in ms, GB/s of the result by the median, and a remark. The two libraries have results of different sizes,
because libcudf stores a boolean in a byte. *Ratio* is the median of libcudf over the median of gdf: above 1, gdf is
faster.
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

WARM_UPS = 3
GROUP = 1 << 20
CODECS = ["none", "snappy", "zstd", "lz4"]
EPOCH = 1_700_000_000_000_000


class Maker:
    """Makes random columns of `rows` rows. Without nulls, `nulls` is 0."""

    def __init__(self, rows, nulls, seed):
        self.rows, self.nulls, self.rng = rows, nulls, np.random.default_rng(seed)

    def sized(self, rows):
        """Returns a maker for another number of rows."""
        maker = Maker(rows, self.nulls, 0)
        maker.rng = self.rng
        return maker

    def mask(self):
        return self.rng.random(self.rows) < self.nulls if self.nulls else None

    def below(self, most, dtype="int64"):
        return self.rng.integers(0, most, self.rows, dtype=dtype)

    def array(self, values, of=None):
        array = pa.array(values, mask=self.mask())
        return array if of is None else array.view(of)

    def ints(self, most, dtype="int64"):
        return self.array(self.below(most, dtype))

    def rising(self, dtype="int64", first=0, step=20, of=None):
        """Returns rising integers, as keys and times of a log are."""
        return self.array((first + np.cumsum(self.below(step))).astype(dtype), of)

    def decimals(self, most, precision):
        """Returns decimals of 128 bits."""
        halves = np.zeros((self.rows, 2), dtype=np.int64)
        halves[:, 0] = self.below(most)
        if precision > 18:
            halves[:, 1] = self.below(most)
        return self.masked(pa.Array.from_buffers(pa.decimal128(precision, 2), self.rows, [None, pa.py_buffer(halves)]))

    def masked(self, array):
        mask = self.mask()
        return array if mask is None else pc.if_else(pa.array(~mask), array, None)

    def texts(self, shortest=8, longest=20):
        """Returns random texts of lower-case letters."""
        offsets = self.offsets(longest + 1, shortest)
        letters = self.rng.integers(97, 123, int(offsets[-1]), dtype=np.uint8)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
        return self.masked(pa.Array.from_buffers(pa.string(), self.rows, buffers))

    def words(self, count):
        """Returns texts of which `count` are different."""
        words = Maker(count, 0, 1).texts()
        return self.masked(words.take(pa.array(self.below(count))))

    def offsets(self, most, least=0):
        """Returns offsets of lists with `least` to `most` - 1 elements."""
        lengths = self.rng.integers(least, most, self.rows, dtype=np.int32)
        return np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])

    def lists(self, elements):
        offsets = self.offsets(10)
        values = elements(self.sized(int(offsets[-1])))
        return pa.ListArray.from_arrays(pa.array(offsets), values, mask=self.nested_mask())

    def structs(self):
        fields = [self.ints(1 << 40), self.texts()]
        return pa.StructArray.from_arrays(fields, names=["a", "b"], mask=self.nested_mask())

    def maps(self):
        offsets = self.offsets(10)
        elements = self.sized(int(offsets[-1]))
        keys = Maker(elements.rows, 0, 2).words(1000)
        return pa.MapArray.from_arrays(pa.array(offsets), keys, elements.ints(1 << 40), mask=self.nested_mask())

    def nested_mask(self):
        mask = self.mask()
        return None if mask is None else pa.array(mask)


def ints(*most, dtype="int64"):
    return [lambda m, most=most: m.ints(most, dtype) for most in most]


def hundredths(*most):
    return [lambda m, most=most: m.array(m.below(most) / 100.0) for most in most]


def decimals(precision, *most):
    return [lambda m, most=most: m.decimals(most, precision) for most in most]


def times(unit, *most):
    """Returns multiples of a number of microseconds."""
    return [lambda m, most=most: m.array(EPOCH + m.below(most) * unit, "timestamp[us]") for most in most]


def booleans(*part):
    return [lambda m, part=part: m.array(m.rng.random(m.rows) < part) for part in part]


FEW = (10, 100, 1000, 20_000)
INT32 = [*ints(1 << 30, 1 << 20, 100, dtype="int32"), lambda m: m.rising("int32")] * 2
INT64 = [*ints(1 << 40, 1 << 20, 100), lambda m: m.rising()]
FLOAT = [
    lambda m: m.array(m.rng.random(m.rows) * 1000),
    lambda m: m.array(m.rng.standard_normal(m.rows)),
    *hundredths(10_000_000, 1000),
]
DECIMAL = decimals(12, 10**11, 10**6) * 2
DECIMAL_FEW = decimals(12, 10_000, 100) * 2
RISING_TIME = [lambda m: m.rising(first=EPOCH, step=20_000_000, of="timestamp[us]")]
TIME = [*times(1, 10**14), *times(1_000_000, 10**8), *RISING_TIME, *RISING_TIME]
LIST_LIST = [lambda m: m.sized(m.rows // 4).lists(lambda e: e.lists(lambda f: f.ints(1 << 40)))]

PLAIN = {"use_dictionary": False}
KEYS = {"use_dictionary": True}
DELTA = {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"}
SPLIT = {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"}
LENGTHS = {"use_dictionary": False, "column_encoding": "DELTA_LENGTH_BYTE_ARRAY"}
INTEGERS = {"store_decimal_as_integer": True}

# For each family and form, the columns and the options of the writer.
FAMILIES = {
    "int32": {
        "plain": (INT32, PLAIN),
        "dictionary": (ints(*FEW, dtype="int32") * 2, KEYS),
        "delta": (INT32, DELTA),
    },
    "int64": {"plain": (INT64, PLAIN), "dictionary": (ints(*FEW), KEYS), "delta": (INT64, DELTA)},
    "float64": {"plain": (FLOAT, PLAIN), "dictionary": (hundredths(*FEW), KEYS), "split": (FLOAT, SPLIT)},
    "decimal": {
        "bytes-plain": (DECIMAL, PLAIN),
        "bytes-dictionary": (DECIMAL_FEW, KEYS),
        "int64-plain": (DECIMAL, PLAIN | INTEGERS),
        "int64-dictionary": (DECIMAL_FEW, KEYS | INTEGERS),
        "wide-plain": (decimals(30, 10**9) * 2, PLAIN),
    },
    "timestamp": {
        "plain": (TIME, PLAIN),
        "dictionary": (times(86_400_000_000, 100, 9000) * 2, KEYS),
        "delta": (TIME, DELTA),
    },
    "bool": {"plain": (booleans(0.5, 0.05) * 8, PLAIN)},
    "string": {
        "dictionary": ([lambda m: m.words(1000), lambda m: m.words(20)], KEYS),
        "plain": ([Maker.texts] * 2, PLAIN),
        "delta": ([Maker.texts] * 2, LENGTHS),
    },
    "nested": {
        "list": ([lambda m: m.lists(lambda e: e.ints(1 << 40))] * 2, KEYS),
        "struct": ([Maker.structs] * 2, KEYS),
        "list-struct": ([lambda m: m.lists(Maker.structs)], KEYS),
        "map": ([Maker.maps], KEYS),
        "list-list": (LIST_LIST, KEYS),
    },
    # The files of read_parquet.py.
    "mixed": {"eight": ([], {})},
}


def cases():
    """Returns the name, the family, the form, the codec and the part of nulls of each file."""
    for family, forms in FAMILIES.items():
        for form in forms:
            if family == "mixed":
                kinds = [("snappy", 0), ("zstd", 0)]
            elif family == "nested":
                kinds = [("none", 0), ("snappy", 0), ("zstd", 0), ("snappy", 0.1)]
            else:
                kinds = [(codec, 0) for codec in CODECS] + [("none", 0.1), ("snappy", 0.1)]
            for codec, nulls in kinds:
                yield f"{family}_{form}_{codec}{'_nulls' if nulls else ''}", family, form, codec, nulls


def write(chosen, folder, rows):
    """Writes the files, and returns their paths by name. The same columns are made once for all codecs."""
    os.makedirs(folder, exist_ok=True)
    paths = {name: os.path.join(folder, f"{name}.parquet") for name, *_ in chosen}
    columns = {}
    for name, family, form, codec, nulls in chosen:
        columns.setdefault((family, form, nulls), []).append((paths[name], codec))

    def make(column, family, nulls, seed):
        # A list has 4.5 elements on average.
        return column(Maker(rows // 2 if family == "nested" else rows, nulls, seed))

    def save(table, path, codec, options):
        pq.write_table(table, path, compression=codec, row_group_size=GROUP, **options)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for key in [key for key in columns if key[0] == "mixed"]:
            write_mixed(folder, rows, columns.pop(key))
        made = {}
        for key in columns:
            family, form, nulls = key
            of_form = enumerate(FAMILIES[family][form][0])
            made[key] = [pool.submit(make, column, family, nulls, seed) for seed, column in of_form]
        saved = []
        for (family, form, nulls), files in columns.items():
            arrays = [column.result() for column in made.pop((family, form, nulls))]
            table = pa.table({f"c{index}": array for index, array in enumerate(arrays)})
            options = FAMILIES[family][form][1]
            saved += [pool.submit(save, table, path, codec, options) for path, codec in files]
        for file in saved:
            file.result()
    return paths


def write_mixed(folder, rows, files):
    from read_parquet import make

    make(folder, rows)
    for path, codec in files:
        os.rename(os.path.join(folder, f"{codec}.parquet"), path)


class Libcudf:
    def __init__(self, pool):
        os.environ.setdefault("KVIKIO_NTHREADS", str(os.cpu_count()))
        import pylibcudf
        import rmm
        from rmm.pylibrmm.stream import DEFAULT_STREAM

        resource = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=pool)
        rmm.mr.set_current_device_resource(resource)
        self.plc, self.rmm, self.stream = pylibcudf, rmm, DEFAULT_STREAM

    def read(self, source):
        io = self.plc.io
        return io.parquet.read_parquet(io.parquet.ParquetReaderOptions.builder(io.SourceInfo([source])).build()).tbl

    def time(self, path, rounds):
        """Returns lines of both sources."""
        name = os.path.splitext(os.path.basename(path))[0]
        for source in ["file", "device"]:
            try:
                yield self.time_source(name, path, source, rounds)
            except Exception as error:
                remark = " ".join(f"libcudf: {type(error).__name__}: {error}".split())[:300]
                yield [name, "libcudf", source, 0, 0, "nan", "nan", "nan", remark]

    def time_source(self, name, path, source, rounds):
        place = path
        if source == "device":
            with open(path, "rb") as file:
                place = self.rmm.DeviceBuffer.to_device(file.read())
        times = []
        for number in range(WARM_UPS + rounds):
            self.stream.synchronize()
            start = time.perf_counter()
            table = self.read(place)
            self.stream.synchronize()
            took = (time.perf_counter() - start) * 1e3
            if number >= WARM_UPS:
                times.append(took)
            rows, size = table.num_rows(), sum(column.device_buffer_size() for column in table.columns())
            del table
        median, rate = statistics.median(times), size / statistics.median(times) / 1e6
        return [name, "libcudf", source, rows, size, f"{median:.4f}", f"{min(times):.4f}", f"{rate:.2f}", ""]


def time_gdf(program, paths, rounds, device):
    command = [program, *paths, "--rounds", str(rounds), "--device", device]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{program} has failed for some files", file=sys.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def print_table(lines):
    """Prints the ratio of each case and source, and the geometric means."""
    found = {(name, source, engine): values for name, engine, source, *values in lines}
    none = ["", "", "nan", "nan", "nan", ""]
    print(f"{'case':40} source  libcudf ms    gdf ms  ratio  libcudf GB/s   gdf GB/s  remarks")
    ratios = {}
    for name, source in dict.fromkeys((name, source) for name, source, _ in found):
        peer, own = (found.get((name, source, engine), none) for engine in ["libcudf", "gdf"])
        ratio = float(peer[2]) / float(own[2])
        remarks = [remark for remark in (peer[5], own[5]) if remark]
        if not math.isnan(ratio):
            decoder = "partly decoded by the CPU" if own[5] else "decoded by the GPU"
            for group in ["all", decoder, name.split("_")[0]]:
                ratios.setdefault(f"{source}, {group}", []).append(ratio)
            if peer[0] != own[0]:
                remarks.append(f"libcudf has {peer[0]} rows, gdf {own[0]}")
        times, rates = ([float(values[index]) for values in (peer, own)] for index in [2, 4])
        print(
            f"{name:40} {source:6} {times[0]:11.2f} {times[1]:9.2f} {ratio:6.2f} {rates[0]:13.1f} {rates[1]:10.1f}"
            f"  {'; '.join(remarks)}"
        )
    for group, of_group in ratios.items():
        print(f"geometric mean of {len(of_group):3} ratios, {group}: {statistics.geometric_mean(of_group):.2f}")


def run(arguments):
    """Writes the files of one family after the other, and times both libraries."""
    program = os.environ.get("GDF_TIME_READ")
    libcudf = None if arguments.write or arguments.no_libcudf else Libcudf(arguments.pool << 30)
    for family in FAMILIES:
        chosen = [case for case in cases() if case[1] == family and re.search(arguments.only, case[0])]
        if not chosen:
            continue
        start = time.perf_counter()
        paths = list(write(chosen, arguments.folder, arguments.rows).values())
        megabytes, seconds = sum(map(os.path.getsize, paths)) / 1e6, time.perf_counter() - start
        print(f"{family}: {len(paths)} files, {megabytes:.0f} MB, written in {seconds:.1f} s", file=sys.stderr)
        if arguments.write:
            continue
        start = time.perf_counter()
        with open(arguments.out, "a") as out:
            lines = (line for path in paths if libcudf for line in libcudf.time(path, arguments.rounds))
            for line in lines:
                print(*line, sep="\t", file=out, flush=True)
            for line in time_gdf(program, paths, arguments.rounds, arguments.device) if program else []:
                print(*line, sep="\t", file=out, flush=True)
        print(f"{family}: timed in {time.perf_counter() - start:.1f} s", file=sys.stderr)
        for path in paths:
            os.remove(path)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--only", default="", help="a regular expression of names of files")
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--device", default="cuda:0")
    arguments.add_argument("--pool", type=int, default=60, help="the GiB of libcudf's pool")
    arguments.add_argument("--folder", default="/dev/shm/gdf-parquet")
    arguments.add_argument("--out", default="compare_libcudf.tsv")
    arguments.add_argument("--write", action="store_true", help="write the files and keep them, time nothing")
    arguments.add_argument("--no-libcudf", action="store_true", help="time gdf alone")
    arguments.add_argument("--table", action="store_true", help="print the table of --out, time nothing")
    arguments = arguments.parse_args()

    if not arguments.table:
        run(arguments)
    if not arguments.write:
        with open(arguments.out) as out:
            print_table([line.rstrip("\n").split("\t") for line in out])


if __name__ == "__main__":
    main()
