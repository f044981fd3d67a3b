//! The table of a family of operators.

/// Declares the enum of a family of operators, whose one table says all that there is to know of an operator:
///
/// ```text
/// operators! {
///     /// What `binary_operation` computes.
///     pub enum BinaryOperator: BinaryGroup => Codes {
///         Arithmetic: "numbers" => "the same kind" {      // a group: the rule of types, and a row of the documentation
///             /// `lhs + rhs`.
///             Add = "ADD" => arithmetic(Arithmetic::Add); // libcudf's name, and the code that kernels and functors have
///         }
///     }
/// }
/// ```
///
/// Codes are enums that `cargo xtask codegen` reads from the tables of functors in kernels/: an operator without a functor
/// on either side does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! operators {
    (
        $(#[$about:meta])*
        pub enum $name:ident: $groups:ident => $code:ty {
            $($group:ident: $operands:literal => $result:literal {
                $($(#[$doc:meta])* $operator:ident = $libcudf:literal => $value:expr;)*
            })*
        }
    ) => {
        $(#[$about])*
        ///
        /// | operators | operands | result |
        /// |---|---|---|
        $(#[doc = concat!("|", $(" `", stringify!($operator), "`",)* " | ", $operands, " | ", $result, " |")])*
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($($(#[$doc])* #[doc(alias = $libcudf)] $operator,)*)*
        }

        /// Operators with one rule of types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $groups {
            $($group,)*
        }

        impl $name {
            /// Every operator.
            pub const ALL: &'static [Self] = &[$($(Self::$operator,)*)*];

            /// Every operator by its name in libcudf.
            pub const NAMES: &'static [(&'static str, Self)] = &[$($(($libcudf, Self::$operator),)*)*];

            /// The name of the operator.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$operator => stringify!($operator),)*)*
                }
            }

            pub(super) fn group(self) -> $groups {
                match self {
                    $($(Self::$operator)|* => $groups::$group,)*
                }
            }

            pub(super) fn code(self) -> $code {
                match self {
                    $($(Self::$operator => $value,)*)*
                }
            }
        }
    };
}

pub use operators;
