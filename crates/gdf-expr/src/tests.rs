//! Tests of whole graphs: binding, simplification, ranges, folding.

use gdf_core::{DataType, Error, Literal, TimeUnit};

use crate::{
    BinaryOperator, Component, Expr, ExprKind, Function, Graph, Input, Operation, Value, coalesce, col, lit, when,
};

fn graph(types: &[DataType]) -> Graph {
    Graph::new(types.iter().cloned().map(Input::new).collect())
}

fn bound(types: &[DataType], expression: &Expr) -> (String, DataType) {
    let mut graph = graph(types);
    let id = graph.bind(expression).unwrap();
    (graph.text(id), graph.node(id).data_type.clone())
}

fn refused(types: &[DataType], expression: &Expr) -> String {
    graph(types).bind(expression).unwrap_err().to_string()
}

fn decimal(value: i64, precision: u8, scale: i8) -> Value {
    Value::new(Literal::typed(Some(value), &DataType::Decimal64(precision, scale)).unwrap())
}

use DataType::{Boolean, Date32, Decimal64, Decimal128, Float32, Float64, Int8, Int32, Int64, UInt8, Utf8, Utf8View};

#[test]
fn types_of_expressions() {
    let money = Decimal64(12, 2);
    let of = |types: &[DataType], expression: Expr| bound(types, &expression).1;
    assert_eq!(of(&[money.clone(), money.clone()], col(0) * (lit(1) - col(1))), Decimal64(18, 4));
    assert_eq!(of(&[Int8, Int64], col(0) + col(1)), Int64);
    assert_eq!(of(&[Int32], col(0).lt(2.5)), Boolean);
    assert_eq!(of(&[Date32], col(0).extract(Component::Year)), Int32);
    assert_eq!(of(&[Utf8View], Expr::call(Function::ToUpper, [col(0)])), Utf8);
    assert_eq!(of(&[Int8, Int64], coalesce([col(0), col(1)])), Int64);
    assert_eq!(of(&[Int8], when(col(0).gt(1), col(0)).otherwise(3)), Int8, "the literal takes the type of the column");
    assert_eq!(of(&[Int8], when(col(0).gt(1), col(0)).otherwise(300)), Int32, "300 is no Int8");
    assert_eq!(of(&[Float32], when(col(0).gt(1), 1).end()), Int32);
}

#[test]
fn errors_name_the_smallest_part_without_a_type() {
    let text = refused(&[Int32, Int32, Utf8], &((col(0) * col(1) + col(2)) * 2));
    assert!(text.starts_with("bind(Add): #0 * #1 + #2: "), "{text}");
    let text = refused(&[Int32], &(col(3) + 1));
    assert!(text.starts_with("bind: #3: ") && text.contains('3') && text.contains('1'), "{text}");
    let text = refused(&[Int32], &col(0).contains("a"));
    assert!(text.contains("contains(#0, 'a')"), "{text}");
    let text = refused(&[Utf8], &Expr::call(Function::Contains, [col(0), col(0)]));
    assert!(text.contains("literal"), "{text}");
    let text = refused(&[Utf8], &Expr::call(Function::Like, [col(0)]));
    assert!(text.contains("number of arguments"), "{text}");
    let text = refused(&[Int32], &when(col(0), 1).otherwise(2));
    assert!(text.contains("condition"), "{text}");
    let text = refused(&[Utf8, Int32], &coalesce([col(0), col(1)]));
    assert!(text.starts_with("bind: COALESCE(#0, #1): "), "{text}");
    assert!(refused(&[Int32], &coalesce::<Expr>([])).contains("at least 1 value"));
    assert!(matches!(graph(&[Utf8]).bind(&col(0).cast(Int32)), Err(Error::Unsupported { .. })));
    assert!(graph(&[Date32]).bind(&col(0).extract(Component::Hour)).is_ok());
    assert!(graph(&[Int32]).bind(&col(0).is_in(["a"])).is_err());
}

#[test]
fn texts_are_compared_as_dates_and_dates_move_by_durations() {
    use gdf_core::TimeUnit::{Millisecond, Second};
    let of = |types: &[DataType], expression: Expr| {
        let mut graph = graph(types);
        let id = graph.bind(&expression).unwrap();
        graph.node(id).data_type.clone()
    };
    let local = DataType::Timestamp(Second, None);
    for comparison in [
        col(0).lt("2026-01-31"),
        lit("2026-01-31").eq(col(0)),
        col(0).between("2026-01-31", "2026-02-28"),
        col(0).is_in(["2026-01-31", "2026-02-01"]),
    ] {
        assert_eq!(of(&[Date32], comparison.clone()), Boolean, "{comparison}");
        assert_eq!(of(std::slice::from_ref(&local), comparison.clone()), Boolean, "{comparison}");
    }
    let mut bound = graph(&[Date32]);
    let (text, date) = (bound.bind(&col(0).lt("1970-01-08")).unwrap(), {
        let week = Value::new(gdf_core::Literal::typed(Some(7), &Date32).unwrap());
        bound.bind(&col(0).lt(week)).unwrap()
    });
    assert_eq!(text, date);
    let error = refused(&[Date32], &(col(0).lt("31.1.2026")));
    assert!(error.contains("#0 < '31.1.2026'") && error.contains("`31.1.2026` is not a valid Date32"), "{error}");
    assert!(refused(&[Date32], &col(0).is_in(["soon"])).contains("`soon`"));
    // Text that is computed is not converted to a date.
    assert!(graph(&[Date32, Utf8]).bind(&col(0).lt(col(1))).is_err());
    let days = |ticks: i64, unit| Value::new(gdf_core::Literal::typed(Some(ticks), &DataType::Duration(unit)).unwrap());
    assert_eq!(of(&[Date32], col(0) + days(172_800, Second)), Date32);
    assert_eq!(of(&[Date32], lit(days(86_400_000, Millisecond)) + col(0)), Date32);
    assert_eq!(of(&[DataType::Date64], col(0) - days(-86_400, Second)), DataType::Date64);
    assert_eq!(of(&[Date32], col(0) - days(3_600, Second)), local);
    assert_eq!(of(&[Date32], col(0) + days(3_600_000, Millisecond)), DataType::Timestamp(Millisecond, None));
    assert_eq!(of(&[DataType::Date64], col(0) + days(1, Second)), DataType::Timestamp(Millisecond, None));
    // The values of a column have no influence on the type.
    assert_eq!(of(&[Date32, DataType::Duration(Second)], col(0) + col(1)), local);
    assert!(graph(&[Date32]).bind(&(lit(days(86_400, Second)) - col(0))).is_err());
}

#[test]
fn deep_and_shared_expressions_end() {
    let deep = (0..100_000).fold(col(0), |expression, _| expression + 1);
    assert!(refused(&[Int32], &deep).contains("depth"));
    assert_eq!(deep.to_string(), "…");
    drop(deep);
    let shared = (0..150).fold(col(0), |expression: Expr, _| expression.clone() + expression);
    let mut graph = graph(&[Int32]);
    let id = graph.bind(&shared).unwrap();
    assert_eq!(graph.len(), 151);
    assert!(graph.text(id).ends_with('…'));
    assert!(graph.is_nullable(id));
}

/// Returns a condition in which each condition occurs twice in the next one, so that it has 2⁶⁰ paths.
fn shared(join: fn(Expr, Expr) -> Expr) -> Expr {
    let below = |column: usize, number: i32| col(column).lt(number);
    (0..60).fold(below(0, 0), |all, at| join(all.clone().and(below(1, at)), all.and(below(2, at))))
}

#[test]
fn shared_conditions_are_listed_once() {
    let mut graph = graph(&[Int32, Int32, Int32]);
    let id = graph.bind(&shared(Expr::and)).unwrap();
    assert_eq!(graph.conjuncts(id).len(), 121);
}

#[test]
fn shared_conditions_are_negated_once() {
    let mut graph = graph(&[Int32, Int32, Int32]);
    let id = graph.bind(&!shared(Expr::or)).unwrap();
    assert!(graph.len() < 1000, "{}", graph.len());
    assert_eq!(graph.bind(&!shared(Expr::or)).unwrap(), id);
    assert_eq!(graph.node(id).operation, Operation::Binary(BinaryOperator::NullLogicalAnd));
}

#[test]
fn equal_parts_are_one_node() {
    let mut graph = graph(&[Int64, Int64]);
    let first = graph.bind(&(col(0) * col(1) + 1)).unwrap();
    let nodes = graph.len();
    assert_eq!(graph.bind(&(col(0) * col(1) + 1)).unwrap(), first);
    graph.bind(&(col(0) * col(1) - 1)).unwrap();
    assert_eq!(graph.len(), nodes + 1);
    assert_eq!(graph.columns(&[first]), [0, 1]);
}

#[test]
fn nodes_are_simplified() {
    let text = |types: &[DataType], expression: Expr| bound(types, &expression).0;
    let (a, b) = (|| col(0), || col(1));
    let booleans = [Boolean, Boolean];
    assert_eq!(text(&booleans, !!a()), "#0");
    assert_eq!(text(&booleans, a().and(true)), "#0");
    assert_eq!(text(&booleans, lit(false).and(a())), "FALSE");
    assert_eq!(text(&booleans, a().or(true)), "TRUE");
    assert_eq!(text(&booleans, a().or(a())), "#0");
    assert_eq!(text(&booleans, !(a().and(b()))), "NOT (#0 AND #1)");
    assert_eq!(text(&booleans, !lit(None::<bool>)), "NULL");
    assert_eq!(text(&booleans, !(lit(3).and(lit(0.0)))), "NOT (3 AND 0.0)", "a number is not a boolean literal");
    let numbers = [Int32, Int32];
    assert_eq!(text(&numbers, !a().lt(b())), "#0 >= #1");
    assert_eq!(text(&numbers, !(a().lt(b()).and(a().eq(1)))), "#0 >= #1 OR #0 <> 1");
    assert_eq!(text(&[Float64, Float64], !a().lt(b())), "NOT #0 < #1", "a NaN is neither less nor greater");
    assert_eq!(text(&[Float64, Float64], !a().eq(b())), "#0 <> #1");
    assert_eq!(text(&numbers, a().cast(Int32)), "#0");
    assert_eq!(text(&numbers, lit(3).cast(Int64)), "3");
    assert_eq!(text(&numbers, coalesce([a(), lit(0), b()])), "COALESCE(#0, 0)");
    assert_eq!(text(&numbers, coalesce([lit(None::<i32>), a()])), "#0");
    assert_eq!(text(&numbers, when(lit(false), 1).when(lit(true), a()).otherwise(2)), "#0");
    assert_eq!(text(&numbers, when(a().gt(1), b()).otherwise(b())), "#1");
    assert_eq!(text(&numbers, when(a().gt(1), b()).end()), "CASE WHEN #0 > 1 THEN #1 ELSE NULL END");
    assert_eq!(text(&numbers, a().is_in([3, 1, 3])), "#0 IN (1, 3)");
    assert_eq!(text(&numbers, a().is_in([2.5, 3.0])), "#0 IN (3)");
    assert_eq!(text(&numbers, a().is_in::<i32>([])), "FALSE");
    assert_eq!(text(&numbers, a().is_in([Some(1), None])), "#0 IN (1) OR NULL");
    assert_eq!(text(&[Float64], a().is_in([f64::NAN, 1.0])), "#0 IN (1.0)");
    assert_eq!(
        text(&numbers, a().is_in([true])),
        "CASE WHEN #0 IS NULL THEN NULL ELSE FALSE END OR #0 = TRUE",
        "a number equals a boolean as 0 or 1"
    );
    let mut graph = Graph::new(vec![Input::new(Int32).not_null()]);
    let id = graph.bind(&a().is_null()).unwrap();
    assert_eq!(graph.text(id), "FALSE");
}

#[test]
fn nullability_follows_the_rules_of_operators() {
    let mut graph = Graph::new(vec![Input::new(Int32).not_null(), Input::new(Int32), Input::new(Float64).not_null()]);
    let mut nullable = |expression: Expr| {
        let id = graph.bind(&expression).unwrap();
        graph.is_nullable(id)
    };
    assert!(!nullable(col(0) + 1));
    assert!(nullable(col(0) + col(1)));
    assert!(nullable(col(0) / col(0)), "the divisor may be zero");
    assert!(!nullable(col(0) / 3));
    assert!(!nullable(col(2) / col(2)));
    assert!(!nullable(col(0).max_of(col(1))));
    assert!(!nullable(col(1).binary(BinaryOperator::NullEquals, col(1))));
    assert!(!nullable(coalesce([col(1), col(0)])));
    assert!(nullable(when(col(0).gt(0), col(0)).end()));
    assert!(!nullable(when(col(1).gt(0), col(0)).otherwise(1)), "a null condition chooses no branch");
}

#[test]
fn ranges_by_interval_arithmetic() {
    let money = |low, high| Input { data_type: Decimal128(15, 2), nullable: false, range: Some((low, high)) };
    let mut graph = Graph::new(vec![money(90_000, 10_000_000), money(0, 10), Input::new(UInt8), Input::new(Int64)]);
    let mut range = |expression: Expr| {
        let id = graph.bind(&expression).unwrap();
        graph.range(id)
    };
    let one = || lit(decimal(100, 12, 2));
    assert_eq!(range(one() - col(1)), Some((90, 100)));
    assert_eq!(range(col(0) * (one() - col(1))), Some((90_000 * 90, 1_000_000_000)));
    assert_eq!(range(col(2) + col(2)), Some((0, 255)), "the sum wraps in the type");
    assert_eq!(range(col(2).cast(Int32) + col(2)), Some((0, 510)));
    assert_eq!(range(col(3) + 1), Some((i64::MIN.into(), i64::MAX.into())));
    assert_eq!(range(-col(1)), Some((-10, 0)));
    assert_eq!(range(col(1) * -col(1)), Some((-100, 0)));
    assert_eq!(range(col(1) - col(0)), Some((-10_000_000, -89_990)));
    assert_eq!(range(when(col(2).gt(1), col(1)).otherwise(0)), Some((0, 10)));
    assert_eq!(range(col(1).cast(Decimal128(20, 4))), Some((0, 1000)));
    assert_eq!(range(lit(2.5)), None);
    let day = || Input { range: Some((0, 10_000)), ..Input::new(Date32) };
    let mut graph = Graph::new(vec![day(), day()]);
    let seconds = graph.bind(&(col(0) - col(1))).unwrap();
    assert_eq!(graph.range(seconds), Some((i64::MIN.into(), i64::MAX.into())), "days become seconds");
}

#[test]
fn conditions_that_remove_the_most_rows_are_tested_first() {
    let number = || Input { range: Some((0, 100)), ..Input::new(Int32) };
    let mut graph = Graph::new(vec![number(), number()]);
    let mut order = |condition: Expr| {
        let root = graph.bind(&condition).unwrap();
        graph.conjuncts(root).into_iter().map(|id| graph.text(id)).collect::<Vec<_>>()
    };
    assert_eq!(order(col(0).lt(90).and(col(1).lt(10))), ["#1 < 10", "#0 < 90"]);
    assert_eq!(order(lit(10).lt(col(0)).and(lit(90).lt(col(1)))), ["90 < #1", "10 < #0"]);
}

#[test]
fn constants_are_folded_by_the_evaluator() {
    let mut graph = graph(&[Int32]);
    let root = graph.bind(&(col(0) + (lit(2) * 3 + 1))).unwrap();
    let (folded, roots) = graph
        .fold_constants(&[root], |graph, id| {
            let of = |at: usize| graph.value(graph.node(id).arguments[at]).and_then(Value::integer).unwrap();
            let result = match graph.node(id).operation {
                Operation::Binary(BinaryOperator::Add) => of(0) + of(1),
                Operation::Binary(BinaryOperator::Mul) => of(0) * of(1),
                _ => return Ok(None),
            };
            Ok(Some(Value::from(result as i32)))
        })
        .unwrap();
    assert_eq!(folded.text(roots[0]), "#0 + 7");
}

#[test]
fn computed_parts_become_columns() {
    let mut graph = graph(&[Utf8, Int32]);
    let root = graph.bind(&col(0).contains("x").and(col(1).gt(2))).unwrap();
    let call = graph.reachable(&[root]).into_iter().find(|id| matches!(graph.node(*id).operation, Operation::Call(_)));
    let (replaced, roots) = graph.with_columns_for(&[root], &[call.unwrap()]).unwrap();
    assert_eq!(replaced.text(roots[0]), "#2 AND #1 > 2");
    assert_eq!(replaced.columns(&roots), [1, 2]);
    assert!(replaced.inputs()[2].nullable, "a null text contains a null");
}

#[test]
fn text_reads_like_sql() {
    let text = |expression: Expr| expression.to_string();
    assert_eq!(text((col(0) + 1) * 2 - (col(1) - 3)), "(#0 + 1) * 2 - (#1 - 3)");
    assert_eq!(text(-(col(0) + 1)), "-(#0 + 1)");
    assert_eq!(text((!col(0).gt(1)).and(col(1))), "NOT #0 > 1 AND #1");
    assert_eq!(text((col(0).or(col(1))).and(col(2))), "(#0 OR #1) AND #2");
    assert_eq!(text(col(0).between(1, 5).and(col(1).like("a%"))), "#0 BETWEEN 1 AND 5 AND #1 LIKE 'a%'");
    assert_eq!(text(col(0).extract(Component::Year)), "EXTRACT(YEAR FROM #0)");
    assert_eq!(text(col(0).max_of(3)), "GREATEST(#0, 3)");
    assert_eq!(text(col(0).cast(DataType::Timestamp(TimeUnit::Second, None))), "CAST(#0 AS Timestamp(s))");
    assert_eq!(text(col(0).eq(col(1)).eq(true)), "(#0 = #1) = TRUE");
    assert_eq!(text(col(0) * lit(decimal(5, 12, 2))), "#0 * 0.05");
    assert!(matches!(col(1).kind(), ExprKind::Column(1)));
}

/// Keys without rows, of two columns.
#[derive(Debug)]
struct NoKeys([DataType; 2]);

impl crate::Keys for NoKeys {
    fn types(&self) -> &[DataType] {
        &self.0
    }

    fn num_rows(&self) -> usize {
        7
    }
}

#[test]
fn sets_of_keys_are_leaves_of_expressions() {
    let set = crate::KeySet::new(NoKeys([DataType::Int32, DataType::Utf8]));
    let other = crate::KeySet::new(NoKeys([DataType::Int32, DataType::Utf8]));
    let condition = Expr::is_key([col(0) + 1, col(2)], &set);
    assert_eq!(condition.to_string(), "(#0 + 1, #2) IN (keys of 7 rows)");
    assert!(condition.same(&condition.clone()) && !condition.same(&Expr::is_key([col(0) + 1, col(2)], &other)));
    assert_eq!(condition.columns(), [0, 2]);
    let moved = condition.substitute(|position| Ok(col(position + 1))).unwrap();
    assert_eq!(moved.to_string(), "(#1 + 1, #3) IN (keys of 7 rows)");
    assert!(set.keys::<NoKeys>().is_some());

    let mut graph = graph(&[DataType::Int32, Boolean, DataType::Utf8]);
    let id = graph.bind(&condition).unwrap();
    assert_eq!((&graph.node(id).data_type, graph.is_nullable(id)), (&Boolean, true));
    assert_eq!(graph.bind(&condition).unwrap(), id);
    assert_ne!(graph.bind(&Expr::is_key([col(0) + 1, col(2)], &other)).unwrap(), id);
    let refused = |values: Vec<Expr>| graph.clone().bind(&Expr::is_key(values, &set)).unwrap_err();
    assert!(matches!(refused(vec![col(0)]), Error::ColumnCount { .. }));
    assert!(matches!(refused(vec![col(2), col(2)]), Error::TypeMismatch { .. }));
    #[cfg(feature = "serde")]
    assert!(serde_json::to_string(&condition).unwrap_err().to_string().contains("memory of a device"));
}

#[cfg(feature = "serde")]
#[test]
fn expressions_come_back_from_text() {
    let expression = when(col(0).is_in(["a", "b"]), col(1) * 2).otherwise(coalesce([col(1), lit(None::<i32>)]));
    let json = serde_json::to_string(&expression).unwrap();
    let back: Expr = serde_json::from_str(&json).unwrap();
    assert_eq!(back.to_string(), expression.to_string());
    let deep = (0..crate::MAX_DEPTH).fold(col(0), |deep, _| !deep);
    assert!(serde_json::to_string(&deep).unwrap_err().to_string().contains("nesting depth"));
}

/// A format without a limit of its own returns an error, and the next value is read as usual.
#[cfg(feature = "serde")]
#[test]
fn texts_of_expressions_that_are_too_deep_are_refused() {
    let read = |text: &str| {
        let mut json = serde_json::Deserializer::from_str(text);
        json.disable_recursion_limit();
        <Expr as serde::Deserialize>::deserialize(&mut json)
    };
    let nested = |times: usize| format!("{}{{\"Column\":0}}{}", "{\"IsNull\":".repeat(times), "}".repeat(times));
    for times in [100_000, crate::MAX_DEPTH] {
        assert!(read(&nested(times)).unwrap_err().to_string().contains("nesting depth"));
    }
    assert_eq!(read(&nested(crate::MAX_DEPTH - 1)).unwrap().depth(), crate::MAX_DEPTH);
}

/// A walk along all paths would visit 2⁶⁰ nodes.
#[test]
fn estimates_of_shared_conditions_end() {
    let mut graph = graph(&[Int32, Boolean]);
    let shared = (0..60).fold(col(1), |shared: Expr, at| shared.clone().and(shared.or(col(0).eq(at))));
    let id = graph.bind(&shared).unwrap();
    let selectivity = graph.estimate(id).selectivity;
    assert!((0.0..=1.0).contains(&selectivity), "{selectivity}");
    // Both operands of a disjunction count, also deep within a condition.
    let mut of = |test: Expr| {
        let chain = (0..40).fold(test, |chain, _| !(chain.or(col(1).is_null())));
        let id = graph.bind(&chain).unwrap();
        graph.estimate(id).selectivity
    };
    assert!(of(col(0).eq(1)) != of(col(0).ne(1)));
}

#[test]
fn a_graph_over_fewer_columns_has_the_same_nodes() {
    let mut wide = graph(&[Boolean, Date32, DataType::Int64, DataType::Int32]);
    let roots = [wide.bind(&(col(2) * col(3))).unwrap(), wide.bind(&col(3)).unwrap()];
    let (narrow, roots) = wide.with_only_columns(&roots, &wide.columns(&roots)).unwrap();
    assert_eq!(narrow.inputs().len(), 2);
    let texts: Vec<_> = roots.iter().map(|id| narrow.text(*id)).collect();
    assert_eq!(texts, ["#0 * #1", "#1"]);
    let missing = narrow.with_only_columns(&roots, &[0]).unwrap_err();
    assert!(matches!(missing, Error::OutOfBounds { .. }), "{missing}");
}
