//! The table of operators.

use gdf_kernels::generated::binaryop::{Arithmetic, Logic, Order};

use crate::engine::elementwise::operators;

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "binary_operation";

operators! {
    /// What [`binary_operation`](super::binary_operation()) computes; the names are libcudf's.
    pub enum BinaryOperator: BinaryGroup => Codes {
        Arithmetic: "numbers, decimals, timestamps and durations" => "the same kind" {
            /// `lhs + rhs`.
            Add = "ADD" => arithmetic(Arithmetic::Add);
            /// `lhs - rhs`.
            Sub = "SUB" => arithmetic(Arithmetic::Sub);
            /// `lhs * rhs`.
            Mul = "MUL" => arithmetic(Arithmetic::Mul);
            /// `lhs / rhs`; integers are truncated towards zero.
            Div = "DIV" => arithmetic(Arithmetic::Div);
        }
        TrueDivision: "numbers" => "a float" {
            /// `lhs / rhs` of integers and floats, as floats.
            TrueDiv = "TRUE_DIV" => arithmetic(Arithmetic::Div);
        }
        Division: "numbers, decimals and durations" => "the same kind" {
            /// `lhs / rhs`, rounded down to an integer.
            FloorDiv = "FLOOR_DIV" => arithmetic(Arithmetic::FloorDiv);
            /// The remainder of the truncated division: it has the sign of `lhs`.
            Mod = "MOD" => arithmetic(Arithmetic::Mod);
            /// As `Mod`, but not negative when `rhs` is positive.
            PMod = "PMOD" => arithmetic(Arithmetic::PMod);
            /// The remainder of the floored division, as in Python: it has the sign of `rhs`.
            PyMod = "PYMOD" => arithmetic(Arithmetic::PyMod);
        }
        Shift: "integers" => "the type of `lhs`" {
            /// `lhs << rhs`, in the type of `lhs`; the amount is taken modulo its number of bits.
            ShiftLeft = "SHIFT_LEFT" => arithmetic(Arithmetic::ShiftLeft);
            /// `lhs >> rhs`, in the type of `lhs`: signed ones keep their sign.
            ShiftRight = "SHIFT_RIGHT" => arithmetic(Arithmetic::ShiftRight);
            /// `lhs >> rhs`, zeros shifted in whatever the sign.
            ShiftRightUnsigned = "SHIFT_RIGHT_UNSIGNED" => arithmetic(Arithmetic::ShiftRightUnsigned);
        }
        Bitwise: "integers, booleans" => "the same kind" {
            /// `lhs & rhs`.
            BitwiseAnd = "BITWISE_AND" => arithmetic(Arithmetic::BitAnd).of_booleans(Logic::LogicAnd);
            /// `lhs | rhs`.
            BitwiseOr = "BITWISE_OR" => arithmetic(Arithmetic::BitOr).of_booleans(Logic::LogicOr);
            /// `lhs ^ rhs`.
            BitwiseXor = "BITWISE_XOR" => arithmetic(Arithmetic::BitXor).of_booleans(Logic::LogicXor);
        }
        Power: "integers" => "the common type" {
            /// `lhs` to the power of `rhs`; 0 if `rhs` is negative.
            IntPow = "INT_POW" => arithmetic(Arithmetic::IntPow);
        }
        Logical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Both are true; null where either is null.
            LogicalAnd = "LOGICAL_AND" => logical(Logic::LogicAnd);
            /// One or both are true; null where either is null.
            LogicalOr = "LOGICAL_OR" => logical(Logic::LogicOr);
        }
        Comparison: "two of a kind" => "boolean" {
            /// `lhs == rhs`.
            Equal = "EQUAL" => order(Order::Equal).of_booleans(Logic::LogicEqual);
            /// `lhs != rhs`.
            NotEqual = "NOT_EQUAL" => order(Order::Equal).negated().of_booleans(Logic::LogicNotEqual);
            /// `lhs < rhs`.
            Less = "LESS" => order(Order::Less).of_booleans(Logic::LogicLess);
            /// `lhs > rhs`.
            Greater = "GREATER" => order(Order::Less).of_booleans(Logic::LogicLess).swapped();
            /// `lhs <= rhs`.
            LessEqual = "LESS_EQUAL" => order(Order::LessEqual).of_booleans(Logic::LogicLessEqual);
            /// `lhs >= rhs`.
            GreaterEqual = "GREATER_EQUAL" => order(Order::LessEqual).of_booleans(Logic::LogicLessEqual).swapped();
            /// As `Equal`, but two nulls are equal and a null differs from a value: never null.
            NullEquals = "NULL_EQUALS" => order(Order::Equal).nulls_equal().of_booleans(Logic::NullEquals);
            /// The opposite of `NullEquals`.
            NullNotEquals = "NULL_NOT_EQUALS" =>
                order(Order::Equal).nulls_equal().negated().of_booleans(Logic::NullNotEquals);
        }
        Choice: "two of a kind, but no strings" => "the same kind" {
            /// The greater one (`lhs` if `lhs > rhs`, else `rhs`); the other one where one is null.
            NullMax = "NULL_MAX" => arithmetic(Arithmetic::Maximum).of_booleans(Logic::LogicMax);
            /// The smaller one (`lhs` if `lhs < rhs`, else `rhs`); the other one where one is null.
            NullMin = "NULL_MIN" => arithmetic(Arithmetic::Minimum).of_booleans(Logic::LogicMin);
        }
        KleeneLogical: "booleans, numbers (true unless 0)" => "boolean" {
            /// Kleene's and: false where either is false, else null where either is null.
            NullLogicalAnd = "NULL_LOGICAL_AND" => logical(Logic::KleeneAnd);
            /// Kleene's or: true where either is true, else null where either is null.
            NullLogicalOr = "NULL_LOGICAL_OR" => logical(Logic::KleeneOr);
        }
    }
}

impl BinaryOperator {
    /// Whether the result says how the operands compare.
    pub fn is_comparison(self) -> bool {
        self.group() == BinaryGroup::Comparison
    }

    /// Whether the operands are taken as truth values.
    pub fn is_logical(self) -> bool {
        matches!(self.group(), BinaryGroup::Logical | BinaryGroup::KleeneLogical)
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
    /// A null equals a null and nothing else.
    pub(super) nulls_equal: bool,
}

/// What an operator is called in each of the tables of functors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Codes {
    pub(super) arithmetic: Option<Arithmetic>,
    pub(super) comparison: Option<ComparisonSpec>,
    /// Of truth values.
    pub(super) logic: Option<Logic>,
    /// Of the operands in the other order; not of arithmetic.
    pub(super) swapped: bool,
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
        Codes { comparison: self.comparison.map(|spec| ComparisonSpec { nulls_equal: true, ..spec }), ..self }
    }
}
