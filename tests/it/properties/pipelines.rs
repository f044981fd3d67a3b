//! Tests pipelines with random expressions. The expected results come from the operations on columns.

use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation as G, NullPolicy};
use gdf_api::join::{HashJoin, NullEquality, inner_join};
use gdf_api::pipeline::{GroupRequest, Pipeline, Reduction, SortKey};
use gdf_api::reduction::{ReduceAggregation as R, reduce};
use gdf_api::sorting::{NullOrder, Order, sort, sort_by_key};
use gdf_api::stream_compaction::apply_boolean_mask;
use gdf_api::transform::compute_columns;
use gdf_core::{Column, DataType as Type, Table, is_decimal, is_integral};
use gdf_expr::{Expr, col};
use gdf_tests::random_expressions::RandomExpressions;
use proptest::prelude::*;

use super::{Bench, check, offsets};

/// Generates numbers of rows near the sizes of mask words, of CPU blocks and of kernel tiles.
fn rows() -> impl Strategy<Value = usize> {
    prop_oneof![0..200_usize, Just(511), Just(513), Just(1023), Just(1025), 1000..3000_usize]
}

struct Random {
    table: Table,
    condition: Expr,
    values: Vec<Expr>,
}

impl Random {
    fn new(bench: &Bench, rows: usize, seed: u64, offset: usize) -> gdf_core::Result<Random> {
        let RandomExpressions { columns, expressions } = RandomExpressions::new(rows, seed);
        let table = bench.table(&columns, offset)?;
        let first = expressions.first().cloned().unwrap_or(col(0));
        let is_condition =
            *compute_columns(&table, std::slice::from_ref(&first))?.column(0)?.data_type() == Type::Boolean;
        let condition = if is_condition { first.clone() } else { first.clone().is_not_null() };
        Ok(Random { table, condition, values: expressions })
    }

    fn pipeline(&self) -> Pipeline<'_> {
        Pipeline::new(&self.table).filter(self.condition.clone())
    }

    fn passing(&self) -> gdf_core::Result<(Table, Column)> {
        let mask = compute_columns(&self.table, std::slice::from_ref(&self.condition))?;
        let values = compute_columns(&self.table, &self.values)?;
        let numbers = Pipeline::new(&self.table).row_numbers()?;
        let all = values.into_columns().into_iter().chain([numbers]).collect();
        let mut columns = apply_boolean_mask(&Table::try_new(all)?, mask.column(0)?)?.into_columns();
        let numbers = columns.pop().ok_or(gdf_core::Error::column_count(1, 0))?;
        Ok((Table::try_with_rows(columns, numbers.len())?, numbers))
    }

    fn keys(&self) -> gdf_core::Result<Vec<usize>> {
        let table = compute_columns(&self.table, &self.values)?;
        let has_order = |data_type: &DataType| gdf_core::Abilities::of(data_type).order.is_some();
        Ok((0..table.num_columns()).filter(|at| has_order(table.columns()[*at].data_type())).collect())
    }

    fn of(&self, positions: &[usize]) -> Vec<Expr> {
        positions.iter().map(|at| self.values[*at].clone()).collect()
    }
}

fn same(bench: &Bench, expected: &Table, got: &Table) -> proptest::test_runner::TestCaseResult {
    prop_assert_eq!(expected.num_columns(), got.num_columns());
    for (expected, got) in expected.columns().iter().zip(got.columns()) {
        bench.same(&bench.array(expected)?, got)?;
    }
    Ok(())
}

#[test]
fn rows_that_pass_are_those_of_a_mask() {
    check(
        400,
        || (rows(), any::<u64>(), offsets()),
        |bench, (rows, seed, offset)| {
            let random = Random::new(bench, rows, seed, offset)?;
            let (expected, numbers) = random.passing()?;
            same(bench, &expected, &random.pipeline().project(&random.values)?)?;
            bench.same(&bench.array(&numbers)?, &random.pipeline().row_numbers()?)?;
            prop_assert_eq!(random.pipeline().count()?, numbers.len());
            Ok(())
        },
    );
}

#[test]
fn reductions_are_those_of_the_rows_that_pass() {
    check(
        300,
        || (rows(), any::<u64>(), offsets()),
        |bench, (rows, seed, offset)| {
            let random = Random::new(bench, rows, seed, offset)?;
            let (values, _) = random.passing()?;
            // One pass computes the first four aggregations, and the sums of numbers that are not floats.
            let of_any = [R::CountValid, R::CountAll, R::Max, R::Min, R::Nunique(NullPolicy::Exclude)];
            let of_numbers = [R::Sum, R::Mean];
            for at in random.keys()? {
                let data_type = values.column(at)?.data_type();
                let is_exact = is_decimal(data_type) || is_integral(data_type) || *data_type == Type::Boolean;
                let of_numbers = if is_exact { of_numbers.as_slice() } else { &[] };
                let any = if seed % 2 == 0 { &of_any[..4] } else { &of_any };
                let of: Vec<R> = any.iter().chain(of_numbers).copied().collect();
                let wanted: Vec<_> = of.iter().map(|of| Reduction::new(random.values[at].clone(), *of)).collect();
                let got = random.pipeline().reduce(&wanted)?;
                for (of, got) in of.iter().zip(got.columns()) {
                    let expected = reduce(values.column(at)?, *of, got.data_type())?.into_column();
                    bench.same(&bench.array(&expected)?, got)?;
                }
            }
            Ok(())
        },
    );
}

#[test]
fn groups_are_those_of_the_rows_that_pass() {
    check(
        300,
        || (rows(), any::<u64>(), offsets(), any::<bool>()),
        |bench, (rows, seed, offset, includes)| {
            let random = Random::new(bench, rows, seed, offset)?;
            let (values, _) = random.passing()?;
            let policy = if includes { NullPolicy::Include } else { NullPolicy::Exclude };
            let keys = random.keys()?;
            let Some(of) = keys.first().copied() else { return Ok(()) };
            let wanted = [G::CountValid, G::Max, G::CountAll];
            let request = AggregationRequest::new(values.column(of)?, wanted);
            let expected = GroupBy::new(&values.select(&keys)?, policy).agg(&[request])?;
            let requests = [GroupRequest::new(random.values[of].clone(), wanted)];
            let got = random.pipeline().group_by(random.of(&keys), policy).agg(&requests)?;
            same(bench, &sort(&expected, &[], &[])?, &sort(&got, &[], &[])?)
        },
    );
}

#[test]
fn sorted_rows_are_those_that_pass() {
    check(
        300,
        || (rows(), any::<u64>(), offsets(), 0..60_usize),
        |bench, (rows, seed, offset, limit)| {
            let random = Random::new(bench, rows, seed, offset)?;
            let (values, numbers) = random.passing()?;
            let keys = random.keys()?;
            if keys.is_empty() {
                return Ok(());
            }
            let key = |at: usize| match (seed >> at) & 1 {
                0 => SortKey::ascending(random.values[at].clone()).with_nulls(NullOrder::After),
                _ => SortKey::descending(random.values[at].clone()),
            };
            let by: Vec<SortKey> = keys.iter().map(|at| key(*at)).collect();
            let orders: Vec<Order> = by.iter().map(|key| key.order).collect();
            let nulls: Vec<NullOrder> = by.iter().map(|key| key.null_order).collect();
            let by_values = values.select(&keys)?;
            let sorted = sort_by_key(&Table::try_new(vec![numbers])?, &by_values, &orders, &nulls)?;
            let pipeline = random.pipeline().sort_by(by);
            bench.same(&bench.array(sorted.column(0)?)?, &pipeline.row_numbers()?)?;
            let expected = sort_by_key(&values, &by_values, &orders, &nulls)?.head(limit);
            same(bench, &expected, &pipeline.limit(limit).project(&random.values)?)
        },
    );
}

#[test]
fn probes_are_those_of_the_rows_that_pass() {
    check(
        200,
        || (rows(), any::<u64>(), offsets()),
        |bench, (rows, seed, offset)| {
            let random = Random::new(bench, rows.min(400), seed, offset)?;
            let (values, numbers) = random.passing()?;
            let Some(key) = random.keys()?.first().copied() else { return Ok(()) };
            // The build side has the keys of the table's first rows, so some keys have a match.
            let build = compute_columns(&random.table, &random.of(&[key]))?.head(30);
            let probe = values.select(&[key])?;
            let (left, right) = inner_join(&probe, &build, NullEquality::Unequal)?;
            let left = gather(&Table::try_new(vec![numbers])?, &left, OutOfBoundsPolicy::Error)?;
            let expected = sort(&Table::try_new(vec![left.column(0)?.clone(), right])?, &[], &[])?;
            let join = HashJoin::try_new(&build, NullEquality::Unequal)?;
            let probing = random.pipeline().probe(&join, random.of(&[key]));
            let (left, right) = probing.inner_rows()?;
            same(bench, &expected, &sort(&Table::try_new(vec![left, right])?, &[], &[])?)?;
            prop_assert_eq!(probing.semi_rows()?.len() + probing.anti_rows()?.len(), probe.num_rows());
            Ok(())
        },
    );
}
