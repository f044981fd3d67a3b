//! The table of a family of operators.

/// Declares the enum of a family of operators. One table contains all properties of the operators:
///
/// ```text
/// operators! {
///     /// What `binary_operation` computes.
///     pub enum BinaryOperator: BinaryGroup => Codes {
///         // A group has one rule of types and is one row of the generated documentation.
///         Arithmetic: "numbers" => "the same kind" {
///             /// `lhs + rhs`.
///             // The name in libcudf, and the code of the functor in the kernels.
///             Add = "ADD" => arithmetic(Arithmetic::Add);
///         }
///     }
/// }
/// ```
///
/// Codes are enums that `cargo xtask codegen` generates from the tables of functors in kernels/. If an operator lacks
/// a functor on either backend, the code does not compile.
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
