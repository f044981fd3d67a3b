//! Functions that pad, repeat, strip and slice text, and replace parts of text.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::strings as detail;
pub use gdf_detail::strings::Side;

use crate::scope::Scope;

/// Adds the character `fill` to one side or to both sides of each row of text until the row has `width` characters.
/// Longer rows stay as they are.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The width is an integer of any type: a column, a scalar or
/// a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the width is
/// null. Order: the order of the input. If an odd number of characters is added to both sides, the additional character
/// is on the same side as in Python's `str.center`. In libcudf `strings::pad`, in polars `str.pad_start`, in SQL
/// `LPAD`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the width is not an integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
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

/// Repeats each row of text `count` times. If the count is negative, the result is an empty text.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The count is an integer of any type: a column, a scalar or
/// a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the count is
/// null. Order: the order of the input. In libcudf `strings::repeat_strings`, in pandas `str.repeat`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the count is not an integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("repeat_strings", "str.repeat", "replicate"))]
pub fn repeat<'a, 'b>(column: impl Into<ColumnView<'a>>, count: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, count) = (column.into(), count.into());
    Scope::for_inputs("repeat", &[&column, &count])?
        .run_decoded(column, |column, ctx| detail::repeat(column, count, ctx))
}

/// Replaces every occurrence of `target` in each row of text, compared byte for byte. With `max`, only the first
/// `max` occurrences are replaced.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Target and replacement are texts: columns, scalars or
/// literals.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text, the target or
/// the replacement is null. Order: the order of the input. An empty target is never found. In libcudf
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
/// The function needs at most 1 wait for the device, and 1 more if rows are long. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the target or the replacement is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
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

/// Replaces every occurrence of each target in each row of text by the replacement of the target.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Targets and replacements are columns of text. There is one
/// replacement for each target, or one replacement for all targets.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. If several
/// targets occur at one place, the first of these targets is replaced. Null and empty targets are never found. A null
/// replacement counts as an empty text. In libcudf `strings::replace_multiple`, in polars `str.replace_many`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the number of replacements is neither one nor the number of
///   targets.
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

/// Replaces the characters `start .. stop`, or `start ..` without `stop`, of each row of text. If a row has fewer
/// than `start` characters, the replacement is added at its end.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The replacement is a text: a column, a scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// replacement is null. Order: the order of the input. In libcudf `strings::replace_slice`, in pandas
/// `str.slice_replace`, in SQL `OVERLAY`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the replacement is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `stop` is less than `start`.
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

/// Returns every `step`-th character of each row of text, from character `start` on and before character `stop`, like a
/// slice in Python.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The bounds are integers of any type: columns, scalars or
/// literals. A negative bound counts from the end of the text. A null bound, such as `None::<i64>`, means no limit on
/// that side. If `start` is null, the slice starts at the first character for a positive `step`, and at the last
/// character for a negative `step`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::slice_strings`, in pandas `str.slice` and `str[…]`, in polars `str.slice`, in SQL `SUBSTRING`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): a bound is not an integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
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

/// Removes leading characters, trailing characters, or both, from each row of text, up to the first character that is
/// not among `characters`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. `characters` is a text: a column, a scalar or a literal.
/// An empty text stands for Unicode white space.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where either text is null.
/// Order: the order of the input. In libcudf `strings::strip`, in polars `str.strip_chars`, in SQL `TRIM`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the characters are not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
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

/// Adds zeros at the beginning of each row of text, after the sign if there is one, until the row has `width`
/// characters. Longer rows stay as they are.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The width is an integer of any type: a column, a scalar or
/// a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the width is
/// null. Order: the order of the input. In libcudf `strings::zfill` and `zfill_by_widths`, in pandas and polars
/// `str.zfill`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the width is not an integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("zfill_by_widths", "str.zfill"))]
pub fn zfill<'a, 'b>(column: impl Into<ColumnView<'a>>, width: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, width) = (column.into(), width.into());
    Scope::for_inputs("zfill", &[&column, &width])?.run_decoded(column, |column, ctx| detail::zfill(column, width, ctx))
}
