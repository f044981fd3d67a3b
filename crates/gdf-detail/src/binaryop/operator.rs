//! The operators by name.

/// What [`binary_operation`](super::binary_operation()) computes; the names are libcudf's.
///
/// | group | operators | operands | result |
/// |---|---|---|---|
/// | arithmetic | `Add` … `PyMod` | numbers, decimals, timestamps and durations | the same kind |
/// | bits | `ShiftLeft` … `BitwiseXor` | integers, for the last three also booleans | the same kind |
/// | logic | `LogicalAnd`, `LogicalOr` and their Kleene forms | booleans, numbers (true unless 0) | boolean |
/// | comparison | `Equal` … `GreaterEqual`, `NullEquals`, `NullNotEquals` | two of a kind | boolean |
/// | choice | `NullMax`, `NullMin` | two of a kind, but no strings | the same kind |
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `lhs + rhs`.
    Add,
    /// `lhs - rhs`.
    Sub,
    /// `lhs * rhs`.
    Mul,
    /// `lhs / rhs`; integers are truncated towards zero.
    Div,
    /// `lhs / rhs` of integers and floats, as floats.
    TrueDiv,
    /// `lhs / rhs`, rounded down to an integer.
    FloorDiv,
    /// The remainder of the truncated division: it has the sign of `lhs`.
    Mod,
    /// As `Mod`, but not negative when `rhs` is positive.
    PMod,
    /// The remainder of the floored division, as in Python: it has the sign of `rhs`.
    PyMod,
    /// `lhs << rhs`, in the type of `lhs`; the amount is taken modulo its number of bits.
    ShiftLeft,
    /// `lhs >> rhs`, in the type of `lhs`: signed ones keep their sign.
    ShiftRight,
    /// `lhs >> rhs`, zeros shifted in whatever the sign.
    ShiftRightUnsigned,
    /// `lhs & rhs`.
    BitwiseAnd,
    /// `lhs | rhs`.
    BitwiseOr,
    /// `lhs ^ rhs`.
    BitwiseXor,
    /// Both are true; null where either is null.
    LogicalAnd,
    /// One or both are true; null where either is null.
    LogicalOr,
    /// `lhs == rhs`.
    Equal,
    /// `lhs != rhs`.
    NotEqual,
    /// `lhs < rhs`.
    Less,
    /// `lhs > rhs`.
    Greater,
    /// `lhs <= rhs`.
    LessEqual,
    /// `lhs >= rhs`.
    GreaterEqual,
    /// As `Equal`, but two nulls are equal and a null differs from a value: never null.
    NullEquals,
    /// The opposite of `NullEquals`.
    NullNotEquals,
    /// The greater one (`lhs` if `lhs > rhs`, else `rhs`); the other one where one is null.
    NullMax,
    /// The smaller one (`lhs` if `lhs < rhs`, else `rhs`); the other one where one is null.
    NullMin,
    /// Kleene's and: false where either is false, else null where either is null.
    NullLogicalAnd,
    /// Kleene's or: true where either is true, else null where either is null.
    NullLogicalOr,
}

impl BinaryOperator {
    /// Every operator.
    pub const ALL: &'static [BinaryOperator] = {
        use BinaryOperator::*;
        &[
            Add,
            Sub,
            Mul,
            Div,
            TrueDiv,
            FloorDiv,
            Mod,
            PMod,
            PyMod,
            ShiftLeft,
            ShiftRight,
            ShiftRightUnsigned,
            BitwiseAnd,
            BitwiseOr,
            BitwiseXor,
            LogicalAnd,
            LogicalOr,
            Equal,
            NotEqual,
            Less,
            Greater,
            LessEqual,
            GreaterEqual,
            NullEquals,
            NullNotEquals,
            NullMax,
            NullMin,
            NullLogicalAnd,
            NullLogicalOr,
        ]
    };

    /// Whether the result says how the operands compare.
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | NullEquals | NullNotEquals)
    }

    /// Whether the operands are taken as truth values.
    pub fn is_logical(self) -> bool {
        use BinaryOperator::*;
        matches!(self, LogicalAnd | LogicalOr | NullLogicalAnd | NullLogicalOr)
    }

    /// Whether the operands are taken as bit patterns.
    pub fn is_bitwise(self) -> bool {
        self.is_shift() || matches!(self, Self::BitwiseAnd | Self::BitwiseOr | Self::BitwiseXor)
    }

    pub(super) fn is_shift(self) -> bool {
        matches!(self, Self::ShiftLeft | Self::ShiftRight | Self::ShiftRightUnsigned)
    }

    pub(super) fn is_choice(self) -> bool {
        matches!(self, Self::NullMax | Self::NullMin)
    }
}
