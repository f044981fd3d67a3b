//! The normal form of the text of a query, and the queries whose plans can be used again.

use std::fmt::Write;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::{Expr, LogicalPlan, Volatility};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// Returns the text without comments and semicolons, with one blank after each token, and with words outside of quotes
/// in lower case. A text that cannot be divided into tokens of SQL is returned unchanged.
pub(super) fn normalized(query: &str) -> String {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, query).tokenize() else { return query.to_owned() };
    let mut text = String::with_capacity(query.len());
    for token in &tokens {
        // Writing to a string does not fail.
        let _ = match token {
            Token::Whitespace(_) | Token::SemiColon | Token::EOF => Ok(()),
            Token::Word(word) if word.quote_style.is_none() => write!(text, "{} ", word.value.to_lowercase()),
            other => write!(text, "{other} "),
        };
    }
    text
}

/// Returns whether the plan of a query can be used again. This is so if the query only reads, and its functions always
/// return the same values for the same arguments.
pub(super) fn is_repeatable(plan: &LogicalPlan) -> Result<bool> {
    let mut is_repeatable = true;
    plan.apply_with_subqueries(|node| {
        is_repeatable &= !matches!(
            node,
            LogicalPlan::Analyze(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Ddl(_)
                | LogicalPlan::DescribeTable(_)
                | LogicalPlan::Dml(_)
                | LogicalPlan::Explain(_)
                | LogicalPlan::Extension(_)
                | LogicalPlan::Statement(_)
        );
        node.apply_expressions(|root| {
            root.apply(|part| {
                is_repeatable &= !changes(part);
                Ok(if is_repeatable { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
            })
        })
    })?;
    Ok(is_repeatable)
}

fn changes(expr: &Expr) -> bool {
    let volatility = match expr {
        Expr::ScalarFunction(call) => call.func.signature().volatility,
        Expr::AggregateFunction(call) => call.func.signature().volatility,
        Expr::WindowFunction(call) => match &call.fun {
            WindowFunctionDefinition::AggregateUDF(function) => function.signature().volatility,
            WindowFunctionDefinition::WindowUDF(function) => function.signature().volatility,
        },
        _ => return false,
    };
    volatility != Volatility::Immutable
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn blanks_comments_and_letter_case_do_not_matter() {
        let one = normalized("SELECT  A.x -- all\nFROM \"A\" /* one */ WHERE s = 'It''s';");
        assert_eq!(one, normalized("select a.X from \"A\" where S = 'It''s'"));
        assert_ne!(one, normalized("select a.X from \"a\" where S = 'It''s'"));
        assert_ne!(one, normalized("select a.X from \"A\" where S = 'it''s'"));
        assert_ne!(normalized("SELECT 1"), normalized("SELECT 2"));
        assert_eq!(normalized("SELECT 'open"), "SELECT 'open");
    }
}
