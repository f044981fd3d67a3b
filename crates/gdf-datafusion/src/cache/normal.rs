//! The normal form of the text of a query, and the queries whose plans can be used again.

use std::fmt::Write;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::config::SqlParserOptions;
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::{Expr, LogicalPlan, Volatility};
use datafusion::sql::sqlparser::dialect::dialect_from_str;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// Returns the text without comments and without semicolons at the end, and with one blank after each token. ASCII
/// letters outside of quotes are in lower case, unless the session distinguishes names by letter case or the query has
/// braces or makes a struct. A text that the dialect of the session cannot divide into tokens is returned unchanged.
pub(super) fn normalized(query: &str, options: &SqlParserOptions) -> String {
    let Some(dialect) = dialect_from_str(options.dialect) else { return query.to_owned() };
    // Escapes stay as they are written, because texts with different escapes can have the same characters and quotes.
    let tokens = Tokenizer::new(dialect.as_ref(), query).with_unescape(false).tokenize();
    let Ok(mut tokens) = tokens else { return query.to_owned() };
    while tokens.pop_if(|token| matches!(token, Token::Whitespace(_) | Token::SemiColon | Token::EOF)).is_some() {}
    // The keys of `{key: value}`, and the names of fields in `struct(value AS name)`, keep their letter case, also
    // outside of quotes.
    let names_fields = |token: &Token| match token {
        Token::LBrace => true,
        Token::Word(word) => ["struct", "row"].iter().any(|name| word.value.eq_ignore_ascii_case(name)),
        _ => false,
    };
    let is_folded = options.enable_ident_normalization && !tokens.iter().any(names_fields);
    let mut text = String::with_capacity(query.len());
    for token in &tokens {
        // Writing to a string does not fail.
        let _ = match token {
            Token::Whitespace(_) => Ok(()),
            Token::Word(word) if word.quote_style.is_none() && is_folded => {
                write!(text, "{} ", word.value.to_ascii_lowercase())
            }
            other => write!(text, "{other} "),
        };
    }
    text
}

/// Returns whether the plan of a query can be used again. This is so if the query only reads, if its functions always
/// return the same values for the same arguments, and if it has no variables such as `@name`.
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
        Expr::HigherOrderFunction(call) => call.func.signature().volatility,
        Expr::AggregateFunction(call) => call.func.signature().volatility,
        Expr::WindowFunction(call) => match &call.fun {
            WindowFunctionDefinition::AggregateUDF(function) => function.signature().volatility,
            WindowFunctionDefinition::WindowUDF(function) => function.signature().volatility,
        },
        // A plan contains the value that the variable had when the query was planned.
        Expr::ScalarVariable(..) => return true,
        _ => return false,
    };
    volatility != Volatility::Immutable
}

#[cfg(test)]
mod tests {
    use datafusion::config::{Dialect, SqlParserOptions};

    fn normalized(query: &str) -> String {
        super::normalized(query, &SqlParserOptions::default())
    }

    #[test]
    fn blanks_comments_and_letter_case_do_not_matter() {
        let one = normalized("SELECT  A.x -- all\nFROM \"A\" /* one */ WHERE s = 'It''s';");
        assert_eq!(one, normalized("select a.X from \"A\" where S = 'It''s'"));
        assert_ne!(one, normalized("select a.X from \"a\" where S = 'It''s'"));
        assert_ne!(one, normalized("select a.X from \"A\" where S = 'it''s'"));
        assert_ne!(normalized("SELECT 1"), normalized("SELECT 2"));
        assert_ne!(normalized("SELECT é"), normalized("SELECT É"));
        assert_ne!(normalized("SELECT {a: 1}"), normalized("SELECT {A: 1}"));
        assert_ne!(normalized("SELECT struct(x AS Foo)"), normalized("SELECT struct(x AS foo)"));
        assert_eq!(normalized("SELECT 'open"), "SELECT 'open");
    }

    #[test]
    fn different_queries_have_different_forms() {
        assert_ne!(normalized("SELECT 'a'' as b , ''c'"), normalized("SELECT 'a' as b, 'c'"));
        assert_ne!(normalized("SELECT \"a\"\" , \"\"c\""), normalized("SELECT \"a\" , \"c\""));
        assert_ne!(normalized("SELECT a; b FROM t"), normalized("SELECT a b FROM t"));
        let by_case = SqlParserOptions { enable_ident_normalization: false, ..SqlParserOptions::default() };
        assert_ne!(super::normalized("SELECT A FROM t", &by_case), super::normalized("SELECT a FROM t", &by_case));
        // A comment of MySQL has a blank after the dashes.
        let mysql = SqlParserOptions { dialect: Dialect::MySQL, ..SqlParserOptions::default() };
        assert_ne!(super::normalized("SELECT 1--2", &mysql), super::normalized("SELECT 1--3", &mysql));
        assert_eq!(normalized("SELECT 1--2"), normalized("SELECT 1--3"));
    }
}
