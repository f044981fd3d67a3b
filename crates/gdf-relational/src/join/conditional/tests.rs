//! Tests groups and tiles of every size, on the path that gathers values and on the path of programs.

use gdf_compute::expression::Functions;
use gdf_core::{ColumnView, DataType, Operand};
use gdf_driver::Stream;
use gdf_engine::test_device::{on_host, setup};
use gdf_expr::{Expr, Function, KeySet, Value, col, lit};

use super::*;
use crate::join::{JOIN_NO_MATCH, JoinKeys};

struct NoFunctions;

impl Functions for NoFunctions {
    fn call(&self, function: Function, _: &[Operand<'_>], _: Ctx<'_>) -> Result<Column> {
        Err(Error::internal("a function is called").in_operation(function.name()))
    }

    fn cast(&self, _: ColumnView<'_>, _: &DataType, _: Ctx<'_>) -> Result<Column> {
        Err(Error::internal("a column is cast"))
    }

    fn is_in(&self, _: ColumnView<'_>, _: &[Value], _: Ctx<'_>) -> Result<Column> {
        Err(Error::internal("a function is called"))
    }

    fn is_key(&self, _: &TableView<'_>, _: &KeySet, _: Ctx<'_>) -> Result<Column> {
        Err(Error::internal("a function is called"))
    }
}

fn condition(expression: &Expr) -> Condition<'_> {
    Condition { expression, functions: &NoFunctions }
}

fn table(values: &[i32], ctx: Ctx<'_>) -> Table {
    Table::try_new(vec![Column::from_slice_on(values, ctx.stream, ctx.mr.output).unwrap()]).unwrap()
}

fn numbers(column: &Column) -> Vec<u32> {
    on_host(column).buffers()[0].read_on(&Stream::cpu()).unwrap().as_slice::<u32>().unwrap()[..column.len()].to_vec()
}

const KINDS: [(Kind, bool); 5] =
    [(Kind::Inner, false), (Kind::Left, false), (Kind::Left, true), (Kind::Semi, false), (Kind::Anti, false)];

fn expected(left: &[i32], right: &[i32], request: Request) -> [Vec<u32>; 2] {
    let mut rows = [Vec::new(), Vec::new()];
    let mut is_matched = vec![false; right.len()];
    let mut put = |left, right| {
        rows[0].push(left);
        rows[1].push(right);
    };
    for (row, value) in (0..).zip(left) {
        let found: Vec<u32> = (0..).zip(right).filter(|(_, other)| *value < **other).map(|(other, _)| other).collect();
        found.iter().for_each(|other| is_matched[*other as usize] = true);
        match request.kind {
            Kind::Left if found.is_empty() => put(row, JOIN_NO_MATCH),
            Kind::Inner | Kind::Left => found.into_iter().for_each(|other| put(row, other)),
            Kind::Semi | Kind::Anti if found.is_empty() == (request.kind == Kind::Anti) => put(row, 0),
            Kind::Semi | Kind::Anti => {}
        }
    }
    if request.full {
        (0..).zip(is_matched).filter(|(_, is_matched)| !is_matched).for_each(|(other, _)| put(JOIN_NO_MATCH, other));
    }
    rows
}

fn check(join: &dyn Groups, expected: &[Vec<u32>; 2], request: Request, ctx: Ctx<'_>) {
    let rows = join.all(request, ctx).unwrap();
    assert_eq!(numbers(&rows.left), expected[0], "{request:?}");
    assert_eq!(rows.right.is_some(), request.has_pairs());
    if let Some(right) = &rows.right {
        assert_eq!(numbers(right), expected[1], "{request:?}");
    }
    if !request.full {
        assert_eq!(join.size(request.kind, ctx).unwrap(), expected[0].len(), "{request:?}");
    }
}

fn sides(left_rows: i32, right_rows: i32) -> (Vec<i32>, Vec<i32>) {
    ((0..left_rows).map(|row| row * 7 % 23).collect(), (0..right_rows).map(|row| row * 5 % 19).collect())
}

#[test]
fn tiles_of_every_size_have_the_same_results() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let expression = col(0).lt(col(1));
    for (left_rows, right_rows) in [(0, 0), (0, 4), (4, 0), (1, 1), (9, 5), (6, 13)] {
        let (left, right) = sides(left_rows, right_rows);
        let (left_table, right_table) = (table(&left, ctx), table(&right, ctx));
        for pairs in [1, 2, 3, 4, 5, 6, 12, 13, 14, 26, 27, 1000] {
            let mut join =
                NestedLoops::new(&left_table.view(), &right_table.view(), condition(&expression), ctx).unwrap();
            join.numbers = Some([left.len(), right.len()].map(|rows| row_numbers(rows, ctx).unwrap()));
            join.pairs = pairs;
            for (kind, full) in KINDS {
                let request = Request { kind, full };
                check(&join, &expected(&left, &right, request), request, ctx);
            }
        }
    }
}

#[test]
fn programs_have_the_results_of_tiles() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let expression = col(0).lt(col(1));
    for (left_rows, right_rows) in [(1, 1), (63, 64), (65, 63), (1, 1025), (3, 2049), (1023, 2), (1025, 1), (3000, 300)]
    {
        let (left, right) = sides(left_rows, right_rows);
        let (left_table, right_table) = (table(&left, ctx), table(&right, ctx));
        let join = NestedLoops::new(&left_table.view(), &right_table.view(), condition(&expression), ctx).unwrap();
        assert!(join.condition.has_program());
        for (kind, full) in KINDS {
            let request = Request { kind, full };
            check(&join, &expected(&left, &right, request), request, ctx);
        }
    }
}

#[test]
fn ranges_of_rows_do_not_begin_with_mask_words() {
    let (stream, mr) = setup();
    if stream.device().is_cuda() {
        return;
    }
    let ctx = Ctx::new(&stream, &mr);
    let (left, right) = sides(300, 70);
    let (left_table, right_table) = (table(&left, ctx), table(&right, ctx));
    let expression = col(0).lt(col(1));
    let join = NestedLoops::new(&left_table.view(), &right_table.view(), condition(&expression), ctx).unwrap();
    for range in [0..1, 1..64, 63..65, 65..300, 299..300] {
        let rows = join.rows(range.clone(), Kind::Left, ctx).unwrap();
        let own = expected(&left[range.clone()], &right, Request { kind: Kind::Left, full: false });
        let moved: Vec<u32> = own[0].iter().map(|row| row + range.start as u32).collect();
        assert_eq!((numbers(&rows.left), numbers(&rows.right.unwrap())), (moved, own[1].clone()));
    }
}

#[test]
fn conditions_are_checked_without_rows() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let (left, right) = (table(&[], ctx), table(&[1], ctx));
    let run =
        |expression: &Expr| conditional_join(JoinKind::Full, &left.view(), &right.view(), condition(expression), ctx);
    assert!(matches!(run(&(col(0) + col(1))), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&col(2).is_null()), Err(Error::OutOfBounds { .. })));
    let (lefts, rights) = run(&lit(true)).unwrap();
    assert_eq!((numbers(&lefts), numbers(&rights)), (vec![JOIN_NO_MATCH], vec![0]));
    let on = JoinKeys::new(&[1], &[0]);
    let expression = lit(true);
    let mixed = mixed_join(JoinKind::Inner, &left.view(), &right.view(), &on, condition(&expression), ctx);
    assert!(matches!(mixed, Err(Error::OutOfBounds { .. })));
}

#[test]
fn a_table_without_columns_has_rows() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let right = table(&[1, 5], ctx);
    let left = TableView::try_with_rows(Vec::new(), 3).unwrap();
    let expression = col(0).gt(lit(2));
    let (lefts, rights) = conditional_join(JoinKind::Inner, &left, &right.view(), condition(&expression), ctx).unwrap();
    assert_eq!((numbers(&lefts), numbers(&rights)), (vec![0, 1, 2], vec![1, 1, 1]));
}

#[test]
fn sizes_are_those_of_the_pairs() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let (left, right) = (table(&[1, 5], ctx), table(&[0, 3, 1], ctx));
    let (left, right) = (&left.view(), &right.view());
    let expression = col(0).lt(col(1));
    let (of, on) = (condition(&expression), JoinKeys::new(&[0], &[0]));
    // The pairs of the first join are (1, 3), and those of the second join are none.
    for (kind, sizes) in [(JoinKind::Inner, [1, 0]), (JoinKind::Left, [2, 2]), (JoinKind::Full, [4, 5])] {
        let found = conditional_join_size(kind, left, right, of, ctx).unwrap();
        assert_eq!((found, sizes[0]), (conditional_join(kind, left, right, of, ctx).unwrap().0.len(), found));
        let found = mixed_join_size(kind, left, right, &on, of, ctx).unwrap();
        assert_eq!((found, sizes[1]), (mixed_join(kind, left, right, &on, of, ctx).unwrap().0.len(), found));
    }
}
