//! What is accumulated per group, and what becomes of it: requests with what they share worked out once.

use gdf_core::{ColumnView, DataType, Result};

use super::aggregation::Class;
use super::{AggregationRequest, GroupByAggregation, NullPolicy};
use crate::keys::has_order_number;

/// How two accumulated values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    AddF64,
    AddI128,
    Min,
    Max,
    Multiply,
    MultiplyF64,
    /// Rows: the one with the smallest value, the first of several.
    ArgMin,
    ArgMax,
}

impl Kind {
    /// 64-bit words of an accumulator.
    pub(super) fn words(self) -> usize {
        if self == Kind::AddI128 { 2 } else { 1 }
    }

    /// What an accumulator begins as.
    pub(super) fn identity(self) -> u64 {
        match self {
            Kind::Min | Kind::ArgMin | Kind::ArgMax => u64::MAX,
            Kind::Multiply => 1,
            Kind::MultiplyF64 => 1.0_f64.to_bits(),
            Kind::Add | Kind::AddF64 | Kind::AddI128 | Kind::Max => 0,
        }
    }
}

/// What of a row is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    One,
    Integer,
    Number,
    /// A number whose unsigned order is that of the values.
    Order,
    Wide,
    IntegerSquare,
    NumberSquare,
    RowNumber,
}

/// Accumulate a value of a request's column (without one, of every row) where it is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) value: Value,
    pub(super) request: Option<usize>,
    /// First word of the accumulator.
    pub(super) word: usize,
}

/// What becomes of accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The value of the row.
    Gather,
    Copy,
    CopyF64,
    CopyI128,
    Ordered,
    MeanF64,
    MeanSigned,
    MeanUnsigned,
    MeanInteger,
    MeanI128,
    Variance,
    Deviation,
    SquaredDifferences,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) how: How,
    pub(super) request: usize,
    pub(super) data_type: DataType,
    pub(super) word: usize,
    /// Variance: the word of the sum of squares, where `word` is that of the sum.
    pub(super) other: usize,
    /// The word of the number of values, where the result may be null or is divided by it.
    pub(super) count: Option<usize>,
    pub(super) nullable: bool,
    pub(super) ddof: u32,
}

/// Count distinct values of a request's column into a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Distinct {
    pub(super) request: usize,
    pub(super) nulls: bool,
    pub(super) word: usize,
}

/// Numbers, or means of numbers, whose spread is wanted. Where sum and sum of squares have lost too much of it, the sums of
/// the differences from the group's mean take their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    /// The column of numbers or means.
    pub(super) values: usize,
    pub(super) batches: Option<Batches>,
    /// Words of what the pass over the rows accumulates.
    pub(super) sum: usize,
    pub(super) squares: usize,
    pub(super) count: usize,
    /// First of three words: the mean, or NaN where the sums did well; sum and sum of squares as they are to be used.
    pub(super) mean: usize,
}

/// Columns beside means: of how many values, and the sum of the squared differences of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batches {
    pub(super) count: usize,
    pub(super) m2: usize,
}

impl Spread {
    /// The three words of a group from `mean` on: a mean where sum and sum of squares of `count` numbers have lost more than
    /// 12 of the 53 bits of their spread.
    pub(super) fn begin(sum: f64, squares: f64, count: u64) -> [f64; 3] {
        let spread = squares - sum * sum / count as f64;
        if !sum.is_finite() || count > 1 && spread >= squares * MIN_SPREAD {
            return [f64::NAN, sum, squares];
        }
        // One number has no spread.
        let mean = if count > 1 { sum / count as f64 } else { f64::NAN };
        [mean, 0.0, 0.0]
    }
}

/// Smallest part of a sum of squares that a spread is taken for, 2⁻¹²; the kernel's too.
const MIN_SPREAD: f64 = 1.0 / 4096.0;

/// The word that holds a row of each group.
pub(super) const FIRST_ROW: usize = 0;

/// All requests of a call.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) values: Vec<ColumnView<'a>>,
    pub(super) steps: Vec<Step>,
    pub(super) distincts: Vec<Distinct>,
    pub(super) spreads: Vec<Spread>,
    /// Words of all accumulators of a group.
    pub(super) words: usize,
    /// Per request and aggregation.
    pub(super) outcomes: Vec<Vec<Outcome>>,
}

impl<'a> Plan<'a> {
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for aggregations that the type of the values does not have.
    pub(super) fn new(requests: &[AggregationRequest<'a>], rows: usize) -> Result<Self> {
        Self::with_types(requests, |aggregation, data_type| aggregation.result_type(data_type, rows))
    }

    /// What is kept of a batch: results as for all of it, of types that nothing is lost in.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) as [`new`](Self::new).
    pub(super) fn partial(requests: &[AggregationRequest<'a>]) -> Result<Self> {
        Self::with_types(requests, GroupByAggregation::partial_type)
    }

    fn with_types(
        requests: &[AggregationRequest<'a>],
        type_of: impl Fn(GroupByAggregation, &DataType) -> Result<DataType>,
    ) -> Result<Self> {
        let mut plan = Self::over(requests.iter().map(|request| request.values).collect());
        for (index, request) in requests.iter().enumerate() {
            let outcomes = request.aggregations.iter().map(|aggregation| {
                let data_type = type_of(*aggregation, request.values.data_type())?;
                Ok(plan.outcome(index, *aggregation, data_type))
            });
            let outcomes = outcomes.collect::<Result<_>>()?;
            plan.outcomes.push(outcomes);
        }
        Ok(plan)
    }

    /// Of these columns, with no outcome yet.
    pub(super) fn over(values: Vec<ColumnView<'a>>) -> Self {
        let (steps, distincts, spreads, outcomes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { values, steps, distincts, spreads, words: FIRST_ROW + 1, outcomes }
    }

    /// Sums of a column divided by those of a column of numbers of values, which are values of type `input` added up.
    pub(super) fn merged_mean(&mut self, sum: usize, count: usize, input: &DataType, data_type: DataType) -> Outcome {
        let (how, kind, value) = match Class::of(input) {
            Class::Float => (How::MeanF64, Kind::AddF64, Value::Number),
            Class::Decimal { .. } => (How::MeanI128, Kind::AddI128, Value::Wide),
            Class::Duration => (How::MeanInteger, Kind::Add, Value::Integer),
            Class::Unsigned => (How::MeanUnsigned, Kind::Add, Value::Integer),
            _ => (How::MeanSigned, Kind::Add, Value::Integer),
        };
        let word = self.step(kind, value, Some(sum));
        let count = Some(self.step(Kind::Add, Value::Integer, Some(count)));
        let nullable = self.values[sum].has_validity();
        Outcome { how, request: sum, data_type, word, other: 0, count, nullable, ddof: 0 }
    }

    /// `how` of batches' means, and of two columns that are made of them and add up: n times the mean, and n times its
    /// square with the sum of squared differences.
    pub(super) fn merged_spread(
        &mut self,
        how: How,
        mean: usize,
        batches: Batches,
        [sum, squares]: [usize; 2],
        nullable: bool,
        ddof: u32,
    ) -> Outcome {
        let sum = self.step(Kind::AddF64, Value::Number, Some(sum));
        let squares = self.step(Kind::AddF64, Value::Number, Some(squares));
        let count = self.step(Kind::Add, Value::Integer, Some(batches.count));
        let [word, other] = self.spread(mean, Some(batches), sum, squares, count);
        let data_type = DataType::Float64;
        Outcome { how, request: mean, data_type, word, other, count: Some(count), nullable, ddof }
    }

    /// The words of sum and sum of squares that a spread is made of.
    fn spread(
        &mut self,
        values: usize,
        batches: Option<Batches>,
        sum: usize,
        squares: usize,
        count: usize,
    ) -> [usize; 2] {
        let mean = self.spreads.iter().find(|spread| spread.values == values).map(|spread| spread.mean);
        let mean = mean.unwrap_or_else(|| {
            let mean = self.words;
            self.spreads.push(Spread { values, batches, sum, squares, count, mean });
            self.words += 3;
            mean
        });
        [mean + 1, mean + 2]
    }

    /// The accumulator, shared with whoever needs the same.
    fn step(&mut self, kind: Kind, value: Value, request: Option<usize>) -> usize {
        let same = |step: &&Step| step.kind == kind && step.value == value && step.request == request;
        if let Some(step) = self.steps.iter().find(same) {
            return step.word;
        }
        let word = self.words;
        self.steps.push(Step { kind, value, request, word });
        self.words += kind.words();
        word
    }

    fn count(&mut self, request: usize) -> usize {
        let nulls = self.values[request].has_validity();
        self.step(Kind::Add, Value::One, nulls.then_some(request))
    }

    /// An aggregation that the values of the request have, as a result of `data_type`.
    pub(super) fn outcome(&mut self, request: usize, aggregation: GroupByAggregation, data_type: DataType) -> Outcome {
        use GroupByAggregation as A;
        let view = self.values[request];
        let class = Class::of(view.data_type());
        let mut step = |kind, value| self.step(kind, value, Some(request));
        let mut other = 0;
        let mut ddof = 0;
        let (how, word) = match aggregation {
            A::CountAll => (How::Copy, self.step(Kind::Add, Value::One, None)),
            A::CountValid => (How::Copy, self.count(request)),
            A::Nunique(policy) => {
                let word = self.words;
                self.words += 1;
                self.distincts.push(Distinct { request, nulls: policy == NullPolicy::Include, word });
                (How::Copy, word)
            }
            A::Sum => match class {
                Class::Float => (How::CopyF64, step(Kind::AddF64, Value::Number)),
                Class::Decimal { .. } => (How::CopyI128, step(Kind::AddI128, Value::Wide)),
                _ => (How::Copy, step(Kind::Add, Value::Integer)),
            },
            A::Mean => match class {
                Class::Float => (How::MeanF64, step(Kind::AddF64, Value::Number)),
                Class::Decimal { .. } => (How::MeanI128, step(Kind::AddI128, Value::Wide)),
                Class::Duration => (How::MeanInteger, step(Kind::Add, Value::Integer)),
                Class::Unsigned => (How::MeanUnsigned, step(Kind::Add, Value::Integer)),
                _ => (How::MeanSigned, step(Kind::Add, Value::Integer)),
            },
            A::Min | A::Max if has_order_number(view.data_type()) => {
                let kind = if aggregation == A::Min { Kind::Min } else { Kind::Max };
                (How::Ordered, step(kind, Value::Order))
            }
            A::Min => (How::Gather, step(Kind::ArgMin, Value::RowNumber)),
            A::Max => (How::Gather, step(Kind::ArgMax, Value::RowNumber)),
            A::ArgMin => (How::Copy, step(Kind::ArgMin, Value::RowNumber)),
            A::ArgMax => (How::Copy, step(Kind::ArgMax, Value::RowNumber)),
            A::SumOfSquares => match class {
                Class::Float => (How::CopyF64, step(Kind::AddF64, Value::NumberSquare)),
                _ => (How::Copy, step(Kind::Add, Value::IntegerSquare)),
            },
            A::Product => match class {
                Class::Float => (How::CopyF64, step(Kind::MultiplyF64, Value::Number)),
                _ => (How::Copy, step(Kind::Multiply, Value::Integer)),
            },
            A::Variance { .. } | A::Std { .. } | A::M2 => {
                let sum = step(Kind::AddF64, Value::Number);
                let squares = step(Kind::AddF64, Value::NumberSquare);
                let count = self.count(request);
                let [word, square] = self.spread(request, None, sum, squares, count);
                other = square;
                let (how, less) = match aggregation {
                    A::Variance { ddof } => (How::Variance, ddof),
                    A::Std { ddof } => (How::Deviation, ddof),
                    _ => (How::SquaredDifferences, 0),
                };
                ddof = less;
                (how, word)
            }
        };
        let spread = matches!(aggregation, A::Variance { .. } | A::Std { .. });
        let nullable = !aggregation.is_never_null() && (spread || view.has_validity());
        let divided = matches!(aggregation, A::Mean | A::M2);
        let count = (nullable || divided).then(|| self.count(request));
        Outcome { how, request, data_type, word, other, count, nullable, ddof }
    }
}
