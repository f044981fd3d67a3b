//! Cases that time verbs of frames at 10 rows, each beside the pipeline or the operations that the verb runs. The
//! difference is what names, schemas and plans cost.
//!
//! The name of the case without frames ends in `_columns`.

use anyhow::Result;
use gdf::concatenate::concatenate;
use gdf::expr::col as at;
use gdf::frame::{Frame, Join, all, col};
use gdf::groupby::{GroupByAggregation, NullPolicy};
use gdf::join::{JoinKeys, NullEquality, cross_join, inner, mixed_inner_join};
use gdf::pipeline::{GroupRequest, Pipeline, Reduction, SortKey};
use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, distinct, drop_nulls};
use gdf::{Table, copying, reduction};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

const fn case(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).sized(&[10]).repeated(20_000, 9)
}

pub(super) const CASES: &[Case] = &[
    case("frame.filter", |inputs| verb(inputs, |frame| frame.filter(col("a").gt(0)))),
    case("frame.filter_columns", |inputs| {
        columns(inputs, |table| Pipeline::new(table).filter(at(0).gt(0)).project(&[at(0), at(1), at(2)]))
    }),
    case("frame.select", |inputs| verb(inputs, |frame| frame.select([col("a") + col("b")]))),
    case("frame.select_columns", |inputs| columns(inputs, |table| Pipeline::new(table).project(&[at(0) + at(1)]))),
    case("frame.select_sum", |inputs| verb(inputs, |frame| frame.select([col("a").sum()]))),
    case("frame.select_sum_columns", |inputs| {
        let sum = reduction::ReduceAggregation::Sum;
        columns(inputs, move |table| Pipeline::new(table).reduce(&[Reduction::new(at(0), sum)]))
    }),
    case("frame.with", |inputs| verb(inputs, |frame| frame.with([(col("a") * 2).alias("d")]))),
    case("frame.with_columns", |inputs| columns(inputs, |table| Pipeline::new(table).project(&[at(0) * 2]))),
    case("frame.rename", |inputs| verb(inputs, |frame| frame.rename([("a", "d")]))),
    case("frame.drop", |inputs| verb(inputs, |frame| frame.drop("c"))),
    case("frame.slice", |inputs| verb(inputs, |frame| frame.slice(2, 5))),
    case("frame.sort", |inputs| verb(inputs, |frame| frame.sort(["a"]))),
    case("frame.sort_columns", |inputs| {
        columns(inputs, |table| {
            Pipeline::new(table).sort_by([SortKey::ascending(at(0))]).project(&[at(0), at(1), at(2)])
        })
    }),
    case("frame.distinct", |inputs| verb(inputs, |frame| frame.distinct(all(), DuplicateKeepOption::Any))),
    case("frame.distinct_columns", |inputs| {
        let (keep, nulls, nans) = (DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual);
        columns(inputs, move |table| distinct(table, &[0, 1, 2], keep, nulls, nans))
    }),
    case("frame.drop_nulls", |inputs| verb(inputs, |frame| frame.drop_nulls("c"))),
    case("frame.drop_nulls_columns", |inputs| columns(inputs, |table| drop_nulls(table, &[2], 1))),
    case("frame.reverse", |inputs| verb(inputs, |frame| frame.reverse())),
    case("frame.reverse_columns", |inputs| columns(inputs, |table| copying::reverse(table))),
    case("frame.group_by", |inputs| verb(inputs, |frame| frame.group_by(["a"]).agg([col("b").sum()]))),
    case("frame.group_by_columns", |inputs| {
        columns(inputs, |table| {
            let sums = GroupRequest::new(at(1), [GroupByAggregation::Sum]);
            Pipeline::new(table).group_by([at(0)], NullPolicy::Include).agg(&[sums])
        })
    }),
    case("frame.join", |inputs| verb(inputs, |frame| frame.join(frame, Join::inner(["a"])))),
    case("frame.join_columns", |inputs| columns(inputs, |table| inner(table, table, &JoinKeys::new(&[0], &[0])))),
    case("frame.join_condition", |inputs| {
        verb(inputs, |frame| frame.join(frame, Join::inner(["a"]).condition(col("b").le(col("b_right")))))
    }),
    case("frame.join_condition_columns", |inputs| {
        columns(inputs, |table| {
            let on = JoinKeys::new(&[0], &[0]);
            let (left, right) = mixed_inner_join(table, table, &on, &at(1).le(at(4)))?;
            let nullify = copying::OutOfBoundsPolicy::Nullify;
            let mut found = copying::gather(table, &left, nullify)?.into_columns();
            found.extend(copying::gather(table, &right, nullify)?.into_columns());
            Table::try_new(found)
        })
    }),
    case("frame.cross_join", |inputs| verb(inputs, |frame| frame.cross_join(frame, "_right"))),
    case("frame.cross_join_columns", |inputs| columns(inputs, |table| cross_join(table, table))),
    case("frame.concat", |inputs| verb(inputs, |frame| frame.concat([frame]))),
    case("frame.concat_columns", |inputs| columns(inputs, |table| concatenate(&[table.view(), table.view()]))),
];

fn table(inputs: &Inputs) -> Result<Table> {
    Ok(Table::try_new(vec![inputs.i64()?, inputs.j64()?, inputs.i64_nulls()?])?)
}

fn verb(inputs: &Inputs, verb: impl Fn(&Frame) -> gdf::Result<Frame> + 'static) -> Result<Run> {
    let columns = table(inputs)?.into_columns();
    let frame = Frame::try_new(["a", "b", "c"].into_iter().zip(columns))?;
    call(move || verb(&frame))
}

fn columns(inputs: &Inputs, run: impl Fn(&Table) -> gdf::Result<Table> + 'static) -> Result<Run> {
    let table = table(inputs)?;
    call(move || run(&table))
}
