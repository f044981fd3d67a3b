//! Kernels of kernels/strings.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ContainsTarget {
    /// read beyond the first eight bytes alone
    pub data: In<u8>,
    /// may be 0
    pub size: i64,
    /// up to eight bytes of it, the first the lowest
    pub first: u64,
    /// ones for these bytes
    pub mask: u64,
}

const _: () = assert!(size_of::<ContainsTarget>() == 32 && align_of::<ContainsTarget>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CopySpansSource {
    pub text: TextIn,
    /// of the rows that the spans are of
    pub offsets: In<i32>,
    pub spans: In<TextSpan>,
    /// of all
    pub count: i64,
    /// -1: a row for each span; else a row for each row, which has that span of it
    pub nth: i64,
}

const _: () = assert!(size_of::<CopySpansSource>() == 88 && align_of::<CopySpansSource>() == 8);

/// A pattern, and what is asked: the numbers of `Answer` in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexSearchQuestion {
    pub pattern: RegexPattern,
    pub answer: i32,
}

const _: () = assert!(size_of::<RegexSearchQuestion>() == 128 && align_of::<RegexSearchQuestion>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexSpansRequest {
    pub text: TextIn,
    pub pattern: RegexPattern,
    /// of matches
    pub limit: i64,
    /// of those that are wanted; 0 is the whole match
    pub first_group: i32,
    /// how many; 0: what is between matches
    pub groups: i32,
    /// of more matches than the limit the last ones
    pub from_end: i32,
    pub null_without_match: i32,
}

const _: () = assert!(size_of::<RegexSpansRequest>() == 200 && align_of::<RegexSpansRequest>() == 8);

/// A part of a template: a group of the match, or, of group -1, bytes of the template's texts.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ReplaceRePart {
    pub begin: i64,
    pub size: i64,
    pub group: i64,
}

const _: () = assert!(size_of::<ReplaceRePart>() == 24 && align_of::<ReplaceRePart>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ReplaceReReplacement {
    pub text: TextIn,
    pub pattern: RegexPattern,
    pub parts: In<ReplaceRePart>,
    pub literals: In<u8>,
    pub literal_bytes: i64,
    /// of matches
    pub limit: i64,
    pub part_count: i32,
    /// whether a part is a group, other than the whole match
    pub captures: i32,
}

const _: () = assert!(size_of::<ReplaceReReplacement>() == 216 && align_of::<ReplaceReReplacement>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "contains_literal_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "copy_spans_text_sizes_kernel", unit: 1, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "copy_spans_text_write_kernel", unit: 1, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "regex_search_number_kernel", unit: 2, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "regex_search_test_kernel", unit: 2, policy: Policy::new(128, 4, 6) },
    KernelInfo { symbol: "regex_spans_parts_sizes_kernel", unit: 3, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "regex_spans_parts_write_kernel", unit: 3, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_re_text_sizes_kernel", unit: 4, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "replace_re_text_write_kernel", unit: 4, policy: Policy::new(128, 4, 4) },
    KernelInfo { symbol: "to_case_upper_sizes_kernel", unit: 5, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_write_kernel", unit: 5, policy: Policy::new(128, 4, 8) },
];

/// Whether the target occurs in each row, as booleans.
#[derive(Clone, Copy, Debug)]
pub struct Contains {
    pub input: ColumnIn,
    pub bytes: i64,
    pub out: ColumnOut,
    pub p: ContainsTarget,
    pub scratch: Scratch,
}

arguments!(Contains { input, bytes, out, p, scratch });

/// The kernels that take [`Contains`](struct@Contains).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContainsKernel {
    /// Whether the target occurs in each row, as booleans.
    Literal,
}

impl From<ContainsKernel> for KernelId {
    fn from(kernel: ContainsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ContainsKernel::Literal => 0,
            },
        )
    }
}

impl Family for Contains {
    type Kernel = ContainsKernel;
}

/// The text of spans.
#[derive(Clone, Copy, Debug)]
pub struct CopySpans {
    pub out: ColumnOut,
    pub p: CopySpansSource,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(CopySpans { out, p, counts, scratch, mailbox });

/// The kernels that take [`CopySpans`](struct@CopySpans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopySpansKernel {
    /// The text of spans.
    TextSizes,
    TextWrite,
}

impl From<CopySpansKernel> for KernelId {
    fn from(kernel: CopySpansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CopySpansKernel::TextSizes => 1,
                CopySpansKernel::TextWrite => 2,
            },
        )
    }
}

impl Family for CopySpans {
    type Kernel = CopySpansKernel;
}

/// The number of matches, or the character where the first one begins.
#[derive(Clone, Copy, Debug)]
pub struct RegexSearch {
    pub input: ColumnIn,
    pub bytes: i64,
    pub out: ColumnOut,
    pub p: RegexSearchQuestion,
    pub scratch: Scratch,
}

arguments!(RegexSearch { input, bytes, out, p, scratch });

/// The kernels that take [`RegexSearch`](struct@RegexSearch).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegexSearchKernel {
    /// The number of matches, or the character where the first one begins.
    Number,
    /// Whether there is a match, as booleans.
    Test,
}

impl From<RegexSearchKernel> for KernelId {
    fn from(kernel: RegexSearchKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RegexSearchKernel::Number => 3,
                RegexSearchKernel::Test => 4,
            },
        )
    }
}

impl Family for RegexSearch {
    type Kernel = RegexSearchKernel;
}

/// Parts of each row's text.
#[derive(Clone, Copy, Debug)]
pub struct RegexSpans {
    pub out: ColumnOut,
    pub p: RegexSpansRequest,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(RegexSpans { out, p, counts, scratch, mailbox });

/// The kernels that take [`RegexSpans`](struct@RegexSpans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegexSpansKernel {
    /// Parts of each row's text.
    PartsSizes,
    PartsWrite,
}

impl From<RegexSpansKernel> for KernelId {
    fn from(kernel: RegexSpansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                RegexSpansKernel::PartsSizes => 5,
                RegexSpansKernel::PartsWrite => 6,
            },
        )
    }
}

impl Family for RegexSpans {
    type Kernel = RegexSpansKernel;
}

/// Text with matches replaced.
#[derive(Clone, Copy, Debug)]
pub struct ReplaceRe {
    pub out: ColumnOut,
    pub p: ReplaceReReplacement,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(ReplaceRe { out, p, counts, scratch, mailbox });

/// The kernels that take [`ReplaceRe`](struct@ReplaceRe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplaceReKernel {
    /// Text with matches replaced.
    TextSizes,
    TextWrite,
}

impl From<ReplaceReKernel> for KernelId {
    fn from(kernel: ReplaceReKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ReplaceReKernel::TextSizes => 7,
                ReplaceReKernel::TextWrite => 8,
            },
        )
    }
}

impl Family for ReplaceRe {
    type Kernel = ReplaceReKernel;
}

/// Upper case of text.
#[derive(Clone, Copy, Debug)]
pub struct ToCase {
    pub input: TextIn,
    pub out: ColumnOut,
    pub p: Nothing,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(ToCase { input, out, p, counts, scratch, mailbox });

/// The kernels that take [`ToCase`](struct@ToCase).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToCaseKernel {
    /// Upper case of text.
    UpperSizes,
    UpperWrite,
}

impl From<ToCaseKernel> for KernelId {
    fn from(kernel: ToCaseKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToCaseKernel::UpperSizes => 9,
                ToCaseKernel::UpperWrite => 10,
            },
        )
    }
}

impl Family for ToCase {
    type Kernel = ToCaseKernel;
}
