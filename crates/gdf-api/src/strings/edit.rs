//! Text made longer or shorter, and parts of it replaced.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::strings as detail;
pub use gdf_detail::strings::Side;

use crate::scope::Scope;

/// Each row of text with `fill` added on one side, or both, until it has `width` characters; longer rows stay as they are.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The width is an integer of any type: a column, a scalar or a literal.
///
/// Shapes: a row for each row. Null where the text or the width is. Order: that of the input. Of an odd number of characters on
/// both sides, the side of the one more is that of Python's `center`. In libcudf `strings::pad`, in polars `str.pad_start`, in
/// SQL `LPAD`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{Side, pad};
///
/// let column = Column::from_strs([Some("7"), None, Some("größer")])?;
/// let padded = pad(&column, 3, Side::Left, '·')?;
/// assert_eq!(padded.to_strings()?, [Some("··7".to_owned()), None, Some("größer".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the width is no integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch) of a column of them.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("ljust", "rjust", "center", "lpad", "rpad", "pad_start", "pad_end", "str.pad"))]
pub fn pad<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    width: impl Into<Operand<'b>>,
    side: Side,
    fill: char,
) -> Result<Column> {
    let (column, width) = (column.into(), width.into());
    Scope::for_inputs("pad", &[&column, &width])?
        .run_decoded(column, |column, ctx| detail::pad(column, width, side, fill, ctx))
}

/// Each row of text `count` times, one after another; without text where the count is negative.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The count is an integer of any type: a column, a scalar or a literal.
///
/// Shapes: a row for each row. Null where the text or the count is. Order: that of the input. In libcudf
/// `strings::repeat_strings`, in pandas `str.repeat`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::repeat;
///
/// let column = Column::from_strs(["ab", "c"])?;
/// assert_eq!(repeat(&column, 2)?.to_strings()?, [Some("abab".to_owned()), Some("cc".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the count is no integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch) of a column of them.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("repeat_strings", "str.repeat", "replicate"))]
pub fn repeat<'a, 'b>(column: impl Into<ColumnView<'a>>, count: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, count) = (column.into(), count.into());
    Scope::for_inputs("repeat", &[&column, &count])?
        .run_decoded(column, |column, ctx| detail::repeat(column, count, ctx))
}

/// Each row of text with `target` replaced wherever it occurs, byte for byte; from the left `max` times at most.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Target and replacement are texts: columns, scalars or literals.
///
/// Shapes: a row for each row. Null where any of them is. Order: that of the input. An empty target occurs nowhere. In libcudf
/// `strings::replace`, in pandas `str.replace(regex=False)`, in polars `str.replace_all(literal=True)`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::replace;
///
/// let column = Column::from_strs([Some("a-b-c"), None])?;
/// assert_eq!(replace(&column, "-", "::", None)?.to_strings()?, [Some("a::b::c".to_owned()), None]);
/// assert_eq!(replace(&column, "-", "", Some(1))?.to_strings()?, [Some("ab-c".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): target or replacement are no text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch) of a column of them.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("replace_all", "str.replace", "substitute"))]
pub fn replace<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    target: impl Into<Operand<'b>>,
    replacement: impl Into<Operand<'c>>,
    max: Option<usize>,
) -> Result<Column> {
    let (column, target, replacement) = (column.into(), target.into(), replacement.into());
    Scope::for_inputs("replace", &[&column, &target, &replacement])?
        .run_decoded(column, |column, ctx| detail::replace(column, target, replacement, max, ctx))
}

/// Each row of text with each of several targets replaced by its replacement, wherever it occurs.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Targets and replacements are columns of text, of which the second has
/// as many rows as the first, or one for all.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. At each place the first target that occurs there is the
/// one that is replaced. Null and empty targets occur nowhere, null replacements have no text. In libcudf
/// `strings::replace_multiple`, in polars `str.replace_many`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::replace_multiple;
///
/// let (column, targets) = (Column::from_strs(["cat and dog"])?, Column::from_strs(["cat", "dog"])?);
/// let swapped = replace_multiple(&column, &targets, &Column::from_strs(["dog", "cat"])?)?;
/// assert_eq!(swapped.to_strings()?, [Some("dog and cat".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): neither one replacement nor as many as targets.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("replace_many", "replace_all"))]
pub fn replace_multiple<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    targets: impl Into<ColumnView<'b>>,
    replacements: impl Into<ColumnView<'c>>,
) -> Result<Column> {
    let (column, targets, replacements) = (column.into(), targets.into(), replacements.into());
    Scope::for_inputs("replace_multiple", &[&column, &targets, &replacements])?
        .run_decoded(column, |column, ctx| detail::replace_multiple(column, targets, replacements, ctx))
}

/// Each row of text with its characters from `start` on, before `stop` or to the end, replaced; what begins beyond the end is
/// added to it.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The replacement is a text: a column, a scalar or a literal.
///
/// Shapes: a row for each row. Null where the text or the replacement is. Order: that of the input. In libcudf
/// `strings::replace_slice`, in pandas `str.slice_replace`, in SQL `OVERLAY`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::replace_slice;
///
/// let column = Column::from_strs(["größer", "g"])?;
/// let replaced = replace_slice(&column, "_", 2, Some(4))?;
/// assert_eq!(replaced.to_strings()?, [Some("gr_er".to_owned()), Some("g_".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the replacement is no text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch).
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `stop` comes before `start`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("slice_replace", "overlay", "stuff"))]
pub fn replace_slice<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    replacement: impl Into<Operand<'b>>,
    start: usize,
    stop: Option<usize>,
) -> Result<Column> {
    let (column, replacement) = (column.into(), replacement.into());
    Scope::for_inputs("replace_slice", &[&column, &replacement])?
        .run_decoded(column, |column, ctx| detail::replace_slice(column, replacement, start, stop, ctx))
}

/// Every `step`-th character of each row of text from character `start` on, before `stop`, as Python slices.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The bounds are integers of any type: columns, scalars or literals.
/// Negative ones count from the end; null, as `None::<i64>`, is the end of the text that `step` comes from, or goes to.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::slice_strings`, in pandas
/// `str.slice` and `str[…]`, in polars `str.slice`, in SQL `SUBSTRING`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::slice;
///
/// let column = Column::from_strs([Some("größer"), None])?;
/// assert_eq!(slice(&column, 1, 3, 1)?.to_strings()?, [Some("rö".to_owned()), None]);
/// assert_eq!(slice(&column, -2, None::<i64>, 1)?.to_strings()?, [Some("er".to_owned()), None]);
/// assert_eq!(slice(&column, None::<i64>, None::<i64>, -1)?.to_strings()?, [Some("reßörg".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): a bound is no integer; [`LengthMismatch`](gdf_core::Error::LengthMismatch)
///   of a column of them.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a step of 0.
/// * Driver and memory errors.
#[doc(alias("slice_strings", "substring", "substr", "left", "right", "str.head", "str.tail", "str.get", "mid"))]
pub fn slice<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    start: impl Into<Operand<'b>>,
    stop: impl Into<Operand<'c>>,
    step: i64,
) -> Result<Column> {
    let (column, start, stop) = (column.into(), start.into(), stop.into());
    Scope::for_inputs("slice", &[&column, &start, &stop])?
        .run_decoded(column, |column, ctx| detail::slice(column, start, stop, step, ctx))
}

/// Each row of text without the characters that it begins with, ends with, or both, as long as these are among `characters`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The characters are a text: a column, a scalar or a literal; an empty
/// one stands for white space as Unicode has it.
///
/// Shapes: a row for each row. Null where either text is. Order: that of the input. In libcudf `strings::strip`, in polars
/// `str.strip_chars`, in SQL `TRIM`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{Side, strip};
///
/// let column = Column::from_strs([Some("  a b\n"), None, Some("--x-")])?;
/// assert_eq!(strip(&column, Side::Both, "")?.to_strings()?[0].as_deref(), Some("a b"));
/// assert_eq!(strip(&column, Side::Left, "-")?.to_strings()?[2].as_deref(), Some("x-"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the characters are no text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch) of a column of them.
/// * Driver and memory errors.
#[doc(alias("trim", "ltrim", "rtrim", "btrim", "lstrip", "rstrip", "strip_chars"))]
pub fn strip<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    side: Side,
    characters: impl Into<Operand<'b>>,
) -> Result<Column> {
    let (column, characters) = (column.into(), characters.into());
    Scope::for_inputs("strip", &[&column, &characters])?
        .run_decoded(column, |column, ctx| detail::strip(column, side, characters, ctx))
}

/// Each row of text with zeros added before it, after a sign, until it has `width` characters; longer rows stay as they are.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The width is an integer of any type: a column, a scalar or a literal.
///
/// Shapes: a row for each row. Null where the text or the width is. Order: that of the input. In libcudf `strings::zfill` and
/// `zfill_by_widths`, in pandas and polars `str.zfill`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::zfill;
///
/// let column = Column::from_strs(["-7", "42"])?;
/// assert_eq!(zfill(&column, 4)?.to_strings()?, [Some("-007".to_owned()), Some("0042".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the width is no integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch) of a column of them.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("zfill_by_widths", "str.zfill"))]
pub fn zfill<'a, 'b>(column: impl Into<ColumnView<'a>>, width: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, width) = (column.into(), width.into());
    Scope::for_inputs("zfill", &[&column, &width])?.run_decoded(column, |column, ctx| detail::zfill(column, width, ctx))
}
