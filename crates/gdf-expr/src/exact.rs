//! Finds the operations on decimals whose results may have more digits than their types.

use arrow_buffer::i256;
use gdf_core::{DataType, decimal_parts, is_floating, is_integral};

use crate::function::Function;
use crate::graph::{Graph, NodeId, Operation};
use crate::operators::{BinaryOperator, UnaryGroup};
use crate::range::Range;
use crate::types::decimal::{self, Decimal, Powers};

impl Graph {
    /// Returns the graph, in which decimals are exact: a result with more digits than its type is an error. Without
    /// exact decimals, such a result wraps.
    ///
    /// ```
    /// use gdf_core::DataType;
    /// use gdf_expr::{Graph, Input, col};
    ///
    /// let mut graph = Graph::new(vec![Input::new(DataType::Decimal128(38, 18)); 2]).with_exact_decimals();
    /// let product = graph.bind(&(col(0) * col(1)))?;
    /// assert_eq!(graph.overflowing(&[product]), [product]);
    /// graph.set_range(0, (-5, 5));
    /// graph.set_range(1, (0, 1_000_000_000_000_000_000));
    /// assert!(graph.overflowing(&[product]).is_empty());
    /// # Ok::<(), gdf_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_exact_decimals(mut self) -> Graph {
        self.has_exact_decimals = true;
        self
    }

    /// Returns whether a result with more digits than its decimal type is an error.
    pub fn has_exact_decimals(&self) -> bool {
        self.has_exact_decimals
    }

    /// Returns the nodes of `roots`, and the nodes that these depend on, whose results may have more digits than their
    /// decimal types. The result is empty if the graph has no [exact decimals](Self::with_exact_decimals).
    ///
    /// The digits of the types and the known [ranges](Self::range) decide. The values of columns are assumed to have
    /// the digits of their types.
    pub fn overflowing(&self, roots: &[NodeId]) -> Vec<NodeId> {
        if !self.has_exact_decimals {
            return Vec::new();
        }
        let mut nodes = self.reachable(roots);
        if !nodes.iter().any(|id| self.has_digits(*id)) {
            return Vec::new();
        }
        let mut known: Vec<Option<Range>> = vec![None; self.len()];
        for (id, range) in nodes.iter().zip(self.ranges(&nodes)) {
            known[id.index()] = range;
        }
        nodes.retain(|id| self.has_digits(*id) && self.fits(*id, &known).is_none());
        nodes
    }

    /// Returns whether the results of a node may have more digits than its decimal type; see
    /// [`overflowing`](Self::overflowing).
    pub fn may_overflow(&self, id: NodeId) -> bool {
        self.has_exact_decimals && self.overflowing(&[id]).contains(&id)
    }

    /// Returns whether a node computes a decimal.
    fn has_digits(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let computes = match node.operation {
            Operation::Binary(_) | Operation::Cast => true,
            Operation::Unary(op) => op.group() == UnaryGroup::Rounding,
            Operation::Call(function) => function == Function::Round,
            _ => false,
        };
        computes && decimal_parts(&node.data_type).is_some()
    }

    /// Returns `Some` if all results of the node are known to fit in its type, and all intermediate results in the type
    /// that the computation has.
    fn fits(&self, id: NodeId, known: &[Option<Range>]) -> Option<()> {
        let node = self.node(id);
        let (width, digits, scale) = decimal_parts(&node.data_type)?;
        let largest = power(u32::from(digits))?.wrapping_sub(i256::ONE);
        let of = |at: usize| self.bounds(*node.arguments.get(at)?, known);
        let fits = match node.operation {
            Operation::Binary(op) => {
                let [left, right] = [0, 1].map(|at| &self.node(node.arguments[at]).data_type);
                let (left, right) = Decimal::pair(left, right)?;
                let powers = decimal::powers(op, left.scale, right.scale, i32::from(scale));
                let working = if width == 32 { i256::MAX } else { i256::from_i128(i128::MAX) };
                binary(op, of(0)?, of(1)?, powers, working)? <= largest
            }
            // Rounding to more places is a cast, and to fewer places it has a type for all results.
            Operation::Cast | Operation::Call(_) => {
                let from = &self.node(node.arguments[0]).data_type;
                let from_scale = match decimal_parts(from) {
                    Some((_, _, scale)) => i32::from(scale),
                    None if is_integral(from) => 0,
                    // The ranges of floats are not known.
                    None if is_floating(from) => return None,
                    // Other conversions have rules of their own for values that do not fit.
                    None => return Some(()),
                };
                let more = i32::from(scale) - from_scale;
                let value = of(0)?.most;
                match u32::try_from(more) {
                    Ok(more) => value.checked_mul(power(more)?)? <= largest,
                    Err(_) if node.operation != Operation::Cast => true,
                    Err(_) => power(more.unsigned_abs()).is_none_or(|by| value.wrapping_div(by) <= largest),
                }
            }
            // A number that is rounded up grows by less than 1.
            Operation::Unary(_) => match u32::try_from(scale) {
                Ok(scale) if scale > 0 => of(0)?.most.checked_add(power(scale)?.wrapping_sub(i256::ONE))? <= largest,
                _ => true,
            },
            _ => true,
        };
        fits.then_some(())
    }

    /// Returns the bounds of the absolute stored numbers of a node.
    fn bounds(&self, id: NodeId, known: &[Option<Range>]) -> Option<Bounds> {
        let of_digits = of_digits(&self.node(id).data_type);
        let Some((low, high)) = known[id.index()] else {
            return of_digits.map(|most| Bounds { smallest: i256::ZERO, most });
        };
        let [low, high] = [low, high].map(i256::from_i128);
        let [from, to] = [low, high].map(i256::wrapping_abs);
        let has_zero = low <= i256::ZERO && high >= i256::ZERO;
        let smallest = if has_zero { i256::ZERO } else { from.min(to) };
        let most = from.max(to);
        Some(Bounds { smallest, most: of_digits.map_or(most, |of_digits| of_digits.min(most)) })
    }
}

/// Bounds of absolute values.
#[derive(Clone, Copy)]
struct Bounds {
    smallest: i256,
    most: i256,
}

/// Returns the largest number with the digits of a decimal type.
fn of_digits(data_type: &DataType) -> Option<i256> {
    let (_, digits, _) = decimal_parts(data_type)?;
    Some(power(u32::from(digits))?.wrapping_sub(i256::ONE))
}

fn power(exponent: u32) -> Option<i256> {
    (exponent <= 76).then(|| i256::from_i128(10).wrapping_pow(exponent))
}

/// Returns the largest absolute value of a result. Returns `None` if an intermediate result may exceed `working`.
fn binary(op: BinaryOperator, lhs: Bounds, rhs: Bounds, powers: Powers, working: i256) -> Option<i256> {
    let within = |value: i256| (value <= working).then_some(value);
    let times = |value: i256, exponent: u32| within(value.checked_mul(power(exponent)?)?);
    let (a, b) = (times(lhs.most, powers.lhs)?, times(rhs.most, powers.rhs)?);
    // A divisor of 0 has no result, so the divisor is at least 1 before it is scaled.
    let divisor = times(rhs.smallest.max(i256::ONE), powers.rhs)?;
    let result = match op {
        BinaryOperator::Add | BinaryOperator::Sub => within(a.checked_add(b)?)?,
        BinaryOperator::Mul => within(a.checked_mul(b)?)?,
        BinaryOperator::Div => a.wrapping_div(divisor),
        // The quotient of numbers of different signs is rounded away from zero.
        BinaryOperator::FloorDiv if divisor == i256::ONE => a,
        BinaryOperator::FloorDiv => a.wrapping_div(divisor).wrapping_add(i256::ONE),
        BinaryOperator::Mod => a.min(b),
        BinaryOperator::PMod | BinaryOperator::PyMod => b,
        BinaryOperator::NullMax | BinaryOperator::NullMin => a.max(b),
        _ => return None,
    };
    let result = times(result, powers.up)?;
    Some(power(powers.down).map_or(i256::ZERO, |by| result.wrapping_div(by)))
}

#[cfg(test)]
mod tests {
    use gdf_core::DataType::{self, Decimal32, Decimal64, Decimal128, Decimal256, Int64};

    use crate::{Expr, Graph, Input, col, lit};

    fn overflows(types: &[DataType], ranges: &[(i128, i128)], value: &Expr) -> bool {
        let inputs =
            types.iter().enumerate().map(|(at, of)| Input { range: ranges.get(at).copied(), ..Input::new(of.clone()) });
        let mut graph = Graph::new(inputs.collect()).with_exact_decimals();
        let id = graph.bind(value).unwrap();
        graph.may_overflow(id)
    }

    #[test]
    fn digits_of_types_show_what_fits() {
        let money = [Decimal128(15, 2), Decimal128(15, 2), Decimal128(15, 2)];
        let discounted = col(0) * (lit(1) - col(1));
        assert!(!overflows(&money, &[], &discounted));
        assert!(!overflows(&money, &[], &(col(0) + col(1))));
        assert!(!overflows(&money, &[], &(col(0) / col(1))));
        let charge = discounted * (lit(1) + col(2));
        assert!(overflows(&money, &[], &charge));
        assert!(!overflows(&money, &[(0, 10_495_000), (0, 10), (0, 8)], &charge));
    }

    #[test]
    fn results_with_too_few_digits_may_overflow() {
        for (full, value) in [
            (Decimal32(9, 2), col(0) + col(0)),
            (Decimal64(18, 2), col(0) - col(0)),
            (Decimal128(38, 2), col(0) + 1),
            (Decimal256(76, 2), col(0) + col(0)),
            (Decimal128(38, 18), col(0) / col(0)),
            (Decimal128(38, 18), col(0) * 2),
            (Decimal128(38, 18), col(0) % col(0).cast(Decimal128(38, 0))),
            (Decimal128(38, 2), col(0).cast(Decimal64(18, 2))),
            (Int64, col(0).cast(Decimal64(18, 0))),
            (Decimal128(38, 2), col(0).ceil()),
        ] {
            assert!(overflows(std::slice::from_ref(&full), &[], &value), "{full} {value}");
            let is_fitting = [(1, 900)];
            let fits = full != Decimal256(76, 2) && !overflows(std::slice::from_ref(&full), &is_fitting, &value);
            assert!(fits || full == Decimal256(76, 2), "{full} {value}");
        }
    }

    #[test]
    fn comparisons_and_wider_types_fit() {
        for value in [col(0).lt(col(1)), col(0).cast(Decimal256(76, 18)), col(0).cast(Decimal128(38, 2)), -col(0)] {
            assert!(!overflows(&[Decimal128(38, 18), Decimal128(38, 2)], &[], &value), "{value}");
        }
    }

    #[test]
    fn floats_may_have_any_number_of_digits() {
        for (float, value) in [
            (DataType::Float32, col(0).cast(Decimal64(9, 2))),
            (DataType::Float64, col(0).cast(Decimal128(38, 2))),
            (DataType::Float64, (col(0) * 2.0).cast(Decimal256(76, 0))),
        ] {
            assert!(overflows(std::slice::from_ref(&float), &[], &value), "{float} {value}");
        }
        assert!(!overflows(&[Decimal64(9, 2)], &[], &col(0).cast(DataType::Float64)));
    }

    #[test]
    fn graphs_without_exact_decimals_have_no_such_nodes() {
        let mut graph = Graph::new(vec![Input::new(Decimal128(38, 18))]);
        let id = graph.bind(&(col(0) / col(0))).unwrap();
        assert!(!graph.may_overflow(id) && graph.overflowing(&[id]).is_empty());
    }

    #[test]
    fn changed_copies_keep_exact_decimals() {
        let mut graph = Graph::new(vec![Input::new(Decimal128(38, 18))]).with_exact_decimals();
        let id = graph.bind(&(col(0) / col(0))).unwrap();
        let copies = [
            graph.fold_constants(&[id], |_, _| Ok(None)).unwrap(),
            graph.with_only_columns(&[id], &[0]).unwrap(),
            graph.with_columns_for(&[id], &[]).unwrap(),
        ];
        for (copy, roots) in copies {
            assert_eq!(copy.overflowing(&roots), roots);
        }
    }
}
