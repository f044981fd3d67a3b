//! The table of functions that an expression can call, in addition to operators.

use gdf_core::{
    DataType, Error, Position, Result, is_floating, is_integral, is_numeric, is_string, is_unsigned_integral,
};

use crate::component::Component;
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
}

/// The type of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// `Boolean`.
    Boolean,
    /// `Int64` for text with 64-bit offsets, and `Int32` for all other text.
    Count,
    /// The type that [`round_output_type`] returns for the type of the first argument and the value of the second
    /// argument.
    Rounded,
    /// The type of the first argument. String views and dictionaries of text become `Utf8`.
    First,
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
            }
            number {
                /// The number, rounded to the given number of decimal places. Halves are rounded away from zero.
                Round = round(Number, places: IntegerLiteral) -> Rounded;
                /// Whether the float is NaN.
                IsNan = is_nan(Float) -> Boolean;
                /// Whether the float is not NaN.
                IsNotNan = is_not_nan(Float) -> Boolean;
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
        /// A row of the result is null if an argument is null in that row.
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
                    $($(Function::$function => stringify!($name),)*)*
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
                    $($(Function::$function => Some(ResultType::$result),)*)*
                }
            }
        }
    };
    (@repeated) => { None };
    (@repeated $parameter:ident) => { Some(Parameter::$parameter) };
}

function_table!(functions);

/// The type of an argument, and the value of the argument if the argument is a literal.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The type.
    pub data_type: &'a DataType,
    /// The value, if the argument is a literal.
    pub value: Option<&'a Value>,
}

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
            parameter.check(*argument).map_err(fault)?;
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
            (_, Some(ResultType::First) | None) => Ok(decoded_type(arguments[0].data_type).clone()),
        }
    }
}

impl Parameter {
    fn check(self, argument: Argument<'_>) -> Result<()> {
        let data_type = decoded_type(argument.data_type);
        let (fits, wanted) = match self {
            Parameter::Text | Parameter::TextLiteral => (is_string(data_type), "a type of strings"),
            Parameter::Number => (is_numeric(data_type), "a numeric type"),
            Parameter::Float => (is_floating(data_type), "a floating-point type"),
            Parameter::IntegerLiteral | Parameter::OptionalInteger => {
                (is_integral(data_type) && !is_unsigned_integral(data_type), "a signed integer type")
            }
            Parameter::Moment => (gdf_core::is_temporal(data_type), "a type of dates, times or timestamps"),
        };
        if !fits {
            return Err(Error::type_mismatch(wanted, argument.data_type));
        }
        let is_known = argument.value.is_some_and(|value| !value.is_null());
        match self {
            Parameter::TextLiteral | Parameter::IntegerLiteral if !is_known => Err(Error::invalid_argument(
                "the argument must be a literal that is not null; columns are not supported here",
            )),
            Parameter::OptionalInteger if argument.value.is_none() => {
                Err(Error::invalid_argument("the argument must be a literal; columns are not supported here"))
            }
            _ => Ok(()),
        }
    }
}
