//! The plan of an aggregation: the accumulators per group, and the result columns that are computed from the
//! accumulators.

use gdf_compute::expression::Projection;
use gdf_compute::reduction::EXACT_SUM;
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Result, ValueOrder};
pub(crate) use gdf_kernels::generated::groupby::{AccumulatorInput, CombineOp, Finalize};

use crate::Ctx;
use crate::groupby::aggregation::{Class, OPERATION, has_wide_sum};
use crate::groupby::{AggregationRequest, ComputedRequests, GroupByAggregation, NullPolicy};

pub(crate) fn words_of(op: CombineOp) -> usize {
    if op == CombineOp::AddI128 { 2 } else { 1 }
}

pub(crate) fn identity(op: CombineOp) -> u64 {
    match op {
        CombineOp::Minimum | CombineOp::Argmin | CombineOp::Argmax => u64::MAX,
        CombineOp::Multiply => 1,
        CombineOp::MultiplyF64 => 1.0_f64.to_bits(),
        CombineOp::Add | CombineOp::AddF64 | CombineOp::AddI128 | CombineOp::Maximum => 0,
    }
}

/// An accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accumulator {
    pub(crate) op: CombineOp,
    pub(crate) input: AccumulatorInput,
    pub(crate) request: Option<usize>,
    pub(crate) word: usize,
}

/// A result column, and the accumulator words from which the column is computed.
#[derive(Clone, Debug)]
pub(crate) struct ResultColumn {
    pub(crate) finalize: Finalize,
    pub(crate) request: usize,
    pub(crate) data_type: DataType,
    pub(crate) word: usize,
    /// The word of the sum of squares of a variance.
    pub(crate) other: usize,
    /// The word of the number of valid values.
    pub(crate) count: Option<usize>,
    pub(crate) nullable: bool,
    pub(crate) ddof: u32,
}

/// A count of the distinct values of a request's column, written to an accumulator word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DistinctCount {
    pub(crate) request: usize,
    pub(crate) null_policy: NullPolicy,
    pub(crate) word: usize,
}

/// A variance that may need a second pass over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VarianceCorrection {
    /// The request whose column contains the numbers or means.
    pub(crate) values: usize,
    pub(crate) batches: Option<Batches>,
    /// The word of the sum, which the first pass over the rows computes.
    pub(crate) sum: usize,
    pub(crate) squares: usize,
    pub(crate) count: usize,
    /// The first of three words: the mean, the sum, and the sum of squares. If the group needs a second pass, both sums
    /// are made of differences from the mean. Otherwise the mean is NaN.
    pub(crate) mean: usize,
}

/// The columns of batches besides the column of means: the number of values of each mean, and the sum of the squared
/// differences of these values from the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batches {
    pub(crate) count: usize,
    pub(crate) m2: usize,
}

impl VarianceCorrection {
    /// Returns the initial values of the three words of a group from `mean` on.
    pub(crate) fn begin(sum: f64, squares: f64, count: u64) -> [f64; 3] {
        let spread = squares - sum * sum / count as f64;
        if !sum.is_finite() || count > 1 && spread >= squares * MIN_SPREAD {
            return [f64::NAN, sum, squares];
        }
        // The spread of one number is zero, so a group of one number needs no second pass.
        let mean = if count > 1 { sum / count as f64 } else { f64::NAN };
        [mean, 0.0, 0.0]
    }
}

/// The smallest accepted ratio of the spread to the sum of squares, 2⁻¹².
const MIN_SPREAD: f64 = 1.0 / 4096.0;

pub(crate) const FIRST_ROW: usize = 0;

/// A plan. The request with number `r` has the values of the column `values[r]`, or those of the output
/// `r - values.len()` of the projection.
#[derive(Clone, Debug)]
pub(crate) struct AggregationPlan<'a> {
    pub(crate) values: Vec<ColumnView<'a>>,
    /// Values that are computed when the rows are aggregated.
    pub(crate) computed: Option<&'a Projection<'a>>,
    pub(crate) accumulators: Vec<Accumulator>,
    pub(crate) distincts: Vec<DistinctCount>,
    pub(crate) corrections: Vec<VarianceCorrection>,
    pub(crate) words: usize,
    pub(crate) results: Vec<Vec<ResultColumn>>,
}

impl<'a> AggregationPlan<'a> {
    /// Creates the plan for all requests.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for aggregations that do not support the type of the values.
    pub(crate) fn new(requests: &[AggregationRequest<'a>], rows: usize) -> Result<Self> {
        Self::with_types(requests, |aggregation, data_type| aggregation.result_type(data_type, rows))
    }

    /// Creates a plan for the partial results of one batch. The types of the results are chosen so that merging loses
    /// no precision.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) as [`new`](Self::new).
    pub(crate) fn partial(requests: &[AggregationRequest<'a>]) -> Result<Self> {
        Self::with_types(requests, GroupByAggregation::partial_type)
    }

    /// Adds a request whose result is the number of the first row of each group.
    pub(super) fn add_first_rows(&mut self, rows: ColumnView<'a>) -> Result<()> {
        self.values.push(rows);
        let first = self.result_column(self.values.len() - 1, GroupByAggregation::Min, rows.data_type().clone())?;
        self.results.push(vec![first]);
        Ok(())
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

    pub(crate) fn over(values: Vec<ColumnView<'a>>) -> Self {
        let (accumulators, distincts, corrections, results) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { values, computed: None, accumulators, distincts, corrections, words: FIRST_ROW + 1, results }
    }

    /// Adds a request for each output of a projection.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) as [`new`](Self::new).
    pub(crate) fn add_computed(&mut self, requests: &ComputedRequests<'a>, rows: usize) -> Result<()> {
        let first = self.values.len();
        self.computed = Some(requests.projection);
        for (index, (data_type, _)) in requests.projection.outputs().enumerate() {
            let of = requests.aggregations.get(index).map_or(&[][..], Vec::as_slice);
            let results = of.iter().map(|aggregation| {
                self.result_column(first + index, *aggregation, aggregation.result_type(data_type, rows)?)
            });
            let results = results.collect::<Result<_>>()?;
            self.results.push(results);
        }
        Ok(())
    }

    /// Computes the columns of the outputs of the projection.
    pub(crate) fn computed_columns(&self, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        self.computed.map_or_else(|| Ok(Vec::new()), |projection| projection.columns(ctx))
    }

    /// Returns the same plan over `columns` in place of the projection.
    pub(crate) fn with_columns<'c>(self, columns: &'c [Column]) -> AggregationPlan<'c>
    where
        'a: 'c,
    {
        let mut plan: AggregationPlan<'c> = self;
        plan.values.extend(columns.iter().map(Column::view));
        plan.computed = None;
        plan
    }

    /// Returns the number of the output of the projection that has the values of a request.
    pub(crate) fn output_of(&self, request: usize) -> Option<usize> {
        request.checked_sub(self.values.len())
    }

    fn computed_output(&self, request: usize) -> Option<(&DataType, bool)> {
        self.computed?.outputs().nth(self.output_of(request)?)
    }

    /// Returns the type of the values of a request.
    pub(crate) fn data_type(&self, request: usize) -> &DataType {
        match self.computed_output(request) {
            Some((data_type, _)) => data_type,
            None => self.values[request].data_type(),
        }
    }

    /// Returns whether the values of a request can be null.
    fn is_nullable(&self, request: usize) -> bool {
        match self.computed_output(request) {
            Some((_, nullable)) => nullable,
            None => self.values[request].has_validity(),
        }
    }

    /// Returns a result that is the sum of the column `sum` divided by the sum of the column `count`.
    pub(crate) fn merged_mean(
        &mut self,
        sum: usize,
        count: usize,
        input_type: &DataType,
        data_type: DataType,
    ) -> Result<ResultColumn> {
        let (finalize, op, input) = mean_of(input_type)?;
        let word = self.accumulator(op, input, Some(sum));
        let count = Some(self.accumulator(CombineOp::Add, AccumulatorInput::Integer, Some(count)));
        let nullable = self.is_nullable(sum);
        Ok(ResultColumn { finalize, request: sum, data_type, word, other: 0, count, nullable, ddof: 0 })
    }

    /// Returns the variance of the values of all batches, computed from the means of the batches, or a result that is
    /// derived from this variance.
    pub(crate) fn merged_spread(
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

    /// Returns the words of the sum and the sum of squares from which a spread is computed.
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

    /// Returns the first word of an accumulator.
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
        let nulls = self.is_nullable(request);
        self.accumulator(CombineOp::Add, AccumulatorInput::One, nulls.then_some(request))
    }

    /// Adds the accumulators of an aggregation to the plan. The result has the type `data_type`.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for values that no accumulator compares. The caller must first replace
    ///   values of nested types by their ranks.
    /// * [`Internal`](Error::Internal) in two cases that earlier checks exclude. First, the aggregation does not
    ///   support the type of the values, which [`result_type`](GroupByAggregation::result_type) refuses. Second, the
    ///   aggregation depends on the order of rows, and `by_order` computes such aggregations.
    pub(crate) fn result_column(
        &mut self,
        request: usize,
        aggregation: GroupByAggregation,
        data_type: DataType,
    ) -> Result<ResultColumn> {
        use AccumulatorInput::{Number, NumberSquare, Order, RowNumber};
        use GroupByAggregation as A;
        let values_type = self.data_type(request).clone();
        let class = Class::of(&values_type);
        let abilities = Abilities::of(&values_type);
        let has_number = abilities.order == Some(ValueOrder::Words);
        let is_compared = match aggregation {
            A::Min | A::Max | A::ArgMin | A::ArgMax => abilities.order.is_some(),
            A::Nunique(_) => abilities.equality,
            _ => true,
        };
        if !is_compared {
            return Err(Error::unsupported(OPERATION, &values_type).in_variant(aggregation.name()));
        }
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
            A::Sum | A::SumOverflow | A::SumOfSquares | A::Product => {
                let (finalize, op, input) = total_of(aggregation, class)?;
                (finalize, accumulator(op, input))
            }
            A::Mean => {
                let (finalize, op, input) = mean_of(&values_type)?;
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
            A::Median
            | A::Quantile { .. }
            | A::NthElement { .. }
            | A::CollectList { .. }
            | A::CollectSet { .. }
            | A::MergeLists
            | A::MergeSets { .. }
            | A::TopK { .. }
            | A::Histogram
            | A::MergeHistogram
            | A::TDigest { .. }
            | A::MergeTDigest { .. } => {
                return Err(Error::internal("an aggregation that needs ordered rows was planned with accumulators"));
            }
        };
        let spread = matches!(aggregation, A::Variance { .. } | A::Std { .. });
        let nullable = !aggregation.is_never_null() && (spread || self.is_nullable(request));
        let divided = matches!(aggregation, A::Mean | A::M2);
        let count = (nullable || divided).then(|| self.count(request));
        // The accumulators compute the exact sum. The wrapped sum and the overflow flag are computed from it later.
        let data_type = if aggregation == A::SumOverflow { EXACT_SUM } else { data_type };
        Ok(ResultColumn { finalize, request, data_type, word, other, count, nullable, ddof })
    }
}

type Parts = (Finalize, CombineOp, AccumulatorInput);

fn refused() -> Error {
    Error::internal("an aggregation does not support the type of its values")
}

fn total_of(aggregation: GroupByAggregation, class: Class) -> Result<Parts> {
    use AccumulatorInput::{Integer, IntegerSquare, Number, NumberSquare, Wide, WideSquare};
    use GroupByAggregation as A;
    let whole = matches!(class, Class::Boolean | Class::Signed | Class::Unsigned);
    Ok(match (aggregation, class) {
        (A::Sum, Class::Float) => (Finalize::CopyF64, CombineOp::AddF64, Number),
        (A::Sum, Class::Decimal { .. }) => (Finalize::CopyI128, CombineOp::AddI128, Wide),
        (A::Sum, Class::Duration) => (Finalize::Copy, CombineOp::Add, Integer),
        (A::Sum, _) if whole => (Finalize::Copy, CombineOp::Add, Integer),
        (A::SumOverflow, _) if whole || class == Class::Duration => (Finalize::CopyI128, CombineOp::AddI128, Wide),
        (A::SumOfSquares, Class::Decimal { .. }) => (Finalize::CopyI128, CombineOp::AddI128, WideSquare),
        (A::SumOfSquares, Class::Float) => (Finalize::CopyF64, CombineOp::AddF64, NumberSquare),
        (A::SumOfSquares, _) if whole => (Finalize::Copy, CombineOp::Add, IntegerSquare),
        (A::Product, Class::Float) => (Finalize::CopyF64, CombineOp::MultiplyF64, Number),
        (A::Product, _) if whole => (Finalize::Copy, CombineOp::Multiply, Integer),
        _ => return Err(refused()),
    })
}

fn mean_of(data_type: &DataType) -> Result<Parts> {
    Ok(match Class::of(data_type) {
        Class::Float => (Finalize::MeanF64, CombineOp::AddF64, AccumulatorInput::Number),
        Class::Decimal { .. } => (Finalize::MeanI128, CombineOp::AddI128, AccumulatorInput::Wide),
        Class::Duration => (Finalize::MeanI128, CombineOp::AddI128, AccumulatorInput::Wide),
        _ if has_wide_sum(data_type) => (Finalize::MeanWide, CombineOp::AddI128, AccumulatorInput::Wide),
        Class::Unsigned => (Finalize::MeanUnsigned, CombineOp::Add, AccumulatorInput::Integer),
        Class::Boolean | Class::Signed => (Finalize::MeanSigned, CombineOp::Add, AccumulatorInput::Integer),
        Class::Other => return Err(refused()),
    })
}

/// Returns the finalizing step of a variance, a standard deviation or an M2, and the degrees of freedom that are
/// subtracted from the count.
pub(crate) fn spread_of(aggregation: GroupByAggregation) -> Result<(Finalize, u32)> {
    match aggregation {
        GroupByAggregation::Variance { ddof } => Ok((Finalize::Variance, ddof)),
        GroupByAggregation::Std { ddof } => Ok((Finalize::Deviation, ddof)),
        GroupByAggregation::M2 => Ok((Finalize::SquaredDifferences, 0)),
        _ => Err(refused()),
    }
}
