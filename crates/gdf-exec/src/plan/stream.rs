//! Runs of nodes on the pieces of a source.
//!
//! Filters, projections, lookups in the hash table of a join, partial aggregates and first rows need one piece of a source
//! at a time. A [`Stream`] has a task for each piece, which reads the piece and passes it through these nodes. On the CPU,
//! threads run tasks of different pieces at the same time, so that the rows of a piece stay in the cache of a core from the
//! decoder to the aggregate. The literature calls this morsel-driven parallelism: V. Leis et al., *Morsel-Driven
//! Parallelism*, SIGMOD 2014.
//!
//! The results of the tasks arrive in the order of the pieces. The rows that only some nodes need together, such as those of
//! the right side of a join, are collected.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use gdf_api::scope::ScopeHandle;
use gdf_core::Table;

use super::deferred::Deferred;
use super::profile::address;
use super::rows::Ready;
use super::tables::whole;
use super::{Node, Rows, Run};
use crate::error::{Error, Result};
use crate::scan::ScanRequest;

/// The number of bytes of a piece on the CPU, about. The columns of a piece should fit the cache of a core.
const PIECE_BYTES: usize = 4 << 20;

/// The number of rows that a source is expected to have, if the number is not known.
const UNKNOWN_ROWS: usize = 1 << 20;

type Task<'s, T> = Box<dyn FnOnce() -> Result<T> + Send + 's>;

/// What is done with a stream. The nodes on its way keep their state, such as hash tables, until the call returns.
pub(super) type Then<'t, T> = &'t mut dyn FnMut(Stream<'_, T>) -> Result<()>;

/// A task for each piece of a source, in the order of the pieces. There is at least one task.
pub(super) struct Stream<'s, T> {
    tasks: Box<dyn Iterator<Item = Result<Task<'s, T>>> + 's>,
}

impl<'s, T: 's> Stream<'s, T> {
    fn of_tasks(tasks: impl Iterator<Item = Result<Task<'s, T>>> + 's) -> Stream<'s, T> {
        Stream { tasks: Box::new(tasks) }
    }

    /// Appends `work` to the tasks.
    pub(super) fn map<'u, U: 'u>(self, work: impl Fn(T) -> Result<U> + Send + Sync + 'u) -> Stream<'u, U>
    where
        's: 'u,
    {
        let work = Arc::new(work);
        Stream::of_tasks(self.tasks.map(move |task| {
            let (task, work) = (task?, Arc::clone(&work));
            Ok(Box::new(move || work(task()?)) as Task<'u, U>)
        }))
    }
}

impl Stream<'_, Deferred> {
    /// Returns a stream of rows that are computed already.
    pub(super) fn of_rows(rows: Deferred) -> Stream<'static, Deferred> {
        Stream::of_tasks(std::iter::once(Ok(Box::new(move || Ok(rows)) as Task<'static, Deferred>)))
    }
}

impl<'s, T: Send + 's> Stream<'s, T> {
    /// Runs the tasks, and passes their results to `each` in the order of the pieces. `each` runs in the calling thread,
    /// and may end the run.
    pub(super) fn for_each(self, run: &Run<'_>, each: &mut dyn FnMut(T) -> Result<ControlFlow<()>>) -> Result<()> {
        // A profile belongs to a thread. A thread of the pool must not wait for others of the pool.
        if run.trace.is_some() || rayon::current_thread_index().is_some() {
            for task in self.tasks {
                run.check_canceled()?;
                if each(task?()?)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        self.in_threads(run, each)
    }

    fn in_threads(self, run: &Run<'_>, each: &mut dyn FnMut(T) -> Result<ControlFlow<()>>) -> Result<()> {
        // A task that takes long should not keep the other threads waiting for the consumer of its result.
        let most = 2 * gdf_core::thread_count();
        let scope = ScopeHandle::capture();
        let has_ended = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let mut tasks = self.tasks.fuse();
        rayon::in_place_scope(|threads| {
            let mut deliver = || {
                let (mut begun, mut done, mut waiting) = (0_usize, 0_usize, BTreeMap::new());
                loop {
                    while begun - done < most
                        && let Some(task) = tasks.next()
                    {
                        let (task, sender, number) = (task?, sender.clone(), begun);
                        let (scope, has_ended) = (&scope, &has_ended);
                        threads.spawn(move |_| {
                            if has_ended.load(Ordering::Relaxed) {
                                return;
                            }
                            let result = catch_unwind(AssertUnwindSafe(|| scope.run(task)));
                            // The receiver lives as long as the threads.
                            drop(sender.send((number, result)));
                        });
                        begun += 1;
                    }
                    if done == begun {
                        return Ok(());
                    }
                    let result = loop {
                        if let Some(result) = waiting.remove(&done) {
                            break result;
                        }
                        let (number, result) =
                            receiver.recv().map_err(|_| Error::internal("a task of a stream has no result"))?;
                        waiting.insert(number, result);
                    };
                    done += 1;
                    run.check_canceled()?;
                    if each(result.unwrap_or_else(|panic| resume_unwind(panic))?)?.is_break() {
                        return Ok(());
                    }
                }
            };
            let result = catch_unwind(AssertUnwindSafe(&mut deliver));
            has_ended.store(true, Ordering::Relaxed);
            result.unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

impl Run<'_> {
    /// Returns whether the rows of a node are computed piece by piece.
    pub(super) fn streams(&self, node: &Node) -> bool {
        if self.budget.is_some() || self.execution.device.is_cuda() {
            return false;
        }
        match node {
            Node::Files(_) => true,
            Node::Rows(rows) => self.streams(&rows.input),
            Node::Computed(of) => self.streams(&of.rows.input),
            Node::Unnest(of) => self.streams(&of.input),
            Node::Scalars { input, .. } => self.streams(input),
            Node::Join(join) => join.looks_up_pieces(self.passes_keys()) && self.streams(&join.left.input),
            Node::Shared(_)
            | Node::Input(_)
            | Node::Resident(_)
            | Node::NullRow(_)
            | Node::Empty(_)
            | Node::Aggregate(_)
            | Node::Sort(_)
            | Node::Window(_)
            | Node::Limit { .. }
            | Node::Union(_) => false,
        }
    }

    /// Returns whether conditions or joins drop rows of a stream before the node that owns `rows` reads them. A source
    /// reads all rows of a table faster than a stream.
    pub(super) fn drops_rows_of_stream(&self, rows: &Rows) -> bool {
        let is_dropping = !rows.conditions.is_empty() || !matches!(rows.input, Node::Files(_));
        let has_sets = || !self.key_filters_of(rows).is_empty();
        self.streams(&rows.input) && (is_dropping || has_sets())
    }

    /// Returns the number of rows that a stream of the node may have.
    pub(super) fn rows_of_stream(&self, node: &Node) -> usize {
        node.most_rows().unwrap_or(UNKNOWN_ROWS)
    }

    /// Passes the stream of a node to `then`.
    pub(super) fn stream(&self, node: &Node, then: Then<'_, Deferred>) -> Result<()> {
        match node {
            Node::Files(scan) => {
                let pieces = scan.open(&ScanRequest::Pieces(PIECE_BYTES))?;
                then(Stream::of_tasks(pieces.map(|piece| {
                    let piece = piece?;
                    let read = move || Ok(Deferred::from(piece()?));
                    Ok(Box::new(move || self.measured(address(node), Deferred::num_rows, read)) as Task<'_, Deferred>)
                })))
            }
            Node::Rows(rows) => {
                self.stream_of(rows, &mut |stream| then(stream.map(|rows| self.measured_piece(node, || rows.into_outputs()))))
            }
            Node::Computed(of) => self.stream(&of.rows.input, &mut |stream| {
                then(stream.map(|input| self.measured_piece(node, || of.of(input, self))))
            }),
            Node::Unnest(of) => self.stream(&of.input, &mut |stream| {
                then(stream.map(|input| {
                    self.measured_piece(node, || Ok(of.of(input.into_table()?, self)?.into()))
                }))
            }),
            Node::Scalars { input, subqueries } => {
                self.run_subqueries(subqueries)?;
                self.stream(input, then)
            }
            Node::Join(join) => join.stream(node, self, then),
            other => then(Stream::of_rows(self.node(other)?)),
        }?;
        if node.has_work() {
            self.pipelines_have_ended(1);
        }
        Ok(())
    }

    /// Runs the work of a node on a piece.
    pub(super) fn measured_piece(&self, node: &Node, work: impl FnOnce() -> Result<Deferred>) -> Result<Deferred> {
        self.check_canceled()?;
        self.measured(address(node), Deferred::num_rows, work)
    }

    /// Passes the stream of rows to `then`, after their checks and key filters.
    pub(super) fn stream_of(&self, rows: &Rows, then: Then<'_, Ready>) -> Result<()> {
        let filters = self.key_filters_of(rows);
        let tests = self.key_tests(&filters, self.rows_of_stream(&rows.input))?;
        self.stream(&rows.input, &mut |stream| then(stream.map(|input| rows.tested(input, &tests, self))))
    }

    /// Returns the rows of a node that is streamed.
    pub(super) fn collected_node(&self, node: &Node) -> Result<Deferred> {
        let mut tables = Vec::new();
        self.stream(node, &mut |stream| tables_of(stream, self, &mut tables))?;
        Ok(whole(tables)?.into())
    }

    /// Returns the outputs of rows that are streamed, as one table.
    pub(super) fn collected(&self, rows: &Rows) -> Result<Table> {
        let mut tables = Vec::new();
        self.stream_of(rows, &mut |stream| tables_of(stream.map(Ready::into_outputs), self, &mut tables))?;
        whole(tables)
    }

    /// Returns the rows from `skip` on of a node that is streamed, at most `fetch`. Further pieces are not read.
    pub(super) fn first_rows(&self, node: &Node, skip: usize, fetch: usize) -> Result<Deferred> {
        let (mut tables, mut found) = (Vec::new(), 0_usize);
        let wanted = skip.saturating_add(fetch);
        self.stream(node, &mut |stream| {
            stream.map(Deferred::into_table).for_each(self, &mut |table| {
                found += table.num_rows();
                tables.push(table);
                Ok(if found < wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })
        })?;
        let rows = Deferred::from(whole(tables)?);
        let skip = skip.min(rows.num_rows());
        let rest = rows.num_rows() - skip;
        rows.slice(skip, fetch.min(rest))
    }
}

fn tables_of(stream: Stream<'_, Deferred>, run: &Run<'_>, tables: &mut Vec<Table>) -> Result<()> {
    stream.map(Deferred::into_table).for_each(run, &mut |table| {
        tables.push(table);
        Ok(ControlFlow::Continue(()))
    })
}
