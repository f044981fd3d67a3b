"""Cases of libcudf for text, and columns of texts of very different lengths.

The function of a case makes the arguments, which is not timed, and returns the call that is timed. If the function
fails, the case is reported as if the call had failed.
"""
import cupy as cp
import numpy as np
import pylibcudf as plc

from libcudf_data import column, of_type, table

# The mean numbers of bytes of a phrase and of the digits of a number, each with an offset of 4 bytes. The words of long
# texts are those of gdf-bench.
PHRASE, DIGITS = 23.2, 12.9
WORDS = b"jumps over, the lazy dog; PROMO special packages of the quick brown fox. "
LONGEST = 1 << 20
text = plc.strings


def scalar(value):
    return plc.Scalar.from_py(value)


def texts(*values):
    return plc.Column.from_iterable_of_py(list(values))


def with_scalar(function, column, value):
    value = scalar(value)
    return lambda: function(column, value)


def with_regex(function, column, pattern, *arguments):
    program = text.regex_program.RegexProgram.create(pattern, text.regex_flags.RegexFlags.DEFAULT)
    return lambda: function(column, program, *arguments)


def contains_multiple(d):
    targets = texts("the", "special", "café")
    return lambda: text.find_multiple.contains_multiple(d.phrases, targets)


def letters_only(d):
    kinds = text.char_types.StringCharacterTypes
    return lambda: text.char_types.all_characters_of_type(d.phrases, kinds.ALPHA, kinds.ALL_TYPES)


def sliced(column):
    start, stop, step = (plc.Scalar.from_py(value, of_type("INT32")) for value in (2, 8, 1))
    return lambda: text.slice.slice_strings(column, start, stop, step)


def stripped(column):
    characters = scalar("tad")
    return lambda: text.strip.strip(column, text.SideType.BOTH, characters)


def replaced(column):
    target, replacement = scalar("the"), scalar("THAT")
    return lambda: text.replace.replace(column, target, replacement)


def replace_multiple(d):
    targets, replacements = texts("the", "special", ","), texts("a", "SPECIAL", "; ")
    return lambda: text.replace.replace_multiple(d.phrases, targets, replacements)


def split(function, column, delimiter, *arguments):
    delimiter = scalar(delimiter)
    return lambda: function(column, delimiter, *arguments)


def concatenated(d):
    separator, none = scalar("-"), plc.Scalar.from_py(None, of_type("STRING"))
    return lambda: text.combine.concatenate(table(d.phrases, d.digits), separator, none)


def joined(d):
    separator, none = scalar(";"), plc.Scalar.from_py(None, of_type("STRING"))
    return lambda: text.combine.join_strings(d.phrases, separator, none)


def joined_lists(d):
    lists = text.split.split.split_record(d.phrases, scalar(" "), -1)
    separator, none = scalar("+"), plc.Scalar.from_py(None, of_type("STRING"))
    combine = text.combine
    return lambda: combine.join_list_elements(
        lists, separator, none, none, combine.SeparatorOnNulls.YES, combine.OutputIfEmptyList.EMPTY_STRING)


def money(d):
    return plc.unary.cast(d.counts, plc.DataType(plc.TypeId.DECIMAL64, -3))


def to_fixed_point(d):
    digits, kind = text.convert.convert_fixed_point.from_fixed_point(money(d)), plc.DataType(plc.TypeId.DECIMAL64, -3)
    return lambda: text.convert.convert_fixed_point.to_fixed_point(digits, kind)


def from_fixed_point(d):
    values = money(d)
    return lambda: text.convert.convert_fixed_point.from_fixed_point(values)


INTEGERS = text.convert.convert_integers
# For each case: the name, the bytes per row, and the function that prepares the call.
TEXT = [
    ("contains", PHRASE + 0.125, lambda d: with_scalar(text.find.contains, d.phrases, "special")),
    ("starts_with", PHRASE + 0.125, lambda d: with_scalar(text.find.starts_with, d.phrases, "PROMO")),
    ("ends_with", PHRASE + 0.125, lambda d: with_scalar(text.find.ends_with, d.phrases, "dog")),
    ("find", PHRASE + 4, lambda d: with_scalar(text.find.find, d.phrases, "the")),
    ("like", PHRASE + 0.125, lambda d: lambda: text.contains.like(d.phrases, "%o%the%")),
    ("contains_multiple", PHRASE + 0.375, contains_multiple),
    ("count_characters", PHRASE + 4, lambda d: lambda: text.attributes.count_characters(d.phrases)),
    ("is_alpha", PHRASE + 0.125, letters_only),
    ("to_upper", 2 * PHRASE, lambda d: lambda: text.case.to_upper(d.phrases)),
    ("slice", PHRASE + 10, lambda d: sliced(d.phrases)),
    ("strip", 2 * PHRASE, lambda d: stripped(d.phrases)),
    ("pad", PHRASE + 36, lambda d: lambda: text.padding.pad(d.phrases, 32, text.SideType.LEFT, " ")),
    ("zfill", DIGITS + 16, lambda d: lambda: text.padding.zfill(d.digits, 12)),
    ("repeat", 2 * PHRASE + 20, lambda d: lambda: text.repeat.repeat_strings(d.phrases, 2)),
    ("replace", 2 * PHRASE, lambda d: replaced(d.phrases)),
    ("replace_multiple", 2 * PHRASE, replace_multiple),
    ("split_record", 2 * PHRASE + 12, lambda d: split(text.split.split.split_record, d.phrases, ",", -1)),
    ("split", 2 * PHRASE + 12, lambda d: split(text.split.split.split, d.phrases, " ", -1)),
    ("split_part", PHRASE + 12, lambda d: split(text.split.split.split_part, d.phrases, " ", 1)),
    ("concat_cols", 2 * PHRASE + 2 * DIGITS, concatenated),
    ("join_strings", 2 * PHRASE, joined),
    ("join_list_elements", 2 * PHRASE + 12, joined_lists),
    ("to_integers", DIGITS + 8, lambda d: lambda: INTEGERS.to_integers(d.digits, of_type("INT64"))),
    ("from_integers", DIGITS + 8, lambda d: lambda: INTEGERS.from_integers(d.counts)),
    ("is_integer", DIGITS + 0.125, lambda d: lambda: INTEGERS.is_integer(d.digits)),
    ("to_fixed_point", DIGITS + 12, to_fixed_point),
    ("from_fixed_point", DIGITS + 12, from_fixed_point),
    ("contains_re", PHRASE + 0.125, lambda d: with_regex(text.contains.contains_re, d.phrases, "q[a-z]+k|sp.c")),
    ("count_re", PHRASE + 4, lambda d: with_regex(text.contains.count_re, d.phrases, "[a-z]+")),
    ("findall", 2 * PHRASE + 12, lambda d: with_regex(text.findall.findall, d.phrases, "[a-z]+")),
    ("extract_single", PHRASE + 10,
     lambda d: with_regex(text.extract.extract_single, d.phrases, "([a-z]+) ([a-z]+)", 0)),
    ("extract", PHRASE + 20, lambda d: with_regex(text.extract.extract, d.phrases, "([a-z]+) ([a-z]+)")),
    ("replace_re", 2 * PHRASE,
     lambda d: with_regex(text.replace_re.replace_re, d.phrases, "o[a-z]|, ", scalar("_"))),
    ("split_record_re", 2 * PHRASE + 12,
     lambda d: with_regex(text.split.split.split_record_re, d.phrases, "[ ,]+", -1)),
]


def text_cases(d):
    for name, bytes_per_row, prepare in TEXT:
        try:
            call = prepare(d)
        except Exception as error:
            call = fails(error)
        yield f"strings.{name}", bytes_per_row, 9, call


def fails(error):
    def call():
        raise error

    return call


def worded(lengths):
    offsets = cp.concatenate([cp.zeros(1, cp.int64), cp.cumsum(lengths)])
    at = cp.arange(int(offsets[-1]))
    row = cp.searchsorted(offsets, at, side="right") - 1
    words = cp.asarray(np.frombuffer(WORDS, np.uint8))
    letters = words[(at - offsets[row] + row) % len(WORDS)]
    rows = [column(offsets.astype(cp.int32))]
    return plc.Column(of_type("STRING"), len(lengths), plc.gpumemoryview(letters), None, 0, 0, rows)


def lengths(d):
    drawn = cp.minimum(1.0 / (1.0 - d.rng.random(d.rows)), LONGEST).astype(cp.int64)
    drawn[d.rows // 2] = LONGEST
    return drawn


def uneven(d):
    return worded(lengths(d))


def even(d):
    return worded(cp.full(d.rows, int(lengths(d).sum()) // d.rows, dtype=cp.int64))


LENGTHS = [
    ("contains", lambda a: with_scalar(text.find.contains, a, "special")),
    ("like", lambda a: lambda: text.contains.like(a, "%o%the%")),
    ("count_characters", lambda a: lambda: text.attributes.count_characters(a)),
    ("to_upper", lambda a: lambda: text.case.to_upper(a)),
    ("slice", sliced),
    ("strip", stripped),
    ("replace", replaced),
    ("split_record", lambda a: split(text.split.split.split_record, a, ",", -1)),
    ("contains_re", lambda a: with_regex(text.contains.contains_re, a, "q[a-z]+k|sp.c")),
    ("count_re", lambda a: with_regex(text.contains.count_re, a, "[a-z]+")),
    ("replace_re", lambda a: with_regex(text.replace_re.replace_re, a, "o[a-z]|, ", scalar("_"))),
]
# For each case: the name, the function that prepares the call, and the number of timed calls from a million rows on.
ADVERSARIAL_LENGTHS = [
    (f"text_{shape.__name__}.{name}", lambda d, shape=shape, prepare=prepare: prepare(shape(d)), 5)
    for name, prepare in LENGTHS
    for shape in (even, uneven)
]
