//! The shell of `gdf sql`: statements of several lines, and commands that begin with a backslash.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use etcetera::BaseStrategy;
use futures::future::{Either, select};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tokio::runtime::Runtime;

use super::print::ResultFormat;
use super::session::Session;
use crate::output::{print, table};

const HELP: &str = "\
\\d          list the tables
\\d NAME     list the columns of a table or of a file
\\timing     turn the printing of times of statements on or off
\\?          print this text
\\q          end the shell
Statements end with ; and may have several lines. Files are tables: select * from 'sales/*.parquet';
Rows become a file: copy (select city, price from 'trips.csv') to 'trips.parquet';";

/// The action of the shell after it has processed a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Line,
    End,
}

struct Shell<'r> {
    runtime: &'r Runtime,
    session: Session,
    format: ResultFormat,
    has_timing: bool,
    /// The lines that were read of an incomplete statement.
    begun: String,
    is_interactive: bool,
}

impl<'r> Shell<'r> {
    fn new(runtime: &'r Runtime, session: Session, format: ResultFormat, is_interactive: bool) -> Shell<'r> {
        Shell { runtime, session, format, has_timing: false, begun: String::new(), is_interactive }
    }

    /// Processes a line. A statement runs with its last line.
    fn line(&mut self, line: &str) -> Result<Next> {
        if self.begun.trim().is_empty() && line.trim_start().starts_with('\\') {
            return self.command(line.trim());
        }
        self.begun.push_str(line);
        self.begun.push('\n');
        if is_complete(&self.begun) {
            let text = std::mem::take(&mut self.begun);
            self.run(&text)?;
        }
        Ok(Next::Line)
    }

    /// Runs the last statement if it does not end with a semicolon.
    fn rest(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.begun);
        if text.trim().is_empty() { Ok(()) } else { self.run(&text) }
    }

    fn run(&self, text: &str) -> Result<()> {
        let start = Instant::now();
        let query = self.session.run(text, self.format);
        let printing = if self.is_interactive {
            self.runtime.block_on(async {
                match select(Box::pin(query), Box::pin(tokio::signal::ctrl_c())).await {
                    Either::Left((done, _)) => done,
                    Either::Right(_) => bail!("the statement was canceled"),
                }
            })?
        } else {
            self.runtime.block_on(query)?
        };
        if self.has_timing {
            let time = start.elapsed().saturating_sub(printing);
            print(format_args!("time: {:.1} ms", time.as_secs_f64() * 1e3))?;
        }
        Ok(())
    }

    fn command(&mut self, line: &str) -> Result<Next> {
        let (command, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (command, argument.trim().trim_end_matches(';')) {
            ("\\q", "") => return Ok(Next::End),
            ("\\?", "") => print(HELP)?,
            ("\\timing", "") => {
                self.has_timing = !self.has_timing;
                print(if self.has_timing { "times are printed" } else { "times are not printed" })?;
            }
            ("\\d", "") => {
                let mut names = table(&["table"], 1);
                for name in self.session.table_names() {
                    names.add_row([name]);
                }
                print(names)?;
            }
            ("\\d", name) => {
                let found = self.runtime.block_on(self.session.table(name))?;
                let mut columns = table(&["column", "type", "nulls"], 3);
                for field in found.schema().fields() {
                    let nulls = if field.is_nullable() { "possible" } else { "none" };
                    columns.add_row([field.name(), &field.data_type().to_string(), nulls]);
                }
                print(columns)?;
            }
            _ => bail!("{line} is not a command; \\? lists the commands"),
        }
        Ok(Next::Line)
    }
}

/// Returns whether a text is empty, or ends with a semicolon outside of quotes and comments.
fn is_complete(text: &str) -> bool {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).tokenize() else { return false };
    let last = tokens.iter().rev().find(|token| !matches!(token, Token::Whitespace(_)));
    last.is_none_or(|token| *token == Token::SemiColon)
}

/// Runs the lines of a text. The first error ends the run.
pub(super) fn piped(runtime: &Runtime, session: Session, format: ResultFormat, text: &str) -> Result<ExitCode> {
    let mut shell = Shell::new(runtime, session, format, false);
    for line in text.lines() {
        if shell.line(line)? == Next::End {
            return Ok(ExitCode::SUCCESS);
        }
    }
    shell.rest()?;
    Ok(ExitCode::SUCCESS)
}

/// Reads lines from the terminal until the user ends the shell. Errors are printed, and the shell goes on.
pub(super) fn interactive(runtime: &Runtime, session: Session, format: ResultFormat) -> Result<ExitCode> {
    let mut editor = DefaultEditor::new()?;
    let history = etcetera::choose_base_strategy().ok().map(|folders| {
        let folder = folders.state_dir().unwrap_or_else(|| folders.cache_dir());
        folder.join("gdf").join("sql_history")
    });
    if let Some(history) = &history {
        // There is no history before the first shell.
        let _ = editor.load_history(history);
    }
    print(format_args!("gdf {}; \\? lists the commands", env!("CARGO_PKG_VERSION")))?;
    let mut shell = Shell::new(runtime, session, format, true);
    loop {
        let prompt = if shell.begun.is_empty() { "gdf> " } else { "...> " };
        let line = match editor.readline(prompt) {
            Ok(line) => line,
            // Ctrl-C discards the lines of an incomplete statement.
            Err(ReadlineError::Interrupted) => {
                shell.begun.clear();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        };
        editor.add_history_entry(&line)?;
        match shell.line(&line) {
            Ok(Next::Line) => {}
            Ok(Next::End) => break,
            Err(error) => eprintln!("gdf: {error:#}"),
        }
    }
    if let Some(history) = &history {
        let saved = history.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = saved.map_err(ReadlineError::from).and_then(|()| editor.save_history(history)) {
            eprintln!("gdf: the history cannot be saved to {}: {error}", history.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_ends_a_statement_but_not_inside_of_a_text() {
        for text in ["select 1;", "select ';' ; -- end\n", "", "  \n"] {
            assert!(is_complete(text), "{text:?}");
        }
        for text in ["select 1", "select ';'", "select ';", "select 1 -- ;\n", "select 1 /* ; "] {
            assert!(!is_complete(text), "{text:?}");
        }
    }
}
