//! The table of operators of two operands.

use super::operators;

operators! {
    /// An operator of two operands. The names are libcudf's names.
    pub enum BinaryOperator: BinaryGroup => Row {
        Arithmetic: "numbers, decimals, timestamps and durations" => "the same kind" {
            /// `lhs + rhs`.
            #[doc(alias("+", "plus"))]
            Add = "ADD" => infix("+", 7);
            /// `lhs - rhs`.
            #[doc(alias("-", "minus", "subtract"))]
            Sub = "SUB" => infix("-", 7);
            /// `lhs * rhs`.
            #[doc(alias("*", "times", "multiply"))]
            Mul = "MUL" => infix("*", 8);
            /// `lhs / rhs`. Integer quotients are truncated towards zero.
            #[doc(alias("/", "divide"))]
            Div = "DIV" => infix("/", 8).divides();
        }
        TrueDivision: "numbers" => "a float" {
            /// `lhs / rhs` of integers or floats. The result is a float.
            #[doc(alias("truediv"))]
            TrueDiv = "TRUE_DIV" => call("TRUE_DIV").divides();
        }
        Division: "numbers, decimals and durations" => "the same kind" {
            /// `lhs / rhs`, rounded down to a whole number.
            #[doc(alias("//", "floordiv"))]
            FloorDiv = "FLOOR_DIV" => call("FLOOR_DIV").divides();
            /// The remainder of the truncated division. The remainder has the sign of `lhs`.
            #[doc(alias("%", "rem", "remainder"))]
            Mod = "MOD" => infix("%", 8).divides();
            /// The remainder of `Mod`, except that the result is not negative if `rhs` is positive.
            PMod = "PMOD" => call("PMOD").divides();
            /// The remainder of the floored division, as in Python. The remainder has the sign of `rhs`.
            #[doc(alias("%", "mod"))]
            PyMod = "PYMOD" => call("PYMOD").divides();
        }
        Shift: "integers" => "the type of `lhs`" {
            /// `lhs << rhs`, in the type of `lhs`. The amount `rhs` is taken modulo the number of bits of that type.
            #[doc(alias("<<"))]
            ShiftLeft = "SHIFT_LEFT" => infix("<<", 6);
            /// `lhs >> rhs`, in the type of `lhs`. Signed integers keep their sign.
            #[doc(alias(">>"))]
            ShiftRight = "SHIFT_RIGHT" => infix(">>", 6);
            /// `lhs >> rhs`. Zeros are shifted in, even if `lhs` is negative.
            ShiftRightUnsigned = "SHIFT_RIGHT_UNSIGNED" => call("SHIFT_RIGHT_UNSIGNED");
        }
        Bitwise: "integers, booleans" => "the same kind" {
            /// `lhs & rhs`.
            #[doc(alias("&"))]
            BitwiseAnd = "BITWISE_AND" => infix("&", 5);
            /// `lhs | rhs`.
            #[doc(alias("|"))]
            BitwiseOr = "BITWISE_OR" => infix("|", 5);
            /// `lhs ^ rhs`.
            #[doc(alias("^", "xor"))]
            BitwiseXor = "BITWISE_XOR" => infix("^", 5);
        }
        Power: "integers" => "the common type" {
            /// `lhs` to the power of `rhs`; 0 if `rhs` is negative.
            #[doc(alias("**"))]
            IntPow = "INT_POW" => call("INT_POW");
        }
        Function: "numbers" => "a float" {
            /// `lhs` to the power of `rhs`. For integers, the result is `Float64`.
            #[doc(alias("**", "power"))]
            Pow = "POW" => call("POWER");
            /// The logarithm of `lhs` to the base `rhs`.
            #[doc(alias("log", "logb"))]
            LogBase = "LOG_BASE" => call("LOG_BASE");
            /// The angle of the point with the coordinates `y = lhs` and `x = rhs`, in radians from -π to π.
            #[doc(alias("arctan2"))]
            Atan2 = "ATAN2" => call("ATAN2");
        }
        Logical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Whether both operands are true. The result is null if either operand is null.
            #[doc(alias("&&"))]
            LogicalAnd = "LOGICAL_AND" => call("LOGICAL_AND");
            /// Whether at least one operand is true. The result is null if either operand is null.
            #[doc(alias("||"))]
            LogicalOr = "LOGICAL_OR" => call("LOGICAL_OR");
        }
        Comparison: "two of a kind" => "boolean" {
            /// `lhs == rhs`.
            #[doc(alias("==", "eq", "="))]
            Equal = "EQUAL" => infix("=", 4);
            /// `lhs != rhs`.
            #[doc(alias("!=", "<>", "neq", "ne"))]
            NotEqual = "NOT_EQUAL" => infix("<>", 4);
            /// `lhs < rhs`.
            #[doc(alias("<", "lt"))]
            Less = "LESS" => infix("<", 4);
            /// `lhs > rhs`.
            #[doc(alias(">", "gt"))]
            Greater = "GREATER" => infix(">", 4);
            /// `lhs <= rhs`.
            #[doc(alias("<=", "le", "lt_eq"))]
            LessEqual = "LESS_EQUAL" => infix("<=", 4);
            /// `lhs >= rhs`.
            #[doc(alias(">=", "ge", "gt_eq"))]
            GreaterEqual = "GREATER_EQUAL" => infix(">=", 4);
            /// The comparison of `Equal`, except that two nulls are equal, and a null differs from every value. The
            /// result is never null.
            #[doc(alias("eq_missing", "is not distinct from", "not_distinct"))]
            NullEquals = "NULL_EQUALS" => infix("IS NOT DISTINCT FROM", 4).nulls(NullRule::Never);
            /// The negation of `NullEquals`.
            #[doc(alias("ne_missing", "is distinct from", "distinct"))]
            NullNotEquals = "NULL_NOT_EQUALS" => infix("IS DISTINCT FROM", 4).nulls(NullRule::Never);
        }
        Choice: "two of a kind" => "the same kind" {
            /// The greater operand: `lhs` if `lhs > rhs`, and otherwise `rhs`. If one operand is null, the result is
            /// the other operand.
            #[doc(alias("greatest", "max_horizontal", "fmax"))]
            NullMax = "NULL_MAX" => call("GREATEST").nulls(NullRule::Both);
            /// The smaller operand: `lhs` if `lhs < rhs`, and otherwise `rhs`. If one operand is null, the result is
            /// the other operand.
            #[doc(alias("least", "min_horizontal", "fmin"))]
            NullMin = "NULL_MIN" => call("LEAST").nulls(NullRule::Both);
        }
        KleeneLogical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Kleene's `AND`. The result is false if either operand is false. Otherwise, the result is null if
            /// either operand is null.
            #[doc(alias("and", "and_kleene", "&"))]
            NullLogicalAnd = "NULL_LOGICAL_AND" => infix("AND", 2).nulls(NullRule::Undecided);
            /// Kleene's `OR`. The result is true if either operand is true. Otherwise, the result is null if either
            /// operand is null.
            #[doc(alias("or", "or_kleene", "|"))]
            NullLogicalOr = "NULL_LOGICAL_OR" => infix("OR", 1).nulls(NullRule::Undecided);
        }
    }
}

impl BinaryOperator {
    /// Returns whether the operator is a comparison.
    pub fn is_comparison(self) -> bool {
        self.group() == BinaryGroup::Comparison
    }

    /// Returns whether the operands are converted to truth values.
    pub fn is_logical(self) -> bool {
        matches!(self.group(), BinaryGroup::Logical | BinaryGroup::KleeneLogical)
    }

    /// Returns whether results are exact. The results of all other operators may differ from the exact result by a
    /// few units in the last place.
    pub fn is_exact(self) -> bool {
        self.group() != BinaryGroup::Function
    }

    /// Returns whether the operator works on bit patterns.
    pub fn is_bitwise(self) -> bool {
        matches!(self.group(), BinaryGroup::Shift | BinaryGroup::Bitwise)
    }

    /// Returns whether neither operands nor results of the operator are floats.
    pub fn is_integral(self) -> bool {
        self.is_bitwise() || self.group() == BinaryGroup::Power
    }

    /// Returns the rule for null rows in the result.
    pub fn null_rule(self) -> NullRule {
        self.row().nulls
    }

    /// Returns the notation of the operator in the text of an expression.
    pub(crate) fn notation(self) -> Notation {
        self.row().notation
    }

    /// Returns whether `a op b` equals `b op a` for all values.
    pub fn is_commutative(self) -> bool {
        use BinaryOperator::*;
        matches!(
            self,
            Add | Mul
                | BitwiseAnd
                | BitwiseOr
                | BitwiseXor
                | LogicalAnd
                | LogicalOr
                | Equal
                | NotEqual
                | NullEquals
                | NullNotEquals
                | NullLogicalAnd
                | NullLogicalOr
        )
    }

    /// Returns the operator that gives the same result with exchanged operands, if there is one: `a < b` equals `b >
    /// a`, and a commutative operator is returned unchanged.
    pub fn mirrored(self) -> Option<BinaryOperator> {
        use BinaryOperator::*;
        Some(match self {
            Less => Greater,
            Greater => Less,
            LessEqual => GreaterEqual,
            GreaterEqual => LessEqual,
            same if same.is_commutative() => same,
            _ => return None,
        })
    }
}

/// The rule for null rows in the result of an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullRule {
    /// A row is null if either operand is null.
    #[default]
    Either,
    /// A row is null if either operand is null. Unless the operator computes in floats, a row is also null if its
    /// divisor is zero.
    ZeroDivisor,
    /// A row is null if both operands are null. If one operand is null, the result is the other operand.
    Both,
    /// A row is null if an operand is null, except if the other operand determines the result, as false does for `AND`.
    Undecided,
    /// No row is null.
    Never,
}

/// The notation of an operator in the text of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// The symbol is written between the operands. Operators of a higher precedence bind tighter.
    Infix { symbol: &'static str, precedence: u8 },
    /// The operator is written as a function call with this name.
    Call(&'static str),
}

/// The properties of an operator in the table, without its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    notation: Notation,
    nulls: NullRule,
}

const fn infix(symbol: &'static str, precedence: u8) -> Row {
    Row { notation: Notation::Infix { symbol, precedence }, nulls: NullRule::Either }
}

const fn call(name: &'static str) -> Row {
    Row { notation: Notation::Call(name), nulls: NullRule::Either }
}

impl Row {
    const fn nulls(self, nulls: NullRule) -> Row {
        Row { nulls, ..self }
    }

    const fn divides(self) -> Row {
        self.nulls(NullRule::ZeroDivisor)
    }
}
