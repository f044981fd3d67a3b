//! What is accumulated per group, and what becomes of it: requests with what they share worked out once.

use gdf_core::{Abilities, ColumnView, DataType, Error, Result, ValueOrder};
pub(in crate::groupby) use gdf_kernels::generated::groupby::{AccumulatorInput, CombineOp, Finalize};

use crate::groupby::aggregation::Class;
use crate::groupby::{AggregationRequest, GroupByAggregation, NullPolicy};

/// 64-bit words of an accumulator.
pub(in crate::groupby) fn words_of(op: CombineOp) -> usize {
    if op == CombineOp::AddI128 { 2 } else { 1 }
}

/// What an accumulator begins as.
pub(in crate::groupby) fn identity(op: CombineOp) -> u64 {
    match op {
        CombineOp::Minimum | CombineOp::Argmin | CombineOp::Argmax => u64::MAX,
        CombineOp::Multiply => 1,
        CombineOp::MultiplyF64 => 1.0_f64.to_bits(),
        CombineOp::Add | CombineOp::AddF64 | CombineOp::AddI128 | CombineOp::Maximum => 0,
    }
}

/// Accumulate a value of a request's column (without one, of every row) where it is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::groupby) struct Accumulator {
    pub(in crate::groupby) op: CombineOp,
    pub(in crate::groupby) input: AccumulatorInput,
    pub(in crate::groupby) request: Option<usize>,
    /// First word of the accumulator.
    pub(in crate::groupby) word: usize,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub(in crate::groupby) struct ResultColumn {
    pub(in crate::groupby) finalize: Finalize,
    pub(in crate::groupby) request: usize,
    pub(in crate::groupby) data_type: DataType,
    pub(in crate::groupby) word: usize,
    /// Variance: the word of the sum of squares, where `word` is that of the sum.
    pub(in crate::groupby) other: usize,
    /// The word of the number of values, where the result may be null or is divided by it.
    pub(in crate::groupby) count: Option<usize>,
    pub(in crate::groupby) nullable: bool,
    pub(in crate::groupby) ddof: u32,
}

/// Count distinct values of a request's column into a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::groupby) struct DistinctCount {
    pub(in crate::groupby) request: usize,
    pub(in crate::groupby) null_policy: NullPolicy,
    pub(in crate::groupby) word: usize,
}

/// Numbers, or means of numbers, whose spread is wanted. Where sum and sum of squares have lost too much of it, the sums of
/// the differences from the group's mean take their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::groupby) struct VarianceCorrection {
    /// The column of numbers or means.
    pub(in crate::groupby) values: usize,
    pub(in crate::groupby) batches: Option<Batches>,
    /// Words of what the pass over the rows accumulates.
    pub(in crate::groupby) sum: usize,
    pub(in crate::groupby) squares: usize,
    pub(in crate::groupby) count: usize,
    /// First of three words: the mean, or NaN where the sums did well; sum and sum of squares as they are to be used.
    pub(in crate::groupby) mean: usize,
}

/// Columns beside means: of how many values, and the sum of the squared differences of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::groupby) struct Batches {
    pub(in crate::groupby) count: usize,
    pub(in crate::groupby) m2: usize,
}

impl VarianceCorrection {
    /// The three words of a group from `mean` on: a mean where sum and sum of squares of `count` numbers have lost more than
    /// 12 of the 53 bits of their spread.
    pub(in crate::groupby) fn begin(sum: f64, squares: f64, count: u64) -> [f64; 3] {
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
pub(in crate::groupby) const FIRST_ROW: usize = 0;

/// All requests of a call.
#[derive(Debug)]
pub(in crate::groupby) struct AggregationPlan<'a> {
    pub(in crate::groupby) values: Vec<ColumnView<'a>>,
    pub(in crate::groupby) accumulators: Vec<Accumulator>,
    pub(in crate::groupby) distincts: Vec<DistinctCount>,
    pub(in crate::groupby) corrections: Vec<VarianceCorrection>,
    /// Words of all accumulators of a group.
    pub(in crate::groupby) words: usize,
    /// Per request and aggregation.
    pub(in crate::groupby) results: Vec<Vec<ResultColumn>>,
}

impl<'a> AggregationPlan<'a> {
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for aggregations that the type of the values does not have.
    pub(in crate::groupby) fn new(requests: &[AggregationRequest<'a>], rows: usize) -> Result<Self> {
        Self::with_types(requests, |aggregation, data_type| aggregation.result_type(data_type, rows))
    }

    /// What is kept of a batch: results as for all of it, of types that nothing is lost in.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) as [`new`](Self::new).
    pub(in crate::groupby) fn partial(requests: &[AggregationRequest<'a>]) -> Result<Self> {
        Self::with_types(requests, GroupByAggregation::partial_type)
    }

    fn with_types(
        requests: &[AggregationRequest<'a>],
        type_of: impl Fn(GroupByAggregation, &DataType) -> Result<DataType>,
    ) -> Result<Self> {
        let mut plan = Self::over(requests.iter().map(|request| request.values).collect());
        for (index, request) in requests.iter().enumerate() {
            let results = request.aggregations.iter().map(|aggregation| {
                let data_type = type_of(*aggregation, request.values.data_type())?;
                plan.result_column(index, *aggregation, data_type)
            });
            let results = results.collect::<Result<_>>()?;
            plan.results.push(results);
        }
        Ok(plan)
    }

    /// Of these columns, with no outcome yet.
    pub(in crate::groupby) fn over(values: Vec<ColumnView<'a>>) -> Self {
        let (accumulators, distincts, corrections, results) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { values, accumulators, distincts, corrections, words: FIRST_ROW + 1, results }
    }

    /// Sums of a column divided by those of a column of numbers of values, which are values of type `input_type` added up.
    pub(in crate::groupby) fn merged_mean(
        &mut self,
        sum: usize,
        count: usize,
        input_type: &DataType,
        data_type: DataType,
    ) -> Result<ResultColumn> {
        let (finalize, op, input) = mean_of(Class::of(input_type))?;
        let word = self.accumulator(op, input, Some(sum));
        let count = Some(self.accumulator(CombineOp::Add, AccumulatorInput::Integer, Some(count)));
        let nullable = self.values[sum].has_validity();
        Ok(ResultColumn { finalize, request: sum, data_type, word, other: 0, count, nullable, ddof: 0 })
    }

    /// `finalize` of batches' means, and of two columns that are made of them and add up: n times the mean, and n times its
    /// square with the sum of squared differences.
    pub(in crate::groupby) fn merged_spread(
        &mut self,
        finalize: Finalize,
        mean: usize,
        batches: Batches,
        [sum, squares]: [usize; 2],
        ddof: u32,
    ) -> ResultColumn {
        let sum = self.accumulator(CombineOp::AddF64, AccumulatorInput::Number, Some(sum));
        let squares = self.accumulator(CombineOp::AddF64, AccumulatorInput::Number, Some(squares));
        let count = self.accumulator(CombineOp::Add, AccumulatorInput::Integer, Some(batches.count));
        let [word, other] = self.spread(mean, Some(batches), sum, squares, count);
        let (data_type, nullable) = (DataType::Float64, finalize != Finalize::SquaredDifferences);
        ResultColumn { finalize, request: mean, data_type, word, other, count: Some(count), nullable, ddof }
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
        let mean =
            self.corrections.iter().find(|correction| correction.values == values).map(|correction| correction.mean);
        let mean = mean.unwrap_or_else(|| {
            let mean = self.words;
            self.corrections.push(VarianceCorrection { values, batches, sum, squares, count, mean });
            self.words += 3;
            mean
        });
        [mean + 1, mean + 2]
    }

    /// The accumulator, shared with whoever needs the same.
    fn accumulator(&mut self, op: CombineOp, input: AccumulatorInput, request: Option<usize>) -> usize {
        let same = |accumulator: &&Accumulator| {
            accumulator.op == op && accumulator.input == input && accumulator.request == request
        };
        if let Some(accumulator) = self.accumulators.iter().find(same) {
            return accumulator.word;
        }
        let word = self.words;
        self.accumulators.push(Accumulator { op, input, request, word });
        self.words += words_of(op);
        word
    }

    fn count(&mut self, request: usize) -> usize {
        let nulls = self.values[request].has_validity();
        self.accumulator(CombineOp::Add, AccumulatorInput::One, nulls.then_some(request))
    }

    /// An aggregation that the values of the request have, as a result of `data_type`.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) where [`result_type`](GroupByAggregation::result_type) should have refused the values,
    ///   or `by_order` taken the aggregation out.
    pub(in crate::groupby) fn result_column(
        &mut self,
        request: usize,
        aggregation: GroupByAggregation,
        data_type: DataType,
    ) -> Result<ResultColumn> {
        use AccumulatorInput::{Number, NumberSquare, Order, RowNumber};
        use GroupByAggregation as A;
        let view = self.values[request];
        let class = Class::of(view.data_type());
        let has_number = Abilities::of(view.data_type()).order == Some(ValueOrder::Words);
        let mut accumulator = |op, input| self.accumulator(op, input, Some(request));
        let mut other = 0;
        let mut ddof = 0;
        let (finalize, word) = match aggregation {
            A::CountAll => (Finalize::Copy, self.accumulator(CombineOp::Add, AccumulatorInput::One, None)),
            A::CountValid => (Finalize::Copy, self.count(request)),
            A::Nunique(policy) => {
                let word = self.words;
                self.words += 1;
                self.distincts.push(DistinctCount { request, null_policy: policy, word });
                (Finalize::Copy, word)
            }
            A::Sum | A::SumOfSquares | A::Product => {
                let (finalize, op, input) = total_of(aggregation, class)?;
                (finalize, accumulator(op, input))
            }
            A::Mean => {
                let (finalize, op, input) = mean_of(class)?;
                (finalize, accumulator(op, input))
            }
            A::Min if has_number => (Finalize::Ordered, accumulator(CombineOp::Minimum, Order)),
            A::Max if has_number => (Finalize::Ordered, accumulator(CombineOp::Maximum, Order)),
            A::Min => (Finalize::Gather, accumulator(CombineOp::Argmin, RowNumber)),
            A::Max => (Finalize::Gather, accumulator(CombineOp::Argmax, RowNumber)),
            A::ArgMin => (Finalize::Copy, accumulator(CombineOp::Argmin, RowNumber)),
            A::ArgMax => (Finalize::Copy, accumulator(CombineOp::Argmax, RowNumber)),
            A::Variance { .. } | A::Std { .. } | A::M2 => {
                let sum = accumulator(CombineOp::AddF64, Number);
                let squares = accumulator(CombineOp::AddF64, NumberSquare);
                let count = self.count(request);
                let finalize;
                (finalize, ddof) = spread_of(aggregation)?;
                let [word, square] = self.spread(request, None, sum, squares, count);
                other = square;
                (finalize, word)
            }
            A::Median | A::Quantile { .. } | A::NthElement { .. } | A::TDigest { .. } | A::MergeTDigest { .. } => {
                return Err(Error::internal("an aggregation of rows in order among those of accumulators"));
            }
        };
        let spread = matches!(aggregation, A::Variance { .. } | A::Std { .. });
        let nullable = !aggregation.is_never_null() && (spread || view.has_validity());
        let divided = matches!(aggregation, A::Mean | A::M2);
        let count = (nullable || divided).then(|| self.count(request));
        Ok(ResultColumn { finalize, request, data_type, word, other, count, nullable, ddof })
    }
}

/// What a result is made of, and how.
type Parts = (Finalize, CombineOp, AccumulatorInput);

fn refused() -> Error {
    Error::internal("an aggregation of values of a type that does not have it")
}

fn total_of(aggregation: GroupByAggregation, class: Class) -> Result<Parts> {
    use AccumulatorInput::{Integer, IntegerSquare, Number, NumberSquare, Wide};
    use GroupByAggregation as A;
    let whole = matches!(class, Class::Boolean | Class::Signed | Class::Unsigned);
    Ok(match (aggregation, class) {
        (A::Sum, Class::Float) => (Finalize::CopyF64, CombineOp::AddF64, Number),
        (A::Sum, Class::Decimal { .. }) => (Finalize::CopyI128, CombineOp::AddI128, Wide),
        (A::Sum, Class::Duration) => (Finalize::Copy, CombineOp::Add, Integer),
        (A::Sum, _) if whole => (Finalize::Copy, CombineOp::Add, Integer),
        (A::SumOfSquares, Class::Float) => (Finalize::CopyF64, CombineOp::AddF64, NumberSquare),
        (A::SumOfSquares, _) if whole => (Finalize::Copy, CombineOp::Add, IntegerSquare),
        (A::Product, Class::Float) => (Finalize::CopyF64, CombineOp::MultiplyF64, Number),
        (A::Product, _) if whole => (Finalize::Copy, CombineOp::Multiply, Integer),
        _ => return Err(refused()),
    })
}

fn mean_of(class: Class) -> Result<Parts> {
    Ok(match class {
        Class::Float => (Finalize::MeanF64, CombineOp::AddF64, AccumulatorInput::Number),
        Class::Decimal { .. } => (Finalize::MeanI128, CombineOp::AddI128, AccumulatorInput::Wide),
        Class::Duration => (Finalize::MeanInteger, CombineOp::Add, AccumulatorInput::Integer),
        Class::Unsigned => (Finalize::MeanUnsigned, CombineOp::Add, AccumulatorInput::Integer),
        Class::Boolean | Class::Signed => (Finalize::MeanSigned, CombineOp::Add, AccumulatorInput::Integer),
        Class::Other => return Err(refused()),
    })
}

/// How a spread becomes the result, and the degrees of freedom that are taken from it.
pub(in crate::groupby) fn spread_of(aggregation: GroupByAggregation) -> Result<(Finalize, u32)> {
    match aggregation {
        GroupByAggregation::Variance { ddof } => Ok((Finalize::Variance, ddof)),
        GroupByAggregation::Std { ddof } => Ok((Finalize::Deviation, ddof)),
        GroupByAggregation::M2 => Ok((Finalize::SquaredDifferences, 0)),
        _ => Err(refused()),
    }
}
