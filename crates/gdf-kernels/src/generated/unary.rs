//! Kernels of kernels/unary.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CastDecimalMode {
    /// scale from 0 to 22: integer arithmetic
    Exact = 0,
    /// a larger scale
    Times = 1,
    /// a negative scale
    DividedBy = 2,
}

/// The operation that is applied to an integer during the cast. The host has the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CastOperation {
    /// times the factor; the product wraps at the width of the result
    Multiply = 0,
    /// divided by the factor, rounded toward zero
    Divide = 1,
    /// divided by the factor, rounded down
    DivideFloor = 2,
    /// to a boolean
    Nonzero = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum OperationBitsCode {
    Copy = 0,
    Invert = 1,
    /// two's complement
    Negate = 2,
    /// two's complement
    Absolute = 3,
    /// floats
    FlipSign = 4,
    /// floats
    ClearSign = 5,
}

/// Functions of floats: OPERATOR(name, expression of the double x). The host's functors are in gdf-compute's table of
/// unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum OperationMathCode {
    Ceil = 0,
    Floor = 1,
    Rint = 2,
    Sqrt = 3,
    Sin = 4,
    Cos = 5,
    Tan = 6,
    Asin = 7,
    Acos = 8,
    Atan = 9,
    Sinh = 10,
    Cosh = 11,
    Tanh = 12,
    Asinh = 13,
    Acosh = 14,
    Atanh = 15,
    Exp = 16,
    Log = 17,
    Cbrt = 18,
    Exp2 = 19,
    Expm1 = 20,
    Log2 = 21,
    Log10 = 22,
    Log1p = 23,
    Degrees = 24,
    Radians = 25,
    Sign = 26,
    Trunc = 27,
}

/// Exact functions of floats in their stored precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum OperationRounding {
    Ceil = 0,
    Floor = 1,
    Rint = 2,
    Sqrt = 3,
}

/// The parameters of the conversion of a float to a decimal (see to\_decimal).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CastDecimalScale {
    /// ten to the scale, for `exact`
    pub power_low: u64,
    pub power_high: u64,
    /// ten to the magnitude of the scale, for the other modes
    pub factor: f64,
    pub mode: i32,
}

const _: () = assert!(size_of::<CastDecimalScale>() == 32 && align_of::<CastDecimalScale>() == 8);

/// A parameter of 128 bits, which the host passes as two words.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CastScale128 {
    pub low: u64,
    pub high: u64,
}

const _: () = assert!(size_of::<CastScale128>() == 16 && align_of::<CastScale128>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Operation {
    pub code: i32,
    pub reserved: i32,
    /// decimals: ten to the scale
    pub factor: [u64; 4],
}

const _: () = assert!(size_of::<Operation>() == 40 && align_of::<Operation>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "unary_bit_count_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "unary_bits_i128_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "unary_bits_i256_kernel", unit: 3, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "unary_bits_u16_kernel", unit: 3, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "unary_bits_u32_kernel", unit: 3, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "unary_bits_u64_kernel", unit: 3, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "unary_bits_u8_kernel", unit: 3, policy: Policy::new(256, 32, 4) },
    KernelInfo { symbol: "unary_cast_from_decimal_kernel", unit: 1, policy: Policy::new(128, 2, 8) },
    KernelInfo { symbol: "unary_cast_numbers2_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "unary_cast_numbers4_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "unary_cast_numbers8_kernel", unit: 0, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "unary_cast_offsets_kernel", unit: 0, policy: Policy::new(128, 2, 8) },
    KernelInfo { symbol: "unary_cast_scaled128_kernel", unit: 1, policy: Policy::new(128, 2, 8) },
    KernelInfo { symbol: "unary_cast_scaled256_kernel", unit: 1, policy: Policy::new(128, 2, 8) },
    KernelInfo { symbol: "unary_cast_scaled64_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "unary_cast_to_decimal_kernel", unit: 1, policy: Policy::new(128, 2, 8) },
    KernelInfo { symbol: "unary_decimal_kernel", unit: 3, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "unary_decimal256_kernel", unit: 3, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "unary_is_nan_kernel", unit: 2, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "unary_is_null_kernel", unit: 2, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "unary_math_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "unary_nans_to_nulls_kernel", unit: 2, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "unary_not_numbers_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "unary_rounding_f32_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "unary_rounding_f64_kernel", unit: 3, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "unary_truth_kernel", unit: 3, policy: Policy::new(256, 2, 4) },
];

/// Counts the bits that are set in the integers in\[r\], as i32. The descriptor of `in` must have the unsigned type of
/// the same width. Nulls stay null.
#[derive(Clone, Copy, Debug)]
pub struct Apply<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub how: Operation,
}

arguments!(Apply { input, out, how } scratch {});

/// The kernels that take [`Apply`](struct@Apply).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApplyKernel {
    /// Counts the bits that are set in the integers in\[r\], as i32. The descriptor of `in` must have the unsigned type of
    /// the same width. Nulls stay null.
    BitCount,
    BitsI128,
    BitsI256,
    BitsU16,
    BitsU32,
    BitsU64,
    BitsU8,
    /// Rounds the decimals in\[r\] up (code 0) or down (code 1) to a multiple of the factor. Nulls stay null.
    Decimal,
    /// Does the same as unary\_decimal\_kernel, for decimals of 256 bits.
    Decimal256,
    /// Computes out\[r\] = function(in\[r\]) for any numeric type, in double precision. Nulls stay null.
    Math,
    /// Writes whether in\[r\] is 0, as a bit, for any numeric type. Nulls stay null.
    NotNumbers,
    RoundingF32,
    RoundingF64,
    /// Copies booleans if the code is 0, and otherwise inverts them. Nulls stay null.
    Truth,
}

impl From<ApplyKernel> for KernelId {
    fn from(kernel: ApplyKernel) -> Self {
        KernelId::new(
            image::UNARY,
            match kernel {
                ApplyKernel::BitCount => 0,
                ApplyKernel::BitsI128 => 1,
                ApplyKernel::BitsI256 => 2,
                ApplyKernel::BitsU16 => 3,
                ApplyKernel::BitsU32 => 4,
                ApplyKernel::BitsU64 => 5,
                ApplyKernel::BitsU8 => 6,
                ApplyKernel::Decimal => 16,
                ApplyKernel::Decimal256 => 17,
                ApplyKernel::Math => 20,
                ApplyKernel::NotNumbers => 22,
                ApplyKernel::RoundingF32 => 23,
                ApplyKernel::RoundingF64 => 24,
                ApplyKernel::Truth => 25,
            },
        )
    }
}

impl Family for Apply<'static> {
    type Kernel = ApplyKernel;
}

/// Casts decimals of any width to floats. The double nearest to the unscaled integer is multiplied or divided by
/// `power`, and then rounded to the result type.
#[derive(Clone, Copy, Debug)]
pub struct CastFromDecimal<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub power: f64,
    pub divides: i32,
}

arguments!(CastFromDecimal { input, out, power, divides } scratch {});

impl OneKernel for CastFromDecimal<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 7);
}

/// Does the same as unary\_cast\_numbers8\_kernel. The wider of both types has at most 2 bytes.
#[derive(Clone, Copy, Debug)]
pub struct CastNumbers<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(CastNumbers { input, out } scratch {});

/// The kernels that take [`CastNumbers`](struct@CastNumbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastNumbersKernel {
    /// Does the same as unary\_cast\_numbers8\_kernel. The wider of both types has at most 2 bytes.
    Numbers2,
    /// Does the same as unary\_cast\_numbers8\_kernel. The wider of both types has 4 bytes.
    Numbers4,
    /// Casts between booleans, integers and floats. The wider of both types has 8 bytes. The following holds for this
    /// kernel and the kernels below: out.length equals in.length and is positive, and nothing is broadcast.
    Numbers8,
}

impl From<CastNumbersKernel> for KernelId {
    fn from(kernel: CastNumbersKernel) -> Self {
        KernelId::new(
            image::UNARY,
            match kernel {
                CastNumbersKernel::Numbers2 => 8,
                CastNumbersKernel::Numbers4 => 9,
                CastNumbersKernel::Numbers8 => 10,
            },
        )
    }
}

impl Family for CastNumbers<'static> {
    type Kernel = CastNumbersKernel;
}

/// Writes the offsets of `in`, minus `base`, with the other width of offsets.
#[derive(Clone, Copy, Debug)]
pub struct CastOffsets<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub base: i64,
}

arguments!(CastOffsets { input, out, base } scratch {});

impl OneKernel for CastOffsets<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 11);
}

/// Does the same as unary\_cast\_scaled64\_kernel if the input or the result has 128 bits. The result may also be boolean.
/// Division rounds toward zero.
#[derive(Clone, Copy, Debug)]
pub struct CastScaled128<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub operation: i32,
    pub factor: CastScale128,
}

arguments!(CastScaled128 { input, out, operation, factor } scratch {});

impl OneKernel for CastScaled128<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 12);
}

/// Does the same as unary\_cast\_scaled128\_kernel if the input or the result has 256 bits. The divisor is ten to the
/// power of `digits`.
#[derive(Clone, Copy, Debug)]
pub struct CastScaled256<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub operation: i32,
    pub factor: I256,
    pub digits: i32,
}

arguments!(CastScaled256 { input, out, operation, factor, digits } scratch {});

impl OneKernel for CastScaled256<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 13);
}

/// Casts booleans and integers of at most 64 bits to integers of at most 64 bits, multiplied or divided by `factor`. A
/// divisor must be at least 1.
#[derive(Clone, Copy, Debug)]
pub struct CastScaled64<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub operation: i32,
    pub factor: u64,
}

arguments!(CastScaled64 { input, out, operation, factor } scratch {});

impl OneKernel for CastScaled64<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 14);
}

/// Casts floats to decimals of any width (see to\_decimal).
#[derive(Clone, Copy, Debug)]
pub struct CastToDecimal<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub scale: CastDecimalScale,
}

arguments!(CastToDecimal { input, out, scale } scratch {});

impl OneKernel for CastToDecimal<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 15);
}

/// Writes the mask and the null count of `out`, and no values. Row r is valid if row r of `in` is valid and not NaN.
#[derive(Clone, Copy, Debug)]
pub struct NansToNulls<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(NansToNulls { input, out } scratch {});

impl OneKernel for NansToNulls<'static> {
    const ID: KernelId = KernelId::new(image::UNARY, 21);
}

/// Writes to bit r of the result whether row r is valid and NaN. If `inverted` is not 0, the kernel writes the
/// opposite.
#[derive(Clone, Copy, Debug)]
pub struct Predicate<'a> {
    pub input: ColumnIn<'a>,
    pub inverted: i32,
    pub out: ColumnOut<'a>,
}

arguments!(Predicate { input, inverted, out });

/// The kernels that take [`Predicate`](struct@Predicate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateKernel {
    /// Writes to bit r of the result whether row r is valid and NaN. If `inverted` is not 0, the kernel writes the
    /// opposite.
    IsNan,
    /// Writes to bit r of the result whether row r is null. If `inverted` is not 0, the kernel writes whether row r is
    /// valid.
    IsNull,
}

impl From<PredicateKernel> for KernelId {
    fn from(kernel: PredicateKernel) -> Self {
        KernelId::new(
            image::UNARY,
            match kernel {
                PredicateKernel::IsNan => 18,
                PredicateKernel::IsNull => 19,
            },
        )
    }
}

impl Family for Predicate<'static> {
    type Kernel = PredicateKernel;
}
