//! The cases in which gdf differs from libcudf on purpose, each with the reason.
//!
//! A listed case that differs is counted as failed and shown separately. Such a case does not make the exit status a
//! failure, as long as gdf's answer equals the [recorded answer](crate::answers). docs/differences.md lists the
//! differences for users.

mod io;

/// The basis of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// libcudf refuses the case or returns another error, and gdf has an answer.
    Extension,
    /// A standard decides. For operations, the standards are Unicode, the `regex` crate for regular expressions, IEEE
    /// 754, the shortest digits that restore a float, and null for text that cannot be converted. For files, the
    /// standards are RFC 4180, RFC 8259, ISO 8601, and the types of Arrow and Parquet.
    Standard,
    /// The authors of gdf found another answer more useful.
    Choice,
}

/// The cases that differ from libcudf for the same reason.
#[derive(Clone, Copy, Debug)]
pub struct Intended {
    /// The basis of the difference.
    pub basis: Basis,
    /// The ids of the cases.
    pub cases: &'static [&'static str],
    /// The reason for the difference.
    pub reason: &'static str,
}

/// All intended differences of operations.
pub const INTENDED: &[Intended] = &[
    Intended {
        basis: Basis::Extension,
        cases: &["binaryop-0213"],
        reason: "decimals of different widths go together; the result is as wide as the output type says",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["copying-0372"],
        reason: "where the gather map is null, the row is null",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["copying-0386"],
        reason: "a range that ends before it begins is an invalid argument, as it is for slice",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["datetime-0147"],
        reason: "months are integers of any width; libcudf takes 16 and 32 bits",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["groupby-0098", "groupby-0104", "groupby-0250", "groupby-0299"],
        reason: "sums of decimals have 38 digits, so that they are exact; libcudf's are as wide as the values",
    },
    Intended {
        basis: Basis::Choice,
        cases: &[
            "groupby-0006",
            "groupby-0015",
            "groupby-0024",
            "groupby-0033",
            "groupby-0051",
            "groupby-0060",
            "groupby-0069",
            "groupby-0078",
            "groupby-0087",
            "groupby-0095",
        ],
        reason: "rows of a group are numbered as they stand in the input; in libcudf by value, where nunique was asked for before",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["groupby-0255", "reduction-0116", "reduction-0312", "scan-0122"],
        reason: "NaN is the greatest number, as in sorting, wherever it stands; in libcudf the result depends on where",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["lists-0348", "lists-0349", "lists-0350", "lists-0372", "lists-0373", "lists-0374"],
        reason: "the concatenation of no lists is empty; libcudf's is null if there is a null anywhere in the inner lists",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["lists-0387"],
        reason: "the steps of a sequence are multiplied, rounded and added; libcudf rounds once, with a fused operation",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["reduction-0161", "reduction-0175", "reduction-0189"],
        reason: "the mean of decimals exists, as a float",
    },
    Intended { basis: Basis::Choice, cases: &["reduction-0318"], reason: "the mean of decimals exists, as a float" },
    Intended {
        basis: Basis::Extension,
        cases: &["reduction-0206", "reduction-0209", "reduction-0212", "reduction-0215"],
        reason: "the sum of durations exists, as a duration",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["quantiles-0026"],
        reason: "the midpoint of a decimal and itself is that decimal; libcudf gives -5.95 of -5.97",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reduction-0270"],
        reason: "no rows have 0 distinct values, as they have 0 rows; in libcudf the number is null",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reshape_filling-0159"],
        reason: "row r of a sequence of floats is init + r * step, rounded after each operation, on both devices",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["nvtext-0009", "nvtext-0032"],
        reason: "nulls have no characters, as they have no tokens",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0013", "strings-0016"],
        reason: "İ becomes i and a dot, as Unicode has it and libcudf's to_lower does; its swapcase leaves the letter out",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0066"],
        reason: "京, ten to the sixteenth, has a numeric value in Unicode",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0170", "strings-0171", "strings-0296", "strings-0298"],
        reason: "negated classes of regular expressions match newlines, as in Python and elsewhere",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["scan-0108", "scan-0110"],
        reason: "means of single precision are worked out in double precision, and rounded when stored",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0195", "strings-0239", "strings-0241", "strings-0368"],
        reason: "no empty match of a regular expression is where the last one ended, as in the regex crate",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0215", "strings-0216", "strings-0217", "strings-0315"],
        reason: "the syntax of regular expressions is the regex crate's: [[:alpha:]], a**, a{1001}, but not a{3,1}",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0313", "strings-0318"],
        reason: "the syntax of regular expressions is the regex crate's: [[:alpha:]], a**, a{1001}, but not a{3,1}",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0332"],
        reason: "where no row matches, all groups of all matches are a null for each row; libcudf returns no rows",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0375", "strings-0376"],
        reason: "the empty regular expression matches between characters; in libcudf nowhere, and splits refuse it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0513", "strings-0520", "strings-0527", "strings-0534"],
        reason: "the empty regular expression matches between characters; in libcudf nowhere, and splits refuse it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0388"],
        reason: "an empty template removes the matches; libcudf refuses it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["scan-0095", "scan-0096", "scan-0097", "scan-0098", "scan-0101", "scan-0102"],
        reason: "ranks of sorted rows exist by every method; libcudf has two of them in a scan",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["scan-0103", "scan-0104"],
        reason: "a percentage is given where it is asked for; libcudf gives dense ranks as they are",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["stream_compaction-0107", "stream_compaction-0111"],
        reason: "distinct rows by no columns are refused; libcudf returns none",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0424", "strings-0430", "strings-0431"],
        reason: "an empty target occurs nowhere, and a null one makes rows null; libcudf refuses both",
    },
    Intended {
        basis: Basis::Extension,
        cases: &[
            "strings-0446",
            "strings-0459",
            "strings-0474",
            "strings-0489",
            "strings-0504",
            "strings-0578",
            "strings-0592",
            "strings-0606",
            "strings-0657",
            "strings-0658",
            "strings-0659",
        ],
        reason: "an argument that is null makes rows null, as one of a column does; libcudf refuses it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0548", "strings-0552", "strings-0556"],
        reason: "a negative index counts parts from the end; libcudf refuses it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &[
            "strings-0633",
            "strings-0635",
            "strings-0643",
            "strings-0649",
            "strings-0650",
            "strings-0654",
            "strings-0655",
            "strings-0656",
        ],
        reason: "a table of one column is joined, too; libcudf refuses it",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0675", "strings-0681", "strings-0683"],
        reason: "a list of nulls alone is joined as every list is; libcudf takes it as empty where separators are a column",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0665", "strings-0666"],
        reason: "without texts, joined text is empty, as in polars; libcudf gives no row, or null",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0570", "strings-0572"],
        reason: "bounds below 0 count from the end in columns as they do in scalars; libcudf takes those of columns as the end",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0042", "strings-0043", "strings-0046"],
        reason: "code points are Unicode's; libcudf gives the bytes of UTF-8 as a number",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0099", "strings-0109", "strings-0119", "strings-0131", "strings-0142"],
        reason: "looking for a null gives nulls, as every operation on a null does; libcudf refuses it",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0100", "strings-0120"],
        reason: "where a row's target is null, so is the result, as of find; in libcudf it is false",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0733"],
        reason: "text that is no integer becomes null, as does one that does not fit; libcudf reads as much as is one",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0740", "strings-0746"],
        reason: "text that is no number becomes null; libcudf reads as much as is one, and 0 where nothing is",
    },
    Intended {
        basis: Basis::Standard,
        cases: &[
            "strings-0742",
            "strings-0743",
            "strings-0744",
            "strings-0747",
            "strings-0748",
            "strings-0749",
            "strings-0750",
        ],
        reason: "floats have the digits that give them back, as Rust prints them; libcudf writes ten digits, Inf and 1.0e-05",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0965", "strings-0989"],
        reason: "a text is a timestamp as a whole; to libcudf what follows the format does not matter",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0987", "strings-0988"],
        reason: "the day of the year is taken; libcudf gives the first of January",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0996", "strings-0997", "strings-0998"],
        reason: "names of months and weekdays are read; libcudf refuses them",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-1013", "strings-1014", "strings-1015", "strings-1016"],
        reason: "names of months and weekdays are English without being given; libcudf writes nothing",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0738"],
        reason: "0x without digits is no number; in libcudf the answer depends on the bytes behind the row",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0758", "strings-0764", "strings-0767", "strings-0770", "strings-0773", "strings-0776"],
        reason: "a sign or a point alone is no number; to libcudf it is one",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0784"],
        reason: "an empty text is a text like others; libcudf refuses it for a boolean",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["unary-0055", "unary-0095"],
        reason: "a float out of an integer's range saturates and NaN gives 0; in libcudf that is undefined",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["unary-0284", "unary-0286", "unary-0288"],
        reason: "timestamps and dates are cast from and to integers: their number of units",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["unary-0285", "unary-0287", "unary-0289"],
        reason: "timestamps and dates are cast from and to integers: their number of units",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["transform-0022"],
        reason: "the power of integers is a float, as of pow in C, SQL and Python; IntPow gives an integer",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["transform-0072"],
        reason: "operands of an expression may differ in type, as those of an operation on columns",
    },
];

fn all() -> impl Iterator<Item = &'static Intended> {
    INTENDED.iter().chain(io::INTENDED)
}

/// Returns the intended difference of the case, if there is one.
pub fn intended(id: &str) -> Option<&'static Intended> {
    all().find(|intended| intended.cases.contains(&id))
}

/// Returns the reason of the case's intended difference, if there is one.
pub fn reason(id: &str) -> Option<&'static str> {
    intended(id).map(|found| found.reason)
}

/// Returns the ids of all cases that differ on purpose.
pub fn ids() -> impl Iterator<Item = &'static str> {
    all().flat_map(|intended| intended.cases).copied()
}
