//! Kernels of kernels/binaryop.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum BinarySameFloats {
    Add = 0,
    Sub = 1,
    Mul = 2,
    Div = 3,
}

/// Operators that make no nulls and do not depend on signs: OPERATOR(name, expression of x and y of type T).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum BinarySameIntegers {
    Add = 0,
    Sub = 1,
    Mul = 2,
    BitAnd = 3,
    BitOr = 4,
    BitXor = 5,
}

/// The arithmetic operators of x and y of type C: OPERATOR(name, expression for integers, expression for floats). In
/// these expressions, `of` is integers\<C\> and `fp` is floats\<C\>, both of functors.cuh, and `how` is the operation.
/// `none` stands for an operator that the type does not support. The functors of the host are in gdf-compute's
/// binary\_operation/host/arithmetic.rs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Arithmetic {
    Add = 0,
    Sub = 1,
    Mul = 2,
    Div = 3,
    FloorDiv = 4,
    Mod = 5,
    PMod = 6,
    PyMod = 7,
    ShiftLeft = 8,
    ShiftRight = 9,
    ShiftRightUnsigned = 10,
    BitAnd = 11,
    BitOr = 12,
    BitXor = 13,
    Maximum = 14,
    Minimum = 15,
    IntPow = 16,
    Pow = 17,
    LogBase = 18,
    Atan2 = 19,
}

/// The operators of logic on words a and b of truth values: OPERATOR(name, value, validity). In these expressions,
/// `both` and `either` are words of validity, and `differ` is a word of values. The functors of the host are in
/// gdf-compute's binary\_operation/host/logic.rs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Logic {
    LogicAnd = 0,
    LogicOr = 1,
    LogicXor = 2,
    KleeneAnd = 3,
    KleeneOr = 4,
    LogicMax = 5,
    LogicMin = 6,
    LogicEqual = 7,
    LogicNotEqual = 8,
    LogicLess = 9,
    LogicLessEqual = 10,
    NullEquals = 11,
    NullNotEquals = 12,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Order {
    Equal = 0,
    Less = 1,
    LessEqual = 2,
}

/// The reason why a row fails. The values are the bits of the field `failure` of gdf::attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CheckedFailure {
    Overflow = 1,
    ZeroDivisor = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CheckedChecks {
    /// an operator of `arithmetic`, from `add` to `py_mod`
    pub code: i32,
    /// 1: the result is the absolute value
    pub absolute: i32,
    /// 1: the division by `down` rounds towards negative infinity
    pub floors: i32,
    /// floats: 1 if the result is an integer
    pub bounded: i32,
    /// failures that make the result null
    pub nulls: i32,
    /// failures that are reported to the host
    pub reports: i32,
    /// 256 bits: factors of the operands
    pub lhs: [u64; 4],
    pub rhs: [u64; 4],
    /// 256 bits: factor of the result
    pub up: [u64; 4],
    /// 256 bits: divisor of the result
    pub down: [u64; 4],
    pub lower: [u64; 4],
    pub upper: [u64; 4],
    /// floats: lower bound (inclusive) of the truncated result
    pub lowest_float: f64,
    /// floats: upper bound (exclusive) of the truncated result
    pub above_float: f64,
}

const _: () = assert!(size_of::<CheckedChecks>() == 232 && align_of::<CheckedChecks>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Operation {
    /// an operator of `arithmetic`, `order` or `logic`
    pub code: i32,
    /// shifts: the number of bits of the shifted type, negative if the type is signed
    pub bits: i32,
    /// comparisons: whether the result is negated
    pub negated: i32,
    /// comparisons: 1 if a null equals a null and differs from all other values
    pub nulls: i32,
    pub factors: [[u64; 4]; 4],
}

const _: () = assert!(size_of::<Operation>() == 144 && align_of::<Operation>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "binary_checked_f32_kernel", unit: 0, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "binary_checked_f64_kernel", unit: 0, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "binary_checked_i128_kernel", unit: 0, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "binary_checked_i256_kernel", unit: 0, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "binary_compare_bytes_kernel", unit: 1, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "binary_compare_converted_f64_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_compare_converted_i128_kernel", unit: 1, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "binary_compare_converted_i256_kernel", unit: 1, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "binary_compare_converted_i64_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_compare_f32_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_f64_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_i128_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_compare_i16_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_i32_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_i64_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_i8_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_u16_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_u32_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_u64_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_compare_u8_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_converted_f32_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_converted_f64_kernel", unit: 2, policy: Policy::new(256, 4, 2) },
    KernelInfo { symbol: "binary_converted_i128_kernel", unit: 2, policy: Policy::new(256, 2, 3) },
    KernelInfo { symbol: "binary_converted_i256_kernel", unit: 2, policy: Policy::new(256, 1, 2) },
    KernelInfo { symbol: "binary_converted_i64_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_converted_u64_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_logic_kernel", unit: 3, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "binary_logic_numbers_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_same_f32_kernel", unit: 4, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "binary_same_f64_kernel", unit: 4, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_same_i128_kernel", unit: 4, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "binary_same_u16_kernel", unit: 4, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "binary_same_u32_kernel", unit: 4, policy: Policy::new(256, 16, 4) },
    KernelInfo { symbol: "binary_same_u64_kernel", unit: 4, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "binary_same_u8_kernel", unit: 4, policy: Policy::new(256, 16, 4) },
];

/// Arguments of `binary_checked_f32_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct BinaryChecked<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: CheckedChecks,
    pub mailbox: Out<'a, u64>,
}

arguments!(BinaryChecked { lhs, rhs, out, p } scratch { mailbox });

/// The kernels that take [`BinaryChecked`](struct@BinaryChecked).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryCheckedKernel {
    F32,
    F64,
    I128,
    I256,
}

impl From<BinaryCheckedKernel> for KernelId {
    fn from(kernel: BinaryCheckedKernel) -> Self {
        KernelId::new(
            image::BINARYOP,
            match kernel {
                BinaryCheckedKernel::F32 => 0,
                BinaryCheckedKernel::F64 => 1,
                BinaryCheckedKernel::I128 => 2,
                BinaryCheckedKernel::I256 => 3,
            },
        )
    }
}

impl Family for BinaryChecked<'static> {
    type Kernel = BinaryCheckedKernel;
}

/// Arguments of `binary_compare_bytes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct BinaryOperation<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub how: Operation,
}

arguments!(BinaryOperation { lhs, rhs, out, how } scratch {});

/// The kernels that take [`BinaryOperation`](struct@BinaryOperation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperationKernel {
    CompareBytes,
    CompareConvertedF64,
    CompareConvertedI128,
    CompareConvertedI256,
    CompareConvertedI64,
    CompareF32,
    CompareF64,
    CompareI128,
    CompareI16,
    CompareI32,
    CompareI64,
    CompareI8,
    CompareU16,
    CompareU32,
    CompareU64,
    CompareU8,
    ConvertedF32,
    ConvertedF64,
    ConvertedI128,
    ConvertedI256,
    ConvertedI64,
    ConvertedU64,
    /// Computes out\[r\] = lhs\[r\] op rhs\[r\] for out.length rows of booleans.
    Logic,
    /// Does the same as binary\_logic\_kernel, for operands of any numeric type. Every number except 0 is true.
    LogicNumbers,
    SameF32,
    SameF64,
    SameI128,
    SameU16,
    SameU32,
    SameU64,
    SameU8,
}

impl From<BinaryOperationKernel> for KernelId {
    fn from(kernel: BinaryOperationKernel) -> Self {
        KernelId::new(
            image::BINARYOP,
            match kernel {
                BinaryOperationKernel::CompareBytes => 4,
                BinaryOperationKernel::CompareConvertedF64 => 5,
                BinaryOperationKernel::CompareConvertedI128 => 6,
                BinaryOperationKernel::CompareConvertedI256 => 7,
                BinaryOperationKernel::CompareConvertedI64 => 8,
                BinaryOperationKernel::CompareF32 => 9,
                BinaryOperationKernel::CompareF64 => 10,
                BinaryOperationKernel::CompareI128 => 11,
                BinaryOperationKernel::CompareI16 => 12,
                BinaryOperationKernel::CompareI32 => 13,
                BinaryOperationKernel::CompareI64 => 14,
                BinaryOperationKernel::CompareI8 => 15,
                BinaryOperationKernel::CompareU16 => 16,
                BinaryOperationKernel::CompareU32 => 17,
                BinaryOperationKernel::CompareU64 => 18,
                BinaryOperationKernel::CompareU8 => 19,
                BinaryOperationKernel::ConvertedF32 => 20,
                BinaryOperationKernel::ConvertedF64 => 21,
                BinaryOperationKernel::ConvertedI128 => 22,
                BinaryOperationKernel::ConvertedI256 => 23,
                BinaryOperationKernel::ConvertedI64 => 24,
                BinaryOperationKernel::ConvertedU64 => 25,
                BinaryOperationKernel::Logic => 26,
                BinaryOperationKernel::LogicNumbers => 27,
                BinaryOperationKernel::SameF32 => 28,
                BinaryOperationKernel::SameF64 => 29,
                BinaryOperationKernel::SameI128 => 30,
                BinaryOperationKernel::SameU16 => 31,
                BinaryOperationKernel::SameU32 => 32,
                BinaryOperationKernel::SameU64 => 33,
                BinaryOperationKernel::SameU8 => 34,
            },
        )
    }
}

impl Family for BinaryOperation<'static> {
    type Kernel = BinaryOperationKernel;
}
