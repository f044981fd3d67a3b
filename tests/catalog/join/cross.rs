//! Entries of cross joins.

use arrow_array::ArrayRef;
use arrow_array::types::UInt32Type;
use arrow_schema::DataType;
use gdf_api::join::{cross_join, cross_join_rows};
use gdf_external::bounds;

use crate::catalog::shared::tables::{
    FEW, affine_waits, nested, shape_of, slice_costs, table, types, types_of_parts, view,
};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::copying::gather;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("join.cross_join", Equality::Exact, tables),
        Entry::new("join.cross_join_rows", Equality::Exact, rows),
    ]
}

fn pairs(left: usize, right: usize) -> [ArrayRef; 2] {
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for row in 0..left {
        for other in 0..right {
            lefts.push(row as u32);
            rights.push(other as u32);
        }
    }
    [lefts, rights].map(plain::<UInt32Type>)
}

fn case(label: String, left: Vec<ArrayRef>, right: Vec<ArrayRef>) -> Case {
    let (count, waits) = (left.len(), affine_waits(&left) + affine_waits(&right));
    let both = [left.clone(), right.clone()].concat();
    // Fields without nulls have a mask in slices only, because the null count of a slice is not known.
    let has_fields = both.iter().any(|column| matches!(column.data_type(), DataType::Struct(_)));
    let slices = match slice_costs(&both) {
        SliceCosts::Same if has_fields => SliceCosts::Allocations(4),
        slices => slices,
    };
    Case::new(
        label,
        [left, right].concat(),
        move |inputs| Ok(cross_join(view(&inputs[..count])?, view(&inputs[count..])?)?.into_columns()),
        move |inputs| {
            let (left, right) = inputs.split_at(count);
            let [lefts, rights] = pairs(left[0].len(), right[0].len());
            Ok([gather(left, &lefts)?, gather(right, &rights)?].concat())
        },
        waits,
    )
    .with_bound(move |inputs| bounds::cross_join(&shape_of(&inputs[..count]), &shape_of(&inputs[count..])))
    .with_slice_costs(slices)
}

fn tables() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in types().into_iter().chain([nested(), DataType::Null]).chain(types_of_parts()).zip(1_u64..)
    {
        let column = |rows, nulls, salt| vec![random_array(&data_type, rows, nulls, seed * 2 + salt)];
        cases.push(case(format!("types/{data_type}"), column(13, Nulls, 0), column(5, Plain, 1)));
    }
    for (left, right) in [(0, 0), (0, 7), (7, 0), (1, 1), (1, 33), (64, 1), (31, 32), (33, 65), (3, 2049)] {
        for nulls in [Plain, Nulls] {
            let (lefts, rights) = (table(&FEW, left, nulls, 3), table(&FEW[..3], right, nulls, 4));
            cases.push(case(format!("rows/{left}, {right}/{nulls:?}"), lefts, rights));
        }
    }
    cases
}

fn rows() -> Vec<Case> {
    let case = |(left, right): (usize, usize)| {
        let column = |rows| random_array(&DataType::Int8, rows, NullPattern::None, 1);
        Case::new(
            format!("{left}, {right}"),
            vec![column(left), column(right)],
            |inputs| {
                let (left, right) = cross_join_rows(view(&inputs[..1])?, view(&inputs[1..])?)?;
                Ok(vec![left, right])
            },
            |inputs| Ok(pairs(inputs[0].len(), inputs[1].len()).to_vec()),
            0,
        )
    };
    [(0, 0), (0, 7), (7, 0), (1, 1), (31, 33), (64, 100)].into_iter().map(case).collect()
}
