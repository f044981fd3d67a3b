//! Kernels of kernels/predicate.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const MAX_COLUMNS: usize = 16;

pub const MAX_STEPS: usize = 48;

pub const MAX_WAITING: usize = 4;

/// The way the result of a step is combined with earlier results. The last two values begin conditions whose result is
/// later joined with the last result by `both` or `either`: rows that the last result decides are not tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Combine {
    Push = 0,
    Both = 1,
    Either = 2,
    PushForBoth = 3,
    PushForEither = 4,
}

/// The test that a step applies to each row of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Test {
    Boolean = 0,
    Valid = 1,
    Range = 2,
    Equal = 3,
    Less = 4,
    LessEqual = 5,
    Text = 6,
    StartsWith = 7,
    Never = 8,
    Joined = 9,
    Key = 10,
    EvenText = 11,
}

/// The steps in the order of execution. The last result is the result of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Program {
    pub steps: [Step; 48],
    pub count: i32,
    pub unused: i32,
}

impl Default for Program {
    fn default() -> Self {
        Self { steps: [Step::default(); 48], count: 0, unused: 0 }
    }
}

const _: () = assert!(size_of::<Program>() == 2696 && align_of::<Program>() == 8);

/// A step of the program: a condition, or an operation on results.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    pub test: i32,
    pub combine: i32,
    pub column: i32,
    /// the other column of equal, less and less\_equal, the bits of key; otherwise -1
    pub other: i32,
    /// not 0: the values are inverted, and nulls stay null
    pub negated: i32,
    /// size of the text, for text, starts\_with and even\_text
    pub size: i32,
    pub low: u64,
    pub high: u64,
    pub third: u64,
    pub fourth: u64,
}

const _: () = assert!(size_of::<Step>() == 56 && align_of::<Step>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "evaluate_predicate_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "evaluate_text_predicate_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// Evaluates the steps of `p` for each row. No step compares texts, other than texts of one size. Each column has
/// out.length rows and is not broadcast, except the bits of a test of keys, which have no nulls. `out` is boolean.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatePredicate<'a> {
    pub table: TableIn<'a, 16>,
    pub p: Program,
    pub out: ColumnOut<'a>,
}

arguments!(EvaluatePredicate { table, p, out } scratch {});

impl OneKernel for EvaluatePredicate<'static> {
    const ID: KernelId = KernelId::new(image::PREDICATE, 0);
}

/// Does the same as evaluate\_predicate, for steps that may compare texts.
#[derive(Clone, Copy, Debug)]
pub struct EvaluateTextPredicate<'a> {
    pub table: TableIn<'a, 16>,
    pub p: Program,
    pub out: ColumnOut<'a>,
}

arguments!(EvaluateTextPredicate { table, p, out } scratch {});

impl OneKernel for EvaluateTextPredicate<'static> {
    const ID: KernelId = KernelId::new(image::PREDICATE, 1);
}
