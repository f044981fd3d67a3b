//! The cases in which gdf's readers and writers differ from libcudf on purpose.

use super::{Basis, Intended};

/// All intended differences of the areas `io_*`.
pub(super) const INTENDED: &[Intended] = &[
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0003"],
        reason: "gdf names columns without a header column_1, column_2 and so on; libcudf names such columns 0, 1 \
                and so on",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0010"],
        reason: "gdf returns columns in the requested order; libcudf returns columns in the order of the file",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0018", "io_csv-0049"],
        reason: "gdf reads times in the formats of ISO 8601 only; libcudf also reads numbers and other orders of \
                day and month",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0019", "io_json-0057"],
        reason: "gdf reads a number as a boolean only if the options true_value and false_value name the number",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0032"],
        reason: "in gdf, quotes are not part of a cell and do not determine its type, as in RFC 4180; libcudf reads \
                quoted cells as text",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0037"],
        reason: "in gdf, spaces are part of a cell, as in RFC 4180; libcudf removes spaces around numbers",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0052", "io_csv-0053", "io_csv-0086"],
        reason: "gdf keeps all names of the file, even equal and empty names; libcudf renames or drops such columns",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0057"],
        reason: "gdf requires that all records have the same number of cells, as RFC 4180 does; libcudf adds \
                missing cells and drops excess cells",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0058", "io_csv-0060"],
        reason: "a file without records has no columns, and gdf returns an error; libcudf returns a table without \
                columns",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0062"],
        reason: "without a given type, gdf reads a number with a plus sign as text, because telephone numbers have \
                such a sign",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_csv-0072"],
        reason: "gdf detects compression from the first bytes of a file",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0073"],
        reason: "gdf infers types from the first records of the file for every byte range, so that all ranges have \
                the same types",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0098"],
        reason: "gdf returns the float nearest to the text; the last bits of libcudf's floats may be wrong",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0119", "io_csv-0120"],
        reason: "gdf writes infinite floats as inf, as Rust does; libcudf writes Inf",
    },
    Intended {
        basis: Basis::Standard,
        cases: &[
            "io_csv-0127",
            "io_csv-0128",
            "io_csv-0129",
            "io_csv-0130",
            "io_json-0130",
            "io_json-0131",
            "io_json-0132",
        ],
        reason: "gdf writes a timestamp without a time zone without a zone; libcudf writes Z, which means UTC in \
                ISO 8601",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0131", "io_csv-0132", "io_csv-0133", "io_csv-0134", "io_json-0133", "io_json-0134"],
        reason: "gdf writes durations in the format of ISO 8601",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0075", "io_csv-0077"],
        reason: "gdf refuses decimals with more digits than the scale of their column, as pyarrow does; libcudf drops \
                the digits",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_csv-0140", "io_csv-0141"],
        reason: "gdf can quote all cells, or all cells that are not numbers; libcudf refuses these options",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0012", "io_json-0042", "io_json-0071", "io_json-0109", "io_json-0112"],
        reason: "gdf gives a column of nulls the type Null; libcudf gives it INT8",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0015"],
        reason: "gdf reads integers of more than 64 bits as floats, as most readers of JSON do; libcudf reads such \
                integers as text",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0022"],
        reason: "if an object has several members of one name, gdf reads the last member, as most programs do; \
                libcudf reads the first member",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0025"],
        reason: "gdf returns a row for an object without members; libcudf returns no rows if there are no columns",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0027", "io_json-0036"],
        reason: "gdf reads only objects as rows; libcudf also reads arrays as rows, and numbers the columns",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0032", "io_json-0033", "io_json-0034", "io_json-0058", "io_json-0060"],
        reason: "gdf refuses leading zeros, NaN and trailing commas, which RFC 8259 does not allow",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_json-0038"],
        reason: "gdf reads a single object with and without the option for JSON Lines",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0053"],
        reason: "gdf returns a column for each name with a given type, with nulls where objects lack the member",
    },
    Intended {
        basis: Basis::Extension,
        cases: &[
            "io_json-0070",
            "io_json-0075",
            "io_json-0082",
            "io_json-0083",
            "io_json-0086",
            "io_json-0087",
            "io_json-0088",
            "io_json-0090",
            "io_json-0094",
            "io_json-0096",
            "io_json-0098",
            "io_json-0103",
            "io_json-0104",
        ],
        reason: "gdf treats escaped and unescaped forms of a name as the same name; libcudf refuses such files",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0123", "io_json-0124"],
        reason: "gdf writes NaN and infinite floats as texts, because RFC 8259 has no such numbers",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0143"],
        reason: "gdf writes no line for a table without rows; libcudf writes an empty line",
    },
    Intended {
        basis: Basis::Standard,
        cases: &[
            "io_parquet-0022",
            "io_parquet-0024",
            "io_parquet-0026",
            "io_parquet-0028",
            "io_parquet-0038",
            "io_parquet-0040",
        ],
        reason: "gdf reads decimals as the type in the Arrow schema of the file; libcudf reads decimals as the \
                narrowest type",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_parquet-0111"],
        reason: "gdf returns an error for a requested column that does not exist; libcudf ignores such a request",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_parquet-0204"],
        reason: "gdf reads files whose columns have integers of other widths as the common type; libcudf refuses them",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_parquet-0113"],
        reason: "in gdf, a table without columns has a number of rows, as in Arrow; in libcudf, such a table has no \
                rows",
    },
    Intended {
        basis: Basis::Standard,
        cases: &[
            "io_parquet-0134",
            "io_parquet-0135",
            "io_parquet-0137",
            "io_parquet-0138",
            "io_parquet-0139",
            "io_parquet-0140",
            "io_parquet-0141",
            "io_parquet-0143",
            "io_parquet-0144",
            "io_parquet-0145",
            "io_parquet-0146",
            "io_parquet-0147",
            "io_parquet-0148",
            "io_parquet-0149",
            "io_parquet-0150",
            "io_parquet-0151",
            "io_parquet-0155",
            "io_parquet-0157",
            "io_parquet-0159",
        ],
        reason: "gdf reads maps, bytes, dictionaries, time zones, times of day, half floats and other types as the \
                corresponding Arrow types",
    },
];
