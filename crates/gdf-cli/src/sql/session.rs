//! The session in which statements run.

use anyhow::{Result, anyhow};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use gdf::Device;
use gdf_datafusion::{GdfFiles, GdfOptions, GdfSession};

use super::errors::described;
use super::print::{ResultFormat, print_rows};

/// A session of DataFusion with gdf, in which paths of files are names of tables.
pub(super) struct Session {
    ctx: SessionContext,
}

impl Session {
    /// Makes a session without tables.
    pub(super) fn new(device: Device) -> Result<Session> {
        gdf::Stream::new(device)?;
        let mut config = SessionConfig::new().with_information_schema(true);
        // With this option, errors contain the position in the statement.
        config.options_mut().sql_parser.collect_spans = true;
        let ctx = GdfFiles::by_path(SessionContext::new_with_config(config)).with_gdf(GdfOptions::on(device));
        Ok(Session { ctx })
    }

    pub(super) fn register(&self, name: &str, files: GdfFiles) -> Result<()> {
        self.ctx.register_table(TableReference::bare(name), std::sync::Arc::new(files)).map_err(|e| self.error(&e))?;
        Ok(())
    }

    /// Runs statements one after the other, and prints the rows of each.
    pub(super) async fn run(&self, text: &str, format: ResultFormat) -> Result<()> {
        let statements = DFParser::parse_sql(text).map_err(|error| self.error(&error))?;
        for statement in statements {
            self.statement(statement, format).await?;
        }
        Ok(())
    }

    async fn statement(&self, statement: Statement, format: ResultFormat) -> Result<()> {
        let planned = async {
            let plan = self.ctx.state().statement_to_plan(statement).await?;
            let frame = self.ctx.execute_logical_plan(plan).await?;
            frame.execute_stream().await
        };
        let rows = planned.await.map_err(|error| self.error(&error))?;
        print_rows(rows, format, |error| self.error(&error)).await
    }

    /// Returns the names of all tables and views, sorted.
    pub(super) fn table_names(&self) -> Vec<String> {
        let schema = self.ctx.catalog("datafusion").and_then(|catalog| catalog.schema("public"));
        let mut names = schema.map(|schema| schema.table_names()).unwrap_or_default();
        names.sort();
        names
    }

    /// Returns the table or file with this name. The name may be in quotes.
    pub(super) async fn table(&self, name: &str) -> Result<std::sync::Arc<dyn TableProvider>> {
        let unquoted = ['\'', '"'].into_iter().find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote));
        let bare = unquoted.unwrap_or(name);
        self.ctx.table_provider(TableReference::bare(bare)).await.map_err(|error| self.error(&error))
    }

    fn error(&self, error: &DataFusionError) -> anyhow::Error {
        anyhow!(described(error, &self.table_names()))
    }
}
