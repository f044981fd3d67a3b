//! Kernels of kernels/strings.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const JOIN_MOST_COLUMNS: usize = 32;

pub const JSON_MISSING_AS_NULL: u32 = 0x4;

/// The maximum number of steps of the kind `each` in a path.
pub const JSON_MOST_WILDCARDS: usize = 7;

pub const JSON_SINGLE_QUOTES: u32 = 0x1;

pub const JSON_STRIPS_QUOTES: u32 = 0x2;

pub const MINHASH_MERSENNE_PRIME: u64 = 0x1fffffffffffffff;

pub const SPAN_COLUMNS_MOST_COLUMNS: usize = 16;

pub const ALL_TYPES: u32 = 0x7f;

pub const ALPHA: u32 = 0x8;

pub const BIG_WORDS: usize = 17;

pub const FIRST_POWER: i32 = -351;

/// The maximum number of fields of a format.
pub const MAX_TIME_FIELDS: usize = 128;

pub const NANOSECONDS_PER_SECOND: i64 = 1000000000;

pub const SECONDS_PER_DAY: i64 = 86400;

pub const SEPTEMBER: usize = 8;

pub const UPPER: u32 = 0x20;

pub const WEDNESDAY: usize = 2;

/// The roles of a character before or after a sigma, as bits that gdf::lower\_case::context also uses.
pub const TO_CASE_CASED: u32 = 0x1;

pub const TO_CASE_PASSED_OVER: u32 = 0x2;

/// The values of range::to for characters that stay unchanged, and for characters that `replacement` replaces. No
/// character has these codes.
pub const TRANSLATE_KEPT: u32 = 0x110000;

pub const TRANSLATE_REPLACED: u32 = 0x110001;

/// The maximum number of bytes of text that a view contains itself.
pub const VIEWS_INLINED: i64 = 12;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum JsonStepKind {
    Name = 0,
    Index = 1,
    Each = 2,
    End = 3,
}

/// The parts of a text. For `fields`, the parts are an empty span, followed by the value of each field that the
/// parameters name. For `elements`, they are all elements of an array. For `names` and `members`, they are all names or
/// all values of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum JsonPartsKind {
    Fields = 0,
    Elements = 1,
    Names = 2,
    Members = 3,
}

/// The side on which the character is added. With `after_sign`, the character is added after a leading sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum PadKind {
    Left = 0,
    Right = 1,
    Both = 2,
    AfterSign = 3,
}

/// The pieces whose spans are found. `left` and `right` stand for all pieces, counted from the left or from the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum SplitKind {
    Left = 0,
    Right = 1,
    PartLeft = 2,
    PartRight = 3,
}

/// The fields from which the date is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum DateSource {
    Month = 0,
    DayOfYear = 1,
    SundayWeek = 2,
    MondayWeek = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum NumberKind {
    Integer = 0,
    /// a number of any number of digits; only for the test
    AnyInteger = 1,
    Hex = 2,
    Ipv4 = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum NumberText {
    /// with a point before the last `scale` digits; for a negative scale, with zeros appended
    Decimal = 0,
    /// pairs of hexadecimal digits of the stored bits, from the first byte that is not 0 on
    Hex = 1,
    Ipv4 = 2,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum SearchMode {
    Contains = 0,
    StartsWith = 1,
    EndsWith = 2,
    Find = 3,
    Rfind = 4,
    CountCharacters = 5,
    CountBytes = 6,
}

/// A field of a format. The lowest byte of a word is the number of the field, and the next byte is the argument of the
/// field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum TimeField {
    /// the literal byte is the argument
    Byte = 0,
    Year = 1,
    YearOfCentury = 2,
    Month = 3,
    MonthName = 4,
    ShortMonthName = 5,
    Day = 6,
    DayOfYear = 7,
    /// week of the year; week 1 begins at the first Sunday
    SundayWeek = 8,
    MondayWeek = 9,
    IsoWeek = 10,
    IsoYear = 11,
    /// from 1 (Monday) to 7 (Sunday)
    IsoWeekday = 12,
    /// from 0 (Sunday) to 6 (Saturday)
    Weekday = 13,
    WeekdayName = 14,
    ShortWeekdayName = 15,
    /// the days of a duration
    Days = 16,
    Hour = 17,
    /// the hour within half a day, 1 to 12
    HourOfHalf = 18,
    /// the hour within half a day, 0 to 11
    HourFromZero = 19,
    /// AM or PM
    Half = 20,
    Minute = 21,
    Second = 22,
    /// the argument is the number of digits; parsing accepts fewer digits
    Fraction = 23,
    /// a point and a fraction; nothing is written if the fraction is 0
    SecondFraction = 24,
    Offset = 25,
    ZoneName = 26,
    /// the sign of a duration
    Sign = 27,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum TypeTest {
    AllOfType = 0,
    Title = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Wildcards {
    AnyCharacter = 254,
    AnyCharacters = 255,
}

/// The modes in which the mapping depends on the character or its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ToCaseMode {
    /// Title case for the first character and for characters after a character of `delimiters`, otherwise lower case.
    Swapped = 0,
    /// Title case for the first character and for characters after a character whose type is not in `types`, otherwise
    /// lower case.
    AfterDelimiters = 1,
    AfterOtherTypes = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct BooleansText<'a> {
    pub input: TextIn<'a>,
    pub yes: TextIn<'a>,
    pub no: TextIn<'a>,
}

plain!(BooleansText { input, yes, no });

const _: () = assert!(size_of::<BooleansText>() == 168 && align_of::<BooleansText>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CharacterNgramsParameters<'a> {
    pub text: TextIn<'a>,
    /// number of characters, at least 1
    pub count: i64,
    /// 1: a non-empty text with fewer characters is one part
    pub whole: i64,
}

plain!(CharacterNgramsParameters { text, count, whole });

const _: () = assert!(size_of::<CharacterNgramsParameters>() == 72 && align_of::<CharacterNgramsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ChunkPlacesRequest<'a> {
    pub text: TextIn<'a>,
    pub chunks: TextChunks<'a>,
    /// whether the last match of a chunk becomes the last match before the chunk
    pub links: i32,
    pub unused: i32,
}

plain!(ChunkPlacesRequest { text, chunks, links, unused });

const _: () = assert!(size_of::<ChunkPlacesRequest>() == 104 && align_of::<ChunkPlacesRequest>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CodePointsParameters<'a> {
    pub text: TextIn<'a>,
}

plain!(CodePointsParameters { text });

const _: () = assert!(size_of::<CodePointsParameters>() == 56 && align_of::<CodePointsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct DecimalFormat {
    pub precision: i32,
    pub scale: i32,
}

const _: () = assert!(size_of::<DecimalFormat>() == 8 && align_of::<DecimalFormat>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct EndRowsParameters<'a> {
    pub text: TextIn<'a>,
    pub end: TextIn<'a>,
    /// stands for a null
    pub null: TextIn<'a>,
    /// the last row gets no end
    pub rows: Rows,
}

plain!(EndRowsParameters { text, end, null, rows });

const _: () = assert!(size_of::<EndRowsParameters>() == 176 && align_of::<EndRowsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ExtractBetweenParameters<'a> {
    pub text: TextIn<'a>,
    pub start: TextIn<'a>,
    pub end: TextIn<'a>,
}

plain!(ExtractBetweenParameters { text, start, end });

const _: () = assert!(size_of::<ExtractBetweenParameters>() == 168 && align_of::<ExtractBetweenParameters>() == 8);

/// The format of a floating-point type. The bias of its exponent is 1 - min\_exponent.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FloatFormat {
    /// 32 or 64
    pub bits: i32,
    /// number of mantissa bits, including the leading bit
    pub mantissa: i32,
    /// the smallest exponent of normal numbers
    pub min_exponent: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<FloatFormat>() == 16 && align_of::<FloatFormat>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct IntegerFormat {
    /// the largest value; for hex, the bits of the result type, all set
    pub max: u64,
    /// the largest magnitude after a minus; 0 if no minus is allowed
    pub max_negative: u64,
    pub kind: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<IntegerFormat>() == 24 && align_of::<IntegerFormat>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JaccardIndexParameters<'a> {
    pub one: JaccardIndexSet<'a>,
    pub other: JaccardIndexSet<'a>,
}

plain!(JaccardIndexParameters { one, other });

const _: () = assert!(size_of::<JaccardIndexParameters>() == 128 && align_of::<JaccardIndexParameters>() == 8);

/// A set of hashes for each row. The hashes of a row ascend, and a hash may occur several times.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JaccardIndexSet<'a> {
    /// the null mask, and whether one set stands for all rows
    pub rows: ColumnIn<'a>,
    pub offsets: In<'a, i32>,
    pub hashes: In<'a, u64>,
}

plain!(JaccardIndexSet { rows, offsets, hashes });

const _: () = assert!(size_of::<JaccardIndexSet>() == 64 && align_of::<JaccardIndexSet>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JoinListsParameters<'a> {
    /// no element is null
    pub elements: TextIn<'a>,
    pub lists: ColumnIn<'a>,
    /// a single row
    pub separator: TextIn<'a>,
    pub empty_is_null: i32,
    pub unused: i32,
}

plain!(JoinListsParameters { elements, lists, separator, empty_is_null, unused });

const _: () = assert!(size_of::<JoinListsParameters>() == 168 && align_of::<JoinListsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JoinParameters<'a> {
    /// for lists, the first column has the elements
    pub column: [TextIn<'a>; 32],
    pub lists: ColumnIn<'a>,
    pub separator: TextIn<'a>,
    /// stands for a null separator
    pub separator_null: TextIn<'a>,
    /// stands for a null element
    pub element_null: TextIn<'a>,
    /// before the first element
    pub open: TextIn<'a>,
    /// written after the last element
    pub close: TextIn<'a>,
    /// 0 if the elements of lists are joined
    pub columns: i32,
    /// elements of each row, if the lists have no offsets
    pub stride: i32,
    /// whether separators are written next to nulls
    pub separate_nulls: i32,
    pub empty_is_null: i32,
    /// whether a null list is written as `element_null`
    pub null_is_text: i32,
    pub unused: i32,
}

plain!(JoinParameters {
    column,
    lists,
    separator,
    separator_null,
    element_null,
    open,
    close,
    columns,
    stride,
    separate_nulls,
    empty_is_null,
    null_is_text,
    unused
});

const _: () = assert!(size_of::<JoinParameters>() == 2144 && align_of::<JoinParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JsonParameters<'a> {
    pub text: TextIn<'a>,
    /// the last step is `end`
    pub steps: In<'a, JsonStep>,
    pub names: In<'a, u8>,
    pub options: u32,
    pub unused: u32,
}

plain!(JsonParameters { text, steps, names, options, unused });

const _: () = assert!(size_of::<JsonParameters>() == 80 && align_of::<JsonParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JsonPartsParameters<'a> {
    pub text: TextIn<'a>,
    /// the names of the fields that `fields` gives
    pub names: In<'a, u8>,
    /// the end of each of these names
    pub ends: In<'a, i32>,
    /// the number of these names
    pub count: i32,
    /// a `kind`
    pub kind: i32,
}

plain!(JsonPartsParameters { text, names, ends, count, kind });

const _: () = assert!(size_of::<JsonPartsParameters>() == 80 && align_of::<JsonPartsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct JsonStep {
    /// a `step_kind`
    pub kind: u32,
    /// the position of the element in the array, or of the first byte of the name
    pub position: u32,
    /// the number of bytes of the name
    pub size: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<JsonStep>() == 16 && align_of::<JsonStep>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct JsonTextsParameters<'a> {
    pub text: TextIn<'a>,
    /// the bytes of the prefix, followed by the bytes of the suffix
    pub affixes: In<'a, u8>,
    /// number of bytes
    pub prefix: i32,
    pub suffix: i32,
    /// whether a null row becomes `null` with the affixes
    pub null_is_text: i32,
    pub unused: i32,
}

plain!(JsonTextsParameters { text, affixes, prefix, suffix, null_is_text, unused });

const _: () = assert!(size_of::<JsonTextsParameters>() == 80 && align_of::<JsonTextsParameters>() == 8);

/// The hashes, and the pairs of a factor and a summand. Hashes, factors and summands have 32 bits, or all of them have
/// 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct MinhashParameters<'a> {
    /// offsets of the hashes of each row
    pub offsets: In<'a, i32>,
    pub hashes: In<'a, u8>,
    pub pairs: In<'a, u8>,
    /// number of pairs
    pub count: i64,
}

plain!(MinhashParameters { offsets, hashes, pairs, count });

const _: () = assert!(size_of::<MinhashParameters>() == 32 && align_of::<MinhashParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct NumbersText<'a> {
    pub input: TextIn<'a>,
    pub kind: i32,
    pub scale: i32,
}

plain!(NumbersText { input, kind, scale });

const _: () = assert!(size_of::<NumbersText>() == 64 && align_of::<NumbersText>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PadParameters<'a> {
    pub text: TextIn<'a>,
    /// int64\_t
    pub width: TextIn<'a>,
    pub fill: u32,
    /// a `kind`
    pub kind: i32,
}

plain!(PadParameters { text, width, fill, kind });

const _: () = assert!(size_of::<PadParameters>() == 120 && align_of::<PadParameters>() == 8);

/// A pattern.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Pattern<'a> {
    pub data: In<'a, u8>,
    /// the ends of the texts within `data`
    pub ends: In<'a, i64>,
    /// size of `data` in bytes
    pub size: i64,
    /// number of texts; negative: the pattern is not split
    pub count: i32,
    /// bit 0: the first text begins the row; bit 1: the last text ends the row
    pub tied: i32,
}

plain!(Pattern { data, ends, size, count, tied });

const _: () = assert!(size_of::<Pattern>() == 32 && align_of::<Pattern>() == 8);

/// The rows to search, the pattern, and the values to compute.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexChainRequest<'a> {
    pub text: TextIn<'a>,
    pub pattern: RegexPattern<'a>,
    pub chunks: TextChunks<'a>,
    /// if not null, receives the value that `answer` requests for each row
    pub values: Out<'a, i32>,
    /// gdf::regex\_answer
    pub answer: i32,
}

const _: () = assert!(size_of::<RegexChainRequest>() == 264 && align_of::<RegexChainRequest>() == 8);

/// A pattern, and the requested answer. `answer` has the numbers of `Answer` in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexSearchQuestion<'a> {
    pub pattern: RegexPattern<'a>,
    pub chunks: TextChunks<'a>,
    /// gdf::regex\_answer
    pub answer: i32,
}

const _: () = assert!(size_of::<RegexSearchQuestion>() == 200 && align_of::<RegexSearchQuestion>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexSpansRequest<'a> {
    pub text: TextIn<'a>,
    pub pattern: RegexPattern<'a>,
    pub chunks: TextChunks<'a>,
    /// number of matches
    pub limit: i64,
    /// the first wanted group; 0 is the whole match
    pub first_group: i32,
    /// number of groups; 0 stands for the text between matches
    pub groups: i32,
    /// whether the last matches are wanted if there are more matches than the limit
    pub from_end: i32,
    pub null_without_match: i32,
}

const _: () = assert!(size_of::<RegexSpansRequest>() == 272 && align_of::<RegexSpansRequest>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RepeatParameters<'a> {
    pub text: TextIn<'a>,
    /// int64\_t
    pub count: TextIn<'a>,
}

plain!(RepeatParameters { text, count });

const _: () = assert!(size_of::<RepeatParameters>() == 112 && align_of::<RepeatParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ReplaceMultipleParameters<'a> {
    pub text: TextIn<'a>,
    pub targets: TextIn<'a>,
    /// one replacement, or one per target
    pub replacements: TextIn<'a>,
}

plain!(ReplaceMultipleParameters { text, targets, replacements });

const _: () = assert!(size_of::<ReplaceMultipleParameters>() == 168 && align_of::<ReplaceMultipleParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ReplaceParameters<'a> {
    pub text: TextIn<'a>,
    pub target: TextIn<'a>,
    pub replacement: TextIn<'a>,
    pub max: i64,
    pub chunks: TextChunks<'a>,
}

plain!(ReplaceParameters { text, target, replacement, max, chunks });

const _: () = assert!(size_of::<ReplaceParameters>() == 216 && align_of::<ReplaceParameters>() == 8);

/// A part of a template. The part is a group of the match or, if the group is -1, bytes of the texts of the template.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ReplaceRePart {
    pub begin: i64,
    pub size: i64,
    pub group: i64,
}

const _: () = assert!(size_of::<ReplaceRePart>() == 24 && align_of::<ReplaceRePart>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ReplaceReReplacement<'a> {
    pub text: TextIn<'a>,
    pub pattern: RegexPattern<'a>,
    pub chunks: TextChunks<'a>,
    pub parts: In<'a, ReplaceRePart>,
    pub literals: In<'a, u8>,
    pub literal_bytes: Bytes,
    /// number of matches
    pub limit: i64,
    pub part_count: i32,
    /// whether some part is a group other than the whole match
    pub captures: i32,
}

const _: () = assert!(size_of::<ReplaceReReplacement>() == 288 && align_of::<ReplaceReReplacement>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ReplaceSliceParameters<'a> {
    pub text: TextIn<'a>,
    pub replacement: TextIn<'a>,
    /// 0 or more
    pub start: i64,
    /// not less than `start`
    pub stop: i64,
}

plain!(ReplaceSliceParameters { text, replacement, start, stop });

const _: () = assert!(size_of::<ReplaceSliceParameters>() == 128 && align_of::<ReplaceSliceParameters>() == 8);

/// The target of a search.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SearchParameters<'a> {
    /// only the bytes after the first eight are read
    pub data: In<'a, u8>,
    /// may be 0
    pub size: i64,
    /// up to eight bytes of the target; the first byte has the lowest bits
    pub first: u64,
    /// ones for the bytes in `first`
    pub mask: u64,
    /// find and rfind search the characters \[start, stop)
    pub start: i64,
    /// if negative, the end of the text
    pub stop: i64,
    pub mode: i32,
    pub unused: i32,
}

plain!(SearchParameters { data, size, first, mask, start, stop, mode, unused });

const _: () = assert!(size_of::<SearchParameters>() == 56 && align_of::<SearchParameters>() == 8);

/// Several targets, whose total size is small. `more` has the output words of the booleans of all targets except the
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Several<'a> {
    pub texts: [SearchParameters<'a>; 8],
    pub more: [Out<'a, u32>; 7],
    pub count: i32,
    pub unused: i32,
}

plain!(Several { texts, more, count, unused });

const _: () = assert!(size_of::<Several>() == 512 && align_of::<Several>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SliceParameters<'a> {
    pub text: TextIn<'a>,
    /// int64\_t
    pub start: TextIn<'a>,
    /// int64\_t
    pub stop: TextIn<'a>,
    /// not 0
    pub step: i64,
}

plain!(SliceParameters { text, start, stop, step });

const _: () = assert!(size_of::<SliceParameters>() == 176 && align_of::<SliceParameters>() == 8);

/// The output columns of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SpanColumnsParameters<'a> {
    pub source: CopySpansSource<'a>,
    pub out: [ColumnOut<'a>; 16],
    /// bytes
    pub capacity: [i64; 16],
    pub columns: i32,
    pub unused: i32,
}

plain!(SpanColumnsParameters { source, out, capacity, columns, unused });

const _: () = assert!(size_of::<SpanColumnsParameters>() == 1008 && align_of::<SpanColumnsParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SplitParameters<'a> {
    pub text: TextIn<'a>,
    /// empty: white space
    pub delimiter: TextIn<'a>,
    /// the maximum number of delimiters
    pub max: i64,
    /// a `kind`
    pub kind: i32,
    pub unused: i32,
    pub chunks: TextChunks<'a>,
}

plain!(SplitParameters { text, delimiter, max, kind, unused, chunks });

const _: () = assert!(size_of::<SplitParameters>() == 168 && align_of::<SplitParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SplitPartParameters<'a> {
    pub text: TextIn<'a>,
    /// if empty, white space
    pub delimiter: TextIn<'a>,
    /// int64\_t; a negative index counts from the end
    pub index: TextIn<'a>,
}

plain!(SplitPartParameters { text, delimiter, index });

const _: () = assert!(size_of::<SplitPartParameters>() == 168 && align_of::<SplitPartParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct StripParameters<'a> {
    pub text: TextIn<'a>,
    /// if empty, white space
    pub set: TextIn<'a>,
    pub left: i32,
    pub right: i32,
}

plain!(StripParameters { text, set, left, right });

const _: () = assert!(size_of::<StripParameters>() == 120 && align_of::<StripParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TimeFormat {
    pub ticks_per_day: i64,
    /// the length of a tick
    pub nanoseconds: i64,
    pub count: i32,
    pub source: i32,
    pub is_duration: i32,
    pub unused: i32,
    pub fields: [u16; 128],
}

impl Default for TimeFormat {
    fn default() -> Self {
        Self { ticks_per_day: 0, nanoseconds: 0, count: 0, source: 0, is_duration: 0, unused: 0, fields: [0; 128] }
    }
}

const _: () = assert!(size_of::<TimeFormat>() == 288 && align_of::<TimeFormat>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TimesText<'a> {
    pub input: TextIn<'a>,
    pub format: TimeFormat,
}

plain!(TimesText { input, format });

const _: () = assert!(size_of::<TimesText>() == 344 && align_of::<TimesText>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ToCaseParameters<'a> {
    pub text: TextIn<'a>,
    /// a single row
    pub delimiters: TextIn<'a>,
    pub mode: i32,
    pub types: u32,
    pub chunks: TextChunks<'a>,
}

plain!(ToCaseParameters { text, delimiters, mode, types, chunks });

const _: () = assert!(size_of::<ToCaseParameters>() == 160 && align_of::<ToCaseParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ToViewsOrigin<'a> {
    /// where the buffer of the result begins
    pub chars: In<'a, u8>,
}

plain!(ToViewsOrigin { chars });

const _: () = assert!(size_of::<ToViewsOrigin>() == 8 && align_of::<ToViewsOrigin>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TokensParameters<'a> {
    pub text: TextIn<'a>,
    /// no rows: white space divides the text; each delimiter has at least one byte
    pub delimiters: TextIn<'a>,
}

plain!(TokensParameters { text, delimiters });

const _: () = assert!(size_of::<TokensParameters>() == 112 && align_of::<TokensParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TranslateParameters<'a> {
    pub text: TextIn<'a>,
    /// ascending and disjoint
    pub ranges: In<'a, TranslateRange>,
    pub count: i64,
    /// a single row
    pub replacement: TextIn<'a>,
    /// if not 0, the types of characters that are tested instead of ranges
    pub types: u32,
    /// what replaces characters of these types, like range::to
    pub of_types: u32,
    /// what replaces all other characters, like range::to
    pub other: u32,
    pub unused: u32,
}

plain!(TranslateParameters { text, ranges, count, replacement, types, of_types, other, unused });

const _: () = assert!(size_of::<TranslateParameters>() == 144 && align_of::<TranslateParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TranslateRange {
    pub first: u32,
    pub last: u32,
    /// a character, `kept` or `replaced`
    pub to: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<TranslateRange>() == 16 && align_of::<TranslateRange>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Typed {
    /// a tested character must have at least one of these types
    /// Only characters of these types are tested. Characters without a type are tested only if `verify` has all types.
    pub types: u32,
    pub verify: u32,
    pub test: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<Typed>() == 16 && align_of::<Typed>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct UrlParameters<'a> {
    pub text: TextIn<'a>,
}

plain!(UrlParameters { text });

const _: () = assert!(size_of::<UrlParameters>() == 56 && align_of::<UrlParameters>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ViewsPiece<'a> {
    pub bytes: In<'a, u8>,
    pub length: i64,
}

plain!(ViewsPiece { bytes, length });

const _: () = assert!(size_of::<ViewsPiece>() == 16 && align_of::<ViewsPiece>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ViewsSource<'a> {
    pub views: TextIn<'a>,
    pub pieces: In<'a, ViewsPiece<'a>>,
}

plain!(ViewsSource { views, pieces });

const _: () = assert!(size_of::<ViewsSource>() == 64 && align_of::<ViewsSource>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct WrapParameters<'a> {
    pub text: TextIn<'a>,
    /// positive
    pub width: i64,
}

plain!(WrapParameters { text, width });

const _: () = assert!(size_of::<WrapParameters>() == 64 && align_of::<WrapParameters>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "character_ngrams_text_sizes_kernel", unit: 0, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "character_ngrams_text_write_kernel", unit: 0, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "character_types_test_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "chunk_places_all_kernel", unit: 2, policy: Policy::new(128, 1, 8) },
    KernelInfo { symbol: "code_points_all_write_kernel", unit: 3, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "copy_spans_text_sizes_kernel", unit: 4, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "copy_spans_text_write_kernel", unit: 4, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "count_tokens_int_kernel", unit: 30, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "count_tokens_long_kernel", unit: 30, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "edit_distance_kernel", unit: 5, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "end_rows_text_write_kernel", unit: 9, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "extract_between_text_write_kernel", unit: 25, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "from_booleans_all_write_kernel", unit: 7, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "from_floats_all_write_kernel", unit: 6, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "from_numbers_all_write_kernel", unit: 7, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "from_times_all_write_kernel", unit: 27, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "from_words_all_write_kernel", unit: 7, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "get_json_object_text_write_kernel", unit: 11, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "jaccard_index_index_kernel", unit: 8, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "join_lists_text_sizes_kernel", unit: 10, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "join_lists_text_write_kernel", unit: 10, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "join_text_write_kernel", unit: 9, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "json_parts_text_sizes_kernel", unit: 12, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_parts_text_write_kernel", unit: 12, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_affixed_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_content_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_document_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_finite_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_moment_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "json_texts_quoted_write_kernel", unit: 13, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "like_columns_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "like_long_rows_kernel", unit: 14, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "like_one_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "like_two_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "long_copies_all_kernel", unit: 15, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "minhash_int_kernel", unit: 8, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "minhash_long_kernel", unit: 8, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "normalize_spaces_text_write_kernel", unit: 30, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "pad_text_write_kernel", unit: 16, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "regex_chain_guess_kernel", unit: 17, policy: Policy::new(128, 1, 8) },
    KernelInfo { symbol: "regex_chain_link_kernel", unit: 17, policy: Policy::new(128, 1, 8) },
    KernelInfo { symbol: "regex_search_number_kernel", unit: 18, policy: Policy::new(128, 4, 5) },
    KernelInfo { symbol: "regex_search_test_kernel", unit: 18, policy: Policy::new(128, 4, 5) },
    KernelInfo { symbol: "regex_search_test_long_rows_kernel", unit: 18, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "regex_spans_chunks_write_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_first_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_first_of_chunks_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_lists_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_parts_sizes_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_parts_write_kernel", unit: 19, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "repeat_text_write_kernel", unit: 20, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "replace_chunks_sizes_kernel", unit: 21, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "replace_chunks_write_kernel", unit: 21, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "replace_multiple_text_write_kernel", unit: 21, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "replace_re_chunks_sizes_kernel", unit: 22, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_re_chunks_write_kernel", unit: 22, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_re_text_sizes_kernel", unit: 22, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_re_text_write_kernel", unit: 22, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_slice_text_write_kernel", unit: 21, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "replace_text_sizes_kernel", unit: 21, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "replace_text_write_kernel", unit: 21, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "search_bool_kernel", unit: 23, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "search_columns_kernel", unit: 23, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "search_ends_kernel", unit: 23, policy: Policy::new(256, 2, 5) },
    KernelInfo { symbol: "search_int_kernel", unit: 23, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "search_long_kernel", unit: 23, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "search_long_rows_bool_kernel", unit: 23, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "search_long_rows_int_kernel", unit: 23, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "search_long_rows_long_kernel", unit: 23, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "search_several_kernel", unit: 23, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "slice_text_write_kernel", unit: 24, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "span_columns_totals_kernel", unit: 4, policy: Policy::new(128, 4, 7) },
    KernelInfo { symbol: "span_columns_write_kernel", unit: 4, policy: Policy::new(128, 4, 7) },
    KernelInfo { symbol: "split_chunks_sizes_kernel", unit: 25, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "split_chunks_write_kernel", unit: 25, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "split_lists_kernel", unit: 25, policy: Policy::new(128, 4, 5) },
    KernelInfo { symbol: "split_part_text_write_kernel", unit: 25, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "split_text_sizes_kernel", unit: 25, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "split_text_write_kernel", unit: 25, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "strip_text_write_kernel", unit: 26, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_lower_bytes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_lower_chunks_sizes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_lower_chunks_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_lower_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_mixed_bytes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_mixed_chunks_sizes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_mixed_chunks_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_mixed_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_bytes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_chunks_sizes_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_chunks_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_write_kernel", unit: 28, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_decimals_wide_kernel", unit: 29, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "to_floats_words_kernel", unit: 6, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "to_integers_any_kernel", unit: 29, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "to_integers_digits_kernel", unit: 29, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "to_integers_words_kernel", unit: 29, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "to_times_words_kernel", unit: 27, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "to_views_text_kernel", unit: 33, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "tokens_lists_kernel", unit: 30, policy: Policy::new(128, 4, 5) },
    KernelInfo { symbol: "tokens_text_sizes_kernel", unit: 30, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "tokens_text_write_kernel", unit: 30, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "translate_text_write_kernel", unit: 31, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "url_decode_write_kernel", unit: 32, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "url_encode_write_kernel", unit: 32, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "views_text_write_kernel", unit: 33, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "wrap_text_write_kernel", unit: 34, policy: Policy::new(128, 4, 8) },
];

/// Arguments of `character_ngrams_text_sizes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct CharacterNgrams<'a> {
    pub out: ColumnOut<'a>,
    pub p: CharacterNgramsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(CharacterNgrams { out, p, counts } scratch { mailbox });

/// The kernels that take [`CharacterNgrams`](struct@CharacterNgrams).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharacterNgramsKernel {
    TextSizes,
    TextWrite,
}

impl From<CharacterNgramsKernel> for KernelId {
    fn from(kernel: CharacterNgramsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CharacterNgramsKernel::TextSizes => 0,
                CharacterNgramsKernel::TextWrite => 1,
            },
        )
    }
}

impl Family for CharacterNgrams<'static> {
    type Kernel = CharacterNgramsKernel;
}

/// Arguments of `character_types_test_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct CharacterTypes<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: Typed,
}

arguments!(CharacterTypes { input, bytes, out, p } scratch {});

/// The kernels that take [`CharacterTypes`](struct@CharacterTypes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharacterTypesKernel {
    Test,
}

impl From<CharacterTypesKernel> for KernelId {
    fn from(kernel: CharacterTypesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CharacterTypesKernel::Test => 2,
            },
        )
    }
}

impl Family for CharacterTypes<'static> {
    type Kernel = CharacterTypesKernel;
}

/// Computes the positions of chunks in the row from the sizes of the chunks. The sizes are stored as the exits of the
/// chunks. The exit of the first chunk becomes the sum of the sizes.
#[derive(Clone, Copy, Debug)]
pub struct ChunkPlaces<'a> {
    pub p: ChunkPlacesRequest<'a>,
}

arguments!(ChunkPlaces { p });

/// The kernels that take [`ChunkPlaces`](struct@ChunkPlaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkPlacesKernel {
    /// Computes the positions of chunks in the row from the sizes of the chunks. The sizes are stored as the exits of the
    /// chunks. The exit of the first chunk becomes the sum of the sizes.
    All,
}

impl From<ChunkPlacesKernel> for KernelId {
    fn from(kernel: ChunkPlacesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ChunkPlacesKernel::All => 3,
            },
        )
    }
}

impl Family for ChunkPlaces<'static> {
    type Kernel = ChunkPlacesKernel;
}

/// Arguments of `code_points_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct CodePoints<'a> {
    pub out: ColumnOut<'a>,
    pub p: CodePointsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(CodePoints { out, p, counts } scratch { mailbox });

/// The kernels that take [`CodePoints`](struct@CodePoints).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodePointsKernel {
    AllWrite,
}

impl From<CodePointsKernel> for KernelId {
    fn from(kernel: CodePointsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CodePointsKernel::AllWrite => 4,
            },
        )
    }
}

impl Family for CodePoints<'static> {
    type Kernel = CodePointsKernel;
}

/// Arguments of `copy_spans_text_sizes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct CopySpans<'a> {
    pub out: ColumnOut<'a>,
    pub p: CopySpansSource<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(CopySpans { out, p, counts } scratch { mailbox });

/// The kernels that take [`CopySpans`](struct@CopySpans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopySpansKernel {
    TextSizes,
    TextWrite,
}

impl From<CopySpansKernel> for KernelId {
    fn from(kernel: CopySpansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CopySpansKernel::TextSizes => 5,
                CopySpansKernel::TextWrite => 6,
            },
        )
    }
}

impl Family for CopySpans<'static> {
    type Kernel = CopySpansKernel;
}

/// Arguments of `count_tokens_int_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct CountTokens<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: TokensParameters<'a>,
}

arguments!(CountTokens { input, bytes, out, p } scratch {});

/// The kernels that take [`CountTokens`](struct@CountTokens).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountTokensKernel {
    Int,
    Long,
}

impl From<CountTokensKernel> for KernelId {
    fn from(kernel: CountTokensKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CountTokensKernel::Int => 7,
                CountTokensKernel::Long => 8,
            },
        )
    }
}

impl Family for CountTokens<'static> {
    type Kernel = CountTokensKernel;
}

/// Computes the distance of each row's text to the text of `target`. The results have 32 or 64 bits, according to the
/// type of `out`. A null text counts as empty. `carries` has a word for each 32 bytes of text and one for each row.
#[derive(Clone, Copy, Debug)]
pub struct EditDistance<'a> {
    pub text: TextIn<'a>,
    pub target: TextIn<'a>,
    pub out: ColumnOut<'a>,
    pub carries: Out<'a, u64>,
}

arguments!(EditDistance { text, target, out, carries });

impl OneKernel for EditDistance<'static> {
    const ID: KernelId = KernelId::new(image::STRINGS, 9);
}

/// Arguments of `end_rows_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct EndRows<'a> {
    pub out: ColumnOut<'a>,
    pub p: EndRowsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(EndRows { out, p, counts } scratch { mailbox });

/// The kernels that take [`EndRows`](struct@EndRows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndRowsKernel {
    TextWrite,
}

impl From<EndRowsKernel> for KernelId {
    fn from(kernel: EndRowsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                EndRowsKernel::TextWrite => 10,
            },
        )
    }
}

impl Family for EndRows<'static> {
    type Kernel = EndRowsKernel;
}

/// Arguments of `extract_between_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ExtractBetween<'a> {
    pub out: ColumnOut<'a>,
    pub p: ExtractBetweenParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ExtractBetween { out, p, counts } scratch { mailbox });

/// The kernels that take [`ExtractBetween`](struct@ExtractBetween).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtractBetweenKernel {
    TextWrite,
}

impl From<ExtractBetweenKernel> for KernelId {
    fn from(kernel: ExtractBetweenKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ExtractBetweenKernel::TextWrite => 11,
            },
        )
    }
}

impl Family for ExtractBetween<'static> {
    type Kernel = ExtractBetweenKernel;
}

/// Arguments of `from_booleans_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FromBooleans<'a> {
    pub out: ColumnOut<'a>,
    pub p: BooleansText<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(FromBooleans { out, p, counts } scratch { mailbox });

/// The kernels that take [`FromBooleans`](struct@FromBooleans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromBooleansKernel {
    AllWrite,
}

impl From<FromBooleansKernel> for KernelId {
    fn from(kernel: FromBooleansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                FromBooleansKernel::AllWrite => 12,
            },
        )
    }
}

impl Family for FromBooleans<'static> {
    type Kernel = FromBooleansKernel;
}

/// Arguments of `from_floats_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FromFloats<'a> {
    pub out: ColumnOut<'a>,
    pub p: TextIn<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(FromFloats { out, p, counts } scratch { mailbox });

/// The kernels that take [`FromFloats`](struct@FromFloats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromFloatsKernel {
    AllWrite,
}

impl From<FromFloatsKernel> for KernelId {
    fn from(kernel: FromFloatsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                FromFloatsKernel::AllWrite => 13,
            },
        )
    }
}

impl Family for FromFloats<'static> {
    type Kernel = FromFloatsKernel;
}

/// Arguments of `from_numbers_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FromNumbers<'a> {
    pub out: ColumnOut<'a>,
    pub p: NumbersText<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(FromNumbers { out, p, counts } scratch { mailbox });

/// The kernels that take [`FromNumbers`](struct@FromNumbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromNumbersKernel {
    AllWrite,
}

impl From<FromNumbersKernel> for KernelId {
    fn from(kernel: FromNumbersKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                FromNumbersKernel::AllWrite => 14,
            },
        )
    }
}

impl Family for FromNumbers<'static> {
    type Kernel = FromNumbersKernel;
}

/// Arguments of `from_times_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FromTimes<'a> {
    pub out: ColumnOut<'a>,
    pub p: TimesText<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(FromTimes { out, p, counts } scratch { mailbox });

/// The kernels that take [`FromTimes`](struct@FromTimes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromTimesKernel {
    AllWrite,
}

impl From<FromTimesKernel> for KernelId {
    fn from(kernel: FromTimesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                FromTimesKernel::AllWrite => 15,
            },
        )
    }
}

impl Family for FromTimes<'static> {
    type Kernel = FromTimesKernel;
}

/// Arguments of `from_words_all_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FromWords<'a> {
    pub out: ColumnOut<'a>,
    pub p: NumbersText<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(FromWords { out, p, counts } scratch { mailbox });

/// The kernels that take [`FromWords`](struct@FromWords).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromWordsKernel {
    AllWrite,
}

impl From<FromWordsKernel> for KernelId {
    fn from(kernel: FromWordsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                FromWordsKernel::AllWrite => 16,
            },
        )
    }
}

impl Family for FromWords<'static> {
    type Kernel = FromWordsKernel;
}

/// Arguments of `get_json_object_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct GetJsonObject<'a> {
    pub out: ColumnOut<'a>,
    pub p: JsonParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(GetJsonObject { out, p, counts } scratch { mailbox });

/// The kernels that take [`GetJsonObject`](struct@GetJsonObject).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GetJsonObjectKernel {
    TextWrite,
}

impl From<GetJsonObjectKernel> for KernelId {
    fn from(kernel: GetJsonObjectKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                GetJsonObjectKernel::TextWrite => 17,
            },
        )
    }
}

impl Family for GetJsonObject<'static> {
    type Kernel = GetJsonObjectKernel;
}

/// Writes for each row the number of hashes that are in both sets, divided by the number of hashes that are in at least
/// one set. If both sets are empty, the result is 0. If a row of an input is null, the result is null.
#[derive(Clone, Copy, Debug)]
pub struct JaccardIndex<'a> {
    pub out: ColumnOut<'a>,
    pub p: JaccardIndexParameters<'a>,
}

arguments!(JaccardIndex { out, p } scratch {});

/// The kernels that take [`JaccardIndex`](struct@JaccardIndex).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JaccardIndexKernel {
    /// Writes for each row the number of hashes that are in both sets, divided by the number of hashes that are in at least
    /// one set. If both sets are empty, the result is 0. If a row of an input is null, the result is null.
    Index,
}

impl From<JaccardIndexKernel> for KernelId {
    fn from(kernel: JaccardIndexKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                JaccardIndexKernel::Index => 18,
            },
        )
    }
}

impl Family for JaccardIndex<'static> {
    type Kernel = JaccardIndexKernel;
}

/// Arguments of `join_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Join<'a> {
    pub out: ColumnOut<'a>,
    pub p: JoinParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Join { out, p, counts } scratch { mailbox });

/// The kernels that take [`Join`](struct@Join).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKernel {
    TextWrite,
}

impl From<JoinKernel> for KernelId {
    fn from(kernel: JoinKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                JoinKernel::TextWrite => 21,
            },
        )
    }
}

impl Family for Join<'static> {
    type Kernel = JoinKernel;
}

/// Arguments of `join_lists_text_sizes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct JoinLists<'a> {
    pub out: ColumnOut<'a>,
    pub p: JoinListsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(JoinLists { out, p, counts } scratch { mailbox });

/// The kernels that take [`JoinLists`](struct@JoinLists).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinListsKernel {
    TextSizes,
    TextWrite,
}

impl From<JoinListsKernel> for KernelId {
    fn from(kernel: JoinListsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                JoinListsKernel::TextSizes => 19,
                JoinListsKernel::TextWrite => 20,
            },
        )
    }
}

impl Family for JoinLists<'static> {
    type Kernel = JoinListsKernel;
}

/// Arguments of `json_parts_text_sizes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct JsonParts<'a> {
    pub out: ColumnOut<'a>,
    pub p: JsonPartsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(JsonParts { out, p, counts } scratch { mailbox });

/// The kernels that take [`JsonParts`](struct@JsonParts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonPartsKernel {
    TextSizes,
    TextWrite,
}

impl From<JsonPartsKernel> for KernelId {
    fn from(kernel: JsonPartsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                JsonPartsKernel::TextSizes => 22,
                JsonPartsKernel::TextWrite => 23,
            },
        )
    }
}

impl Family for JsonParts<'static> {
    type Kernel = JsonPartsKernel;
}

/// Arguments of `json_texts_affixed_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct JsonTexts<'a> {
    pub out: ColumnOut<'a>,
    pub p: JsonTextsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(JsonTexts { out, p, counts } scratch { mailbox });

/// The kernels that take [`JsonTexts`](struct@JsonTexts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonTextsKernel {
    AffixedWrite,
    ContentWrite,
    DocumentWrite,
    FiniteWrite,
    MomentWrite,
    QuotedWrite,
}

impl From<JsonTextsKernel> for KernelId {
    fn from(kernel: JsonTextsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                JsonTextsKernel::AffixedWrite => 24,
                JsonTextsKernel::ContentWrite => 25,
                JsonTextsKernel::DocumentWrite => 26,
                JsonTextsKernel::FiniteWrite => 27,
                JsonTextsKernel::MomentWrite => 28,
                JsonTextsKernel::QuotedWrite => 29,
            },
        )
    }
}

impl Family for JsonTexts<'static> {
    type Kernel = JsonTextsKernel;
}

/// Does the same as `one`, for columns of few or long rows.
#[derive(Clone, Copy, Debug)]
pub struct Like<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: Pattern<'a>,
}

arguments!(Like { input, bytes, out, p } scratch {});

/// The kernels that take [`Like`](struct@Like).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LikeKernel {
    /// Does the same as `one`, for columns of few or long rows.
    LongRows,
    /// Tests whether each row matches one pattern for all rows.
    One,
    /// Tests whether each row matches one pattern for all rows. The pattern is split into one or two texts, which have at
    /// most 38 bytes in total.
    Two,
}

impl From<LikeKernel> for KernelId {
    fn from(kernel: LikeKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                LikeKernel::LongRows => 31,
                LikeKernel::One => 32,
                LikeKernel::Two => 33,
            },
        )
    }
}

impl Family for Like<'static> {
    type Kernel = LikeKernel;
}

/// Tests whether each row matches its own pattern. If the text or the pattern is null, the result is null. After the
/// escape character, `_`, `%` and the escape character are ordinary characters.
#[derive(Clone, Copy, Debug)]
pub struct LikeColumns<'a> {
    pub input: ColumnIn<'a>,
    pub target: ColumnIn<'a>,
    pub bytes: Bytes,
    pub target_bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub escape: u32,
    pub escape_bytes: Bytes32,
}

arguments!(LikeColumns { input, target, bytes, target_bytes, out, escape, escape_bytes } scratch {});

impl OneKernel for LikeColumns<'static> {
    const ID: KernelId = KernelId::new(image::STRINGS, 30);
}

/// Makes at most `capacity` copies. The kernel uses ticket 34 and zeroed\[447\].
#[derive(Clone, Copy, Debug)]
pub struct LongCopies<'a> {
    pub copies: Out<'a, LongCopy<'a>>,
    pub capacity: i64,
}

arguments!(LongCopies { copies, capacity } scratch {});

/// The kernels that take [`LongCopies`](struct@LongCopies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongCopiesKernel {
    /// Makes at most `capacity` copies. The kernel uses ticket 34 and zeroed\[447\].
    All,
}

impl From<LongCopiesKernel> for KernelId {
    fn from(kernel: LongCopiesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                LongCopiesKernel::All => 34,
            },
        )
    }
}

impl Family for LongCopies<'static> {
    type Kernel = LongCopiesKernel;
}

/// Writes, for each row and each permutation, the smallest permuted 32-bit hash.
#[derive(Clone, Copy, Debug)]
pub struct Minhash<'a> {
    pub out: ColumnOut<'a>,
    pub p: MinhashParameters<'a>,
}

arguments!(Minhash { out, p } scratch {});

/// The kernels that take [`Minhash`](struct@Minhash).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinhashKernel {
    /// Writes, for each row and each permutation, the smallest permuted 32-bit hash.
    Int,
    /// Does the same as minhash\_int\_kernel, for 64-bit hashes.
    Long,
}

impl From<MinhashKernel> for KernelId {
    fn from(kernel: MinhashKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                MinhashKernel::Int => 35,
                MinhashKernel::Long => 36,
            },
        )
    }
}

impl Family for Minhash<'static> {
    type Kernel = MinhashKernel;
}

/// Arguments of `normalize_spaces_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct NormalizeSpaces<'a> {
    pub out: ColumnOut<'a>,
    pub p: TokensParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(NormalizeSpaces { out, p, counts } scratch { mailbox });

/// The kernels that take [`NormalizeSpaces`](struct@NormalizeSpaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalizeSpacesKernel {
    TextWrite,
}

impl From<NormalizeSpacesKernel> for KernelId {
    fn from(kernel: NormalizeSpacesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                NormalizeSpacesKernel::TextWrite => 37,
            },
        )
    }
}

impl Family for NormalizeSpaces<'static> {
    type Kernel = NormalizeSpacesKernel;
}

/// Arguments of `pad_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Pad<'a> {
    pub out: ColumnOut<'a>,
    pub p: PadParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Pad { out, p, counts } scratch { mailbox });

/// The kernels that take [`Pad`](struct@Pad).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PadKernel {
    TextWrite,
}

impl From<PadKernel> for KernelId {
    fn from(kernel: PadKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                PadKernel::TextWrite => 38,
            },
        )
    }
}

impl Family for Pad<'static> {
    type Kernel = PadKernel;
}

/// Arguments of `regex_chain_guess_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct RegexChain<'a> {
    pub p: RegexChainRequest<'a>,
}

arguments!(RegexChain { p });

/// The kernels that take [`RegexChain`](struct@RegexChain).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegexChainKernel {
    Guess,
    /// Joins the searches of the chunks of a row to one search. If `values` is not null, the kernel also writes the answer
    /// for the row: the number of its matches, or the character at which the first match begins.
    Link,
}

impl From<RegexChainKernel> for KernelId {
    fn from(kernel: RegexChainKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RegexChainKernel::Guess => 39,
                RegexChainKernel::Link => 40,
            },
        )
    }
}

impl Family for RegexChain<'static> {
    type Kernel = RegexChainKernel;
}

/// Writes the number of matches, or the character at which the first match begins (-1 without a match).
#[derive(Clone, Copy, Debug)]
pub struct RegexSearch<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: RegexSearchQuestion<'a>,
}

arguments!(RegexSearch { input, bytes, out, p } scratch {});

/// The kernels that take [`RegexSearch`](struct@RegexSearch).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegexSearchKernel {
    /// Writes the number of matches, or the character at which the first match begins (-1 without a match).
    Number,
    Test,
    /// Does the same as `test`, for columns of few or long rows.
    TestLongRows,
}

impl From<RegexSearchKernel> for KernelId {
    fn from(kernel: RegexSearchKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RegexSearchKernel::Number => 41,
                RegexSearchKernel::Test => 42,
                RegexSearchKernel::TestLongRows => 43,
            },
        )
    }
}

impl Family for RegexSearch<'static> {
    type Kernel = RegexSearchKernel;
}

/// Writes the spans of long rows. An earlier launch has handled the short rows.
#[derive(Clone, Copy, Debug)]
pub struct RegexSpans<'a> {
    pub out: ColumnOut<'a>,
    pub p: RegexSpansRequest<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(RegexSpans { out, p, counts } scratch { mailbox });

/// The kernels that take [`RegexSpans`](struct@RegexSpans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegexSpansKernel {
    /// Writes the spans of long rows. An earlier launch has handled the short rows.
    ChunksWrite,
    /// Writes the groups of the first match of each row. The groups of long rows become absent, and a later launch writes
    /// them.
    First,
    /// Writes the groups of the first match of long rows. An earlier launch has handled the short rows.
    FirstOfChunks,
    /// Writes lists of the parts. No list is null.
    Lists,
    PartsSizes,
    PartsWrite,
}

impl From<RegexSpansKernel> for KernelId {
    fn from(kernel: RegexSpansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RegexSpansKernel::ChunksWrite => 44,
                RegexSpansKernel::First => 45,
                RegexSpansKernel::FirstOfChunks => 46,
                RegexSpansKernel::Lists => 47,
                RegexSpansKernel::PartsSizes => 48,
                RegexSpansKernel::PartsWrite => 49,
            },
        )
    }
}

impl Family for RegexSpans<'static> {
    type Kernel = RegexSpansKernel;
}

/// Arguments of `repeat_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Repeat<'a> {
    pub out: ColumnOut<'a>,
    pub p: RepeatParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Repeat { out, p, counts } scratch { mailbox });

/// The kernels that take [`Repeat`](struct@Repeat).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatKernel {
    TextWrite,
}

impl From<RepeatKernel> for KernelId {
    fn from(kernel: RepeatKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RepeatKernel::TextWrite => 50,
            },
        )
    }
}

impl Family for Repeat<'static> {
    type Kernel = RepeatKernel;
}

/// Computes the number of result bytes of each chunk of a long row.
#[derive(Clone, Copy, Debug)]
pub struct Replace<'a> {
    pub out: ColumnOut<'a>,
    pub p: ReplaceParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Replace { out, p, counts } scratch { mailbox });

/// The kernels that take [`Replace`](struct@Replace).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceKernel {
    /// Computes the number of result bytes of each chunk of a long row.
    ChunksSizes,
    /// Writes the text of the long rows. An earlier launch has written the short rows.
    ChunksWrite,
    TextSizes,
    TextWrite,
}

impl From<ReplaceKernel> for KernelId {
    fn from(kernel: ReplaceKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ReplaceKernel::ChunksSizes => 51,
                ReplaceKernel::ChunksWrite => 52,
                ReplaceKernel::TextSizes => 59,
                ReplaceKernel::TextWrite => 60,
            },
        )
    }
}

impl Family for Replace<'static> {
    type Kernel = ReplaceKernel;
}

/// Arguments of `replace_multiple_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ReplaceMultiple<'a> {
    pub out: ColumnOut<'a>,
    pub p: ReplaceMultipleParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ReplaceMultiple { out, p, counts } scratch { mailbox });

/// The kernels that take [`ReplaceMultiple`](struct@ReplaceMultiple).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceMultipleKernel {
    TextWrite,
}

impl From<ReplaceMultipleKernel> for KernelId {
    fn from(kernel: ReplaceMultipleKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ReplaceMultipleKernel::TextWrite => 53,
            },
        )
    }
}

impl Family for ReplaceMultiple<'static> {
    type Kernel = ReplaceMultipleKernel;
}

/// Computes the number of result bytes of each chunk of a long row, and stores the number as the exit of the chunk.
#[derive(Clone, Copy, Debug)]
pub struct ReplaceRe<'a> {
    pub out: ColumnOut<'a>,
    pub p: ReplaceReReplacement<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ReplaceRe { out, p, counts } scratch { mailbox });

/// The kernels that take [`ReplaceRe`](struct@ReplaceRe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceReKernel {
    /// Computes the number of result bytes of each chunk of a long row, and stores the number as the exit of the chunk.
    ChunksSizes,
    /// Writes the text of the long rows. An earlier launch has written the short rows.
    ChunksWrite,
    TextSizes,
    TextWrite,
}

impl From<ReplaceReKernel> for KernelId {
    fn from(kernel: ReplaceReKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ReplaceReKernel::ChunksSizes => 54,
                ReplaceReKernel::ChunksWrite => 55,
                ReplaceReKernel::TextSizes => 56,
                ReplaceReKernel::TextWrite => 57,
            },
        )
    }
}

impl Family for ReplaceRe<'static> {
    type Kernel = ReplaceReKernel;
}

/// Arguments of `replace_slice_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ReplaceSlice<'a> {
    pub out: ColumnOut<'a>,
    pub p: ReplaceSliceParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ReplaceSlice { out, p, counts } scratch { mailbox });

/// The kernels that take [`ReplaceSlice`](struct@ReplaceSlice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceSliceKernel {
    TextWrite,
}

impl From<ReplaceSliceKernel> for KernelId {
    fn from(kernel: ReplaceSliceKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ReplaceSliceKernel::TextWrite => 58,
            },
        )
    }
}

impl Family for ReplaceSlice<'static> {
    type Kernel = ReplaceSliceKernel;
}

/// Writes booleans. The target is the same for all rows.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: SearchParameters<'a>,
}

arguments!(Search { input, bytes, out, p } scratch {});

/// The kernels that take [`Search`](struct@Search).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchKernel {
    /// Writes booleans. The target is the same for all rows.
    Bool,
    /// Writes whether rows start with, or end with, one text. The kernel reads only the bytes at that end of a row.
    Ends,
    /// Writes 32-bit numbers. The target is the same for all rows.
    Int,
    /// Writes 64-bit numbers. The target is the same for all rows.
    Long,
    /// Does the same as `bool`, for columns of few or long rows.
    LongRowsBool,
    /// Does the same as `int`, for columns of few or long rows.
    LongRowsInt,
    /// Does the same as `long`, for columns of few or long rows.
    LongRowsLong,
}

impl From<SearchKernel> for KernelId {
    fn from(kernel: SearchKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                SearchKernel::Bool => 61,
                SearchKernel::Ends => 63,
                SearchKernel::Int => 64,
                SearchKernel::Long => 65,
                SearchKernel::LongRowsBool => 66,
                SearchKernel::LongRowsInt => 67,
                SearchKernel::LongRowsLong => 68,
            },
        )
    }
}

impl Family for Search<'static> {
    type Kernel = SearchKernel;
}

/// Does the same as the other kernels of the family, with a target for each row in `target`. The results are booleans
/// or numbers, according to the type of `out`. A result is null if one of its two texts is null.
#[derive(Clone, Copy, Debug)]
pub struct SearchColumns<'a> {
    pub input: ColumnIn<'a>,
    pub target: ColumnIn<'a>,
    pub bytes: Bytes,
    pub target_bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: SearchParameters<'a>,
}

arguments!(SearchColumns { input, target, bytes, target_bytes, out, p } scratch {});

impl OneKernel for SearchColumns<'static> {
    const ID: KernelId = KernelId::new(image::STRINGS, 62);
}

/// Tests whether rows contain each of several targets. If the text of a row is null, all results of the row are null,
/// and their bits are 0.
#[derive(Clone, Copy, Debug)]
pub struct SearchSeveral<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: Several<'a>,
}

arguments!(SearchSeveral { input, bytes, out, p } scratch {});

impl OneKernel for SearchSeveral<'static> {
    const ID: KernelId = KernelId::new(image::STRINGS, 69);
}

/// Arguments of `slice_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    pub out: ColumnOut<'a>,
    pub p: SliceParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Slice { out, p, counts } scratch { mailbox });

/// The kernels that take [`Slice`](struct@Slice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceKernel {
    TextWrite,
}

impl From<SliceKernel> for KernelId {
    fn from(kernel: SliceKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                SliceKernel::TextWrite => 70,
            },
        )
    }
}

impl Family for Slice<'static> {
    type Kernel = SliceKernel;
}

/// Posts to the mailbox the largest number of spans of a row, followed by the number of bytes of each of
/// `most_columns` columns.
#[derive(Clone, Copy, Debug)]
pub struct SpanColumns<'a> {
    pub p: SpanColumnsParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(SpanColumns { p, counts } scratch { mailbox });

/// The kernels that take [`SpanColumns`](struct@SpanColumns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanColumnsKernel {
    /// Posts to the mailbox the largest number of spans of a row, followed by the number of bytes of each of
    /// `most_columns` columns.
    Totals,
    /// Writes the columns.
    Write,
}

impl From<SpanColumnsKernel> for KernelId {
    fn from(kernel: SpanColumnsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                SpanColumnsKernel::Totals => 71,
                SpanColumnsKernel::Write => 72,
            },
        )
    }
}

impl Family for SpanColumns<'static> {
    type Kernel = SpanColumnsKernel;
}

/// Counts the delimiters of each chunk of a long row.
#[derive(Clone, Copy, Debug)]
pub struct Split<'a> {
    pub out: ColumnOut<'a>,
    pub p: SplitParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Split { out, p, counts } scratch { mailbox });

/// The kernels that take [`Split`](struct@Split).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitKernel {
    /// Counts the delimiters of each chunk of a long row.
    ChunksSizes,
    /// Writes the spans of the pieces of long rows. The short rows have been handled by an earlier launch.
    ChunksWrite,
    Lists,
    TextSizes,
    TextWrite,
}

impl From<SplitKernel> for KernelId {
    fn from(kernel: SplitKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                SplitKernel::ChunksSizes => 73,
                SplitKernel::ChunksWrite => 74,
                SplitKernel::Lists => 75,
                SplitKernel::TextSizes => 77,
                SplitKernel::TextWrite => 78,
            },
        )
    }
}

impl Family for Split<'static> {
    type Kernel = SplitKernel;
}

/// Arguments of `split_part_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct SplitPart<'a> {
    pub out: ColumnOut<'a>,
    pub p: SplitPartParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(SplitPart { out, p, counts } scratch { mailbox });

/// The kernels that take [`SplitPart`](struct@SplitPart).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitPartKernel {
    TextWrite,
}

impl From<SplitPartKernel> for KernelId {
    fn from(kernel: SplitPartKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                SplitPartKernel::TextWrite => 76,
            },
        )
    }
}

impl Family for SplitPart<'static> {
    type Kernel = SplitPartKernel;
}

/// Arguments of `strip_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Strip<'a> {
    pub out: ColumnOut<'a>,
    pub p: StripParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Strip { out, p, counts } scratch { mailbox });

/// The kernels that take [`Strip`](struct@Strip).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StripKernel {
    TextWrite,
}

impl From<StripKernel> for KernelId {
    fn from(kernel: StripKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                StripKernel::TextWrite => 79,
            },
        )
    }
}

impl Family for Strip<'static> {
    type Kernel = StripKernel;
}

/// Arguments of `to_case_lower_bytes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ToCase<'a> {
    pub out: ColumnOut<'a>,
    pub p: ToCaseParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ToCase { out, p, counts } scratch { mailbox });

/// The kernels that take [`ToCase`](struct@ToCase).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToCaseKernel {
    LowerBytes,
    /// Finds the sizes of the results of chunks.
    LowerChunksSizes,
    /// Writes the results of chunks.
    LowerChunksWrite,
    LowerWrite,
    MixedBytes,
    /// Finds the sizes of the results of chunks.
    MixedChunksSizes,
    /// Writes the results of chunks.
    MixedChunksWrite,
    MixedWrite,
    UpperBytes,
    /// Finds the sizes of the results of chunks.
    UpperChunksSizes,
    /// Writes the results of chunks.
    UpperChunksWrite,
    UpperWrite,
}

impl From<ToCaseKernel> for KernelId {
    fn from(kernel: ToCaseKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToCaseKernel::LowerBytes => 80,
                ToCaseKernel::LowerChunksSizes => 81,
                ToCaseKernel::LowerChunksWrite => 82,
                ToCaseKernel::LowerWrite => 83,
                ToCaseKernel::MixedBytes => 84,
                ToCaseKernel::MixedChunksSizes => 85,
                ToCaseKernel::MixedChunksWrite => 86,
                ToCaseKernel::MixedWrite => 87,
                ToCaseKernel::UpperBytes => 88,
                ToCaseKernel::UpperChunksSizes => 89,
                ToCaseKernel::UpperChunksWrite => 90,
                ToCaseKernel::UpperWrite => 91,
            },
        )
    }
}

impl Family for ToCase<'static> {
    type Kernel = ToCaseKernel;
}

/// Parses texts as decimals of the width of the rows of `out`. For the test, the kernel writes whether each text is a
/// decimal.
#[derive(Clone, Copy, Debug)]
pub struct ToDecimals<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: DecimalFormat,
}

arguments!(ToDecimals { input, bytes, out, p } scratch {});

/// The kernels that take [`ToDecimals`](struct@ToDecimals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToDecimalsKernel {
    /// Parses texts as decimals of the width of the rows of `out`. For the test, the kernel writes whether each text is a
    /// decimal.
    Wide,
}

impl From<ToDecimalsKernel> for KernelId {
    fn from(kernel: ToDecimalsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToDecimalsKernel::Wide => 92,
            },
        )
    }
}

impl Family for ToDecimals<'static> {
    type Kernel = ToDecimalsKernel;
}

/// Parses texts as floats of the width of the rows of `out`. For the test, the kernel writes whether each text is a
/// float.
#[derive(Clone, Copy, Debug)]
pub struct ToFloats<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: FloatFormat,
}

arguments!(ToFloats { input, bytes, out, p } scratch {});

/// The kernels that take [`ToFloats`](struct@ToFloats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToFloatsKernel {
    /// Parses texts as floats of the width of the rows of `out`. For the test, the kernel writes whether each text is a
    /// float.
    Words,
}

impl From<ToFloatsKernel> for KernelId {
    fn from(kernel: ToFloatsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToFloatsKernel::Words => 93,
            },
        )
    }
}

impl Family for ToFloats<'static> {
    type Kernel = ToFloatsKernel;
}

/// Arguments of `to_integers_any_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ToIntegers<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: IntegerFormat,
}

arguments!(ToIntegers { input, bytes, out, p } scratch {});

/// The kernels that take [`ToIntegers`](struct@ToIntegers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToIntegersKernel {
    Any,
    /// Parses texts of decimal digits as integers of the width of the rows of `out`. For the test, the kernel writes
    /// whether each text is an integer. The last bytes of all rows of a thread are loaded together, because the latency of
    /// memory limits the speed.
    Digits,
    /// Parses texts as hexadecimal numbers or IPv4 addresses of the width of the rows of `out`. For the tests, the kernel
    /// writes whether each text is valid.
    Words,
}

impl From<ToIntegersKernel> for KernelId {
    fn from(kernel: ToIntegersKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToIntegersKernel::Any => 94,
                ToIntegersKernel::Digits => 95,
                ToIntegersKernel::Words => 96,
            },
        )
    }
}

impl Family for ToIntegers<'static> {
    type Kernel = ToIntegersKernel;
}

/// Parses texts as timestamps or durations, which have the width of the rows of `out`. If `out` is boolean, the kernel
/// writes whether each text can be parsed.
#[derive(Clone, Copy, Debug)]
pub struct ToTimes<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: TimeFormat,
}

arguments!(ToTimes { input, bytes, out, p } scratch {});

/// The kernels that take [`ToTimes`](struct@ToTimes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToTimesKernel {
    /// Parses texts as timestamps or durations, which have the width of the rows of `out`. If `out` is boolean, the kernel
    /// writes whether each text can be parsed.
    Words,
}

impl From<ToTimesKernel> for KernelId {
    fn from(kernel: ToTimesKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToTimesKernel::Words => 97,
            },
        )
    }
}

impl Family for ToTimes<'static> {
    type Kernel = ToTimesKernel;
}

/// Arguments of `to_views_text_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ToViews<'a> {
    pub input: ColumnIn<'a>,
    pub bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub p: ToViewsOrigin<'a>,
}

arguments!(ToViews { input, bytes, out, p } scratch {});

/// The kernels that take [`ToViews`](struct@ToViews).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToViewsKernel {
    Text,
}

impl From<ToViewsKernel> for KernelId {
    fn from(kernel: ToViewsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToViewsKernel::Text => 98,
            },
        )
    }
}

impl Family for ToViews<'static> {
    type Kernel = ToViewsKernel;
}

/// Arguments of `tokens_lists_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    pub out: ColumnOut<'a>,
    pub p: TokensParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Tokens { out, p, counts } scratch { mailbox });

/// The kernels that take [`Tokens`](struct@Tokens).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokensKernel {
    Lists,
    TextSizes,
    TextWrite,
}

impl From<TokensKernel> for KernelId {
    fn from(kernel: TokensKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                TokensKernel::Lists => 99,
                TokensKernel::TextSizes => 100,
                TokensKernel::TextWrite => 101,
            },
        )
    }
}

impl Family for Tokens<'static> {
    type Kernel = TokensKernel;
}

/// Arguments of `translate_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Translate<'a> {
    pub out: ColumnOut<'a>,
    pub p: TranslateParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Translate { out, p, counts } scratch { mailbox });

/// The kernels that take [`Translate`](struct@Translate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TranslateKernel {
    TextWrite,
}

impl From<TranslateKernel> for KernelId {
    fn from(kernel: TranslateKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                TranslateKernel::TextWrite => 102,
            },
        )
    }
}

impl Family for Translate<'static> {
    type Kernel = TranslateKernel;
}

/// Arguments of `url_decode_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Url<'a> {
    pub out: ColumnOut<'a>,
    pub p: UrlParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Url { out, p, counts } scratch { mailbox });

/// The kernels that take [`Url`](struct@Url).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UrlKernel {
    DecodeWrite,
    EncodeWrite,
}

impl From<UrlKernel> for KernelId {
    fn from(kernel: UrlKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                UrlKernel::DecodeWrite => 103,
                UrlKernel::EncodeWrite => 104,
            },
        )
    }
}

impl Family for Url<'static> {
    type Kernel = UrlKernel;
}

/// Arguments of `views_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Views<'a> {
    pub out: ColumnOut<'a>,
    pub p: ViewsSource<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Views { out, p, counts } scratch { mailbox });

/// The kernels that take [`Views`](struct@Views).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewsKernel {
    TextWrite,
}

impl From<ViewsKernel> for KernelId {
    fn from(kernel: ViewsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ViewsKernel::TextWrite => 105,
            },
        )
    }
}

impl Family for Views<'static> {
    type Kernel = ViewsKernel;
}

/// Arguments of `wrap_text_write_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Wrap<'a> {
    pub out: ColumnOut<'a>,
    pub p: WrapParameters<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Wrap { out, p, counts } scratch { mailbox });

/// The kernels that take [`Wrap`](struct@Wrap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrapKernel {
    TextWrite,
}

impl From<WrapKernel> for KernelId {
    fn from(kernel: WrapKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                WrapKernel::TextWrite => 106,
            },
        )
    }
}

impl Family for Wrap<'static> {
    type Kernel = WrapKernel;
}
