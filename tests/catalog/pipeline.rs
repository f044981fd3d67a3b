//! Entries of `pipeline`. The oracle evaluates the condition and the expressions, filters the rows, and then applies
//! the oracle of the sink.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as G, NullPolicy};
use gdf_api::join::{HashJoin, NullEquality};
use gdf_api::pipeline::{GroupRequest, Pipeline, Reduction, SortKey};
use gdf_api::reduction::ReduceAggregation as R;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_expr::{Expr, Function, col, lit, when};
use gdf_external::JoinKind;
use gdf_external::bounds::{self, Shape, Values};

use super::shared::tables::{as_table, scratch, shape_of, shown, values_of, view};
use super::sorting::row_numbers;
use super::{Case, Entry, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use crate::naive::sorting::Direction;
use crate::naive::stream_compaction::apply_boolean_mask;
use crate::naive::transform::expression::evaluate;
use crate::random_expressions::RandomExpressions;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, SMALL_BRACKETS, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("pipeline.project", Equality::Exact, projections).sharing_inputs().guessing(),
        Entry::new("pipeline.row_numbers", Equality::Exact, numbers).guessing(),
        // Without a condition, all rows are counted without a launch.
        Entry::new("pipeline.count", Equality::Exact, counts).launching_nothing(),
        Entry::new("pipeline.reduce", Equality::Ulp(64), reductions).guessing(),
        Entry::new("pipeline.group_by", Equality::AnyOrder, groups).guessing(),
        Entry::new("pipeline.sort_by", Equality::Exact, sorts).guessing(),
        Entry::new("pipeline.probe", Equality::FirstColumnOrder, probes).guessing(),
    ]
}

/// A number of rows so large that the pipeline first counts the rows that pass.
const COUNTED: usize = (1 << 16) + 7;

/// The largest number of waits of the filter: for the sizes of text, and for the number of rows that pass.
const FILTER: u64 = 3;

/// The columns of most cases, in this order.
fn table(rows: usize, nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    use DataType::*;
    let dictionary = Dictionary(Box::new(Int32), Box::new(Utf8));
    let types = [Int32, Float64, Utf8, Decimal64(12, 2), Boolean, dictionary, Int64, Utf8View];
    types.iter().zip(seed..).map(|(data_type, seed)| random_array(data_type, rows, nulls, seed)).collect()
}

/// Returns lists of conditions with their names.
fn conditions() -> Vec<(&'static str, Vec<Expr>)> {
    let selective = [col(1).lt(0.5), col(0).gt(0), col(6).gt(0), col(2).ne("the")];
    vec![
        ("none", Vec::new()),
        ("selective", selective.to_vec()),
        ("wide", vec![col(0).is_not_null().or(col(4)), (col(0) + 1).ge(col(0)).or(lit(true))]),
        ("shared", vec![(col(0) % 7).ne(3)]),
        ("of text", vec![Expr::call(Function::CountBytes, [col(2)]).gt(3)]),
        ("false", vec![lit(false)]),
        ("null", vec![lit(None::<bool>)]),
    ]
}

fn pipeline<'a>(table: TableView<'a>, conditions: &[Expr]) -> Pipeline<'a> {
    conditions.iter().cloned().fold(Pipeline::new(table), Pipeline::filter)
}

/// Returns the values of the expressions for the rows that pass all conditions.
fn passing(inputs: &[ArrayRef], conditions: &[Expr], values: &[Expr]) -> std::result::Result<Vec<ArrayRef>, String> {
    let rows = inputs.first().map_or(0, |input| input.len());
    let mut columns =
        values.iter().map(|value| evaluate(inputs, rows, value)).collect::<std::result::Result<Vec<_>, _>>()?;
    columns.extend(row_numbers((0..rows).collect()));
    conditions
        .iter()
        .try_fold((inputs.to_vec(), columns), |(inputs, columns), condition| {
            let mask = evaluate(&inputs, inputs.first().map_or(0, |input| input.len()), condition)?;
            Ok::<_, String>((apply_boolean_mask(&inputs, &mask)?, apply_boolean_mask(&columns, &mask)?))
        })
        .map(|(_, columns)| columns)
}

/// Returns the bound of values of the rows that pass all conditions.
fn bound(inputs: &[Column], conditions: &[Expr], values: &Values) -> Option<usize> {
    match conditions {
        [] => Some(bounds::pipeline(None, values)),
        _ => Some(bounds::pipeline(Some(&values_of(inputs, conditions)?), values)),
    }
}

fn sum(parts: impl IntoIterator<Item = usize>) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}

fn grid(sizes: &[usize]) -> Vec<(String, Vec<ArrayRef>, Vec<Expr>)> {
    let mut all = Vec::new();
    for (&rows, seed) in sizes.iter().zip(1_u64..) {
        for (&nulls, seed) in [NullPattern::None, NullPattern::Some, NullPattern::All].iter().zip(11 * seed..) {
            let conditions = conditions();
            // Each table has a third of the conditions.
            for (name, conditions) in conditions.into_iter().skip(seed as usize % 3).step_by(3) {
                all.push((format!("{name}/{nulls:?}/{rows}"), table(rows, nulls, seed), conditions));
            }
        }
    }
    all.push(("counted".into(), table(COUNTED, NullPattern::Some, 3), vec![col(0).gt(1_000_000_000)]));
    all
}

fn refused(
    label: &str,
    run: impl Fn(&Table) -> Result<Vec<Column>> + Send + Sync + 'static,
    is_right: fn(&Error) -> bool,
) -> Case {
    let inputs = table(5, NullPattern::None, 1);
    Case::refused(format!("refused {label}"), inputs, move |inputs| run(&as_table(inputs)?), is_right)
}

fn outputs() -> Vec<Expr> {
    vec![
        col(0) % 7 + 1,
        col(2),
        (col(0) % 7).lt(col(6)),
        col(3) * 2,
        when(col(4), col(1)).otherwise(lit(0.5)),
        col(5),
        Expr::call(Function::ToUpper, [col(2)]),
        lit("text"),
    ]
}

fn projections() -> Vec<Case> {
    let case = |label: String, inputs: Vec<ArrayRef>, conditions: Vec<Expr>, outputs: Vec<Expr>, waits: u64| {
        let (own, of_oracle) = (outputs.clone(), conditions.clone());
        let of_bound = (outputs.clone(), conditions.clone());
        Case::new(
            label,
            inputs,
            move |inputs| Ok(pipeline(view(inputs)?, &conditions).project(&own)?.into_columns()),
            move |inputs| {
                let mut columns = passing(inputs, &of_oracle, &outputs)?;
                columns.pop();
                Ok(columns)
            },
            waits,
        )
        .with_bound(move |inputs| bound(inputs, &of_bound.1, &values_of(inputs, &of_bound.0)?))
        .with_slice_costs(SliceCosts::Own)
    };
    let mut cases: Vec<Case> = Vec::new();
    for (label, inputs, conditions) in grid(BRACKETS) {
        // A conversion of many rows to upper case continues if its scratch buffer cannot be allocated. The runner
        // expects an error, so the case is left out.
        if label != "counted" {
            cases.push(case(format!("several/{label}"), inputs.clone(), conditions.clone(), outputs(), FILTER + 3));
        }
        cases.push(case(format!("columns/{label}"), inputs.clone(), conditions.clone(), vec![col(0), col(7)], FILTER));
        cases.push(case(format!("product/{label}"), inputs, conditions, vec![col(0) * col(6)], FILTER));
    }
    for seed in 0..60 {
        let RandomExpressions { columns, expressions } =
            RandomExpressions::new(BRACKETS[seed as usize % BRACKETS.len()], seed);
        let Some((first, outputs)) = expressions.split_first() else { continue };
        let condition = match naive::transform::expression::data_type(&columns, first) {
            Ok(DataType::Boolean) => first.clone(),
            _ => first.clone().is_not_null(),
        };
        cases.push(case(format!("random {seed}"), columns, vec![condition], outputs.to_vec(), FILTER + 16));
    }
    cases.push(case("nothing".into(), table(70, NullPattern::Some, 1), vec![col(0).gt(0)], Vec::new(), FILTER));
    cases.push(refused(
        "type",
        |table| Ok(Pipeline::new(table).filter(col(0)).project(&[col(0)])?.into_columns()),
        |error| matches!(error, Error::TypeMismatch { .. }),
    ));
    cases.push(refused(
        "column",
        |table| Ok(Pipeline::new(table).project(&[col(8)])?.into_columns()),
        |error| matches!(error, Error::OutOfBounds { .. }),
    ));
    cases
}

fn numbers() -> Vec<Case> {
    let case = |(label, inputs, conditions): (String, Vec<ArrayRef>, Vec<Expr>)| {
        let (of_oracle, of_bound) = (conditions.clone(), conditions.clone());
        Case::new(
            label,
            inputs,
            move |inputs| Ok(vec![pipeline(view(inputs)?, &conditions).row_numbers()?]),
            move |inputs| passing(inputs, &of_oracle, &[]),
            1,
        )
        .with_bound(move |inputs| {
            let numbers = Shape::of_values(inputs[0].len(), size_of::<u64>());
            bound(inputs, &of_bound, &Values { outputs: numbers, inner: Shape::default() })
        })
        .with_slice_costs(SliceCosts::Own)
    };
    grid(BRACKETS).into_iter().map(case).collect()
}

fn counts() -> Vec<Case> {
    let case = |(label, inputs, conditions): (String, Vec<ArrayRef>, Vec<Expr>)| {
        let of_oracle = conditions.clone();
        Case::new(
            label,
            inputs,
            move |inputs| {
                let count = pipeline(view(inputs)?, &conditions).count()?;
                Ok(vec![shown(&[count as u64], inputs[0].device())?])
            },
            move |inputs| {
                let rows = passing(inputs, &of_oracle, &[])?[0].len() as u64;
                Ok(vec![gdf_test::builders::plain::<arrow_array::types::UInt64Type>([rows])])
            },
            1,
        )
        .with_host_values(1)
        .with_slice_costs(SliceCosts::Own)
    };
    grid(SMALL_BRACKETS).into_iter().map(case).collect()
}

fn reductions() -> Vec<Case> {
    let wanted = || {
        vec![
            Reduction::new(col(0) % 7 + 1, R::Sum),
            Reduction::new(col(0) % 7 + 1, R::Max),
            Reduction::new(col(3), R::Sum),
            Reduction::new(col(2), R::Min),
            Reduction::new(col(4), R::CountAll),
            Reduction::new(col(4), R::Any),
            Reduction::new(col(6).lt(0), R::All),
            Reduction::new(col(6) % 5, R::Nunique(NullPolicy::Include)),
            Reduction::new(col(6) % 100, R::Variance { ddof: 1 }),
            Reduction::new(col(0) % 7, R::Mean),
            Reduction::new(col(6) * 2, R::SumOverflow),
        ]
    };
    // One pass over the columns computes all of these reductions. There are as many as one launch takes.
    let of_one_pass = || {
        let (wide, unsigned, single) = (col(3) * col(3), col(6).cast(DataType::UInt64), col(1).cast(DataType::Float32));
        vec![
            vec![
                Reduction::new(col(0) * 3, R::Sum),
                Reduction::new(col(3) * 2, R::Sum),
                Reduction::new(wide.clone(), R::Sum),
                Reduction::new(wide.clone(), R::Max),
                Reduction::new(wide, R::Min),
                Reduction::new(col(2), R::CountValid),
                Reduction::new(col(5), R::CountAll),
                Reduction::new(col(4), R::Sum),
            ],
            vec![
                Reduction::new(unsigned.clone(), R::Max),
                Reduction::new(unsigned.clone(), R::Min),
                Reduction::new(unsigned, R::Sum).of_type(DataType::Float64),
                Reduction::new(single.clone(), R::Min),
                Reduction::new(single, R::CountValid),
                Reduction::new(col(0) % 7, R::Mean),
                Reduction::new(col(3), R::Mean),
                Reduction::new(col(0), R::Min),
            ],
            vec![
                Reduction::new(col(1).cast(DataType::Float16), R::Max),
                Reduction::new(lit(3_i64), R::Sum),
                Reduction::new(lit(2.5), R::Max),
                Reduction::new(col(0).cast(DataType::Float64) * 0.5, R::Mean),
                Reduction::new(col(0).cast(DataType::Float32), R::Sum).of_type(DataType::Float64),
            ],
        ]
    };
    let case = |label: String, inputs: Vec<ArrayRef>, conditions: Vec<Expr>, wanted: Vec<Reduction>| {
        let (of_oracle, reductions) = (conditions.clone(), wanted.clone());
        let (of_bound, values) = (conditions.clone(), wanted.iter().map(|of| of.values.clone()).collect::<Vec<_>>());
        Case::new(
            label,
            inputs,
            move |inputs| Ok(pipeline(view(inputs)?, &conditions).reduce(&wanted)?.into_columns()),
            move |inputs| {
                let values: Vec<Expr> = reductions.iter().map(|reduction| reduction.values.clone()).collect();
                let columns = passing(inputs, &of_oracle, &values)?;
                let reduced = |(reduction, column): (&Reduction, &ArrayRef)| {
                    let output = reduction.output_type.clone();
                    let output = output
                        .or_else(|| reduced_type(reduction.aggregation, column.data_type()))
                        .ok_or("the reduction has no type")?;
                    let found = naive::reduction::reduce(column, reduction.aggregation, &output)?.remove(0);
                    match reduction.aggregation {
                        // The oracle of the reduction returns the row's number among the rows that pass. The operation
                        // returns the row's number in the table, so the test converts the expected number.
                        R::ArgMax => {
                            let numbers = gdf_test::value::to_values(&columns[columns.len() - 1]);
                            let numbers = gdf_test::value::from_values(&DataType::Int64, &numbers);
                            Ok(naive::copying::gather(&[numbers], &found)?.remove(0))
                        }
                        _ => Ok(found),
                    }
                };
                reductions.iter().zip(&columns).map(reduced).collect::<std::result::Result<Vec<_>, String>>()
            },
            20,
        )
        .with_bound(move |inputs| {
            let values = values_of(inputs, &values)?;
            let ordered = bounds::window(&values.outputs, &values.outputs, values.outputs.columns);
            Some(sum([bound(inputs, &of_bound, &values)?, ordered]))
        })
        .with_slice_costs(SliceCosts::Own)
    };
    let mut cases: Vec<Case> = grid(BRACKETS)
        .into_iter()
        .map(|(label, inputs, conditions)| case(label, inputs, conditions, wanted()))
        .collect();
    for (label, inputs, conditions) in grid(&[33, 257]) {
        let product =
            [Reduction::new(col(0) * col(6), R::Sum), Reduction::new(col(0), R::Sum).of_type(DataType::Float64)];
        cases.push(case(format!("product/{label}"), inputs.clone(), conditions.clone(), product.to_vec()));
        let rows = [Reduction::new(col(6) % 50, R::ArgMax), Reduction::new(col(0), R::CountValid)];
        cases.push(case(format!("row numbers/{label}"), inputs, conditions, rows.to_vec()));
    }
    for (label, inputs, conditions) in grid(BRACKETS) {
        for (at, wanted) in of_one_pass().into_iter().enumerate() {
            cases.push(case(format!("one pass {at}/{label}"), inputs.clone(), conditions.clone(), wanted));
        }
    }
    cases.push(case("nothing".into(), table(70, NullPattern::Some, 1), vec![col(0).gt(0)], Vec::new()));
    cases.push(refused(
        "aggregation",
        |table| Ok(Pipeline::new(table).reduce(&[Reduction::new(col(2), R::Sum)])?.into_columns()),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    cases
}

fn groups() -> Vec<Case> {
    let requests = || {
        vec![
            GroupRequest::new(col(6) % 1000, [G::Sum, G::CountAll, G::Max]),
            GroupRequest::new(col(3) * 2, [G::Sum]),
            GroupRequest::new(col(2), [G::Min, G::Nunique(NullPolicy::Exclude)]),
        ]
    };
    let case = |label: String, inputs: Vec<ArrayRef>, conditions: Vec<Expr>, keys: Vec<Expr>, policy: NullPolicy| {
        let (of_oracle, key_values) = (conditions.clone(), keys.clone());
        let (of_bound, of_keys) = (conditions.clone(), keys.clone());
        Case::new(
            format!("{policy:?}/{label}"),
            inputs,
            move |inputs| {
                let rows = pipeline(view(inputs)?, &conditions);
                Ok(rows.group_by(keys.iter().cloned(), policy).agg(&requests())?.into_columns())
            },
            move |inputs| {
                let requests = requests();
                let values = requests.iter().map(|request| request.values.clone());
                let all: Vec<Expr> = key_values.iter().cloned().chain(values).collect();
                let columns = passing(inputs, &of_oracle, &all)?;
                let (keys, values) = columns.split_at(key_values.len());
                let wanted = requests.iter().enumerate();
                let wanted = wanted.flat_map(|(at, request)| request.aggregations.iter().map(move |of| (at, *of)));
                naive::groupby::aggregate(keys, values, policy, &wanted.collect::<Vec<_>>())
            },
            30,
        )
        .with_bound(move |inputs| {
            let requests = requests();
            let values: Vec<_> = requests.iter().map(|request| request.values.clone()).collect();
            let (keys, values) = (values_of(inputs, &of_keys)?, values_of(inputs, &values)?);
            let count = requests.iter().map(|request| request.aggregations.len()).sum();
            let groups = bounds::group_by(&keys.outputs, &values.outputs, count);
            // To count the distinct values of each group, the operation sorts the values.
            let ordered = bounds::window(&keys.outputs, &values.outputs, count);
            Some(sum([groups, ordered, bound(inputs, &of_bound, &keys)?, bound(inputs, &of_bound, &values)?]))
        })
        .with_slice_costs(SliceCosts::Own)
    };
    let mut cases = Vec::new();
    for (turn, (label, inputs, conditions)) in grid(BRACKETS).into_iter().enumerate() {
        let policy = [NullPolicy::Include, NullPolicy::Exclude][turn / 4 % 2];
        let size = || when(col(0).gt(0), "many").when(col(0).lt(-9), lit(None::<&str>)).otherwise("few");
        let keys = match turn % 4 {
            0 => vec![col(0) % 5],
            3 => vec![size(), col(0) % 3],
            1 => vec![col(4), Expr::call(Function::CountBytes, [col(2)])],
            _ => vec![col(2), col(5)],
        };
        cases.push(case(label, inputs, conditions, keys, policy));
    }
    let many: Vec<Expr> = (0..32).map(|key| (col(0) + key) % 2).collect();
    cases.push(case("32 keys".into(), table(60, NullPattern::Some, 9), vec![col(6).gt(0)], many, NullPolicy::Include));
    cases.push(refused(
        "no keys",
        move |table| Ok(Pipeline::new(table).group_by([], NullPolicy::Include).agg(&requests())?.into_columns()),
        |error| matches!(error, Error::InvalidArgument { .. }),
    ));
    cases
}

fn sorts() -> Vec<Case> {
    let case =
        |label: String, inputs: Vec<ArrayRef>, conditions: Vec<Expr>, keys: Vec<SortKey>, limit: Option<usize>| {
            let (of_oracle, own) = (conditions.clone(), keys.clone());
            Case::new(
                format!("{label}/{limit:?}"),
                inputs,
                move |inputs| {
                    let sorted = pipeline(view(inputs)?, &conditions).sort_by(own.iter().cloned());
                    let sorted = match limit {
                        Some(rows) => sorted.limit(rows),
                        None => sorted,
                    };
                    let mut columns = sorted.project(&outputs())?.into_columns();
                    columns.push(sorted.row_numbers()?);
                    Ok(columns)
                },
                move |inputs| {
                    let values = keys.iter().map(|key| key.values.clone());
                    let all: Vec<Expr> = values.chain(outputs()).collect();
                    let columns = passing(inputs, &of_oracle, &all)?;
                    let (by, values) = columns.split_at(keys.len());
                    let direction = |key: &SortKey| Direction {
                        descending: key.order == Order::Descending,
                        nulls_smallest: key.null_order == NullOrder::Before,
                    };
                    let directions: Vec<Direction> = keys.iter().map(direction).collect();
                    naive::sorting::sort_by_key(values, by, &directions, limit.unwrap_or(usize::MAX))
                },
                60,
            )
            .with_slice_costs(SliceCosts::Own)
        };
    let mut cases = Vec::new();
    for (turn, (label, inputs, conditions)) in grid(BRACKETS).into_iter().enumerate() {
        let keys = match turn % 3 {
            0 => vec![SortKey::descending(col(0) % 7), SortKey::ascending(col(2)).with_nulls(NullOrder::After)],
            1 => vec![SortKey::ascending(col(6)).with_nulls(NullOrder::After)],
            _ => vec![SortKey::descending(col(1))],
        };
        cases.push(case(label, inputs, conditions, keys, [None, Some(10), Some(0)][turn / 3 % 3]));
    }
    cases
}

fn probes() -> Vec<Case> {
    let keys = || vec![col(0) % 7, col(4)];
    let build_keys = |inputs: &[ArrayRef]| -> std::result::Result<Vec<ArrayRef>, String> {
        let rows = inputs[0].len();
        keys().iter().map(|key| evaluate(inputs, rows, key)).collect()
    };
    let joined = || vec![col(6), col(10), col(0) + col(8), col(2)];
    let mut cases = Vec::new();
    for (turn, (label, inputs, conditions)) in grid(SMALL_BRACKETS).into_iter().enumerate() {
        let nulls = [NullEquality::Equal, NullEquality::Unequal][turn % 2];
        let build = table(12, [NullPattern::Some, NullPattern::None][turn / 2 % 2], 77);
        let (of_oracle, build_keys) = (conditions.clone(), build_keys(&build));
        let of_bound = conditions.clone();
        let all = [inputs, build].concat();
        let Ok(build_keys) = build_keys else { continue };
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(8);
            let mut found = passing(left, &of_oracle, &keys())?;
            let numbers = found.pop().ok_or("the row numbers are missing")?;
            let pairs = naive::join::pairs(&found, &build_keys, nulls, false, false);
            let rows = naive::copying::gather(std::slice::from_ref(&numbers), &pairs[0])?.remove(0);
            let both = [naive::copying::gather(left, &rows)?, naive::copying::gather(right, &pairs[1])?].concat();
            let outputs = joined();
            let values = outputs.iter().map(|output| evaluate(&both, rows.len(), output));
            let values = values.collect::<std::result::Result<Vec<_>, String>>()?;
            Ok([vec![rows, pairs[1].clone()], values].concat())
        };
        let run = move |inputs: &[Column]| {
            let (left, right) = inputs.split_at_checked(8).ok_or(Error::column_count(8, 0))?;
            let payload = as_table(right)?;
            let by = scratch(right[0].device(), || Pipeline::new(&payload).project(&keys()))?;
            let join = scratch(right[0].device(), || HashJoin::try_new(&by, nulls))?;
            let probe = pipeline(view(left)?, &conditions).probe(&join, keys());
            let (rows, others) = probe.inner_rows()?;
            Ok([vec![rows, others], probe.join(&payload, &joined())?.into_columns()].concat())
        };
        let case = Case::new(format!("inner/{label}/{nulls:?}"), all, run, oracle, 20);
        cases.push(case.with_bound(probe_bound(JoinKind::Inner, of_bound, keys())).with_slice_costs(SliceCosts::Own));
    }
    cases.extend(filters());
    cases
}

/// Returns the bound of probes with the rows of the first eight columns. The bound is the sum of two bounds: for the
/// conditions and the keys, and for a join. The left side of the join has the eight columns and the keys.
fn probe_bound(
    kind: JoinKind,
    conditions: Vec<Expr>,
    keys: Vec<Expr>,
) -> impl Fn(&[Column]) -> Option<usize> + Send + Sync {
    move |inputs| {
        let (left, right) = inputs.split_at_checked(8)?;
        let keys = values_of(left, &keys)?;
        let (left_side, right_side) = (shape_of(left).beside(keys.outputs), shape_of(right));
        Some(sum([bound(left, &conditions, &keys)?, bounds::join(&left_side, &right_side, kind, false)]))
    }
}

fn filters() -> Vec<Case> {
    let keys = || vec![col(0) % 7];
    let mut cases = Vec::new();
    for (turn, (label, inputs, conditions)) in grid(SMALL_BRACKETS).into_iter().enumerate() {
        let anti = turn % 2 == 1;
        let build = random_array(&DataType::Int32, 40, NullPattern::Some, 5);
        let all = [inputs, vec![build]].concat();
        let (of_oracle, of_bound) = (conditions.clone(), conditions.clone());
        let build_key = || (col(0) % 7).cast(DataType::Int32);
        let probe_keys = move || keys().into_iter().map(|key| key.cast(DataType::Int32)).collect::<Vec<_>>();
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(8);
            let right = vec![evaluate(right, right[0].len(), &build_key())?];
            let mut found = passing(left, &of_oracle, &probe_keys())?;
            let numbers = found.pop().ok_or("the row numbers are missing")?;
            let rows = naive::join::filtered(&found, &right, NullEquality::Unequal, anti).remove(0);
            let rows = naive::copying::gather(&[numbers], &rows)?.remove(0);
            let left = naive::copying::gather(left, &rows)?;
            Ok(vec![rows.clone(), evaluate(&left, rows.len(), &(col(6) + 1))?, left[7].clone()])
        };
        let run = move |inputs: &[Column]| {
            let (left, right) = inputs.split_at_checked(8).ok_or(Error::column_count(8, 0))?;
            let device = right[0].device();
            let by = scratch(device, || Pipeline::new(&as_table(right)?).project(&[build_key()]))?;
            let join = scratch(device, || HashJoin::try_new(&by, NullEquality::Unequal))?;
            let probe = pipeline(view(left)?, &conditions).probe(&join, probe_keys());
            let (rows, table) = match anti {
                true => (probe.anti_rows()?, probe.anti(&[col(6) + 1, col(7)])?),
                false => (probe.semi_rows()?, probe.semi(&[col(6) + 1, col(7)])?),
            };
            Ok([vec![rows], table.into_columns()].concat())
        };
        let (name, kind) = if anti { ("anti", JoinKind::Anti) } else { ("semi", JoinKind::Semi) };
        let case = Case::new(format!("{name}/{label}"), all, run, oracle, 20);
        cases.push(case.with_bound(probe_bound(kind, of_bound, probe_keys())).with_slice_costs(SliceCosts::Own));
    }
    cases
}
