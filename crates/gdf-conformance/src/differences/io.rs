//! The cases in which gdf's readers and writers differ from libcudf on purpose.

use super::{Basis, Intended};

/// All intended differences of the areas `io_*`.
pub(super) const INTENDED: &[Intended] = &[
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0003"],
        reason: "columns without names are column_1, column_2, and so on; libcudf calls them 0, 1",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0010"],
        reason: "columns come in the order in which they are asked for; in libcudf in that of the file",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0018", "io_csv-0049"],
        reason: "times are written as ISO 8601 has them; libcudf takes numbers and other orders of day and month, too",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0019", "io_json-0057"],
        reason: "a number is no boolean unless true_value and false_value say so",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0032"],
        reason: "quotes are no part of a cell, as in RFC 4180, and say nothing of its type; libcudf takes quoted cells for text",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0037"],
        reason: "spaces are part of a cell, as in RFC 4180; libcudf leaves them out around numbers",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0052", "io_csv-0053", "io_csv-0086"],
        reason: "names stay as they are in the file, also equal and empty ones; libcudf changes them, or leaves columns out",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0057"],
        reason: "all records have as many cells as the first, as in RFC 4180; libcudf fills and cuts them",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0058", "io_csv-0060"],
        reason: "a file without a record names no columns, which is an error; libcudf returns no columns",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0062"],
        reason: "a number with a plus sign is text unless a type is given, as telephone numbers have one",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_csv-0072"],
        reason: "whether a file is compressed is seen from its first bytes",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_csv-0073"],
        reason: "types are those of the file's first records in every byte range, so that all ranges have the same",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0098"],
        reason: "floats are the nearest ones to what is written; libcudf's are some bits off",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0119", "io_csv-0120"],
        reason: "infinite floats are written inf, as Rust prints them; libcudf writes Inf",
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
        reason: "a timestamp without a time zone is written without one; libcudf writes Z, which ISO 8601 has for UTC",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_csv-0131", "io_csv-0132", "io_csv-0133", "io_csv-0134", "io_json-0133", "io_json-0134"],
        reason: "durations are written as ISO 8601 has them",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_csv-0140", "io_csv-0141"],
        reason: "all cells are quoted, or those that are no numbers, where it is asked for; libcudf refuses it",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0012", "io_json-0042", "io_json-0071", "io_json-0109", "io_json-0112"],
        reason: "what is null everywhere has type Null; in libcudf INT8",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0015"],
        reason: "numbers beyond 64-bit integers are floats, as most programs read JSON; libcudf gives text",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0022"],
        reason: "of members of one name the last one counts, as for most programs; in libcudf the first",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0025"],
        reason: "an object without members is a row; libcudf returns none where there are no columns",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0027", "io_json-0036"],
        reason: "rows are objects; libcudf takes arrays, too, and numbers their columns",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0032", "io_json-0033", "io_json-0034", "io_json-0058", "io_json-0060"],
        reason: "leading zeros, NaN and commas at the end are no JSON by RFC 8259",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["io_json-0038"],
        reason: "an object is read whether or not the file was said to have lines",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_json-0053"],
        reason: "a column that was given a type is there, with nulls where no object has it",
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
        reason: "a name is the same name however its letters are escaped; libcudf refuses the file",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0123", "io_json-0124"],
        reason: "NaN and infinite floats are written as null: RFC 8259 has no numbers for them",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["io_json-0143"],
        reason: "no rows are no lines; libcudf writes an empty one",
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
        reason: "decimals come as the type that the writer noted; libcudf takes the narrowest",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_parquet-0111"],
        reason: "a column that is not there is an error; libcudf leaves it out",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["io_parquet-0113"],
        reason: "without columns a table still has its rows, as in Arrow; in libcudf it has none",
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
        reason: "maps, bytes, dictionaries, time zones, times of a day, half floats and others come as the types of Arrow that they are",
    },
];
