//! The table of abilities: which operations each type supports. Every operation looks up its input types in this table.

use arrow_schema::{DataType, IntervalUnit};

use super::data_type::width;

/// The representation in which values are compared when rows of a type are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueOrder {
    /// Numbers of at most 64 bits: booleans, integers, floats, dates, times.
    Words,
    /// Integers of 128 or 256 bits: the wide decimals.
    Wide,
    /// Strings of bytes of any length.
    Bytes,
}

/// The abilities of a type, that is, the operations that columns of the type support.
///
/// An operation that reads values decodes view types and dictionaries first. Therefore a view type has the abilities of
/// the plain type, and a dictionary has the abilities of its values. The abilities of a struct depend on its fields. In
/// the table, `all fields` means that every field must have the ability, and `any field` means that a single field is
/// enough. If an operation refuses a type that has the ability in the table, the documentation of the operation says
/// so. For example, a scan has no product of decimals.
///
/// | type | rows | lists | composite | order | equality | hash | sortable | arithmetic | text | nested | encoded |
/// |---|---|---|---|---|---|---|---|---|---|---|---|
/// | `Null` | yes | | | | | yes | | | | | |
/// | `Boolean` | yes | | | words | yes | yes | yes | | | | |
/// | `Int8` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Int16` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Int32` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Int64` | yes | | | words | yes | yes | yes | yes | | | |
/// | `UInt8` | yes | | | words | yes | yes | yes | yes | | | |
/// | `UInt16` | yes | | | words | yes | yes | yes | yes | | | |
/// | `UInt32` | yes | | | words | yes | yes | yes | yes | | | |
/// | `UInt64` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Float16` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Float32` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Float64` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Decimal32` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Decimal64` | yes | | | words | yes | yes | yes | yes | | | |
/// | `Decimal128` | yes | | | wide | yes | yes | yes | yes | | | |
/// | `Decimal256` | yes | | | wide | yes | yes | yes | yes | | | |
/// | `Date32` | yes | | | words | yes | yes | yes | | | | |
/// | `Date64` | yes | | | words | yes | yes | yes | | | | |
/// | `Time32` | yes | | | words | yes | yes | yes | | | | |
/// | `Time64` | yes | | | words | yes | yes | yes | | | | |
/// | `Timestamp` | yes | | | words | yes | yes | yes | | | | |
/// | `Duration` | yes | | | words | yes | yes | yes | | | | |
/// | `Interval(YearMonth)` | yes | | | words | yes | yes | yes | | | | |
/// | `Interval(DayTime)` | yes | | | | yes | yes | | | | | |
/// | `Interval(MonthDayNano)` | yes | | | | yes | yes | | | | | |
/// | `FixedSizeBinary` | yes | | | | | yes | yes | | | | |
/// | `Utf8` | yes | | | bytes | yes | yes | yes | | yes | | |
/// | `LargeUtf8` | yes | | | bytes | yes | yes | yes | | yes | | |
/// | `Utf8View` | yes | | | bytes | yes | yes | yes | | yes | | yes |
/// | `Binary` | yes | | | bytes | yes | yes | yes | | | | |
/// | `LargeBinary` | yes | | | bytes | yes | yes | yes | | | | |
/// | `BinaryView` | yes | | | bytes | yes | yes | yes | | | | yes |
/// | `List` | | yes | | | | values | values | | | yes | |
/// | `LargeList` | | yes | | | | values | values | | | yes | |
/// | `Map` | | yes | | | | values | values | | | yes | |
/// | `ListView` | | | yes | | | | | | | yes | |
/// | `LargeListView` | | | yes | | | | | | | yes | |
/// | `FixedSizeList` | | yes | | | | values | values | | | yes | |
/// | `Struct` | all fields | any field | any field | | | all fields | all fields | | | yes | |
/// | `Dictionary` | yes | | | values | values | values | values | values | values | values | yes |
/// | `RunEndEncoded` | | | yes | | | | | | | values | |
/// | `Union` | | | yes | | | | | | | yes | |
///
/// ```
/// # use gdf_core as gdf;
/// use gdf::types::{Abilities, DataType, ValueOrder};
///
/// let names = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Utf8));
/// let names = Abilities::of(&names);
/// assert!(names.text && names.encoded && !names.arithmetic);
/// assert_eq!(names.order, Some(ValueOrder::Bytes));
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Abilities {
    /// Whether rows can be copied one by one, as a gather or a filter does.
    ///
    /// Lists, maps, list views, unions and run-end encoded types do not have the ability, because their rows consist
    /// of several parts. A struct has the ability if all its fields have the ability.
    pub rows: bool,
    /// Whether the type is a list with offsets, a list of a fixed size, or a struct that has a field of such a type.
    /// Operations that copy rows also copy the rows of these types.
    pub lists: bool,
    /// Whether the type is a list view, a union, a run-end encoded type, or a struct that has a field of such a type.
    /// Operations that copy rows also copy the rows of these types. Some of the result's memory may be shared.
    pub composite: bool,
    /// The representation in which values are compared. `None` means that values of the type have no order. Values that
    /// have an order can be sorted, and have a minimum and a maximum.
    pub order: Option<ValueOrder>,
    /// Whether values can be compared for equality. Columns of such a type can be keys of group-bys, joins and sets.
    pub equality: bool,
    /// Whether rows can be hashed. A list, a map or a struct has a hash if all its elements or fields have one.
    pub hash: bool,
    /// Whether rows can be sorted, grouped and joined. A type is sortable if its values have an order.
    /// `FixedSizeBinary` is sortable, too. A list, a map or a struct is sortable if all its elements or fields are
    /// sortable. List views, unions and run-end encoded types are not sortable.
    ///
    /// Two structs are ordered by the first field in which they differ. Two lists are ordered by the first element in
    /// which they differ. If one list is the beginning of the other list, the shorter list comes first.
    pub sortable: bool,
    /// Whether values are numbers for arithmetic: integers, floats and decimals.
    ///
    /// Some operations also take durations, or booleans as 0 and 1. The documentation of these operations states the
    /// types.
    pub arithmetic: bool,
    /// Whether values are text.
    pub text: bool,
    /// Whether values consist of other values, as in lists, maps, structs and unions.
    pub nested: bool,
    /// Whether rows refer to values that are stored elsewhere, as in views and dictionaries. Operations decode such
    /// rows first.
    pub encoded: bool,
}

impl Abilities {
    const NONE: Abilities = Abilities {
        rows: false,
        lists: false,
        composite: false,
        order: None,
        equality: false,
        hash: false,
        sortable: false,
        arithmetic: false,
        text: false,
        nested: false,
        encoded: false,
    };
    const NESTED: Abilities = Abilities { nested: true, ..Self::NONE };

    /// Returns the abilities of columns of this type.
    pub fn of(data_type: &DataType) -> Abilities {
        use DataType as T;
        match data_type {
            T::Null => Abilities { rows: true, hash: true, ..Self::NONE },
            T::FixedSizeBinary(_) => Abilities { rows: true, hash: true, sortable: true, ..Self::NONE },
            T::Boolean
            | T::Date32
            | T::Date64
            | T::Time32(_)
            | T::Time64(_)
            | T::Timestamp(..)
            | T::Duration(_)
            | T::Interval(IntervalUnit::YearMonth) => Self::ordered(ValueOrder::Words),
            T::Interval(IntervalUnit::DayTime | IntervalUnit::MonthDayNano) => {
                Abilities { rows: true, equality: true, hash: true, ..Self::NONE }
            }
            T::Int8
            | T::Int16
            | T::Int32
            | T::Int64
            | T::UInt8
            | T::UInt16
            | T::UInt32
            | T::UInt64
            | T::Float16
            | T::Float32
            | T::Float64
            | T::Decimal32(..)
            | T::Decimal64(..) => Abilities { arithmetic: true, ..Self::ordered(ValueOrder::Words) },
            T::Decimal128(..) | T::Decimal256(..) => Abilities { arithmetic: true, ..Self::ordered(ValueOrder::Wide) },
            T::Utf8 | T::LargeUtf8 => Abilities { text: true, ..Self::ordered(ValueOrder::Bytes) },
            T::Utf8View => Abilities { text: true, encoded: true, ..Self::ordered(ValueOrder::Bytes) },
            T::Binary | T::LargeBinary => Self::ordered(ValueOrder::Bytes),
            T::BinaryView => Abilities { encoded: true, ..Self::ordered(ValueOrder::Bytes) },
            T::List(field) | T::LargeList(field) | T::FixedSizeList(field, _) | T::Map(field, _) => {
                let elements = Self::of(field.data_type());
                Abilities { lists: true, hash: elements.hash, sortable: elements.sortable, ..Self::NESTED }
            }
            T::ListView(_) | T::LargeListView(_) | T::Union(..) => Abilities { composite: true, ..Self::NESTED },
            T::Struct(fields) => {
                let fields = fields.iter().map(|field| Self::of(field.data_type()));
                let none = Abilities { rows: true, hash: true, sortable: true, ..Self::NESTED };
                fields.fold(none, |all, field| Abilities {
                    rows: all.rows && field.rows,
                    lists: all.lists || field.lists,
                    composite: all.composite || field.composite,
                    hash: all.hash && field.hash,
                    sortable: all.sortable && field.sortable,
                    ..all
                })
            }
            T::Dictionary(keys, values) => {
                let values = Self::of(values);
                Abilities { rows: width(keys).is_some(), lists: false, composite: false, encoded: true, ..values }
            }
            T::RunEndEncoded(_, values) => {
                Abilities { composite: true, nested: is_nested(values.data_type()), ..Self::NONE }
            }
        }
    }

    /// Returns whether operations that copy rows take columns of the type. This holds for all types that a column can
    /// have.
    pub const fn is_movable(self) -> bool {
        self.rows || self.lists || self.composite
    }

    /// Returns whether columns of the type can be keys of group-bys, joins and sets. Keys need equality, or must be
    /// sortable.
    pub const fn is_key(self) -> bool {
        self.equality || self.sortable
    }

    /// Returns the abilities that the type has without decoding. The stored rows of an encoded type can only be copied,
    /// because their values are stored elsewhere.
    pub const fn as_stored(self) -> Abilities {
        if self.encoded {
            Abilities { rows: self.rows, nested: self.nested, encoded: true, ..Self::NONE }
        } else {
            self
        }
    }

    const fn ordered(order: ValueOrder) -> Abilities {
        Abilities { rows: true, order: Some(order), equality: true, hash: true, sortable: true, ..Self::NONE }
    }
}

/// Returns whether values consist of other values, as in lists, maps, structs and unions.
///
/// Dictionaries and run-end encoded columns have children only as an encoding. Such a type is nested if and only if
/// the type of its values is nested.
pub fn is_nested(data_type: &DataType) -> bool {
    Abilities::of(data_type).nested
}

#[cfg(test)]
#[path = "abilities_tests.rs"]
mod tests;
