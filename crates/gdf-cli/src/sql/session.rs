//! The session in which statements run.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::DFParser;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use futures::StreamExt;
use gdf::Device;
use gdf_datafusion::{FileOptions, GdfFiles, GdfFolder, GdfOptions, GdfSession, PlanCache};

use super::errors::described;
use super::print::{ResultFormat, print_rows};
use super::progress::with_progress;
use super::statements::statements;

/// A session of DataFusion with gdf, in which paths of files are names of tables.
pub(super) struct Session {
    /// The session of DataFusion, with the plans of earlier queries.
    plans: PlanCache,
    options: GdfOptions,
}

/// The number of queries whose plans a shell keeps.
const KEPT_PLANS: usize = 256;

impl Session {
    /// Makes a session without tables.
    pub(super) fn new(
        device: Device,
        memory_limit: Option<usize>,
        timeout: Option<Duration>,
        files: FileOptions,
    ) -> Result<Session> {
        gdf::Stream::new(device)?;
        let mut config = SessionConfig::new().with_information_schema(true);
        // With this option, errors contain the position in the statement.
        config.options_mut().sql_parser.collect_spans = true;
        let options = GdfOptions::on(device);
        let options = match memory_limit {
            Some(bytes) => options.with_memory_limit(bytes),
            None => options,
        };
        let options = match timeout {
            Some(timeout) => options.with_timeout(timeout),
            None => options,
        };
        let ctx = GdfFiles::by_path_with(SessionContext::new_with_config(config), files).with_gdf(options.clone());
        Ok(Session { plans: PlanCache::new(ctx, KEPT_PLANS), options })
    }

    fn ctx(&self) -> &SessionContext {
        self.plans.session()
    }

    /// Makes the tables of a folder the tables of the session.
    pub(super) fn register(&self, tables: GdfFolder) -> Result<()> {
        let catalog = self.ctx().catalog("datafusion").context("the session has no catalog")?;
        catalog.register_schema("public", std::sync::Arc::new(tables)).map_err(|error| self.error(&error))?;
        Ok(())
    }

    /// Runs statements one after the other, and prints the rows of each. No statement runs if one cannot be parsed.
    /// Returns the time that it took to print rows.
    pub(super) async fn run(&self, text: &str, format: ResultFormat) -> Result<Duration> {
        let mut printing = Duration::ZERO;
        DFParser::parse_sql(text).map_err(|error| self.error(&error))?;
        for statement in statements(text) {
            check_operators(&statement)?;
            let started = async {
                // The first poll may reach the end of the stream, which must not be polled again.
                let mut rows = self.plans.execute(&statement, &[]).await?.fuse();
                // Most of the work is done before the first batch, so progress is shown until then.
                let first = rows.next().await;
                Ok((rows, first))
            };
            let started = with_progress(&self.options, started).await;
            let (rows, first) = started.map_err(|error: DataFusionError| self.error(&error))?;
            let schema = rows.get_ref().schema();
            let rows = RecordBatchStreamAdapter::new(schema, futures::stream::iter(first).chain(rows));
            printing += print_rows(Box::pin(rows), format, |error| self.error(&error)).await?;
        }
        Ok(printing)
    }

    /// Returns the names of all tables and views, sorted.
    pub(super) fn table_names(&self) -> Vec<String> {
        let schema = self.ctx().catalog("datafusion").and_then(|catalog| catalog.schema("public"));
        let mut names = schema.map(|schema| schema.table_names()).unwrap_or_default();
        names.sort();
        names
    }

    /// Returns the table or file with this name. The name may be in quotes.
    pub(super) async fn table(&self, name: &str) -> Result<std::sync::Arc<dyn TableProvider>> {
        let unquoted = ['\'', '"'].into_iter().find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote));
        let bare = unquoted.unwrap_or(name);
        self.ctx().table_provider(TableReference::bare(bare)).await.map_err(|error| self.error(&error))
    }

    fn error(&self, error: &DataFusionError) -> anyhow::Error {
        anyhow!(described(error, &self.table_names()))
    }
}

/// The largest number of operators of arithmetic in a statement. DataFusion's rules visit them recursively, one within the
/// other.
const MOST_OPERATORS: usize = 5_000;

/// The largest number of AND and OR in a statement, whose tree is balanced before rules visit it.
const MOST_CONDITIONS: usize = 60_000;

/// Refuses a statement whose operators may need more stack than the threads have.
fn check_operators(statement: &str) -> Result<()> {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, statement).tokenize() else { return Ok(()) };
    let (mut operators, mut conditions) = (0, 0);
    // A sign at the start of a value is no operator.
    let mut begins = true;
    for token in tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))) {
        let is_condition = matches!(token, Token::Word(word) if matches!(word.keyword, Keyword::AND | Keyword::OR));
        let is_operator = match token {
            Token::Plus | Token::Minus => !begins,
            Token::Mul | Token::Div | Token::Mod | Token::StringConcat => true,
            _ => false,
        };
        operators += usize::from(is_operator);
        conditions += usize::from(is_condition);
        begins = is_operator || is_condition || matches!(token, Token::Comma | Token::LParen);
    }
    ensure!(
        operators <= MOST_OPERATORS,
        "the statement has {operators} operators, and at most {MOST_OPERATORS} are allowed; divide the statement"
    );
    ensure!(
        conditions <= MOST_CONDITIONS,
        "the statement has {conditions} AND and OR, and at most {MOST_CONDITIONS} are allowed; compare a column with many \
         values by IN, or join a table of them"
    );
    Ok(())
}
