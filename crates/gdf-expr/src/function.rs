//! The table of functions that an expression can call, in addition to operators.

use gdf_core::{
    DataType, Error, Position, Result, is_floating, is_integral, is_numeric, is_string, is_unsigned_integral, same_type,
};

pub use crate::argument::Argument;
use crate::component::Component;
use crate::types::nested::{Nested, element_type, fields_of, map_fields, nullable};
use crate::types::{decoded_type, round_output_type};
use crate::value::Value;

/// The kind of argument that a function accepts at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Text of any layout.
    Text,
    /// An integer, float or decimal.
    Number,
    /// A float.
    Float,
    /// A text literal.
    TextLiteral,
    /// An integer literal.
    IntegerLiteral,
    /// An integer literal or a null.
    OptionalInteger,
    /// A date, time or timestamp.
    Moment,
    /// A boolean literal.
    BooleanLiteral,
    /// An integer.
    Integer,
    /// A `List`, `LargeList` or `FixedSizeList`.
    List,
    /// A list whose elements have the type of the elements of the first argument.
    SameList,
    /// A value of the type of the elements of the first argument. A literal is converted to that type.
    Element,
    /// A struct.
    Struct,
    /// A value of any type.
    Any,
    /// A null literal, whose type is the type of the result.
    TypeLiteral,
    /// A map.
    Map,
    /// A value of the type of the keys of the first argument. A literal is converted to that type.
    Key,
}

/// The type of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// `Boolean`.
    Boolean,
    /// `Int64` for text with 64-bit offsets, and `Int32` for all other text.
    Count,
    /// `Int32`.
    Matches,
    /// `Utf8`.
    Utf8,
    /// The type of the second argument. Fields, elements and values of maps are nullable.
    Given,
    /// The type that [`round_output_type`] returns for the type of the first argument and the value of the second
    /// argument.
    Rounded,
    /// The type of the first argument. String views and dictionaries of text become `Utf8`.
    First,
    /// The type that [`nested`](crate::types::nested) states for this rule.
    Nested(Nested),
}

/// The table of functions: the documentation, the name in SQL and in gdf, the parameters, and the result.
///
/// The first parameter has no name, because it is the value to which methods of expressions are applied. A kind after
/// `;` may be repeated any number of times. The macro passes `$context` and the rows to the macro `$callback`, by which
/// other crates declare methods for all functions.
#[doc(hidden)]
#[macro_export]
macro_rules! function_table {
    ($callback:path $(, $($context:tt)*)?) => {
        $callback! {
            [$($($context)*)?]
            text {
                /// Whether the text begins with the literal.
                StartsWith = starts_with(Text, prefix: TextLiteral) -> Boolean;
                /// Whether the text ends with the literal.
                EndsWith = ends_with(Text, suffix: TextLiteral) -> Boolean;
                /// Whether the literal occurs in the text.
                Contains = contains(Text, part: TextLiteral) -> Boolean;
                /// Whether the whole text matches the pattern. In the pattern, `%` stands for any number of
                /// characters, and `_` stands for one character.
                Like = like(Text, pattern: TextLiteral) -> Boolean;
                /// Whether the regular expression matches somewhere in the text.
                ContainsRe = contains_re(Text, pattern: TextLiteral) -> Boolean;
                /// Whether the regular expression matches at the beginning of the text.
                MatchesRe = matches_re(Text, pattern: TextLiteral) -> Boolean;
                /// The number of characters of the text.
                CountCharacters = count_characters(Text) -> Count;
                /// The number of bytes of the text.
                CountBytes = count_bytes(Text) -> Count;
                /// The text in lower case.
                ToLower = to_lower(Text) -> First;
                /// The text in upper case.
                ToUpper = to_upper(Text) -> First;
                /// The characters from the first position up to, but not including, the second position. Positions
                /// count from 0. Negative positions count from the end of the text. A null as the second position
                /// stands for the end.
                Slice = slice(Text, start: IntegerLiteral, stop: OptionalInteger) -> First;
                /// The text without white space at both ends.
                Strip = strip(Text) -> First;
                /// The concatenation of the texts.
                Concat = concat(Text, other: Text; Text) -> First;
                /// The text with each occurrence of the target replaced.
                Replace = replace(Text, target: TextLiteral, replacement: TextLiteral) -> First;
                /// The text with each match of the regular expression replaced.
                ReplaceRe = replace_re(Text, pattern: TextLiteral, replacement: TextLiteral) -> First;
                /// The number of matches of the regular expression.
                CountRe = count_re(Text, pattern: TextLiteral) -> Matches;
                /// The position of the first occurrence of the literal in characters, or −1. Positions count from 0.
                Find = find(Text, part: TextLiteral) -> Count;
                /// The text, repeated the given number of times. A negative number counts as 0.
                Repeat = repeat(Text, times: IntegerLiteral) -> First;
                /// The characters of the text in reverse order.
                ReverseText = reverse(Text) -> First;
                /// The text with zeros at the beginning, after the sign if there is one, up to the given number of
                /// characters.
                Zfill = zfill(Text, width: IntegerLiteral) -> First;
            }
            parts {
                /// The piece with this number between delimiters, or null if there is no such piece. Pieces count from
                /// 0, and negative numbers count from the last piece.
                SplitPart = split_part(Text, delimiter: TextLiteral, index: IntegerLiteral) -> First;
                /// The group of the first match of the regular expression, or null without a match. Group 0 is the
                /// whole match.
                #[doc(alias = "extract_single")]
                ExtractRe = extract_re(Text, pattern: TextLiteral, group: IntegerLiteral) -> First;
                /// The integer that the text consists of, or null for other texts.
                ToIntegers = to_integers(Text, data_type: TypeLiteral) -> Given;
                /// The float that the text consists of, or null for other texts.
                ToFloats = to_floats(Text, data_type: TypeLiteral) -> Given;
                /// The date or timestamp that the text consists of, in the given format, or null for other texts.
                ToTimestamps = to_timestamps(Text, data_type: TypeLiteral, format: TextLiteral) -> Given;
                /// The element of the JSON text that the path selects, or null if there is no such element.
                #[doc(alias = "json_path_match")]
                GetJsonObject = get_json_object(Text, path: TextLiteral) -> First;
                /// The value of the JSON text, of the given type. What does not fit the type is null.
                #[doc(alias = "json_decode")]
                FromJson = from_json(Text, data_type: TypeLiteral) -> Given;
            }
            number {
                /// The number, rounded to the given number of decimal places. Halves are rounded away from zero.
                Round = round(Number, places: IntegerLiteral) -> Rounded;
                /// Whether the float is NaN.
                IsNan = is_nan(Float) -> Boolean;
                /// Whether the float is not NaN.
                IsNotNan = is_not_nan(Float) -> Boolean;
            }
            dates {
                /// The same day and time, the given number of months later. The result is the last day of a month that
                /// lacks the day.
                #[doc(alias = "offset_by")]
                AddMonths = add_months(Moment, months: Integer) -> First;
                /// The beginning of the period in which the date or the time lies. The period is `year`, `quarter`,
                /// `month`, `week`, `day`, `hour`, `minute`, `second`, `millisecond`, `microsecond` or `nanosecond`.
                /// Weeks begin on Mondays. The type stays the same.
                #[doc(alias("floor_datetimes", "floor", "date_trunc"))]
                Truncate = truncate(Moment, period: TextLiteral) -> First;
            }
            list {
                /// Whether an element of the list equals the key. A null element equals no key, and NaN equals NaN.
                ListContains = contains(List, key: Element) -> Boolean;
                /// Whether an element of the list is null.
                ListContainsNulls = contains_nulls(List) -> Boolean;
                /// The position of the first element that equals the key, or −1. Positions count from 0.
                #[doc(alias = "list_position")]
                ListIndexOf = index_of(List, key: Element) -> Position;
                /// The position of the last element that equals the key, or −1. Positions count from 0.
                ListLastIndexOf = last_index_of(List, key: Element) -> Position;
                /// The number of elements of the list, including nulls.
                #[doc(alias = "count_elements")]
                ListLen = len(List) -> Position;
                /// The element at the position. Positions count from 0, and negative positions count from the end. The
                /// result is null if there is no such element.
                #[doc(alias = "extract_list_element")]
                ListGet = get(List, index: Integer) -> Element;
                /// The sum of the elements that are not null, or null if there is no such element.
                ListSum = sum(List) -> Sum;
                /// The smallest element, or null if all elements are null.
                ListMin = min(List) -> Extreme;
                /// The largest element, or null if all elements are null.
                ListMax = max(List) -> Extreme;
                /// The mean of the elements that are not null, or null if there is no such element.
                ListMean = mean(List) -> Mean;
                /// Whether an element is true, or is a number other than 0. Nulls are left out, so the result of an
                /// empty list is false.
                ListAny = any(List) -> Truth;
                /// Whether all elements are true, or are numbers other than 0. Nulls are left out, so the result of an
                /// empty list is true.
                ListAll = all(List) -> Truth;
                /// The list with its elements in sorted order.
                #[doc(alias = "sort_lists")]
                ListSort = sort(List, descending: BooleanLiteral, nulls_first: BooleanLiteral) -> SameList;
                /// The list with its elements in reverse order.
                ListReverse = reverse(List) -> SameList;
                /// The list without repeated elements. The first of several equal elements stays. Nulls are equal to
                /// each other, and NaNs are equal to each other.
                #[doc(alias = "unique")]
                ListDistinct = distinct(List) -> SameList;
                /// The elements of the lists, one list after the other. The result is null if a list is null.
                #[doc(alias = "concatenate_rows")]
                ListConcatenate = concatenate(List, other: SameList; SameList) -> SameList;
                /// Whether both lists have an element in common. Nulls are equal to each other.
                ListHaveOverlap = have_overlap(List, other: SameList) -> Boolean;
                /// The distinct elements that are in both lists.
                ListIntersectDistinct = intersect_distinct(List, other: SameList) -> SameList;
                /// The distinct elements that are not in the other list.
                ListDifferenceDistinct = difference_distinct(List, other: SameList) -> SameList;
                /// The distinct elements of both lists.
                ListUnionDistinct = union_distinct(List, other: SameList) -> SameList;
            }
            structs {
                /// The field of the struct with this name, which is null if the struct is null.
                #[doc(alias = "struct_extract")]
                StructField = field(Struct, name: TextLiteral) -> Field;
                /// The struct with a field of this name and value. The field replaces the field of the same name, or
                /// comes after the last field. The result is null only if the struct is null.
                #[doc(alias = "struct_insert")]
                StructWithField = with_field(Struct, name: TextLiteral, value: Any) -> WithField;
            }
            maps {
                /// The value of the map for the key, or null if the map does not have the key.
                MapGet = get(Map, key: Key) -> MapValue;
                /// Whether the map has the key.
                MapContainsKey = contains_key(Map, key: Key) -> Boolean;
                /// The keys of the map as a list.
                MapKeys = keys(Map) -> MapKeys;
                /// The values of the map as a list.
                MapValues = values(Map) -> MapValues;
            }
            names {
                /// The value as a JSON document. Null fields of structs are left out.
                ToJson = to_json(Any) -> Utf8;
                /// The struct with these names of its fields, in the order of the fields.
                StructRenameFields = rename_fields(Struct; TextLiteral) -> RenamedFields;
                /// The struct without the fields of these names.
                StructDropFields = drop_fields(Struct; TextLiteral) -> OtherFields;
            }
        }
    };
}

macro_rules! functions {
    ([] $($group:ident {
        $($(#[$doc:meta])*
        $function:ident =
            $name:ident($first:ident $(, $name_of_parameter:ident: $parameter:ident)* $(; $repeated:ident)?) -> $result:ident;)*
    })*) => {
        /// A function of one or more arguments. Each row of the result depends only on the same row of the arguments.
        /// A row of the result is null if an argument is null in that row, unless the documentation of the function
        /// says otherwise.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Function {
            /// A component of a date or of a time of day.
            Extract(Component),
            $($($(#[$doc])* $function,)*)*
        }

        impl Function {
            /// All functions except [`Extract`](Self::Extract).
            pub const ALL: &'static [Function] = &[$($(Function::$function,)*)*];

            /// Returns the name of the function.
            pub fn name(self) -> &'static str {
                match self {
                    Function::Extract(_) => "EXTRACT",
                    $($(Function::$function => functions!(@name $group $name),)*)*
                }
            }

            /// Returns the kinds of the function's arguments, in order.
            pub fn parameters(self) -> &'static [Parameter] {
                match self {
                    Function::Extract(_) => &[Parameter::Moment],
                    $($(Function::$function => &[Parameter::$first $(, Parameter::$parameter)*],)*)*
                }
            }

            /// Returns the kind of the arguments that may follow any number of times, or `None` if none may follow.
            pub fn repeated(self) -> Option<Parameter> {
                match self {
                    Function::Extract(_) => None,
                    $($(Function::$function => functions!(@repeated $($repeated)?),)*)*
                }
            }

            /// Returns the rule for the type of the result, or `None` for [`Extract`](Self::Extract), whose component
            /// decides the type.
            fn result(self) -> Option<ResultType> {
                match self {
                    Function::Extract(_) => None,
                    $($(Function::$function => Some(functions!(@result $group $result)),)*)*
                }
            }

            /// Returns whether the result of the function may be null although no argument is null. Functions that read
            /// lists, structs or maps are of this kind, and functions that parse a text or look for a part of it.
            pub fn is_nested(self) -> bool {
                match self {
                    Function::Extract(_) => false,
                    $($(Function::$function => functions!(@is_nested $group),)*)*
                }
            }
        }
    };
    (@name list $name:ident) => { concat!("list_", stringify!($name)) };
    (@name structs $name:ident) => { concat!("struct_", stringify!($name)) };
    (@name names to_json) => { "to_json" };
    (@name names $name:ident) => { concat!("struct_", stringify!($name)) };
    (@name maps $name:ident) => { concat!("map_", stringify!($name)) };
    (@name $group:ident $name:ident) => { stringify!($name) };
    (@result $group:ident Boolean) => { ResultType::Boolean };
    (@result names Utf8) => { ResultType::Utf8 };
    (@result maps $result:ident) => { ResultType::Nested(Nested::$result) };
    (@result list $result:ident) => { ResultType::Nested(Nested::$result) };
    (@result structs $result:ident) => { ResultType::Nested(Nested::$result) };
    (@result names $result:ident) => { ResultType::Nested(Nested::$result) };
    (@result $group:ident $result:ident) => { ResultType::$result };
    (@is_nested text) => { false };
    (@is_nested number) => { false };
    (@is_nested dates) => { false };
    (@is_nested $group:ident) => { true };
    (@repeated) => { None };
    (@repeated $parameter:ident) => { Some(Parameter::$parameter) };
}

function_table!(functions);

impl Function {
    /// Returns the type of the result for these arguments.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): there are too few or too many arguments, or a column where a
    ///   literal is required.
    /// * [`TypeMismatch`](Error::TypeMismatch): an argument has another type than the function accepts.
    pub fn output_type(self, arguments: &[Argument<'_>]) -> Result<DataType> {
        let parameters = self.parameters();
        let count_fits = match self.repeated() {
            Some(_) => arguments.len() >= parameters.len(),
            None => arguments.len() == parameters.len(),
        };
        if !count_fits {
            let found = arguments.len() as i128;
            let error = match (self.repeated(), parameters.len()) {
                (Some(_), min) => Error::beyond_limit("the number of arguments", found, min as i128),
                (None, 1) => Error::invalid_number("the number of arguments must be 1", found),
                (None, 2) => Error::invalid_number("the number of arguments must be 2", found),
                (None, 3) => Error::invalid_number("the number of arguments must be 3", found),
                (None, _) => Error::invalid_number("the number of arguments must be the number of parameters", found),
            };
            return Err(error.in_operation(self.name()));
        }
        let all = parameters.iter().copied().chain(self.repeated().into_iter().cycle());
        for (at, (parameter, argument)) in all.zip(arguments).enumerate() {
            let fault = |error: Error| error.in_operation(self.name()).at(Position::Input(at));
            parameter.check(*argument, arguments[0].data_type).map_err(fault)?;
        }
        match (self, self.result()) {
            (Function::Extract(component), _) => {
                let moment = arguments[0].data_type;
                match component.is_of(moment) {
                    true => Ok(component.data_type()),
                    false => Err(Error::unsupported("extract_component", moment)),
                }
            }
            (_, Some(ResultType::Boolean)) => Ok(DataType::Boolean),
            (_, Some(ResultType::Count)) => match decoded_type(arguments[0].data_type) {
                DataType::LargeUtf8 => Ok(DataType::Int64),
                _ => Ok(DataType::Int32),
            },
            (_, Some(ResultType::Matches)) => Ok(DataType::Int32),
            (_, Some(ResultType::Utf8)) => Ok(DataType::Utf8),
            (_, Some(ResultType::Given)) => Ok(nullable(arguments[1].data_type)),
            (_, Some(ResultType::Rounded)) => {
                let places = arguments.get(1).and_then(|places| places.value?.integer());
                let places = places.map_or(Ok(i32::MAX), |places| {
                    i32::try_from(places).map_err(|_| {
                        Error::invalid_number("the number of decimal places must fit in Int32", places)
                            .in_argument("places")
                    })
                })?;
                round_output_type(arguments[0].data_type, places)
            }
            (_, Some(ResultType::Nested(rule))) => {
                rule.output_type(arguments).map_err(|error| error.in_operation(self.name()))
            }
            (_, Some(ResultType::First) | None) => Ok(decoded_type(arguments[0].data_type).clone()),
        }
    }
}

impl Function {
    /// Returns whether the result, of type `result`, may share the memory of the arguments. Integers and decimals that
    /// need no rounding are returned as they are.
    pub fn shares_arguments(self, result: &DataType) -> bool {
        matches!(self.parameters().first(), Some(Parameter::Struct | Parameter::Map))
            || self == Function::Round && !is_floating(result)
    }
}

impl Parameter {
    /// Checks an argument. `first` is the type of the first argument of the function.
    fn check(self, argument: Argument<'_>, first: &DataType) -> Result<()> {
        let data_type = decoded_type(argument.data_type);
        let (fits, wanted) = match self {
            Parameter::Text | Parameter::TextLiteral => (is_string(data_type), "a type of strings"),
            Parameter::Number => (is_numeric(data_type), "a numeric type"),
            Parameter::Float => (is_floating(data_type), "a floating-point type"),
            Parameter::IntegerLiteral | Parameter::OptionalInteger => {
                (is_integral(data_type) && !is_unsigned_integral(data_type), "a signed integer type")
            }
            Parameter::Moment => (gdf_core::is_temporal(data_type), "a type of dates, times or timestamps"),
            Parameter::BooleanLiteral => (*data_type == DataType::Boolean, "a boolean"),
            Parameter::Integer => (is_integral(data_type), "an integer type"),
            Parameter::List => (element_type(data_type).is_some(), "a type of lists"),
            Parameter::Struct => (fields_of(data_type).is_some(), "a struct"),
            Parameter::Any | Parameter::TypeLiteral => (true, "any type"),
            Parameter::Map => (map_fields(data_type).is_some(), "a map"),
            Parameter::SameList => {
                let same = element_type(first).zip(element_type(data_type)).is_some_and(|(a, b)| same_type(a, b));
                return if same { Ok(()) } else { Err(Error::type_mismatch(first, argument.data_type)) };
            }
            Parameter::Element => return check_element(argument, element_type(first), first),
            Parameter::Key => return check_element(argument, map_fields(first).map(|[key, _]| key.data_type()), first),
        };
        if !fits {
            return Err(Error::type_mismatch(wanted, argument.data_type));
        }
        let is_known = argument.value.is_some_and(|value| !value.is_null());
        match self {
            Parameter::TextLiteral | Parameter::IntegerLiteral | Parameter::BooleanLiteral if !is_known => {
                Err(Error::invalid_argument(
                    "the argument must be a literal that is not null; columns are not supported here",
                ))
            }
            Parameter::TypeLiteral if !argument.value.is_some_and(Value::is_null) => Err(Error::invalid_argument(
                "the argument must be a null literal of the type of the result; columns are not supported here",
            )),
            Parameter::OptionalInteger if argument.value.is_none() => {
                Err(Error::invalid_argument("the argument must be a literal; columns are not supported here"))
            }
            Parameter::Integer if argument.value.is_some_and(Value::is_null) => {
                Err(Error::invalid_argument("the argument must not be a null literal"))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that the argument can be compared with the elements or keys of the first argument, whose type is `first`.
fn check_element(argument: Argument<'_>, element: Option<&DataType>, first: &DataType) -> Result<()> {
    let Some(element) = element.map(decoded_type) else {
        return Err(Error::type_mismatch("a type of lists or maps", first));
    };
    let fits = match argument.value {
        Some(value) => value.with_type(element).is_ok(),
        None => same_type(element, decoded_type(argument.data_type)),
    };
    if fits { Ok(()) } else { Err(Error::type_mismatch(element, argument.data_type)) }
}
