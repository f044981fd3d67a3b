//! Replaces the columns of an expression by expressions.

use std::collections::HashMap;
use std::sync::Arc;

use gdf_core::Result;

use crate::expr::{Expr, ExprKind};

impl Expr {
    /// Returns the expression in which `replacement` replaces the column at each position. A shared part is replaced
    /// once, and its replacement is shared.
    ///
    /// ```
    /// use gdf_expr::{col, lit};
    ///
    /// let revenue = col(0) * (lit(1) - col(1));
    /// let replaced = revenue.substitute(|position| Ok(if position == 0 { col(4) + 2 } else { col(position) }))?;
    /// assert_eq!(replaced.to_string(), "(#4 + 2) * (1 - #1)");
    /// # Ok::<(), gdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the nesting is deeper than
    ///   [`MAX_DEPTH`](crate::MAX_DEPTH).
    /// * The errors of `replacement`.
    pub fn substitute(&self, mut replacement: impl FnMut(usize) -> Result<Expr>) -> Result<Expr> {
        self.check_depth()?;
        self.replaced(&mut replacement, &mut HashMap::new())
    }

    fn replaced(
        &self,
        replacement: &mut dyn FnMut(usize) -> Result<Expr>,
        known: &mut HashMap<usize, Expr>,
    ) -> Result<Expr> {
        // A look-up costs more than replacing a leaf or a small expression, so only shared parts are looked up.
        let is_shared = Arc::strong_count(self.shared()) > 1;
        if is_shared && let Some(expression) = known.get(&self.address()) {
            return Ok(expression.clone());
        }
        let mut of = |part: &Expr| part.replaced(replacement, known);
        let kind = match self.kind() {
            ExprKind::Column(position) => return replacement(*position),
            ExprKind::Literal(_) => return Ok(self.clone()),
            ExprKind::Unary(op, value) => ExprKind::Unary(*op, of(value)?),
            ExprKind::Binary(op, lhs, rhs) => ExprKind::Binary(*op, of(lhs)?, of(rhs)?),
            ExprKind::All(values) => ExprKind::All(values.iter().map(of).collect::<Result<_>>()?),
            ExprKind::Any(values) => ExprKind::Any(values.iter().map(of).collect::<Result<_>>()?),
            ExprKind::Cast(value, data_type) => ExprKind::Cast(of(value)?, data_type.clone()),
            ExprKind::IsNull(value) => ExprKind::IsNull(of(value)?),
            ExprKind::Case { branches, otherwise } => ExprKind::Case {
                branches: branches
                    .iter()
                    .map(|(condition, value)| Ok((of(condition)?, of(value)?)))
                    .collect::<Result<_>>()?,
                otherwise: otherwise.as_ref().map(&mut of).transpose()?,
            },
            ExprKind::Coalesce(values) => ExprKind::Coalesce(values.iter().map(of).collect::<Result<_>>()?),
            ExprKind::Between { value, low, high } => {
                ExprKind::Between { value: of(value)?, low: of(low)?, high: of(high)? }
            }
            ExprKind::IsIn { value, list } => ExprKind::IsIn { value: of(value)?, list: list.clone() },
            ExprKind::IsKey { values, set } => {
                ExprKind::IsKey { values: values.iter().map(of).collect::<Result<_>>()?, set: set.clone() }
            }
            ExprKind::Call(function, arguments) => {
                ExprKind::Call(*function, arguments.iter().map(of).collect::<Result<_>>()?)
            }
        };
        let expression = Expr::new(kind);
        if is_shared {
            known.insert(self.address(), expression.clone());
        }
        Ok(expression)
    }

    /// Returns the positions of the columns that the expression contains, in ascending order.
    pub fn columns(&self) -> Vec<usize> {
        let (mut positions, mut waiting) = (std::collections::BTreeSet::new(), vec![self]);
        let mut known = std::collections::HashSet::new();
        while let Some(expression) = waiting.pop() {
            match expression.kind() {
                ExprKind::Column(position) => {
                    positions.insert(*position);
                }
                kind if known.insert(expression.address()) => waiting.extend(kind.children()),
                _ => {}
            }
        }
        positions.into_iter().collect()
    }
}

/// Pairs of addresses of parts that are known to be the same.
type Pairs = std::collections::HashSet<(usize, usize)>;

impl Expr {
    /// Returns whether both expressions are built in the same way from the same columns and values.
    pub fn same(&self, other: &Expr) -> bool {
        self.is_same(other, &mut Pairs::new())
    }

    fn is_same(&self, other: &Expr, known: &mut Pairs) -> bool {
        let pair = (self.address(), other.address());
        if pair.0 == pair.1 || known.contains(&pair) {
            return true;
        }
        if self.depth() != other.depth() || self.check_depth().is_err() {
            return false;
        }
        let is_same = match (self.kind(), other.kind()) {
            (ExprKind::Column(a), ExprKind::Column(b)) => a == b,
            (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
            (ExprKind::Unary(a, _), ExprKind::Unary(b, _)) => a == b,
            (ExprKind::Binary(a, ..), ExprKind::Binary(b, ..)) => a == b,
            (ExprKind::Cast(_, a), ExprKind::Cast(_, b)) => a == b,
            (ExprKind::IsNull(_), ExprKind::IsNull(_)) | (ExprKind::Coalesce(_), ExprKind::Coalesce(_)) => true,
            (ExprKind::All(_), ExprKind::All(_)) | (ExprKind::Any(_), ExprKind::Any(_)) => true,
            (ExprKind::Case { otherwise: a, .. }, ExprKind::Case { otherwise: b, .. }) => a.is_some() == b.is_some(),
            (ExprKind::Between { .. }, ExprKind::Between { .. }) => true,
            (ExprKind::IsIn { list: a, .. }, ExprKind::IsIn { list: b, .. }) => a == b,
            (ExprKind::IsKey { set: a, .. }, ExprKind::IsKey { set: b, .. }) => a == b,
            (ExprKind::Call(a, _), ExprKind::Call(b, _)) => a == b,
            _ => false,
        };
        let (parts, others) = (self.kind().children(), other.kind().children());
        let is_same = is_same
            && parts.len() == others.len()
            && parts.into_iter().zip(others).all(|(part, other)| part.is_same(other, known));
        if is_same {
            known.insert(pair);
        }
        is_same
    }
}
