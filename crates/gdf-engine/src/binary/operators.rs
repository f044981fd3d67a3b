//! The codes of each operator. A code is the number that kernels and functors use for the operator.

pub use gdf_expr::{BinaryGroup, BinaryOperator, NullRule};
pub use gdf_kernels::generated::binaryop::Arithmetic;
pub use gdf_kernels::generated::binaryop::{
    BinarySameFloats as SameFloats, BinarySameIntegers as SameIntegers, Logic, Order,
};

pub const OPERATION: &str = "binary_operation";

pub trait HasCodes {
    fn code(self) -> Codes;
}

impl HasCodes for BinaryOperator {
    fn code(self) -> Codes {
        CODES[self as usize].1
    }
}

/// A row for each operator, in the order of the operators.
const CODES: [(BinaryOperator, Codes); BinaryOperator::ALL.len()] = {
    use BinaryOperator::*;
    [
        (Add, arithmetic(Arithmetic::Add).same_integers(SameIntegers::Add).same_floats(SameFloats::Add)),
        (Sub, arithmetic(Arithmetic::Sub).same_integers(SameIntegers::Sub).same_floats(SameFloats::Sub)),
        (Mul, arithmetic(Arithmetic::Mul).same_integers(SameIntegers::Mul).same_floats(SameFloats::Mul)),
        (Div, arithmetic(Arithmetic::Div).same_floats(SameFloats::Div)),
        (TrueDiv, arithmetic(Arithmetic::Div).same_floats(SameFloats::Div)),
        (FloorDiv, arithmetic(Arithmetic::FloorDiv)),
        (Mod, arithmetic(Arithmetic::Mod)),
        (PMod, arithmetic(Arithmetic::PMod)),
        (PyMod, arithmetic(Arithmetic::PyMod)),
        (ShiftLeft, arithmetic(Arithmetic::ShiftLeft)),
        (ShiftRight, arithmetic(Arithmetic::ShiftRight)),
        (ShiftRightUnsigned, arithmetic(Arithmetic::ShiftRightUnsigned)),
        (BitwiseAnd, arithmetic(Arithmetic::BitAnd).same_integers(SameIntegers::BitAnd).of_booleans(Logic::LogicAnd)),
        (BitwiseOr, arithmetic(Arithmetic::BitOr).same_integers(SameIntegers::BitOr).of_booleans(Logic::LogicOr)),
        (BitwiseXor, arithmetic(Arithmetic::BitXor).same_integers(SameIntegers::BitXor).of_booleans(Logic::LogicXor)),
        (IntPow, arithmetic(Arithmetic::IntPow)),
        (Pow, arithmetic(Arithmetic::Pow)),
        (LogBase, arithmetic(Arithmetic::LogBase)),
        (Atan2, arithmetic(Arithmetic::Atan2)),
        (LogicalAnd, logical(Logic::LogicAnd)),
        (LogicalOr, logical(Logic::LogicOr)),
        (Equal, order(Order::Equal).of_booleans(Logic::LogicEqual)),
        (NotEqual, order(Order::Equal).negated().of_booleans(Logic::LogicNotEqual)),
        (Less, order(Order::Less).of_booleans(Logic::LogicLess)),
        (Greater, order(Order::Less).of_booleans(Logic::LogicLess).swapped()),
        (LessEqual, order(Order::LessEqual).of_booleans(Logic::LogicLessEqual)),
        (GreaterEqual, order(Order::LessEqual).of_booleans(Logic::LogicLessEqual).swapped()),
        (NullEquals, order(Order::Equal).nulls_equal().of_booleans(Logic::NullEquals)),
        (NullNotEquals, order(Order::Equal).nulls_equal().negated().of_booleans(Logic::NullNotEquals)),
        (NullMax, arithmetic(Arithmetic::Maximum).of_booleans(Logic::LogicMax)),
        (NullMin, arithmetic(Arithmetic::Minimum).of_booleans(Logic::LogicMin)),
        (NullLogicalAnd, logical(Logic::KleeneAnd)),
        (NullLogicalOr, logical(Logic::KleeneOr)),
    ]
};

const _: () = {
    let mut row = 0;
    while row < CODES.len() {
        assert!(CODES[row].0 as usize == row, "the rows are not in the order of the operators");
        row += 1;
    }
};

/// The comparison that is made for two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonSpec {
    pub order: Order,
    pub negated: bool,
    /// Whether nulls are equal to each other and differ from every value. Otherwise the comparison of a null is null.
    pub nulls_equal: bool,
}

/// The codes of an operator, one for each table of functors.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    pub arithmetic: Option<Arithmetic>,
    pub same_integers: Option<SameIntegers>,
    pub same_floats: Option<SameFloats>,
    pub comparison: Option<ComparisonSpec>,
    pub logic: Option<Logic>,
    /// Whether the functor takes the operands in the opposite order.
    pub swapped: bool,
}

const NONE: Codes =
    Codes { arithmetic: None, same_integers: None, same_floats: None, comparison: None, logic: None, swapped: false };

const fn arithmetic(op: Arithmetic) -> Codes {
    Codes { arithmetic: Some(op), ..NONE }
}

const fn logical(op: Logic) -> Codes {
    NONE.of_booleans(op)
}

const fn order(order: Order) -> Codes {
    let comparison = ComparisonSpec { order, negated: false, nulls_equal: false };
    Codes { comparison: Some(comparison), ..NONE }
}

impl Codes {
    const fn same_integers(self, op: SameIntegers) -> Codes {
        Codes { same_integers: Some(op), ..self }
    }

    const fn same_floats(self, op: SameFloats) -> Codes {
        Codes { same_floats: Some(op), ..self }
    }

    const fn of_booleans(self, op: Logic) -> Codes {
        Codes { logic: Some(op), ..self }
    }

    const fn swapped(self) -> Codes {
        Codes { swapped: true, ..self }
    }

    const fn negated(self) -> Codes {
        match self.comparison {
            Some(spec) => Codes { comparison: Some(ComparisonSpec { negated: true, ..spec }), ..self },
            None => self,
        }
    }

    const fn nulls_equal(self) -> Codes {
        match self.comparison {
            Some(spec) => Codes { comparison: Some(ComparisonSpec { nulls_equal: true, ..spec }), ..self },
            None => self,
        }
    }
}
