"""Cases of libcudf for lists and for keys that are structs, as in gdf-bench's `nested.rs`."""
import cupy as cp
import pylibcudf as plc

from libcudf_data import AGG, EQUAL, NANS, UNCHECKED, column, grouped, of_type, table

def even_sizes(rows):
    return (7 * rows + 3) % 17


def uneven_sizes(rows):
    return cp.where(rows % 1024 == 1023, 7169, 1)


def offsets(rows, sizes_of):
    sizes = sizes_of(cp.arange(rows, dtype=cp.int64))
    ends = cp.zeros(rows + 1, dtype=cp.int32)
    cp.cumsum(sizes, out=ends[1:], dtype=cp.int32)
    return ends


def lists(d, elements, sizes=even_sizes):
    ends = offsets(d.rows, sizes)
    child = elements(int(ends[-1]))
    return plc.Column(of_type("LIST"), d.rows, None, None, 0, 0, [column(ends), child])


def numbers(d, sizes=even_sizes):
    return lists(d, lambda count: column(d.integers(0, 1000, rows=count)), sizes)


def texts(d):
    def elements(count):
        sizes = d.integers(1, 12, rows=count)
        letters = table(plc.Column.from_iterable_of_py([chr(97 + i) * 12 for i in range(26)]))
        chosen = plc.copying.gather(letters, column(cp.arange(count, dtype=cp.int32) % 26), UNCHECKED).columns()[0]
        zeros = column(cp.zeros(count, dtype=cp.int32))
        return plc.strings.slice.slice_strings(chosen, zeros, column(sizes.astype(cp.int32)))

    return lists(d, elements)


def arrays(d, width):
    ends = cp.arange(d.rows + 1, dtype=cp.int32) * width
    child = column(cp.arange(d.rows * width, dtype=cp.float32))
    return plc.Column(of_type("LIST"), d.rows, None, None, 0, 0, [column(ends), child])


def structs(*fields):
    return plc.Column.struct_from_children(list(fields))


def nested_cases(d):
    gather, retain = plc.copying.gather, plc.stream_compaction.apply_retention_mask
    integers, words = numbers(d), texts(d)
    yield "lists.gather", 0, 7, lambda: gather(table(integers), d.perm, UNCHECKED)
    yield "lists.gather_text", 0, 7, lambda: gather(table(words), d.perm, UNCHECKED)
    yield "lists.filter", 0, 7, lambda: retain(table(integers), d.half)
    yield "lists.filter_text", 0, 7, lambda: retain(table(words), d.half)
    yield "lists.concat", 0, 7, lambda: plc.concatenate.concatenate([integers, integers])
    yield "lists.explode", 0, 7, lambda: plc.lists.explode_outer(table(d.a, integers), 1)
    order, last = plc.types.Order.ASCENDING, plc.types.NullOrder.AFTER
    yield "lists.sort", 0, 7, lambda: plc.lists.sort_lists(integers, order, last)
    key = plc.Scalar.from_py(500, of_type("INT64"))
    yield "lists.contains", 0, 7, lambda: plc.lists.contains(integers, key)
    yield "lists.distinct", 0, 7, lambda: plc.lists.distinct(integers, EQUAL, NANS)
    uneven = numbers(d, uneven_sizes)
    yield "lists.gather_uneven", 0, 7, lambda: gather(table(uneven), d.perm, UNCHECKED)
    yield "lists.filter_uneven", 0, 7, lambda: retain(table(uneven), d.half)
    yield "lists.sort_uneven", 0, 7, lambda: plc.lists.sort_lists(uneven, order, last)
    yield "lists.contains_uneven", 0, 7, lambda: plc.lists.contains(uneven, key)
    yield "lists.distinct_uneven", 0, 7, lambda: plc.lists.distinct(uneven, EQUAL, NANS)
    if d.rows <= 1_000_000:
        for width in (96, 768):
            rows = arrays(d, width)
            yield f"arrays.gather_f32x{width}", 0, 7, lambda: gather(table(rows), d.perm, UNCHECKED)
    if d.rows >= 10_000:
        keys = table(structs(d.groups(10_000), d.hundred))
        yield "structs.groupby_sum_g10000x100", 0, 7, grouped(keys, d.f, AGG.sum)
    probe, build = table(structs(*d.pk_pairs)), table(structs(*d.bk_pairs))
    yield "structs.join_inner_two_fields", 0, 7, lambda: plc.join.inner_join(probe, build, EQUAL)


def documents(d):
    """Returns the JSON documents of the cases `json.*` as one text with a document in each line."""
    def text(row):
        open_now = "true" if row % 3 == 0 else "false"
        tags = f"[{row % 7}, {row % 11}, {row % 13}]"
        return f'{{"id": {row}, "name": "n{row % 1000}", "tags": {tags}, "price": {row % 100}.5, "open": {open_now}}}'

    return [text(row) for row in range(d.rows)]


def json_cases(d):
    """Yields the cases of JSON. libcudf reads documents of a column as one file of lines, and writes them as such."""
    import io

    lines = documents(d)
    texts = plc.Column.from_iterable_of_py(lines)
    options = plc.json.GetJsonObjectOptions()
    path = plc.Scalar.from_py("$.tags[1]")
    yield "json.get_json_object", 0, 7, lambda: plc.json.get_json_object(texts, path, options)
    joined = "\n".join(lines).encode()

    def read():
        source = plc.io.SourceInfo([joined])
        return plc.io.json.read_json(plc.io.json.JsonReaderOptions.builder(source).lines(True).build())

    yield "json.from_json", 0, 7, read
    whole = read()

    def write():
        sink = plc.io.SinkInfo([io.BytesIO()])
        options = plc.io.json.JsonWriterOptions.builder(sink, whole.tbl).lines(True).metadata(whole).build()
        plc.io.json.write_json(options)

    yield "json.to_json", 0, 7, write
