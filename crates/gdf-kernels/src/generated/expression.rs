//! Kernels of kernels/expression.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// An operand is a slot (0 or greater), the accumulator, nothing, or a constant. The constants are -3, -4 and so on.
pub const ACCUMULATOR: i32 = -1;

pub const FIRST_CONSTANT: i32 = -3;

/// The machine runs for this number of listed rows at a time, four for each thread.
pub const LISTED_ITEMS: usize = 4;

pub const LISTED_TILE: usize = 128;

/// The number of rows of a mask unit. Each thread of a warp has one mask word of the unit.
pub const MASK_ROWS: usize = 1024;

pub const MAX_BOOLEANS: usize = 20;

pub const MAX_CELLS: usize = 12;

pub const MAX_COLUMNS: usize = 16;

pub const MAX_CONSTANTS: usize = 40;

/// Up to this number of selected rows in a unit, the rows are appended to a list.
pub const MAX_LISTED: usize = 256;

pub const MAX_OUTPUTS: usize = 8;

pub const MAX_STEPS: usize = 64;

pub const NO_OPERAND: i32 = -2;

pub const PARTIAL_WORDS: usize = 3;

/// The rows that a step `decide` excludes from the following steps. If the step excludes all rows of a warp, the
/// program continues with step `extra`. The accumulator then has the result of all these rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Decided {
    /// rows where a is false; their result is false
    IfFalse = 0,
    /// rows where a is true; their result is true
    IfTrue = 1,
}

/// The type in which a step computes. Steps in the lane i128 read their operands from slots and constants, and write
/// their results to slots. The other steps also use the accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Lane {
    Boolean = 0,
    I64 = 1,
    U64 = 2,
    F32 = 3,
    F64 = 4,
    I128 = 5,
}

/// The operation that a step computes from its operands a, b and c. Unless stated otherwise, a row of the result is
/// null if the row of an operand is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Opcode {
    /// the column `code`, converted to the lane
    Load = 0,
    /// whether the rows of the column `code` are not null; never null
    Valid = 1,
    /// a null in each row
    Null = 2,
    /// a, b: the operator `code`; for shifts, `extra` is the number of bits of the integers
    Arithmetic = 3,
    /// a, converted from the lane `code`; only integers and booleans are converted to the lane i128
    Convert = 4,
    /// a, converted from the lane i128 to the lane `code`
    Narrow = 5,
    /// a, reduced to the bits of the type `code`
    Wrap = 6,
    /// whether a and b are in the order `code`; negated if `extra` is not 0
    Compare = 7,
    /// whether a is not 0
    NotZero = 8,
    /// a, b: the operator `code` on booleans, which also decides about nulls
    Logic = 9,
    /// the opposite of the boolean a
    Invert = 10,
    /// whether a is not null; never null
    IsValid = 11,
    /// a, null where the boolean c is not true
    ValidIf = 12,
    /// a where the boolean c is true, else b; null where the chosen operand is null
    Select = 13,
    /// a where a is not null, else b
    Coalesce = 14,
    /// a: the function `code` of unary operations
    Rounding = 15,
    /// the float a with the opposite sign; with a positive sign if `code` is not 0
    Sign = 16,
    /// a: the number of set bits
    BitCount = 17,
    /// the component `code` of the ticks a; the divisors are constants from `extra` on; uses slots
    Component = 18,
    /// whether the text of column `code` is the constant `extra` (its size is the constant after it)
    Text = 19,
    /// whether the text of column `code` begins with the constant `extra` (its size is the constant after it)
    Prefix = 20,
    /// marks rows by the boolean a, as `code` (a `decided`) states; can continue at step `extra`
    Decide = 21,
    /// stores a as the output `code`
    Emit = 22,
}

/// The operation that reduces the rows of an output to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Reduction {
    /// the sum of integers or booleans, in 128 bits
    Sum = 0,
    /// the sum of floats, in double precision
    FloatSum = 1,
    /// the maximum or minimum of at most 64 bits
    Extreme = 2,
    /// the maximum or minimum of 128 bits
    WideExtreme = 3,
    /// the number of rows in which a boolean is true
    Count = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Constant {
    pub low: u64,
    pub high: u64,
}

const _: () = assert!(size_of::<Constant>() == 16 && align_of::<Constant>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct PairRange {
    /// a bit for each column of the table, set if the column belongs to the left table
    pub left_columns: u32,
    /// a warp handles 2^shift words of right rows at a time
    pub shift: i32,
    /// the number of times that a warp proceeds to the next left rows
    pub share: i32,
    /// not 0: one match of a left row suffices; the count need not contain further matches
    pub first_only: i32,
    /// the first left row
    pub first: i64,
    /// the end of the left rows
    pub end: i64,
}

const _: () = assert!(size_of::<PairRange>() == 32 && align_of::<PairRange>() == 8);

/// A program. The slots below `cells` have a cell per row. The other slots, up to `slots`, have only a bit per row.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Program {
    pub steps: [Step; 64],
    pub constants: [Constant; 40],
    pub count: i32,
    pub cells: i32,
    pub slots: i32,
    pub outputs: i32,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            steps: [Step::default(); 64],
            constants: [Constant::default(); 40],
            count: 0,
            cells: 0,
            slots: 0,
            outputs: 0,
        }
    }
}

const _: () = assert!(size_of::<Program>() == 2704 && align_of::<Program>() == 8);

/// How an output is reduced. The options are those of `reduction_reduce::options`.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ReducedOutput {
    pub power: f64,
    /// a reduction
    pub operation: i32,
    pub divides: i32,
    pub mean: i32,
    pub minimum: i32,
}

const _: () = assert!(size_of::<ReducedOutput>() == 24 && align_of::<ReducedOutput>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ReducedOutputs {
    pub output: [ReducedOutput; 8],
}

const _: () = assert!(size_of::<ReducedOutputs>() == 192 && align_of::<ReducedOutputs>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    /// an opcode
    pub operation: i32,
    /// a lane
    pub form: i32,
    pub code: i32,
    pub extra: i32,
    pub a: i32,
    pub b: i32,
    pub c: i32,
    /// the slot that keeps the result, or -1
    pub store: i32,
}

const _: () = assert!(size_of::<Step>() == 32 && align_of::<Step>() == 4);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "expression_match_kernel", unit: 0, policy: Policy::new(128, 8, 4) },
    KernelInfo { symbol: "expression_project_kernel", unit: 1, policy: Policy::new(128, 8, 4) },
    KernelInfo { symbol: "expression_reduce_kernel", unit: 2, policy: Policy::new(128, 8, 4) },
];

/// \[block\] Evaluates the steps, whose only output is a condition, for pairs of rows. Adds the number of matches of each
/// left row to its word in `counts`, which must be zero before. If `pairs.first_only` is not 0, pairs of left rows that
/// already have a match may be skipped. If `bits` is not null, it gets a bit for each right row of each left row, which
/// is set if the rows match. The bits of a left row begin with a new word. Dynamic shared memory must have
/// slots\<threads, items\>::bytes(p.cells, p.slots) bytes.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    pub table: TableIn<'a, 16>,
    pub p: Program,
    pub pairs: PairRange,
    pub left_rows: Rows,
    pub right_rows: Rows,
    pub bits: Out<'a, u32>,
    pub counts: Out<'a, u64>,
}

arguments!(Match { table, p, pairs, left_rows, right_rows, bits, counts });

impl OneKernel for Match<'static> {
    const ID: KernelId = KernelId::new(image::EXPRESSION, 0);
}

/// \[block\] Evaluates the steps for each row and stores the outputs. Dynamic shared memory must have slots\<threads,
/// items\>::bytes(p.cells, p.slots) bytes.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    pub table: TableIn<'a, 16>,
    pub p: Program,
    pub out: TableOut<'a, 8>,
    pub rows: Rows,
}

arguments!(Project { table, p, out, rows } scratch {});

impl OneKernel for Project<'static> {
    const ID: KernelId = KernelId::new(image::EXPRESSION, 1);
}

/// \[block\] Evaluates the steps for the rows for which `mask` is true. Each output is reduced to one value, which
/// becomes the only row of its column. A mask without data selects all rows. `parts` has 3 words for each block and
/// output. Dynamic shared memory must have slots\<threads, items\>::bytes(p.cells, p.slots) +
/// partials\<threads\>::bytes(p.outputs) bytes. The kernel uses ticket 40.
#[derive(Clone, Copy, Debug)]
pub struct Reduce<'a> {
    pub table: TableIn<'a, 16>,
    pub p: Program,
    pub how: ReducedOutputs,
    pub mask: ColumnIn<'a>,
    pub out: TableOut<'a, 8>,
    pub rows: Rows,
    pub parts: Out<'a, u64>,
}

arguments!(Reduce { table, p, how, mask, out, rows, parts } scratch {});

impl OneKernel for Reduce<'static> {
    const ID: KernelId = KernelId::new(image::EXPRESSION, 2);
}
