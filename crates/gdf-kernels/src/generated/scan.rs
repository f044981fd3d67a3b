//! Kernels of kernels/scan.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum RunOperation {
    Sum = 0,
    Product = 1,
    SumFloats = 2,
    ProductFloats = 3,
    /// the largest of integers after `flip` is applied
    Largest = 4,
    /// the largest of keys of doubles after `flip` is applied
    LargestFloats = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct EwmaOptions {
    /// decay of the weights per row
    pub decay: f64,
    /// not 0: the first row has all of the remaining weight, instead of the weight of one row
    pub finite: i64,
}

const _: () = assert!(size_of::<EwmaOptions>() == 16 && align_of::<EwmaOptions>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RunOptions {
    /// a run\_operation
    pub operation: i32,
    pub exclusive: i32,
    /// makes the smallest value the largest value, and maps unsigned values to signed values
    pub flip: u64,
}

const _: () = assert!(size_of::<RunOptions>() == 16 && align_of::<RunOptions>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "ewma_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "scan_bits_kernel", unit: 0, policy: Policy::new(256, 32, 4) },
    KernelInfo { symbol: "scan_clear_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_count_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_extreme_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_extreme_wide_kernel", unit: 4, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "scan_extreme_widest_kernel", unit: 4, policy: Policy::new(256, 2, 3) },
    KernelInfo { symbol: "scan_following_valid_kernel", unit: 2, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "scan_pipelined_extreme_floats_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_pipelined_extreme_words_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_pipelined_product_floats_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_pipelined_product_integers_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_pipelined_sum_floats_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_pipelined_sum_integers_kernel", unit: 4, policy: Policy::new(768, 6, 1) },
    KernelInfo { symbol: "scan_preceding_valid_kernel", unit: 2, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "scan_product_floats_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_product_integers_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_runs_kernel", unit: 3, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "scan_strings_kernel", unit: 5, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "scan_sum_floats_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_sum_integers_kernel", unit: 4, policy: Policy::new(512, 16, 1) },
    KernelInfo { symbol: "scan_sum_wide_kernel", unit: 4, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "scan_sum_widest_kernel", unit: 4, policy: Policy::new(256, 2, 3) },
];

/// Scans a column of single or double precision, like the kernels of scan.cu. `out` has the same type and no mask.
/// `modes` must state that null rows count as rows.
#[derive(Clone, Copy, Debug)]
pub struct Ewma<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub options: EwmaOptions,
    pub modes: i32,
    pub status: Out<'a, u32>,
    pub values: Out<'a, u64>,
}

arguments!(Ewma { input, out, options, modes, status, values } scratch {});

impl OneKernel for Ewma<'static> {
    const ID: KernelId = KernelId::new(image::SCAN, 0);
}

/// Arguments of `scan_bits_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub modes: i32,
    pub status: Out<'a, u32>,
    pub values: Out<'a, u64>,
}

arguments!(Scan { input, out, modes, status, values } scratch {});

/// The kernels that take [`Scan`](struct@Scan).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanKernel {
    Bits,
    /// Counts the rows up to each row, for columns of any type. The result has 64-bit integers and no mask.
    Count,
    /// Scans columns of all ordered types of up to 64 bits.
    Extreme,
    ExtremeWide,
    ExtremeWidest,
    /// Does the same as scan\_preceding\_valid\_kernel, with the first valid row from each row on.
    FollowingValid,
    PipelinedExtremeFloats,
    PipelinedExtremeWords,
    PipelinedProductFloats,
    PipelinedProductIntegers,
    PipelinedSumFloats,
    /// Defines a kernel that does the same as the kernel of the same name, for more than pipeline\_tile rows of 64 bits. The
    /// dynamic shared memory must have pipeline\_bytes.
    PipelinedSumIntegers,
    /// Scans a column of any type, like the kernels of scan.cu. Each row of the result is the number of the last valid row
    /// up to that row. If there is no such row, all bits are set.
    PrecedingValid,
    ProductFloats,
    ProductIntegers,
    /// Does the same as the kernels of scan.cu, for a string or binary column. The result is the row numbers of the
    /// strings, as 64-bit integers, with the mask of the strings.
    Strings,
    SumFloats,
    /// Defines a kernel that scans `in` to `out`. `out` has the length of `in`, in.length is positive, and nothing is
    /// broadcast. The kernel uses tickets 32 and 33, zeroed and partials.
    /// Scans integers of up to 64 bits, including decimals and durations.
    SumIntegers,
    /// Scans decimals of 128 and of 256 bits.
    SumWide,
    SumWidest,
}

impl From<ScanKernel> for KernelId {
    fn from(kernel: ScanKernel) -> Self {
        KernelId::new(
            image::SCAN,
            match kernel {
                ScanKernel::Bits => 1,
                ScanKernel::Count => 3,
                ScanKernel::Extreme => 4,
                ScanKernel::ExtremeWide => 5,
                ScanKernel::ExtremeWidest => 6,
                ScanKernel::FollowingValid => 7,
                ScanKernel::PipelinedExtremeFloats => 8,
                ScanKernel::PipelinedExtremeWords => 9,
                ScanKernel::PipelinedProductFloats => 10,
                ScanKernel::PipelinedProductIntegers => 11,
                ScanKernel::PipelinedSumFloats => 12,
                ScanKernel::PipelinedSumIntegers => 13,
                ScanKernel::PrecedingValid => 14,
                ScanKernel::ProductFloats => 15,
                ScanKernel::ProductIntegers => 16,
                ScanKernel::Strings => 18,
                ScanKernel::SumFloats => 19,
                ScanKernel::SumIntegers => 20,
                ScanKernel::SumWide => 21,
                ScanKernel::SumWidest => 22,
            },
        )
    }
}

impl Family for Scan<'static> {
    type Kernel = ScanKernel;
}

/// Arguments of `scan_clear_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Clear<'a> {
    pub status: Out<'a, u32>,
    pub words: i64,
}

arguments!(Clear { status, words });

impl OneKernel for Clear<'static> {
    const ID: KernelId = KernelId::new(image::SCAN, 2);
}

/// Scans the runs of a column of 64-bit values, like the kernels of scan.cu. The result has a value for each row and no
/// mask. `modes` must state that null rows count as rows.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    pub input: ColumnIn<'a>,
    pub begins: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub options: RunOptions,
    pub modes: i32,
    pub status: Out<'a, u32>,
    pub values: Out<'a, u64>,
}

arguments!(Runs { input, begins, out, options, modes, status, values } scratch {});

impl OneKernel for Runs<'static> {
    const ID: KernelId = KernelId::new(image::SCAN, 17);
}
