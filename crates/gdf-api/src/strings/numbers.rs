//! Text to and from numbers: the functions of [`strings`](crate::strings) that convert.

use gdf_core::{Column, ColumnView, DataType, Operand, Result};

use crate::scope::Scope;

/// The integers that rows of text are: decimal digits after an optional sign, and nothing else.
///
/// # Types
/// `Utf8` and `LargeUtf8` to integers of 8 to 64 bits.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such number becomes null: the result's null count beside the
/// column's says whether there was any. Order: that of the input. A number that the type does not
/// have is null, as is one with a minus of an unsigned type. In libcudf `strings::to_integers`, which reads as much of a text as is a
/// number; in polars `str.to_integer(strict=False)`, in Rust `str::parse`.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::to_integers;
///
/// let column = Column::from_strs([Some("-12"), None, Some("1.5"), Some("300")])?;
/// assert_eq!(to_integers(&column, &DataType::Int8)?.to_vec::<i8>()?, [Some(-12), None, None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("parse_int", "str.to_integer", "CAST AS INTEGER", "astype"))]
pub fn to_integers<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_integers", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_integers(column, output_type, ctx))
}

/// Whether each row of text is an integer: of any size, or one that `data_type` has.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. What [`to_integers`] gives a value for. In libcudf
/// `strings::is_integer`.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::is_integer;
///
/// let column = Column::from_strs([Some("-12"), None, Some("300")])?;
/// assert_eq!(is_integer(&column, Some(&DataType::Int8))?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isdigit", "try_cast"))]
pub fn is_integer<'a>(column: impl Into<ColumnView<'a>>, data_type: Option<&DataType>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_integer", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_integer(column, data_type, ctx))
}

/// The text of each integer, in decimal digits.
///
/// # Types
/// Integers of 8 to 64 bits; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::from_integers`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::from_integers;
///
/// let column = Column::from_options(&[Some(-12), None])?;
/// assert_eq!(from_integers(&column)?.to_strings()?, [Some("-12".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("to_string", "CAST AS VARCHAR", "str.from_integer"))]
pub fn from_integers<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_integers", &[&column])?.run_decoded(column, gdf_detail::strings::from_integers)
}

/// The integers whose bits rows of text are in hexadecimal digits, with or without `0x` before them.
///
/// # Types
/// `Utf8` and `LargeUtf8` to integers of 8 to 64 bits.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such number becomes null: the result's null count beside the
/// column's says whether there was any. Order: that of the input. As many bits as the type has
/// fit: `ff` is −1 as `Int8`. In libcudf `strings::hex_to_integers`, which drops bits that do not fit.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::hex_to_integers;
///
/// let column = Column::from_strs([Some("0x1F"), None, Some("ff"), Some("1G")])?;
/// assert_eq!(hex_to_integers(&column, &DataType::Int8)?.to_vec::<i8>()?, [Some(31), None, Some(-1), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("from_hex", "UNHEX"))]
pub fn hex_to_integers<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("hex_to_integers", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::hex_to_integers(column, output_type, ctx))
}

/// Whether each row of text is a hexadecimal number of any size, with or without `0x` before it.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::is_hex`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_hex;
///
/// let column = Column::from_strs([Some("0x1F"), None, Some("1G")])?;
/// assert_eq!(is_hex(&column)?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isxdigit"))]
pub fn is_hex<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_hex", &[&column])?.run_decoded(column, gdf_detail::strings::is_hex)
}

/// The text of the bits of each integer in hexadecimal digits: two for each byte, from the first byte on that is not 0.
///
/// # Types
/// Integers of 8 to 64 bits; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::integers_to_hex`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::integers_to_hex;
///
/// let column = Column::from_options(&[Some(0x1ff), None, Some(-1)])?;
/// let texts = [Some("01FF".to_owned()), None, Some("FFFFFFFF".to_owned())];
/// assert_eq!(integers_to_hex(&column)?.to_strings()?, texts);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("HEX", "to_hex"))]
pub fn integers_to_hex<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("integers_to_hex", &[&column])?.run_decoded(column, gdf_detail::strings::integers_to_hex)
}

/// The addresses of IPv4 that rows of text are, four numbers between points, as integers.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `UInt32`.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such number becomes null: the result's null count beside the
/// column's says whether there was any. Order: that of the input. Each number has one to three
/// digits. In libcudf `strings::ipv4_to_integers`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::ipv4_to_integers;
///
/// let column = Column::from_strs([Some("1.2.3.4"), None, Some("256.1.1.1")])?;
/// assert_eq!(ipv4_to_integers(&column)?.to_vec::<u32>()?, [Some(0x0102_0304), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("INET_ATON"))]
pub fn ipv4_to_integers<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("ipv4_to_integers", &[&column])?.run_decoded(column, gdf_detail::strings::ipv4_to_integers)
}

/// Whether each row of text is an address of IPv4: four numbers up to 255 between points.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. What [`ipv4_to_integers`] gives a value for. In libcudf
/// `strings::is_ipv4`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_ipv4;
///
/// let column = Column::from_strs([Some("1.2.3.4"), None, Some("1.2.3")])?;
/// assert_eq!(is_ipv4(&column)?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("IS_IPV4"))]
pub fn is_ipv4<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_ipv4", &[&column])?.run_decoded(column, gdf_detail::strings::is_ipv4)
}

/// The text of each address of IPv4: four numbers between points.
///
/// # Types
/// `UInt32`; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::integers_to_ipv4`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::integers_to_ipv4;
///
/// let column = Column::from_options(&[Some(0x0102_0304_u32), None])?;
/// assert_eq!(integers_to_ipv4(&column)?.to_strings()?, [Some("1.2.3.4".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("INET_NTOA"))]
pub fn integers_to_ipv4<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("integers_to_ipv4", &[&column])?.run_decoded(column, gdf_detail::strings::integers_to_ipv4)
}

/// The decimals that rows of text are: digits after an optional sign, with or without a point and an exponent.
///
/// Digits beyond those that the type shows are cut off, as casts of decimals do.
///
/// # Types
/// `Utf8` and `LargeUtf8` to decimals of every width.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such number becomes null: the result's null count beside the
/// column's says whether there was any. Order: that of the input. A number with more digits
/// than the type's precision is null. In libcudf `strings::to_fixed_point`, in polars `str.to_decimal`.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::to_fixed_point;
///
/// let column = Column::from_strs([Some("1.239"), None, Some("-2e1"), Some("a")])?;
/// assert_eq!(to_fixed_point(&column, &DataType::Decimal64(9, 2))?.to_vec::<i64>()?, [Some(123), None, Some(-2000), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("to_decimal", "CAST AS DECIMAL", "str.to_decimal"))]
pub fn to_fixed_point<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_fixed_point", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_fixed_point(column, output_type, ctx))
}

/// Whether each row of text is a decimal that `data_type` has, as [`to_fixed_point`] takes them.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::is_fixed_point`, which takes a sign or
/// a point alone for a number.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::is_fixed_point;
///
/// let column = Column::from_strs([Some("1.239"), None, Some("1234.5")])?;
/// assert_eq!(is_fixed_point(&column, &DataType::Decimal64(4, 1))?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isdecimal"))]
pub fn is_fixed_point<'a>(column: impl Into<ColumnView<'a>>, data_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_fixed_point", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_fixed_point(column, data_type, ctx))
}

/// The text of each decimal, with all digits that its type shows.
///
/// # Types
/// Decimals of every width; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. A negative scale gives zeros before the point. In libcudf
/// `strings::from_fixed_point`.
///
/// ```
/// use gdf::strings::from_fixed_point;
/// use gdf::{Column, DataType};
///
/// let column = Column::from_slice_typed(&[5_i64, -1234], &DataType::Decimal64(9, 2))?;
/// assert_eq!(from_fixed_point(&column)?.to_strings()?, [Some("0.05".to_owned()), Some("-12.34".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("decimal to string"))]
pub fn from_fixed_point<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_fixed_point", &[&column])?.run_decoded(column, gdf_detail::strings::from_fixed_point)
}

/// The text `yes` or `no` for each boolean.
///
/// # Types
/// `Boolean`; `yes` and `no` are `Utf8` or `LargeUtf8`, one text for all rows or a column with one for each. The result is `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Where the text is null, so is the result.
/// In libcudf `strings::from_booleans`. Back to booleans goes a comparison: `binaryop::eq(&column, "yes")`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::from_booleans;
///
/// let column = Column::from_options(&[Some(true), None, Some(false)])?;
/// let texts = [Some("yes".to_owned()), None, Some("no".to_owned())];
/// assert_eq!(from_booleans(&column, "yes", "no")?.to_strings()?, texts);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): a column of texts is of another length.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("bool to string"))]
pub fn from_booleans<'a, 'y, 'n>(
    column: impl Into<ColumnView<'a>>,
    yes: impl Into<Operand<'y>>,
    no: impl Into<Operand<'n>>,
) -> Result<Column> {
    let (column, yes, no) = (column.into(), yes.into(), no.into());
    Scope::for_inputs("from_booleans", &[&column, &yes, &no])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::from_booleans(column, yes, no, ctx))
}
