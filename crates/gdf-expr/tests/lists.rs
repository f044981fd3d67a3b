//! Lists of conditions of any length: nothing overflows the stack, and nothing takes quadratic time.

use gdf_core::DataType::{Boolean, Int32, Int64, Utf8};
use gdf_expr::{
    BinaryOperator, Expr, ExprKind, Graph, Input, Operation, UnaryOperator, Value, all_of, any_of, col, lit,
};

const MANY: i32 = 100_000;

fn graph() -> Graph {
    Graph::new(vec![Input::new(Int32), Input::new(Int32), Input::new(Boolean), Input::new(Utf8)])
}

fn left(one: fn(i32) -> Expr, join: fn(Expr, Expr) -> Expr) -> Expr {
    (0..MANY).map(one).reduce(join).unwrap()
}

fn right(one: fn(i32) -> Expr, join: fn(Expr, Expr) -> Expr) -> Expr {
    (0..MANY).rev().map(one).reduce(|all, next| join(next, all)).unwrap()
}

#[test]
fn conditions_are_one_list_whatever_their_order() {
    let (a, b, c) = (|| col(0).gt(1), || col(1).lt(2), || col(2));
    for all in [a().and(b()).and(c()), a().and(b().and(c())), a() & b() & c(), all_of([a().and(b()), c()])] {
        assert_eq!(all.to_string(), "#0 > 1 AND #1 < 2 AND #2");
        assert!(all.same(&all_of([a(), b(), c()])));
        assert!(matches!(all.kind(), ExprKind::All(members) if members.len() == 3));
        assert_eq!(all.depth(), a().depth() + 1);
    }
    let kind = ExprKind::Binary(BinaryOperator::NullLogicalOr, a(), b());
    assert!(matches!(Expr::new(kind).kind(), ExprKind::Any(members) if members.len() == 2));
    assert_eq!(a().and(b().or(c())).to_string(), "#0 > 1 AND (#1 < 2 OR #2)");
    assert_eq!((!a().or(b())).to_string(), "NOT (#0 > 1 OR #1 < 2)");
    assert_eq!([all_of([]), any_of([]), any_of([c()])].map(|list| list.to_string()), ["TRUE", "FALSE", "#2"]);
    let shared = a().and(b());
    assert_eq!(shared.clone().and(c()).to_string(), "#0 > 1 AND #1 < 2 AND #2");
    assert_eq!(shared.to_string(), "#0 > 1 AND #1 < 2", "a list that is shared does not grow");
    let replaced = c().and(b()).substitute(|at| Ok(if at == 2 { shared.clone() } else { col(at) })).unwrap();
    assert_eq!(replaced.to_string(), "#0 > 1 AND #1 < 2 AND #1 < 2");
}

#[test]
fn the_smallest_part_without_a_type_is_named() {
    let refused = |condition: Expr| graph().bind(&condition).unwrap_err().to_string();
    let text = refused(all_of([col(2), col(3), col(0)]));
    assert!(text.starts_with("bind(NullLogicalAnd): #2 AND #3: "), "{text}");
    let text = refused(any_of([col(2), col(3).gt(1), col(2)]));
    assert!(text.starts_with("bind(Greater): #3 > 1: "), "{text}");
    let many = (0..300).map(|number| col(0).eq(number)).chain([col(3)]);
    let text = refused(any_of(many));
    assert!(text.starts_with("bind(NullLogicalOr): #0 = 0 OR #0 = 1 OR "), "{text}");
}

#[test]
fn many_alternatives_are_a_set() {
    let one = |number| col(0).eq(number);
    for (how, any) in
        [("flat", any_of((0..MANY).map(one))), ("left", left(one, Expr::or)), ("right", right(one, Expr::or))]
    {
        assert!(any.depth() < 40, "{how}: {}", any.depth());
        assert!(any.to_string().starts_with("#0 = 0 OR #0 = 1 OR "), "{how}");
        assert_eq!(any.columns(), [0], "{how}");
        let replaced = any.substitute(|_| Ok(col(1))).unwrap();
        assert!(replaced.to_string().starts_with("#1 = 0 OR #1 = 1 OR ") && !replaced.same(&any), "{how}");
        let mut graph = graph();
        let root = graph.bind(&any).unwrap();
        let operation = &graph.node(root).operation;
        assert!(matches!(operation, Operation::IsIn(list) if list.len() == MANY as usize), "{how}");
        assert!(graph.text(root).starts_with("#0 IN (0, 1, ") || graph.text(root).ends_with('…'), "{how}");
    }
    let mut graph = graph();
    let root = graph.bind(&left(|number| lit(number).ne(col(0)), Expr::and)).unwrap();
    assert_eq!(graph.node(root).operation, Operation::Unary(UnaryOperator::Not));
}

#[test]
fn many_conditions_take_little_time_and_stack() {
    let different = |number: i32| col(number as usize % 2).gt(number);
    let mut graph = graph();
    let any = graph.bind(&left(different, Expr::or)).unwrap();
    assert_eq!(graph.disjuncts(any).len(), MANY as usize);
    // The negation of each comparison is a comparison.
    let all = graph.bind(&!left(different, Expr::or)).unwrap();
    assert_eq!(graph.conjuncts(all).len(), MANY as usize);
    let found = graph.expression(all);
    assert!(matches!(found.kind(), ExprKind::All(members) if members.len() == MANY as usize));
    assert!((0.0..=1.0).contains(&graph.estimate(all).selectivity));
    let (folded, roots) = graph.fold_constants(&[all], |_, _| Ok(None)).unwrap();
    assert_eq!((folded.columns(&roots), folded.ranges(&roots)), (vec![0, 1], vec![Some((0, 1))]));
}

#[test]
fn many_lists_of_lists_take_little_time_and_stack() {
    let pair = |number: i32| col(0).gt(number).and(col(1).lt(number));
    let mut graph = graph();
    let root = graph.bind(&right(pair, Expr::or)).unwrap();
    assert_eq!(graph.disjuncts(root).len(), MANY as usize);
}

/// Each chain is kept while the next one is built, so that no list may grow in place.
#[test]
fn chains_whose_beginnings_are_kept_take_little_time() {
    let mut chain = col(0).gt(0);
    for number in 1..MANY / 8 {
        let next = chain.clone().or(col(0).gt(number));
        chain = next;
    }
    assert!(chain.depth() < 20, "{}", chain.depth());
    let mut graph = graph();
    let root = graph.bind(&chain).unwrap();
    assert_eq!(graph.disjuncts(root).len(), MANY as usize / 8);
}

#[test]
fn sets_have_the_rows_of_comparisons() {
    let mut graph = Graph::new(vec![Input::new(Int64)]);
    // Literals of another width, and a null, which a set cannot contain.
    let numbers = any_of((0..300).map(|number| col(0).eq(number)).chain([col(0).eq(lit(None::<i32>))]));
    let root = graph.bind(&numbers).unwrap();
    let text = graph.text(root);
    assert!(text.starts_with("#0 IN (0, 1, ") && text.contains(" OR #0 = "), "{text}");
    assert!(graph.disjuncts(root).iter().any(|id| match &graph.node(*id).operation {
        Operation::IsIn(list) => list.first().map(Value::data_type) == Some(&Int64) && list.len() == 300,
        _ => false,
    }));
    // Short lists remain comparisons.
    let few = any_of((0..20).map(|number| col(0).eq(number)));
    let root = graph.bind(&few).unwrap();
    assert_eq!(graph.disjuncts(root).len(), 20);
}
