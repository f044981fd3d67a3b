//! The methods with which users build expressions, as macros.
//!
//! Expressions over positions ([`Expr`](crate::Expr)) and expressions over names (those of frames) have the same
//! methods. A macro declares them for the type named `Expr` in its scope, which must have the functions `of`, `unary`,
//! `binary` and `function`.

/// Declares the methods for operators, null tests, casts and dates, in an `impl` of `Expr`.
#[doc(hidden)]
#[macro_export]
macro_rules! builder_methods {
    () => {
        $crate::builder_methods! {
            @binary
            /// Returns `self = rhs`.
            eq = Equal;
            /// Returns `self <> rhs`.
            ne = NotEqual;
            /// Returns `self < rhs`.
            lt = Less;
            /// Returns `self <= rhs`.
            le = LessEqual;
            /// Returns `self > rhs`.
            gt = Greater;
            /// Returns `self >= rhs`.
            ge = GreaterEqual;
            /// Returns whether the values are equal. Two nulls are equal, and a null differs from every other value.
            eq_null_safe = NullEquals;
            /// Returns whether both operands are true, in three-valued logic. The result is false if either operand is
            /// false. Otherwise, the result is null if either operand is null.
            and = NullLogicalAnd;
            /// Returns whether at least one operand is true, in three-valued logic. The result is true if either
            /// operand is true. Otherwise, the result is null if either operand is null.
            or = NullLogicalOr;
            /// Returns the greater of two values. If one value is null, the result is the other value.
            max_of = NullMax;
            /// Returns the smaller of two values. If one value is null, the result is the other value.
            min_of = NullMin;
            /// Returns the integer part of the quotient, rounded towards negative infinity.
            floor_div = FloorDiv;
            /// Returns `self` to the power of `rhs`.
            pow = Pow;
        }
        $crate::builder_methods! {
            @unary
            sin = Sin, cos = Cos, tan = Tan, asin = ArcSin, acos = ArcCos, atan = ArcTan, sinh = Sinh, cosh = Cosh,
            tanh = Tanh, asinh = ArcSinh, acosh = ArcCosh, atanh = ArcTanh, exp = Exp, ln = Log, sqrt = Sqrt,
            cbrt = Cbrt, exp2 = Exp2, exp_m1 = Expm1, log2 = Log2, log10 = Log10, ln_1p = Log1p,
            to_degrees = Degrees, to_radians = Radians, signum = Sign, ceil = Ceil, floor = Floor, abs = Abs,
            rint = Rint, trunc = Trunc, bit_count = BitCount, bit_not = BitInvert
        }

        /// Returns `self >= low AND self <= high`.
        #[must_use]
        pub fn between(self, low: impl Into<Expr>, high: impl Into<Expr>) -> Expr {
            Expr::of([self, low.into(), high.into()], |[value, low, high]| $crate::ExprKind::Between {
                value,
                low,
                high,
            })
        }

        /// Returns whether the value equals a value of the list. If the list contains a null, the result is null
        /// instead of false.
        #[must_use]
        pub fn is_in<V: Into<$crate::Value>>(self, list: impl IntoIterator<Item = V>) -> Expr {
            let list = list.into_iter().map(Into::into).collect();
            Expr::of([self], |[value]| $crate::ExprKind::IsIn { value, list })
        }

        /// Returns whether the value is null.
        #[must_use]
        pub fn is_null(self) -> Expr {
            Expr::of([self], |[value]| $crate::ExprKind::IsNull(value))
        }

        /// Returns whether the value is not null.
        #[must_use]
        pub fn is_not_null(self) -> Expr {
            !self.is_null()
        }

        /// Returns the value, or the value of `otherwise` in rows where the value is null.
        #[must_use]
        pub fn fill_null(self, otherwise: impl Into<Expr>) -> Expr {
            Expr::of([self, otherwise.into()], |parts| $crate::ExprKind::Coalesce(parts.into()))
        }

        /// Converts the value to another type.
        #[must_use]
        pub fn cast(self, data_type: $crate::DataType) -> Expr {
            Expr::of([self], |[value]| $crate::ExprKind::Cast(value, data_type))
        }

        /// Returns a component of dates or times.
        #[must_use]
        pub fn extract(self, component: $crate::Component) -> Expr {
            self.function($crate::Function::Extract(component), Vec::new())
        }
    };
    (@binary $($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(self, rhs: impl Into<Expr>) -> Expr {
            self.binary($crate::BinaryOperator::$op, rhs)
        }
    )*};
    (@unary $($name:ident = $op:ident),*) => {$(
        #[doc = concat!("Applies the operator `UnaryOperator::", stringify!($op), "`.")]
        #[must_use]
        pub fn $name(self) -> Expr {
            self.unary($crate::UnaryOperator::$op)
        }
    )*};
}

/// Implements Rust's operators for `Expr`, with numbers and other values on either side, and conversions of values to
/// literals.
#[doc(hidden)]
#[macro_export]
macro_rules! builder_operators {
    () => {
        impl<V: Into<$crate::Value>> From<V> for Expr {
            fn from(value: V) -> Expr {
                lit(value)
            }
        }

        $crate::builder_operators! {
            @binary
            Add add Add;
            Sub sub Sub;
            Mul mul Mul;
            Div div Div;
            Rem rem Mod;
            BitAnd bitand NullLogicalAnd;
            BitOr bitor NullLogicalOr;
        }

        impl std::ops::Neg for Expr {
            type Output = Expr;

            fn neg(self) -> Expr {
                self.unary($crate::UnaryOperator::Negate)
            }
        }

        impl std::ops::Not for Expr {
            type Output = Expr;

            fn not(self) -> Expr {
                self.unary($crate::UnaryOperator::Not)
            }
        }
    };
    (@binary $($Trait:ident $method:ident $op:ident;)*) => {
        $(
            impl<E: Into<Expr>> std::ops::$Trait<E> for Expr {
                type Output = Expr;

                fn $method(self, rhs: E) -> Expr {
                    self.binary($crate::BinaryOperator::$op, rhs)
                }
            }
        )*
        $crate::builder_operators! {
            @reversed [i8 i16 i32 i64 u8 u16 u32 u64 f32 f64] Add add; Sub sub; Mul mul; Div div; Rem rem;
        }
    };
    (@reversed $types:tt $($Trait:ident $method:ident;)*) => {
        $($crate::builder_operators! { @reversed_one $types $Trait $method })*
    };
    (@reversed_one [$($Number:ident)*] $Trait:ident $method:ident) => {$(
        impl std::ops::$Trait<Expr> for $Number {
            type Output = Expr;

            fn $method(self, rhs: Expr) -> Expr {
                std::ops::$Trait::$method(lit(self), rhs)
            }
        }
    )*};
}

#[doc(hidden)]
#[macro_export]
macro_rules! function_methods {
    ($(
        $(#[$doc:meta])*
        $function:ident =
            $name:ident($first:ident $(, $parameter:ident: $kind:ident)* $(; $repeated:ident)?) -> $result:ident;
    )*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(self $(, $parameter: $crate::parameter_type!($kind))*) -> Expr {
            self.function($crate::Function::$function, vec![$($crate::argument_of!($kind $parameter)),*])
        }
    )*};
}

/// Declares the methods for functions of text, numbers and dates. Functions of lists and structs are methods of other
/// types, because some of their names are also names of other functions.
#[doc(hidden)]
#[macro_export]
macro_rules! all_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($text)* $($parts)* $($number)* $($dates)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! text_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($text)* $($parts)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! number_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($number)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! list_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($list)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! struct_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($structs)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! map_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($maps)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! date_function_methods {
    ([] text { $($text:tt)* } parts { $($parts:tt)* } number { $($number:tt)* } dates { $($dates:tt)* }
        list { $($list:tt)* } structs { $($structs:tt)* } maps { $($maps:tt)* } names { $($names:tt)* }) => {
        $crate::function_methods! { $($dates)* }
    };
}

/// The expression of an argument of a method.
#[doc(hidden)]
#[macro_export]
macro_rules! argument_of {
    (TypeLiteral $parameter:ident) => {
        lit($crate::Value::null($parameter.clone()))
    };
    ($kind:ident $parameter:ident) => {
        $parameter.into()
    };
}

/// The Rust type of a parameter of a function.
#[doc(hidden)]
#[macro_export]
macro_rules! parameter_type {
    (TextLiteral) => { &str };
    (IntegerLiteral) => { i32 };
    (OptionalInteger) => { Option<i32> };
    (BooleanLiteral) => { bool };
    (TypeLiteral) => { &$crate::DataType };
    ($other:ident) => { impl Into<Expr> };
}
