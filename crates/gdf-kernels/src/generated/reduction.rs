//! Kernels of kernels/reduction.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const STRINGS_TICKET: usize = 41;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ReduceArithmetic {
    Sum = 0,
    Product = 1,
    Squares = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ReduceOptions {
    /// The result is null if at most this number of rows are valid. For a variance, the divisor is the number of valid
    /// rows minus this number.
    pub power: f64,
    pub fewest: i64,
    pub divides: i32,
    /// whether the sum is divided by the number of valid rows
    /// Selects the second of two related operations: minimum instead of maximum, all instead of any, all rows instead of
    /// valid rows, `and` instead of `or`, standard deviation instead of variance.
    pub mean: i32,
    pub second: i32,
    /// whether the bitwise operation is exclusive or
    pub exclusive: i32,
}

const _: () = assert!(size_of::<ReduceOptions>() == 32 && align_of::<ReduceOptions>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "reduction_any_all_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_bitwise_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_copy_string_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_count_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_extreme_strings_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_extreme_wide_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_extreme_widest_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "reduction_extreme_words_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_minmax_words_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_product_floats_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_product_wide_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_product_words_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_any_all_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_bitwise_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_count_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_extreme_wide_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_extreme_widest_kernel", unit: 1, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "reduction_segmented_extreme_words_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_product_floats_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_product_wide_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_product_words_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_squares_floats_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_squares_wide_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_squares_words_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_sum_floats_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_sum_wide_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_sum_widest_kernel", unit: 1, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "reduction_segmented_sum_words_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_segmented_variance_kernel", unit: 1, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "reduction_squares_floats_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_squares_wide_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_squares_words_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_sum_floats_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_sum_wide_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_sum_widest_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "reduction_sum_words_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "reduction_variance_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
];

/// Writes the single row of `out` from the `size` bytes at `bytes`. If `valid` is 0, the row is null.
#[derive(Clone, Copy, Debug)]
pub struct CopyString<'a> {
    pub bytes: In<'a, u8>,
    pub size: i64,
    pub valid: i32,
    pub out: ColumnOut<'a>,
}

arguments!(CopyString { bytes, size, valid, out });

impl OneKernel for CopyString<'static> {
    const ID: KernelId = KernelId::new(image::REDUCTION, 2);
}

/// Finds the smallest (if `minimum` is not 0) or the largest of the strings that are not null. The kernel uses ticket
/// 41 and partials.
#[derive(Clone, Copy, Debug)]
pub struct ExtremeStrings<'a> {
    pub input: ColumnIn<'a>,
    pub minimum: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(ExtremeStrings { input, minimum } scratch { mailbox });

impl OneKernel for ExtremeStrings<'static> {
    const ID: KernelId = KernelId::new(image::REDUCTION, 4);
}

/// Computes the minimum and the maximum of rows of up to 64 bits in one pass, as the only rows of `min_value` and of
/// `max_value`. The kernel uses ticket 40 and partials.
#[derive(Clone, Copy, Debug)]
pub struct MinmaxWords<'a> {
    pub input: ColumnIn<'a>,
    pub min_value: ColumnOut<'a>,
    pub max_value: ColumnOut<'a>,
    pub options: ReduceOptions,
}

arguments!(MinmaxWords { input, min_value, max_value, options } scratch {});

impl OneKernel for MinmaxWords<'static> {
    const ID: KernelId = KernelId::new(image::REDUCTION, 8);
}

/// Computes `any` or `all`, as a boolean.
#[derive(Clone, Copy, Debug)]
pub struct Reduce<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub options: ReduceOptions,
}

arguments!(Reduce { input, out, options } scratch {});

/// The kernels that take [`Reduce`](struct@Reduce).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceKernel {
    /// Computes `any` or `all`, as a boolean.
    AnyAll,
    /// Combines integers bit by bit.
    Bitwise,
    /// Counts the valid rows, or all rows, of a column of any type.
    Count,
    ExtremeWide,
    ExtremeWidest,
    /// Computes the minimum or maximum of rows of up to 64, of 128 and of 256 bits.
    ExtremeWords,
    ProductFloats,
    ProductWide,
    ProductWords,
    SquaresFloats,
    SquaresWide,
    SquaresWords,
    /// Reduces floats to floats, and computes the mean of floats. Products and sums of squares also accept integers.
    SumFloats,
    /// Reduces integers and decimals of at most 128 bits to such integers or decimals, or to floats.
    SumWide,
    /// Sums decimals if the input or the result has 256 bits.
    SumWidest,
    /// Defines a kernel that reduces `in` to the only row of `out`. The kernel uses ticket 40 and partials.
    /// Reduces integers to integers of at most 64 bits.
    SumWords,
    /// Computes the variance or standard deviation of numbers, as a float.
    Variance,
}

impl From<ReduceKernel> for KernelId {
    fn from(kernel: ReduceKernel) -> Self {
        KernelId::new(
            image::REDUCTION,
            match kernel {
                ReduceKernel::AnyAll => 0,
                ReduceKernel::Bitwise => 1,
                ReduceKernel::Count => 3,
                ReduceKernel::ExtremeWide => 5,
                ReduceKernel::ExtremeWidest => 6,
                ReduceKernel::ExtremeWords => 7,
                ReduceKernel::ProductFloats => 9,
                ReduceKernel::ProductWide => 10,
                ReduceKernel::ProductWords => 11,
                ReduceKernel::SquaresFloats => 29,
                ReduceKernel::SquaresWide => 30,
                ReduceKernel::SquaresWords => 31,
                ReduceKernel::SumFloats => 32,
                ReduceKernel::SumWide => 33,
                ReduceKernel::SumWidest => 34,
                ReduceKernel::SumWords => 35,
                ReduceKernel::Variance => 36,
            },
        )
    }
}

impl Family for Reduce<'static> {
    type Kernel = ReduceKernel;
}

/// Arguments of `reduction_segmented_any_all_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct SegmentedReduce<'a> {
    pub input: ColumnIn<'a>,
    pub offsets: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub options: ReduceOptions,
    pub plan: SegmentedPlan<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(SegmentedReduce { input, offsets, out, options, plan } scratch { mailbox });

/// The kernels that take [`SegmentedReduce`](struct@SegmentedReduce).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentedReduceKernel {
    AnyAll,
    Bitwise,
    Count,
    ExtremeWide,
    ExtremeWidest,
    ExtremeWords,
    ProductFloats,
    ProductWide,
    ProductWords,
    SquaresFloats,
    SquaresWide,
    SquaresWords,
    SumFloats,
    SumWide,
    SumWidest,
    /// Defines a kernel that reduces the segments of `in`; see gdf::reduce\_segments. `in` must have at least one row, and
    /// nothing may be broadcast. The last argument of the macro makes the operation from `options`.
    SumWords,
    Variance,
}

impl From<SegmentedReduceKernel> for KernelId {
    fn from(kernel: SegmentedReduceKernel) -> Self {
        KernelId::new(
            image::REDUCTION,
            match kernel {
                SegmentedReduceKernel::AnyAll => 12,
                SegmentedReduceKernel::Bitwise => 13,
                SegmentedReduceKernel::Count => 14,
                SegmentedReduceKernel::ExtremeWide => 15,
                SegmentedReduceKernel::ExtremeWidest => 16,
                SegmentedReduceKernel::ExtremeWords => 17,
                SegmentedReduceKernel::ProductFloats => 18,
                SegmentedReduceKernel::ProductWide => 19,
                SegmentedReduceKernel::ProductWords => 20,
                SegmentedReduceKernel::SquaresFloats => 21,
                SegmentedReduceKernel::SquaresWide => 22,
                SegmentedReduceKernel::SquaresWords => 23,
                SegmentedReduceKernel::SumFloats => 24,
                SegmentedReduceKernel::SumWide => 25,
                SegmentedReduceKernel::SumWidest => 26,
                SegmentedReduceKernel::SumWords => 27,
                SegmentedReduceKernel::Variance => 28,
            },
        )
    }
}

impl Family for SegmentedReduce<'static> {
    type Kernel = SegmentedReduceKernel;
}
