//! Regular expressions over columns of text: see README.md.

mod cuda;
mod dfa;
mod dialect;
mod fast_dfa;
mod host;
mod program;
mod replace;
mod spans;
mod tagged_dfa;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use gdf_core::{Column, ColumnView, DataType, Error, Result};
pub use gdf_kernels::generated::common::RegexAnswer as Answer;
use regex_automata::dfa::onepass;
use regex_automata::meta;
use regex_automata::util::pool::{Pool, PoolGuard};
use regex_syntax::hir::{Hir, Look};

use self::cuda::Tables;
use self::fast_dfa::FastDfa;
use self::program::Program;
pub use self::replace::{Template, TemplatePart, replace};
pub use self::spans::{Wanted, spans};
use crate::Ctx;
use crate::elementwise::Nulls;
use crate::strings;

/// Flags that change how a pattern is interpreted. By default, no flag is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegexFlags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    ascii: bool,
}

impl RegexFlags {
    /// Returns flags that are all unset.
    #[must_use]
    pub const fn new() -> Self {
        Self { ignore_case: false, multiline: false, dot_all: false, ascii: false }
    }

    /// Makes letters match both upper and lower case, by Unicode's simple case folding. The flag is the same as `(?i)`.
    #[must_use]
    pub const fn ignore_case(mut self) -> Self {
        self.ignore_case = true;
        self
    }

    /// Makes `^` and `$` match at the beginning and the end of each line. The flag is the same as `(?m)`.
    #[must_use]
    pub const fn multiline(mut self) -> Self {
        self.multiline = true;
        self
    }

    /// Makes `.` also match `\n`. The flag is the same as `(?s)`.
    #[must_use]
    pub const fn dot_all(mut self) -> Self {
        self.dot_all = true;
        self
    }

    /// Makes `\d`, `\s`, `\w` and `\b` apply only to ASCII characters.
    ///
    /// [`ignore_case`](Self::ignore_case) still folds letters by Unicode's rules. With both flags, a class in brackets
    /// therefore also contains the characters outside of ASCII that fold to its letters. `[\w]` and `[a-z]` match `ſ`
    /// and the Kelvin sign, and `\w` does not.
    #[must_use]
    pub const fn ascii(mut self) -> Self {
        self.ascii = true;
        self
    }
}

type NewCache = Box<dyn Fn() -> meta::Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// A pool of memory for searches. A thread takes memory from the pool for a search and returns it afterwards.
type Caches = Pool<meta::Cache, NewCache>;

type CacheGuard<'r> = PoolGuard<'r, meta::Cache, NewCache>;

/// A compiled regular expression for columns on any device. Clones share the compiled form.
///
/// The syntax is that of the [regex crate](https://docs.rs/regex/1/regex/#syntax), as `regex-syntax` parses it. In
/// addition, `\Z` means `\z`. There are no look-around assertions and no back-references, so that every search takes
/// time that is linear in the length of the text. A search finds the leftmost match. If several matches begin at that
/// position, the first alternative of the pattern that matches wins.
///
/// The first search on a GPU copies tables to memory of the scratch resource of that search. The regular expression
/// keeps this memory, and thereby the resource, until the last clone is dropped. A regular expression in a `static`
/// never releases them.
#[derive(Clone)]
pub struct Regex(Arc<Inner>);

struct Inner {
    pattern: Box<str>,
    flags: RegexFlags,
    meaning: Hir,
    host: meta::Regex,
    caches: Caches,
    program: Program,
    tables: OnceLock<Tables>,
    fast: OnceLock<Option<FastDfa>>,
    one_pass: OnceLock<Option<onepass::DFA>>,
}

/// Returns whether an empty match may lie between the bytes of a character. An ASCII `\B` and the ASCII halves of word
/// boundaries hold there, because these bytes are no word characters.
fn may_split_characters(meaning: &Hir) -> bool {
    let looks = meaning.properties().look_set();
    let splitting = [Look::WordAsciiNegate, Look::WordStartHalfAscii, Look::WordEndHalfAscii];
    splitting.into_iter().any(|look| looks.contains(look))
}

/// The maximum number of bytes of the NFA of a pattern.
const NFA_LIMIT: usize = 10 << 20;

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// * [`InvalidPattern`](Error::InvalidPattern) if the pattern breaks a rule of the syntax or uses an unsupported
    ///   construct. The error contains the position in the pattern.
    /// * [`InvalidPattern`](Error::InvalidPattern) if the pattern is too large. A pattern is too large if its NFA has
    ///   more than 10 MiB, if its NFA over characters has more than 16,384 states, or if a thread of a kernel would
    ///   need more than 1 MiB.
    pub fn new(pattern: &str, flags: RegexFlags) -> Result<Self> {
        let meaning = dialect::parse(pattern, flags)?;
        let what = "the compiled pattern exceeds 10 MiB, 16,384 states or 1 MiB of memory per GPU thread; shorten \
                    repetitions such as `{1000}`";
        let too_large = || Error::invalid_pattern(pattern, None, what);
        let config = meta::Config::new().nfa_size_limit(Some(NFA_LIMIT));
        let host = meta::Builder::new().configure(config).build_from_hir(&meaning).map_err(|_| too_large())?;
        let program = Program::new(&meaning).map_err(|program::TooLarge| too_large())?;
        let regex = host.clone();
        let caches: Caches = Pool::new(Box::new(move || regex.create_cache()));
        let pattern = pattern.into();
        Ok(Self(Arc::new(Inner {
            pattern,
            flags,
            meaning,
            host,
            caches,
            program,
            tables: OnceLock::new(),
            fast: OnceLock::new(),
            one_pass: OnceLock::new(),
        })))
    }

    /// Returns the pattern from which the regular expression was compiled.
    pub fn pattern(&self) -> &str {
        &self.0.pattern
    }

    /// Returns the flags with which the regular expression was compiled.
    pub fn flags(&self) -> RegexFlags {
        self.0.flags
    }

    /// Returns the number of groups. The whole match is not counted.
    pub fn groups(&self) -> usize {
        self.0.program.groups
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Regex").field(&self.pattern()).field(&self.flags()).finish()
    }
}

/// Returns the answer for each row of text. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if the column is neither `Utf8` nor `LargeUtf8`.
/// * [`DeviceMismatch`](Error::DeviceMismatch) if the column is not on the device of the stream; driver and memory
///   errors.
pub fn search(
    operation: &'static str,
    column: ColumnView<'_>,
    regex: &Regex,
    answer: Answer,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let output_type = match answer {
        Answer::Contains | Answer::Matches => DataType::Boolean,
        Answer::Count | Answer::Find => DataType::Int32,
    };
    strings::values(
        operation,
        column,
        &output_type,
        Nulls::Keep,
        ctx,
        |rows, texts| host::search(rows, texts, &regex.0, answer),
        |launch, bytes| cuda::search(launch, bytes, strings::has_long_rows(column), &regex.0, answer, ctx),
    )
}

#[cfg(test)]
mod tests;
