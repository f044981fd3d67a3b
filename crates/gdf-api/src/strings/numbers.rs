//! Conversions between text and numbers. The functions are part of [`strings`](crate::strings).

use gdf_core::{Column, ColumnView, DataType, Operand, Result};

use crate::scope::Scope;

/// Parses each row of text as an integer: decimal digits after an optional sign, and nothing else.
///
/// # Types
/// `Utf8` and `LargeUtf8` to integers of 8 to 64 bits.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text becomes null in three cases: the
/// text is not an integer, the integer is out of the range of the type, or the type is unsigned and the text has a
/// minus. [`expect_converted`](super::expect_converted) finds such texts. Order: the order of the input. In libcudf
/// `strings::to_integers`, which parses the longest prefix that is an integer; in polars
/// `str.to_integer(strict=False)`, in Rust `str::parse`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Returns whether each row of text is an integer. If `data_type` is given, the integer must be in the range of that
/// type.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. With a
/// `data_type`, the result is true where [`to_integers`] of that type returns a value. Without a `data_type`, the
/// integer may have any size. In libcudf `strings::is_integer`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Writes each integer as text, in decimal digits.
///
/// # Types
/// Integers of 8 to 64 bits; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::from_integers`.
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
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Parses each row of text as the hexadecimal digits of the bits of an integer, with or without the prefix `0x` or
/// `0X`.
///
/// # Types
/// `Utf8` and `LargeUtf8` to integers of 8 to 64 bits.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text becomes null if it is not
/// hexadecimal, or if the number has more bits than the type. [`expect_converted`](super::expect_converted) finds such
/// texts. Order: the order of the input. A number may have as many bits as the type, so `ff` is −1 as `Int8`. In
/// libcudf `strings::hex_to_integers`, which drops excess bits.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Returns whether each row of text is a hexadecimal number of any size, with or without the prefix `0x` or `0X`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::is_hex`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isxdigit"))]
pub fn is_hex<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_hex", &[&column])?.run_decoded(column, gdf_detail::strings::is_hex)
}

/// Writes the bits of each integer as hexadecimal digits: two digits for each byte. Leading zero bytes are left out.
///
/// # Types
/// Integers of 8 to 64 bits; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::integers_to_hex`.
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
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Parses each row of text as an IPv4 address, four numbers separated by points, and returns the address as an
/// integer.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `UInt32`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text that is not an address becomes null;
/// [`expect_converted`](super::expect_converted) finds such texts. Order: the order of the input. Each number is at
/// most 255 and has one to three digits. In libcudf `strings::ipv4_to_integers`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("INET_ATON"))]
pub fn ipv4_to_integers<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("ipv4_to_integers", &[&column])?.run_decoded(column, gdf_detail::strings::ipv4_to_integers)
}

/// Returns whether each row of text is an IPv4 address: four numbers up to 255, separated by points.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The result
/// is true where [`ipv4_to_integers`] returns a value. In libcudf `strings::is_ipv4`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("IS_IPV4"))]
pub fn is_ipv4<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_ipv4", &[&column])?.run_decoded(column, gdf_detail::strings::is_ipv4)
}

/// Writes each IPv4 address as text: four numbers separated by points.
///
/// # Types
/// `UInt32`; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::integers_to_ipv4`.
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
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Parses each row of text as a decimal: digits after an optional sign, with or without a point and an exponent.
///
/// Digits beyond the scale of the type are truncated, as in casts of decimals.
///
/// # Types
/// `Utf8` and `LargeUtf8` to decimals of every width.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text becomes null if it is not a decimal,
/// or if the number has more digits than the precision of the type. [`expect_converted`](super::expect_converted) finds
/// such texts. Order: the order of the input. In libcudf `strings::to_fixed_point`, in polars `str.to_decimal`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Returns whether each row of text is a decimal that [`to_fixed_point`] converts to `data_type`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::is_fixed_point`, which is also true for a sign alone and for a point alone.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Writes each decimal as text, with all digits of the scale of its type.
///
/// # Types
/// Decimals of every width; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. With a
/// negative scale, the text ends with zeros and has no point. In libcudf `strings::from_fixed_point`.
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
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Returns the text `yes` or the text `no` for each boolean.
///
/// # Types
/// `Boolean`. `yes` and `no` are `Utf8` or `LargeUtf8`, one text for all rows or a column with a text for each row.
/// The result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Where the
/// text for the boolean is null, the result is null. In libcudf `strings::from_booleans`. A comparison converts texts
/// back to booleans: `binaryop::eq(&column, "yes")`.
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
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
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
