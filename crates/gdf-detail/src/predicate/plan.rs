//! A predicate as steps in postfix order, for both backends.

use gdf_compute::binaryop::BinaryOperator;
use gdf_compute::unary::is_valid;
use gdf_core::{
    Column, ColumnView, DataType, Literal, Operand, PhysicalType, Result, can_have_validity, is_decimal, physical_type,
    same_type,
};
use gdf_engine::check;
use gdf_engine::keys::common_length;
use gdf_engine::layout::characters;
pub(super) use gdf_kernels::generated::predicate::{Combine, MAX_COLUMNS, MAX_STEPS, MAX_WAITING, Test};
use gdf_strings::starts_with;

use super::{Node, compared};
use crate::Ctx;

/// The maximum number of bytes of a text that a step can compare with a column.
const MAX_TEXT: usize = 32;

/// From this number of rows on, it is examined whether all texts of a column have the same length.
const EVEN_ROWS: usize = 1 << 20;
/// The largest common length, in bytes, that a test makes use of.
const EVEN_BYTES: usize = 4;

/// Number types that are compared in their stored form.
pub(super) trait Comparable: Copy + PartialOrd + Sync + 'static {
    const LOWEST: Self;
    const HIGHEST: Self;
    fn below(self) -> Self;
    fn above(self) -> Self;
    /// Returns the stored bits in the low bits of a word.
    fn to_word(self) -> u64;
    fn of_word(word: u64) -> Self;
}

macro_rules! comparable {
    ($($native:ident $bits:ident)*) => {$(
        impl Comparable for $native {
            const LOWEST: Self = $native::MIN;
            const HIGHEST: Self = $native::MAX;
            fn below(self) -> Self {
                self.wrapping_sub(1)
            }
            fn above(self) -> Self {
                self.wrapping_add(1)
            }
            fn to_word(self) -> u64 {
                u64::from(self as $bits)
            }
            fn of_word(word: u64) -> Self {
                word as $native
            }
        }
    )*};
    (float $($native:ident $bits:ident)*) => {$(
        impl Comparable for $native {
            const LOWEST: Self = $native::NEG_INFINITY;
            const HIGHEST: Self = $native::INFINITY;
            fn below(self) -> Self {
                self.next_down()
            }
            fn above(self) -> Self {
                self.next_up()
            }
            fn to_word(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn of_word(word: u64) -> Self {
                $native::from_bits(word as $bits)
            }
        }
    )*};
}

comparable!(i8 u8 i16 u16 i32 u32 i64 u64 u8 u8 u16 u16 u32 u32 u64 u64);
comparable!(float f32 u32 f64 u64);

/// Expands to `$body` with `$T` as the stored number type of the column. For types that are not compared in their
/// stored form, the macro expands to `$other`.
macro_rules! by_stored_number {
    ($physical:expr, $T:ident => $body:expr, $other:expr) => {
        gdf_core::dispatch_arms!(
            $physical, $T => $body, $other,
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64]
        )
    };
}
pub(super) use by_stored_number;

/// A step: one condition, or one operation on the results of two earlier steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedStep {
    pub(super) test: Test,
    pub(super) combine: Combine,
    pub(super) column: usize,
    /// The second column, if the step compares two columns. For a test of keys, the bits of the set.
    pub(super) other: Option<usize>,
    pub(super) negated: bool,
    /// The length of the text in bytes.
    pub(super) size: usize,
    /// For a range, the first two words are the ends of the range, in the stored form of the column. For a text, the
    /// words are the bytes of the text. For a test of keys, the words are the value of the first bit and the number of
    /// bits.
    pub(super) bounds: [u64; 4],
}

impl PlannedStep {
    fn new(test: Test, column: usize) -> Self {
        Self { test, combine: Combine::Push, column, other: None, negated: false, size: 0, bounds: [0; 4] }
    }
}

/// A column of the caller, or the result of a test that a separate operation has evaluated.
#[derive(Debug)]
enum Source<'a> {
    Given(ColumnView<'a>),
    Made(Column),
}

impl Source<'_> {
    fn view(&self) -> ColumnView<'_> {
        match self {
            Source::Given(view) => *view,
            Source::Made(column) => column.view(),
        }
    }
}

/// The order in which the members of a list of conditions are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sequence {
    /// Conditions that read texts come last. Rows that other conditions decide then need no texts.
    #[default]
    TextsLast,
    /// Nested lists come first, so that fewer results wait on the stack.
    ListsFirst,
}

/// The steps, and the columns that the steps read.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    sequence: Sequence,
    sources: Vec<Source<'a>>,
    pub(super) steps: Vec<PlannedStep>,
    /// The number of intermediate results that wait on the stack after the last step so far.
    waiting: usize,
    max_waiting: usize,
}

impl<'a> Plan<'a> {
    /// Plans a predicate. Returns `None` if the predicate has no steps. Also returns `None` if a single pass cannot
    /// take the number of columns, of steps, or of results on the stack.
    pub(super) fn new(node: &Node<'a>, ctx: Ctx<'_>) -> Result<Option<Self>> {
        if node.tests() > MAX_STEPS {
            return Ok(None);
        }
        let mut plan = Self::default();
        // At most one result waits for each list around the current one.
        if node.depth() > MAX_WAITING + 1 {
            plan.sequence = Sequence::ListsFirst;
        }
        plan.add(node, false, Combine::Push, ctx)?;
        let fits = plan.sources.len() <= MAX_COLUMNS
            && plan.steps.len() <= MAX_STEPS
            && plan.max_waiting <= MAX_WAITING
            && !plan.steps.is_empty();
        Ok(fits.then_some(plan))
    }

    pub(super) fn columns(&self) -> Vec<ColumnView<'_>> {
        self.sources.iter().map(Source::view).collect()
    }

    pub(super) fn nullable(&self) -> bool {
        let columns = self.columns();
        let has_mask = |index: usize| columns[index].has_validity();
        let mut steps = self.steps.iter().filter(|step| !matches!(step.test, Test::Valid | Test::Never | Test::Joined));
        steps.any(|step| has_mask(step.column) || step.other.is_some_and(has_mask))
    }

    /// Adds the steps of `node`. `combine` states how the result of `node` is combined with the previous result.
    /// Negations are moved from lists to their members: `!(a and b)` becomes `!a or !b`.
    fn add(&mut self, node: &Node<'a>, negated: bool, combine: Combine, ctx: Ctx<'_>) -> Result<()> {
        let (nodes, is_all) = match node {
            Node::Not(inner) => return self.add(inner, !negated, combine, ctx),
            Node::All(nodes) => (nodes, true),
            Node::Any(nodes) => (nodes, false),
            test => {
                let step = self.step(test, ctx)?;
                self.push(PlannedStep { combine, negated: step.negated != negated, ..step });
                return Ok(());
            }
        };
        let of_list = if is_all != negated { Combine::Both } else { Combine::Either };
        // If a list is nested in a list of the same kind, both lists are merged. A nested list of the other kind is
        // evaluated separately.
        let apart = !pushes(combine) && combine != of_list && nodes.len() > 1;
        let mut nodes: Vec<&Node<'a>> = nodes.iter().collect();
        match self.sequence {
            Sequence::TextsLast => nodes.sort_by_key(|node| (node.reads_texts(), node.is_list())),
            Sequence::ListsFirst => nodes.sort_by_key(|node| !node.is_list()),
        }
        for (index, node) in nodes.into_iter().enumerate() {
            let first = match combine {
                Combine::Both if apart => Combine::PushForBoth,
                Combine::Either if apart => Combine::PushForEither,
                same => same,
            };
            self.add(node, negated, if index == 0 { first } else { of_list }, ctx)?;
        }
        if apart {
            self.waiting -= 1;
            self.steps.push(PlannedStep { combine, ..PlannedStep::new(Test::Joined, 0) });
        }
        Ok(())
    }

    fn push(&mut self, step: PlannedStep) {
        if self.narrow(step) {
            return;
        }
        if pushes(step.combine) && !self.steps.is_empty() {
            self.waiting += 1;
            self.max_waiting = self.max_waiting.max(self.waiting);
        }
        self.steps.push(step);
    }

    /// Merges `step` into the last step and returns true if these conditions hold:
    /// * Both steps are ranges of the same column.
    /// * Neither step is negated.
    /// * `step` is combined by `and`, and the last step is not combined by `or`.
    fn narrow(&mut self, step: PlannedStep) -> bool {
        let is_range = |step: &PlannedStep| step.test == Test::Range && !step.negated;
        let Some(last) = self.steps.last_mut().filter(|last| is_range(last) && last.column == step.column) else {
            return false;
        };
        let Some(source) = self.sources.get(step.column).filter(|_| is_range(&step)) else { return false };
        if step.combine != Combine::Both || last.combine == Combine::Either {
            return false;
        }
        let both = by_stored_number!(physical_type(source.view().data_type()), T => {
            let ([low, high, ..], [other_low, other_high, ..]) = (last.bounds.map(T::of_word), step.bounds.map(T::of_word));
            let low = if other_low > low { other_low } else { low };
            Some(ends(low, if other_high < high { other_high } else { high }))
        }, None);
        last.bounds = both.unwrap_or(last.bounds);
        both.is_some()
    }

    fn step(&mut self, node: &Node<'a>, ctx: Ctx<'_>) -> Result<PlannedStep> {
        Ok(match node {
            // A step reads the mask of the column.
            Node::Valid(column) if !can_have_validity(column.data_type()) => {
                self.made(is_valid(*column, ctx.scratch())?)
            }
            Node::Valid(column) => PlannedStep::new(Test::Valid, self.given(*column)),
            Node::Never(column) => PlannedStep::new(Test::Never, self.given(*column)),
            Node::True(column) => {
                check::types(&DataType::Boolean, column.data_type()).map_err(|error| error.in_argument("is_true"))?;
                PlannedStep::new(Test::Boolean, self.given(*column))
            }
            Node::StartsWith { column, prefix } => match text(prefix.as_bytes()) {
                Some(bounds) if matches!(physical_type(column.data_type()), PhysicalType::String { .. }) => {
                    let column = self.given(*column);
                    PlannedStep { size: prefix.len(), bounds, ..PlannedStep::new(Test::StartsWith, column) }
                }
                _ => self.made(starts_with(*column, (*prefix).into(), ctx.scratch())?),
            },
            Node::Key { column, first, bits } => {
                check::column(*bits, ctx)?;
                // Steps subtract in the width of the column, so the lower bits of `first` are enough.
                let bounds = [*first as u64, bits.len() as u64, 0, 0];
                let (column, bits) = (self.given(*column), self.given(*bits));
                PlannedStep { other: Some(bits), bounds, ..PlannedStep::new(Test::Key, column) }
            }
            Node::Compare { lhs, op, rhs } => match self.comparison(*lhs, *op, *rhs) {
                Some(step) => self.even(step, ctx)?,
                None => self.made(compared(*lhs, *op, *rhs, ctx)?),
            },
            Node::Not(_) | Node::All(_) | Node::Any(_) | Node::TooDeep => PlannedStep::new(Test::Never, 0),
        })
    }

    /// Replaces the test of a text by a test that needs no offsets. This requires a long column in which all texts have
    /// the same length of at most [`EVEN_BYTES`] bytes. On CUDA, most of the bytes of such a column are its offsets.
    fn even(&self, step: PlannedStep, ctx: Ctx<'_>) -> Result<PlannedStep> {
        let Some(column) = self.sources.get(step.column).map(Source::view).filter(|_| step.test == Test::Text) else {
            return Ok(step);
        };
        let rows = column.len();
        let may_be_even = !ctx.stream.device().is_cpu() && rows >= EVEN_ROWS && column.len() == column.column().len();
        let length = characters(column).get() / rows.max(1);
        if !may_be_even || !(1..=EVEN_BYTES).contains(&length) || characters(column).get() != length * rows {
            return Ok(step);
        }
        Ok(match common_length(column, ctx)? {
            Some(length) if length == step.size => PlannedStep { test: Test::EvenText, ..step },
            Some(_) => PlannedStep { test: Test::Never, ..step },
            None => step,
        })
    }

    /// Returns a step that compares values in their stored form. Returns `None` if the values cannot be compared in
    /// that form.
    fn comparison(&mut self, lhs: Operand<'a>, op: BinaryOperator, rhs: Operand<'a>) -> Option<PlannedStep> {
        use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let mirrored = match op {
            Less => Greater,
            Greater => Less,
            LessEqual => GreaterEqual,
            GreaterEqual => LessEqual,
            same => same,
        };
        match (lhs, rhs) {
            (Operand::Literal(_), Operand::Column(_)) => self.comparison(rhs, mirrored, lhs),
            (Operand::Column(column), Operand::Literal(literal)) => {
                let literal = as_stored(literal, column.data_type())?;
                let negated = op == NotEqual;
                if let Some(bytes) = literal.bytes() {
                    let bounds = text(bytes).filter(|_| matches!(op, Equal | NotEqual))?;
                    let (column, size) = (self.given(column), bytes.len());
                    return Some(PlannedStep { negated, size, bounds, ..PlannedStep::new(Test::Text, column) });
                }
                let word = literal.stored_word()?;
                let bounds = by_stored_number!(physical_type(column.data_type()), T => range::<T>(op, word), None)?;
                let column = self.given(column);
                Some(PlannedStep { negated, bounds, ..PlannedStep::new(Test::Range, column) })
            }
            (Operand::Column(left), Operand::Column(right)) => {
                let is_number = is_stored_number(physical_type(left.data_type()));
                if !is_number || !same_type(left.data_type(), right.data_type()) {
                    return None;
                }
                let (test, swapped) = match op {
                    Equal | NotEqual => (Test::Equal, false),
                    Less => (Test::Less, false),
                    Greater => (Test::Less, true),
                    LessEqual => (Test::LessEqual, false),
                    GreaterEqual => (Test::LessEqual, true),
                    _ => return None,
                };
                let (first, second) = if swapped { (right, left) } else { (left, right) };
                let (column, other) = (self.given(first), Some(self.given(second)));
                Some(PlannedStep { other, negated: op == NotEqual, ..PlannedStep::new(test, column) })
            }
            _ => None,
        }
    }

    fn given(&mut self, column: ColumnView<'a>) -> usize {
        let is = |source: &Source<'a>| matches!(source, Source::Given(known) if is_same(*known, column));
        self.sources.iter().position(is).unwrap_or_else(|| {
            self.sources.push(Source::Given(column));
            self.sources.len() - 1
        })
    }

    fn made(&mut self, column: Column) -> PlannedStep {
        self.sources.push(Source::Made(column));
        PlannedStep::new(Test::Boolean, self.sources.len() - 1)
    }
}

impl Node<'_> {
    /// Returns whether the node joins several nodes.
    fn is_list(&self) -> bool {
        match self {
            Node::Not(inner) => inner.is_list(),
            Node::All(nodes) | Node::Any(nodes) => nodes.len() > 1,
            _ => false,
        }
    }

    /// Returns the number of lists around the innermost test.
    fn depth(&self) -> usize {
        match self {
            Node::Not(inner) => inner.depth(),
            Node::All(nodes) | Node::Any(nodes) => {
                nodes.iter().map(Node::depth).max().unwrap_or(0) + usize::from(self.is_list())
            }
            _ => 0,
        }
    }

    /// Returns whether the node compares texts with a text.
    fn reads_texts(&self) -> bool {
        match self {
            Node::StartsWith { .. } => true,
            Node::Compare { lhs, rhs, .. } => [lhs, rhs].into_iter().any(|operand| match operand {
                Operand::Column(column) => physical_type(column.data_type()).has_byte_offsets(),
                Operand::Scalar(_) | Operand::Literal(_) => false,
            }),
            Node::Not(inner) => inner.reads_texts(),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(Node::reads_texts),
            Node::Key { .. } | Node::Valid(_) | Node::True(_) | Node::Never(_) | Node::TooDeep => false,
        }
    }

    pub(super) fn tests(&self) -> usize {
        match self {
            Node::Not(inner) => inner.tests(),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(Node::tests).sum(),
            _ => 1,
        }
    }
}

fn pushes(combine: Combine) -> bool {
    match combine {
        Combine::Push | Combine::PushForBoth | Combine::PushForEither => true,
        Combine::Both | Combine::Either => false,
    }
}

/// Returns whether a step compares the operands in their stored form, without an earlier operation.
pub(super) fn is_direct(lhs: Operand<'_>, op: BinaryOperator, rhs: Operand<'_>) -> bool {
    Plan::default().comparison(lhs, op, rhs).is_some()
}

pub(super) fn is_same(a: ColumnView<'_>, b: ColumnView<'_>) -> bool {
    std::ptr::eq(a.column(), b.column()) && a.offset() == b.offset() && a.len() == b.len()
}

fn is_stored_number(physical: PhysicalType) -> bool {
    by_stored_number!(physical, _T => true, false)
}

/// Returns the literal, converted to the type of the column. Returns `None` if the literal is null, if the values of
/// the type are not compared in their stored form, or if a comparison in that type could give another result than a
/// comparison of the original operands. The results are equal if the types are equal, if the literal is an integer and
/// the column has integers or decimals, or if both types are text or binary.
fn as_stored<'a>(literal: Literal<'a>, data_type: &'a DataType) -> Option<Literal<'a>> {
    let (given, physical) = (literal.data_type(), physical_type(data_type));
    let alike = same_type(given, data_type)
        || given.is_integer() && data_type.is_integer()
        || given.is_integer() && is_decimal(data_type)
        || physical_type(given).has_byte_offsets() && physical.has_byte_offsets();
    let storable = physical.has_byte_offsets() || is_stored_number(physical);
    if alike && storable && !literal.is_null() { literal.with_type(data_type).ok() } else { None }
}

/// Returns a text as little-endian words. Returns `None` if the text is longer than [`MAX_TEXT`] bytes.
fn text(bytes: &[u8]) -> Option<[u64; 4]> {
    let mut padded = [0; MAX_TEXT];
    padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let word = |at: usize| padded[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    Some([word(0), word(8), word(16), word(24)])
}

/// Returns the lowest and the highest value that satisfy the comparison with a literal that is not null. If no value
/// satisfies the comparison, the lowest value of the result is above the highest. For `NotEqual`, the result is that of
/// `Equal`, because the caller negates the step.
fn range<T: Comparable>(op: BinaryOperator, literal: u64) -> Option<[u64; 4]> {
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let value = T::of_word(literal);
    let is_nan = value.partial_cmp(&value).is_none();
    let none = [T::HIGHEST, T::LOWEST];
    let [low, high] = match op {
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual if is_nan => none,
        Equal | NotEqual => [value, value],
        Less if value == T::LOWEST => none,
        Less => [T::LOWEST, value.below()],
        LessEqual => [T::LOWEST, value],
        Greater if value == T::HIGHEST => none,
        Greater => [value.above(), T::HIGHEST],
        GreaterEqual => [value, T::HIGHEST],
        _ => return None,
    };
    Some(ends(low, high))
}

fn ends<T: Comparable>(low: T, high: T) -> [u64; 4] {
    [low.to_word(), high.to_word(), 0, 0]
}
