//! The table of operators.

use gdf_engine::elementwise::operators;

use super::plan::{Arithmetic, Logic, Order, SameFloats, SameIntegers};

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "binary_operation";

operators! {
    /// The operators of [`binary_operation`](super::binary_operation()), with the names of libcudf.
    pub enum BinaryOperator: BinaryGroup => Codes {
        Arithmetic: "numbers, decimals, timestamps and durations" => "the same kind" {
            /// `lhs + rhs`.
            #[doc(alias("+", "plus"))]
            Add = "ADD" => arithmetic(Arithmetic::Add).same_integers(SameIntegers::Add).same_floats(SameFloats::Add);
            /// `lhs - rhs`.
            #[doc(alias("-", "minus", "subtract"))]
            Sub = "SUB" => arithmetic(Arithmetic::Sub).same_integers(SameIntegers::Sub).same_floats(SameFloats::Sub);
            /// `lhs * rhs`.
            #[doc(alias("*", "times", "multiply"))]
            Mul = "MUL" => arithmetic(Arithmetic::Mul).same_integers(SameIntegers::Mul).same_floats(SameFloats::Mul);
            /// `lhs / rhs`. The quotient of integers is truncated towards zero.
            #[doc(alias("/", "divide"))]
            Div = "DIV" => arithmetic(Arithmetic::Div).divides().same_floats(SameFloats::Div);
        }
        TrueDivision: "numbers" => "a float" {
            /// `lhs / rhs` of integers and floats, as floats.
            #[doc(alias("truediv"))]
            TrueDiv = "TRUE_DIV" => arithmetic(Arithmetic::Div).divides().same_floats(SameFloats::Div);
        }
        Division: "numbers, decimals and durations" => "the same kind" {
            /// `lhs / rhs`, rounded down to an integer.
            #[doc(alias("//", "floordiv"))]
            FloorDiv = "FLOOR_DIV" => arithmetic(Arithmetic::FloorDiv).divides();
            /// The remainder of the truncated division. The remainder has the sign of `lhs`.
            #[doc(alias("%", "rem", "remainder"))]
            Mod = "MOD" => arithmetic(Arithmetic::Mod).divides();
            /// The same as `Mod`, but not negative if `rhs` is positive.
            PMod = "PMOD" => arithmetic(Arithmetic::PMod).divides();
            /// The remainder of the floored division, as in Python. The remainder has the sign of `rhs`.
            #[doc(alias("%", "mod"))]
            PyMod = "PYMOD" => arithmetic(Arithmetic::PyMod).divides();
        }
        Shift: "integers" => "the type of `lhs`" {
            /// `lhs << rhs`, in the type of `lhs`. The shift amount is `rhs` modulo the number of bits of that type.
            #[doc(alias("<<"))]
            ShiftLeft = "SHIFT_LEFT" => arithmetic(Arithmetic::ShiftLeft);
            /// `lhs >> rhs`, in the type of `lhs`. Signed integers keep their sign.
            #[doc(alias(">>"))]
            ShiftRight = "SHIFT_RIGHT" => arithmetic(Arithmetic::ShiftRight);
            /// `lhs >> rhs`. Zeros are shifted in, even if `lhs` is negative.
            ShiftRightUnsigned = "SHIFT_RIGHT_UNSIGNED" => arithmetic(Arithmetic::ShiftRightUnsigned);
        }
        Bitwise: "integers, booleans" => "the same kind" {
            /// `lhs & rhs`.
            #[doc(alias("&"))]
            BitwiseAnd = "BITWISE_AND" =>
                arithmetic(Arithmetic::BitAnd).same_integers(SameIntegers::BitAnd).of_booleans(Logic::LogicAnd);
            /// `lhs | rhs`.
            #[doc(alias("|"))]
            BitwiseOr = "BITWISE_OR" =>
                arithmetic(Arithmetic::BitOr).same_integers(SameIntegers::BitOr).of_booleans(Logic::LogicOr);
            /// `lhs ^ rhs`.
            #[doc(alias("^", "xor"))]
            BitwiseXor = "BITWISE_XOR" =>
                arithmetic(Arithmetic::BitXor).same_integers(SameIntegers::BitXor).of_booleans(Logic::LogicXor);
        }
        Power: "integers" => "the common type" {
            /// `lhs` to the power of `rhs`; 0 if `rhs` is negative.
            #[doc(alias("**"))]
            IntPow = "INT_POW" => arithmetic(Arithmetic::IntPow);
        }
        Function: "numbers" => "a float" {
            /// `lhs` to the power of `rhs`, of integers as `Float64`.
            #[doc(alias("**", "power"))]
            Pow = "POW" => arithmetic(Arithmetic::Pow);
            /// The logarithm of `lhs` to the base `rhs`.
            #[doc(alias("log", "logb"))]
            LogBase = "LOG_BASE" => arithmetic(Arithmetic::LogBase);
            /// The angle of the point with the coordinates `y = lhs` and `x = rhs`, in radians from -π to π.
            #[doc(alias("arctan2"))]
            Atan2 = "ATAN2" => arithmetic(Arithmetic::Atan2);
        }
        Logical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Whether both operands are true. Null if either operand is null.
            #[doc(alias("&&"))]
            LogicalAnd = "LOGICAL_AND" => logical(Logic::LogicAnd);
            /// Whether at least one operand is true. Null if either operand is null.
            #[doc(alias("||"))]
            LogicalOr = "LOGICAL_OR" => logical(Logic::LogicOr);
        }
        Comparison: "two of a kind" => "boolean" {
            /// `lhs == rhs`.
            #[doc(alias("==", "eq", "="))]
            Equal = "EQUAL" => order(Order::Equal).of_booleans(Logic::LogicEqual);
            /// `lhs != rhs`.
            #[doc(alias("!=", "<>", "neq", "ne"))]
            NotEqual = "NOT_EQUAL" => order(Order::Equal).negated().of_booleans(Logic::LogicNotEqual);
            /// `lhs < rhs`.
            #[doc(alias("<", "lt"))]
            Less = "LESS" => order(Order::Less).of_booleans(Logic::LogicLess);
            /// `lhs > rhs`.
            #[doc(alias(">", "gt"))]
            Greater = "GREATER" => order(Order::Less).of_booleans(Logic::LogicLess).swapped();
            /// `lhs <= rhs`.
            #[doc(alias("<=", "le", "lt_eq"))]
            LessEqual = "LESS_EQUAL" => order(Order::LessEqual).of_booleans(Logic::LogicLessEqual);
            /// `lhs >= rhs`.
            #[doc(alias(">=", "ge", "gt_eq"))]
            GreaterEqual = "GREATER_EQUAL" => order(Order::LessEqual).of_booleans(Logic::LogicLessEqual).swapped();
            /// The same as `Equal`, except that two nulls are equal and that a null differs from every value. The
            /// result is never null.
            #[doc(alias("eq_missing", "is not distinct from", "not_distinct"))]
            NullEquals = "NULL_EQUALS" => order(Order::Equal).nulls_equal().of_booleans(Logic::NullEquals);
            /// The opposite of `NullEquals`.
            #[doc(alias("ne_missing", "is distinct from", "distinct"))]
            NullNotEquals = "NULL_NOT_EQUALS" =>
                order(Order::Equal).nulls_equal().negated().of_booleans(Logic::NullNotEquals);
        }
        Choice: "two of a kind" => "the same kind" {
            /// The greater operand (`lhs` if `lhs > rhs`, else `rhs`). If one operand is null, the result is the other
            /// operand.
            #[doc(alias("greatest", "max_horizontal", "fmax"))]
            NullMax = "NULL_MAX" => arithmetic(Arithmetic::Maximum).chooses().of_booleans(Logic::LogicMax);
            /// The smaller operand (`lhs` if `lhs < rhs`, else `rhs`). If one operand is null, the result is the other
            /// operand.
            #[doc(alias("least", "min_horizontal", "fmin"))]
            NullMin = "NULL_MIN" => arithmetic(Arithmetic::Minimum).chooses().of_booleans(Logic::LogicMin);
        }
        KleeneLogical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Kleene's and. False if either operand is false; otherwise null if either operand is null.
            #[doc(alias("and", "and_kleene", "&"))]
            NullLogicalAnd = "NULL_LOGICAL_AND" => logical(Logic::KleeneAnd).may_decide();
            /// Kleene's or. True if either operand is true; otherwise null if either operand is null.
            #[doc(alias("or", "or_kleene", "|"))]
            NullLogicalOr = "NULL_LOGICAL_OR" => logical(Logic::KleeneOr).may_decide();
        }
    }
}

impl BinaryOperator {
    /// Whether the operator is a comparison.
    pub fn is_comparison(self) -> bool {
        self.group() == BinaryGroup::Comparison
    }

    /// Whether the operands are taken as truth values.
    pub fn is_logical(self) -> bool {
        matches!(self.group(), BinaryGroup::Logical | BinaryGroup::KleeneLogical)
    }

    /// Whether results are exact. The results of other operators may be off by some units in the last place.
    pub fn is_exact(self) -> bool {
        self.group() != BinaryGroup::Function
    }

    /// Whether the operands are taken as bit patterns.
    pub fn is_bitwise(self) -> bool {
        matches!(self.group(), BinaryGroup::Shift | BinaryGroup::Bitwise)
    }

    /// Whether there are no floats among operands and results.
    pub(super) fn is_integral(self) -> bool {
        self.is_bitwise() || self.group() == BinaryGroup::Power
    }
}

/// How two rows are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ComparisonSpec {
    pub(super) order: Order,
    pub(super) negated: bool,
    /// Whether a null equals a null, and differs from every value.
    pub(super) nulls_equal: bool,
}

/// The rule for null rows in the result of an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NullRule {
    /// A row is null if either operand is null.
    #[default]
    Either,
    /// A row is null if either operand is null. A row of integers is also null if its divisor is zero.
    ZeroDivisor,
    /// A row is null if both operands are null. If one operand is null, the result is the other operand.
    Both,
    /// A row is null if either operand is null, unless the other operand decides the result.
    Undecided,
    /// No row is null.
    Never,
}

/// The code of an operator in each table of functors, and its rule for nulls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Codes {
    pub(super) arithmetic: Option<Arithmetic>,
    /// The code for integers that are used as stored.
    pub(super) same_integers: Option<SameIntegers>,
    /// The code for floats that are used as stored.
    pub(super) same_floats: Option<SameFloats>,
    pub(super) comparison: Option<ComparisonSpec>,
    /// The code for truth values.
    pub(super) logic: Option<Logic>,
    /// Whether the functor takes the operands in the opposite order. Not used for arithmetic.
    pub(super) swapped: bool,
    pub(super) nulls: NullRule,
}

fn arithmetic(op: Arithmetic) -> Codes {
    Codes { arithmetic: Some(op), ..Codes::default() }
}

fn logical(op: Logic) -> Codes {
    Codes::default().of_booleans(op)
}

fn order(order: Order) -> Codes {
    let comparison = ComparisonSpec { order, negated: false, nulls_equal: false };
    Codes { comparison: Some(comparison), ..Codes::default() }
}

impl Codes {
    fn same_integers(self, op: SameIntegers) -> Codes {
        Codes { same_integers: Some(op), ..self }
    }

    fn same_floats(self, op: SameFloats) -> Codes {
        Codes { same_floats: Some(op), ..self }
    }

    fn divides(self) -> Codes {
        Codes { nulls: NullRule::ZeroDivisor, ..self }
    }

    fn chooses(self) -> Codes {
        Codes { nulls: NullRule::Both, ..self }
    }

    fn may_decide(self) -> Codes {
        Codes { nulls: NullRule::Undecided, ..self }
    }

    fn of_booleans(self, op: Logic) -> Codes {
        Codes { logic: Some(op), ..self }
    }

    fn swapped(self) -> Codes {
        Codes { swapped: true, ..self }
    }

    fn negated(self) -> Codes {
        Codes { comparison: self.comparison.map(|spec| ComparisonSpec { negated: true, ..spec }), ..self }
    }

    fn nulls_equal(self) -> Codes {
        let comparison = self.comparison.map(|spec| ComparisonSpec { nulls_equal: true, ..spec });
        Codes { comparison, nulls: NullRule::Never, ..self }
    }
}
