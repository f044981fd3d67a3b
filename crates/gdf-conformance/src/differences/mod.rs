//! The cases in which gdf differs from libcudf on purpose, and the reason for each difference.
//!
//! A case in this list counts as failed, but the report shows it separately. The case does not make the run fail if
//! gdf's answer equals the [recorded answer](crate::answers). The file docs/differences.md lists the differences for
//! users.

mod io;

/// The basis of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// libcudf returns an error. gdf returns a result or a different error.
    Extension,
    /// gdf follows a standard. For operations, the standards are Unicode, the regular expressions of the `regex` crate,
    /// and IEEE 754. Two rules also count as standards: a float is written with the fewest digits that represent it,
    /// and text that cannot be converted becomes null. For files, the standards are RFC 4180, RFC 8259, ISO 8601, and
    /// the types of Arrow and Parquet.
    Standard,
    /// The authors of gdf decided that another answer is more useful.
    Choice,
}

/// Cases that differ from libcudf for the same reason.
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
        reason: "gdf combines decimals of different widths, and the output type determines the width of the result",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["copying-0372"],
        reason: "gdf returns a null row for a null in the gather map",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["copying-0386"],
        reason: "a range that ends before it begins is an invalid argument in gdf, as for slice",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["datetime-0147"],
        reason: "gdf accepts months as integers of any width; libcudf accepts 16 and 32 bits",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["groupby-0098", "groupby-0104", "groupby-0250", "groupby-0299"],
        reason: "sums of decimals have 38 digits in gdf, so that sums are exact; in libcudf, sums have the width of \
                the values",
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
            "groupby-0233",
        ],
        reason: "gdf numbers the rows of a group in the order of the input; libcudf numbers the rows by value after \
                a request of nunique",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["groupby-0255", "reduction-0116", "reduction-0312", "scan-0122"],
        reason: "in gdf, NaN is the greatest number at every position, as in sorting; in libcudf, the result \
                depends on the position of NaN",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["hashing-0019", "hashing-0020", "hashing-0071", "hashing-0072", "hashing-0099"],
        reason: "in gdf, the hash of a nested row depends on that row alone; libcudf leaves nulls out if no row of \
                the table is null, and hashes what lies under the nulls of fields and elements",
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
        reason: "gdf returns the mean of decimals as a float",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reduction-0318"],
        reason: "gdf returns the mean of decimals as a float",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["reduction-0206", "reduction-0209", "reduction-0212", "reduction-0215"],
        reason: "gdf returns the sum of durations as a duration",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["quantiles-0026"],
        reason: "in gdf, the midpoint of two equal decimals is that decimal; libcudf returns -5.95 for -5.97",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reduction-0270"],
        reason: "gdf returns 0 as the number of distinct values of a column without rows; libcudf returns null",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reshape_filling-0159"],
        reason: "row r of a sequence of floats is init + r * step on the CPU and on CUDA, rounded after each operation",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["nvtext-0009", "nvtext-0032"],
        reason: "gdf returns no characters for a null, as it returns no tokens for a null",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0013", "strings-0016"],
        reason: "gdf converts İ to i and a combining dot, as Unicode and libcudf's to_lower do; libcudf's swapcase \
                drops the letter",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0066"],
        reason: "京 (ten to the sixteenth power) has a numeric value in Unicode",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0170", "strings-0171", "strings-0296", "strings-0298"],
        reason: "in gdf, negated classes of regular expressions match newlines, as in Python and most other engines",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["scan-0108", "scan-0110"],
        reason: "gdf computes means of single-precision values in double precision, and rounds only the result",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0195", "strings-0239", "strings-0241", "strings-0368"],
        reason: "in gdf, an empty match of a regular expression does not begin where the previous match ended, as \
                in the crate regex",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0215", "strings-0216", "strings-0217", "strings-0315"],
        reason: "gdf has the syntax of the crate regex, which accepts [[:alpha:]], a** and a{1001}, and refuses a{3,1}",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0313", "strings-0318"],
        reason: "gdf has the syntax of the crate regex, which accepts [[:alpha:]], a** and a{1001}, and refuses a{3,1}",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0332"],
        reason: "if no row matches, gdf returns a null for each row as the list of all groups; libcudf returns no rows",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0375", "strings-0376"],
        reason: "in gdf, the empty regular expression matches between characters; in libcudf, it matches nowhere, \
                and splits refuse it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0513", "strings-0520", "strings-0527", "strings-0534"],
        reason: "in gdf, the empty regular expression matches between characters; in libcudf, it matches nowhere, \
                and splits refuse it",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0388"],
        reason: "gdf accepts an empty template, which removes the matches; libcudf refuses an empty template",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["scan-0095", "scan-0096", "scan-0097", "scan-0098", "scan-0101", "scan-0102"],
        reason: "gdf ranks sorted rows by every method; libcudf supports only two methods in a scan",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["reduction-0253", "reduction-0254"],
        reason: "in gdf, lists have a minimum and a maximum; libcudf refuses them",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["reduction-0275"],
        reason: "gdf collects null rows as a list of nulls if the policy includes nulls; libcudf returns a null list",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["scan-0103", "scan-0104"],
        reason: "gdf returns requested percentages of dense ranks; libcudf returns the dense ranks",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["sorting-0165", "sorting-0169", "sorting-0174", "sorting-0179"],
        reason: "in gdf, ranks and percentages do not count null rows that are excluded; in libcudf, excluded nulls \
                count if they come first in the order, so that a percentage may exceed 1",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["stream_compaction-0107", "stream_compaction-0111"],
        reason: "gdf refuses distinct without key columns; libcudf returns no rows",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0424", "strings-0430", "strings-0431"],
        reason: "in gdf, an empty target occurs nowhere, and a null target makes rows null; libcudf refuses both \
                targets",
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
        reason: "in gdf, a null argument makes rows null, as a null in a column of arguments does; libcudf refuses \
                a null argument",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0548", "strings-0552", "strings-0556"],
        reason: "in gdf, a negative index counts parts from the end; libcudf refuses a negative index",
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
        reason: "gdf joins the texts of a table of one column; libcudf refuses such a table",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0675", "strings-0681", "strings-0683"],
        reason: "gdf joins a list of nulls like every other list; with a column of separators, libcudf treats such \
                a list as empty",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0665", "strings-0666"],
        reason: "gdf joins a column without texts to an empty text, as polars does; libcudf returns no row, or null",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0570", "strings-0572"],
        reason: "in gdf, negative bounds count from the end, in columns as in scalars; libcudf treats negative \
                bounds of a column as the end",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0042", "strings-0043", "strings-0046"],
        reason: "gdf returns Unicode code points; libcudf returns the bytes of UTF-8 as a number",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0099", "strings-0109", "strings-0119", "strings-0131", "strings-0142"],
        reason: "in gdf, a search for a null returns nulls, as every operation on a null does; libcudf refuses such \
                a search",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0100", "strings-0120"],
        reason: "in gdf, the result is null where the target is null, as for find; in libcudf, the result is false",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0733"],
        reason: "gdf returns null for text that is not an integer, and for an integer that does not fit the type; \
                libcudf reads the longest prefix that is an integer",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0740", "strings-0746"],
        reason: "gdf returns null for text that is not a number; libcudf reads the longest prefix that is a number, \
                and 0 without such a prefix",
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
        reason: "gdf writes the shortest digits that parse to the same float, as Rust does; libcudf writes ten \
                digits, Inf and 1.0e-05",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0965", "strings-0989"],
        reason: "gdf requires that the whole text matches the format of timestamps; libcudf ignores the text after \
                the match",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-0987", "strings-0988"],
        reason: "gdf uses the day of the year; libcudf returns the first of January",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0996", "strings-0997", "strings-0998"],
        reason: "gdf reads names of months and weekdays; libcudf refuses such formats",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["strings-1013", "strings-1014", "strings-1015", "strings-1016"],
        reason: "gdf writes English names of months and weekdays by default; libcudf writes nothing unless names \
                are given",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0738"],
        reason: "in gdf, 0x without digits is not a number; in libcudf, the answer depends on the bytes after the row",
    },
    Intended {
        basis: Basis::Standard,
        cases: &["strings-0758", "strings-0764", "strings-0767", "strings-0770", "strings-0773", "strings-0776"],
        reason: "in gdf, a sign alone and a point alone are not numbers; in libcudf, they are numbers",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["strings-0784"],
        reason: "gdf accepts an empty text for a boolean; libcudf refuses an empty text for a boolean",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["unary-0055", "unary-0095"],
        reason: "in gdf, a float out of the range of an integer type saturates, and NaN becomes 0; in libcudf, the \
                result is undefined",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["unary-0284", "unary-0286", "unary-0288"],
        reason: "gdf casts timestamps and dates to and from integers, which are the number of units",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["unary-0285", "unary-0287", "unary-0289"],
        reason: "gdf casts timestamps and dates to and from integers, which are the number of units",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["replace-0124", "replace-0127"],
        reason: "gdf replaces nulls of lists and structs",
    },
    Intended {
        basis: Basis::Choice,
        cases: &["transform-0022"],
        reason: "in gdf, the operator Pow of integers returns a float, like pow in C and SQL; the operator IntPow \
                returns an integer",
    },
    Intended {
        basis: Basis::Extension,
        cases: &["transform-0072"],
        reason: "the operands of an expression may have different types in gdf, as the operands of an operation on \
                columns",
    },
];

fn all() -> impl Iterator<Item = &'static Intended> {
    INTENDED.iter().chain(io::INTENDED)
}

/// Returns the intended difference of the case, or `None` if there is none.
pub fn intended(id: &str) -> Option<&'static Intended> {
    all().find(|intended| intended.cases.contains(&id))
}

/// Returns the reason for the case's intended difference, or `None` if there is none.
pub fn reason(id: &str) -> Option<&'static str> {
    intended(id).map(|found| found.reason)
}

/// Returns the ids of all cases that differ on purpose.
pub fn ids() -> impl Iterator<Item = &'static str> {
    all().flat_map(|intended| intended.cases).copied()
}
