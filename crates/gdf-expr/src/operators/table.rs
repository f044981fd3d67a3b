//! The table of a family of operators.

/// Declares the enum of a family of operators. One table contains all properties of the operators:
///
/// ```text
/// operators! {
///     /// What `binary_operation` computes.
///     pub enum BinaryOperator: BinaryGroup => Row {
///         Arithmetic: "numbers" => "the same kind" { // a group: the rule of types, and a row of the documentation
///             /// `lhs + rhs`.
///             Add = "ADD" => infix("+", 7);          // libcudf's name, the notation and the rule for nulls
///         }
///     }
/// }
/// ```
///
/// The table does not contain the codes of kernels and functors, because this crate knows no kernels. Modules that
/// launch kernels have tables of codes, in the order of `ALL`, which the compiler checks.
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
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($($(#[$doc])* #[doc(alias = $libcudf)] $operator,)*)*
        }

        /// A group of operators with the same type rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $groups {
            $(#[doc = concat!("Operands: ", $operands, ". Result: ", $result, ".")] $group,)*
        }

        impl $name {
            /// Every operator.
            pub const ALL: &'static [Self] = &[$($(Self::$operator,)*)*];

            /// Every operator by its name in libcudf.
            pub const NAMES: &'static [(&'static str, Self)] = &[$($(($libcudf, Self::$operator),)*)*];

            /// Returns the name of the operator.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$operator => stringify!($operator),)*)*
                }
            }

            /// Returns the group of the operator. All operators of a group have the same type rule.
            pub fn group(self) -> $groups {
                match self {
                    $($(Self::$operator)|* => $groups::$group,)*
                }
            }

            pub(crate) fn row(self) -> $code {
                match self {
                    $($(Self::$operator => $value,)*)*
                }
            }
        }
    };
}

pub(crate) use operators;
