//! Runs of nodes on the pieces of a source.
//!
//! Filters, projections, lookups in the hash table of a join, partial aggregates and first rows need one piece of a
//! source at a time. A [`Stream`] has a task for each piece, which reads the piece and passes it through these nodes.
//! On the CPU, threads run tasks of different pieces at the same time, so that the rows of a piece stay in the cache of
//! a core from the decoder to the aggregate. The literature calls this morsel-driven parallelism: V. Leis et al.,
//! *Morsel-Driven Parallelism*, SIGMOD 2014.
//!
//! On a GPU, the thread of the run computes one piece after the other. Another thread reads the next piece in the
//! meantime, on a stream of its own.
//!
//! The results of the tasks arrive in the order of the pieces. The rows that only some nodes need together, such as
//! those of the right side of a join, are collected.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use gdf_api::scope::{ScopeHandle, with_stream};
use gdf_core::Table;
use gdf_driver::Device;
use gdf_external::prefetch;

use super::deferred::Deferred;
use super::join::Side;
use super::lock::locked;
use super::profile::address;
use super::rows::Ready;
use super::tables::whole;
use super::{Node, Rows, Run};
use crate::error::{Error, Result};
use crate::scan::{Scan, ScanRequest};

/// The number of bytes of a piece on the CPU, about. The columns of a piece should fit the cache of a core.
const PIECE_BYTES: usize = 4 << 20;

/// The number of bytes of a piece on a GPU, about. Up to three pieces exist at the same time. The launches and waits of
/// a filter with a group-by take 2 ms for each piece, however small it is: with pieces of 128 MiB, the 22 queries of
/// TPC-H at scale 10 took 5.2 s in place of 4.5.
const PIECE_BYTES_OF_GPU: usize = 1 << 30;
/// A GPU reads sources at once that take at most one part of this number of parts of its memory, if no column has 2 GiB
/// of text.
const WHOLE_PARTS_OF_GPU: u64 = 8;

/// The number of rows that a source is expected to have, if the number is not known.
pub(super) const UNKNOWN_ROWS: usize = 1 << 20;

type Task<'s, T> = Box<dyn FnOnce() -> Result<T> + Send + 's>;
type Tasks<'s, T> = Box<dyn Iterator<Item = Result<Task<'s, T>>> + Send + 's>;

/// The consumer of a stream. The nodes below it keep their state, such as hash tables, until the call returns.
pub(super) type Then<'t, T> = &'t mut dyn FnMut(Stream<'_, T>) -> Result<()>;

/// A task for each piece of a source, in the order of the pieces. There is at least one task.
pub(super) struct Stream<'s, T> {
    tasks: Tasks<'s, T>,
}

impl<'s, T: 's> Stream<'s, T> {
    fn of_tasks(tasks: impl Iterator<Item = Result<Task<'s, T>>> + Send + 's) -> Stream<'s, T> {
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

impl<'s> Stream<'s, Deferred> {
    /// Appends the tasks of another stream.
    fn chain<'t, 'u>(self, other: Stream<'t, Deferred>) -> Stream<'u, Deferred>
    where
        's: 'u,
        't: 'u,
    {
        Stream::of_tasks(self.map(Ok).tasks.chain(other.map(Ok).tasks))
    }

    /// Returns a stream of rows that are computed already.
    pub(super) fn of_rows(rows: Deferred) -> Stream<'static, Deferred> {
        Stream::of_tasks(std::iter::once(Ok(Box::new(move || Ok(rows)) as Task<'static, Deferred>)))
    }
}

/// The consumer of the results of tasks, in the order of the pieces. The calls come from several threads, one after the
/// other.
pub(super) type Each<'e, T> = &'e mut (dyn FnMut(T) -> Result<ControlFlow<()>> + Send);

impl<'s, T: Send + 's> Stream<'s, T> {
    /// Runs the tasks, and passes their results to `each`, which may end the run.
    pub(super) fn for_each(self, run: &Run<'_>, each: Each<'_, T>) -> Result<()> {
        let threads = gdf_core::thread_count();
        // A profile belongs to one thread. If there are few pieces, the threads share the work on one piece.
        let pieces = self.tasks.size_hint().0;
        let is_shared = run.execution.device.is_cpu() && run.trace.is_none();
        if is_shared && threads > 1 && pieces > 1 && pieces >= threads / 2 {
            return self.in_threads(threads, run, each);
        }
        for task in self.tasks {
            run.check_canceled()?;
            if each(task?()?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn in_threads(self, threads: usize, run: &Run<'_>, each: Each<'_, T>) -> Result<()> {
        let queue = Queue {
            state: Mutex::new(State {
                tasks: self.tasks,
                begun: 0,
                done: 0,
                results: BTreeMap::new(),
                each: Some(each),
                is_exhausted: false,
                has_ended: false,
                result: Ok(()),
            }),
            changed: Condvar::new(),
            most: 2 * threads,
        };
        let scope = ScopeHandle::capture();
        gdf_core::for_each_index(threads, &|_| scope.run(|| gdf_core::on_one_thread(|| queue.work(run))));
        queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).result
    }
}

/// The tasks of a stream, and the results that wait for the results before them.
struct Queue<'q, 'e, T> {
    state: Mutex<State<'q, 'e, T>>,
    changed: Condvar,
    /// The largest number of tasks that have begun and whose results are not used.
    most: usize,
}

struct State<'q, 'e, T> {
    tasks: Tasks<'q, T>,
    begun: usize,
    /// The number of results that were used.
    done: usize,
    results: BTreeMap<usize, Result<T>>,
    /// `None` while a thread uses a result.
    each: Option<Each<'e, T>>,
    is_exhausted: bool,
    has_ended: bool,
    result: Result<()>,
}

impl<T> Queue<'_, '_, T> {
    /// Runs tasks and uses results until there are no more.
    fn work(&self, run: &Run<'_>) {
        let mut state = locked(&self.state);
        while !state.has_ended {
            let next = state.done;
            if let Some(each) = state.each.take() {
                if let Some(result) = state.results.remove(&next) {
                    drop(state);
                    let used = self.or_end(|| run.check_canceled().and(result).and_then(&mut *each));
                    state = locked(&self.state);
                    state.each = Some(each);
                    state.done += 1;
                    if !matches!(used, Ok(ControlFlow::Continue(()))) {
                        state.result = used.map(|_| ());
                        state.has_ended = true;
                    }
                    self.changed.notify_all();
                    continue;
                }
                state.each = Some(each);
            }
            if !state.is_exhausted && state.begun - state.done < self.most {
                let number = state.begun;
                match state.tasks.next() {
                    None => state.is_exhausted = true,
                    Some(task) => {
                        state.begun += 1;
                        drop(state);
                        let result = self.or_end(|| task.and_then(|task| task()));
                        state = locked(&self.state);
                        state.results.insert(number, result);
                        self.changed.notify_all();
                    }
                }
                continue;
            }
            if state.is_exhausted && state.begun == state.done {
                state.has_ended = true;
                self.changed.notify_all();
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs `work`. A panic of `work` ends the other threads, and is passed on.
    fn or_end<R>(&self, work: impl FnOnce() -> R) -> R {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            locked(&self.state).has_ended = true;
            self.changed.notify_all();
            resume_unwind(panic)
        })
    }
}

impl Run<'_> {
    /// Returns whether the rows of a node are computed piece by piece.
    pub(super) fn streams(&self, node: &Node) -> bool {
        if self.budget.is_some() {
            return false;
        }
        match node {
            Node::Files(scan) => self.is_read_in_pieces(scan.as_ref()),
            Node::Rows(rows) => self.streams(&rows.input),
            Node::Computed(of) => self.streams(&of.rows.input),
            Node::Unnest(of) => self.streams(&of.input),
            Node::Mapped(of) => of.is_by_piece() && self.streams(&of.input),
            Node::Scalars { input, .. } => self.streams(input),
            Node::Union(nodes) => nodes.iter().any(|node| self.streams(node)),
            Node::Join(join) => {
                let first = if self.passes_keys() { join.first() } else { join.first_without_keys() };
                first == Side::Right && join.is_lookup() && self.streams(&join.left.input)
            }
            Node::Shared(_)
            | Node::Input(_)
            | Node::Resident(_)
            | Node::NullRow(_)
            | Node::Empty(_)
            | Node::Aggregate(_)
            | Node::Distinct(_)
            | Node::Sort(_)
            | Node::Window(_)
            | Node::Limit { .. } => false,
        }
    }

    fn is_read_in_pieces(&self, scan: &dyn Scan) -> bool {
        match self.execution.device {
            Device::Cpu => true,
            Device::Cuda(_) => {
                let most = || self.execution.device.memory_info().map_or(0, |memory| memory.total / WHOLE_PARTS_OF_GPU);
                let is_large = || scan.read_bytes().is_none_or(|bytes| bytes as u64 > most());
                let is_long = || scan.text_bytes().is_some_and(|bytes| i32::try_from(bytes).is_err());
                self.execution.piece_rows.is_some() || is_long() || is_large()
            }
        }
    }

    /// Begins to read the pieces of a source. Each task reads a piece.
    fn pieces(&self, scan: &dyn Scan) -> Result<Tasks<'_, Table>> {
        let device = self.execution.device;
        let bytes = if device.is_cpu() { PIECE_BYTES } else { PIECE_BYTES_OF_GPU };
        let pieces = scan.open(&ScanRequest::Pieces { bytes, rows: self.execution.piece_rows })?;
        // The time of a read belongs to the profile.
        if device.is_cpu() || self.trace.is_some() {
            return Ok(Box::new(pieces.map(move |piece| {
                let piece = piece?;
                Ok(Box::new(move || self.read(piece)) as Task<'_, Table>)
            })));
        }
        let own = gdf_driver::Stream::new(device).map_err(gdf_core::Error::from)?;
        let tables = prefetch(pieces.map(move |piece| Ok(with_stream(&own, || piece?()))))?;
        Ok(Box::new(tables.map(move |table| {
            let table = table??;
            self.has_read(&table);
            Ok(Box::new(move || Ok(table)) as Task<'_, Table>)
        })))
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
                let tasks = self.pieces(scan.as_ref())?;
                then(Stream::of_tasks(tasks.map(|read| {
                    let read = read?;
                    let read = move || Ok(Deferred::from(read()?));
                    Ok(Box::new(move || self.measured(address(node), Deferred::num_rows, read)) as Task<'_, Deferred>)
                })))
            }
            Node::Rows(rows) => self.stream_of(rows, &mut |stream| {
                then(stream.map(|rows| self.measured_piece(node, || rows.into_outputs())))
            }),
            Node::Computed(of) => self.stream(&of.rows.input, &mut |stream| {
                then(stream.map(|input| self.measured_piece(node, || of.of(input, self))))
            }),
            Node::Unnest(of) => self.stream(&of.input, &mut |stream| {
                then(stream.map(|input| self.measured_piece(node, || Ok(of.of(input.into_table()?, self)?.into()))))
            }),
            Node::Mapped(of) => self
                .stream(&of.input, &mut |stream| then(stream.map(|input| self.measured_piece(node, || of.of(input))))),
            Node::Scalars { input, subqueries } => {
                self.run_subqueries(subqueries)?;
                self.stream(input, then)
            }
            Node::Union(nodes) => self.stream_all(nodes, None, then),
            Node::Join(join) => join.stream(node, self, then),
            other => then(Stream::of_rows(self.node(other)?)),
        }?;
        if node.has_work() {
            self.pipelines_have_ended(1);
        }
        Ok(())
    }

    /// Passes the stream of the rows of all nodes to `then`, after the tasks of `before`.
    fn stream_all(
        &self,
        nodes: &[Node],
        mut before: Option<Stream<'_, Deferred>>,
        then: Then<'_, Deferred>,
    ) -> Result<()> {
        let Some((first, others)) = nodes.split_first() else {
            return before.map_or_else(|| Err(Error::internal("a union has no inputs")), then);
        };
        let mut after = |stream: Stream<'_, Deferred>| match before.take() {
            Some(before) => self.stream_all(others, Some(before.chain(stream)), then),
            None => self.stream_all(others, Some(stream), then),
        };
        match self.streams(first) {
            true => self.stream(first, &mut after),
            false => after(Stream::of_rows(self.node(first)?)),
        }
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

    /// Returns at least the first `wanted` rows of a node that is streamed, if it has so many. Further pieces are not
    /// read.
    pub(super) fn first_rows(&self, node: &Node, wanted: usize) -> Result<Deferred> {
        let (mut tables, mut found) = (Vec::new(), 0_usize);
        self.stream(node, &mut |stream| {
            stream.map(Deferred::into_table).for_each(self, &mut |table| {
                found += table.num_rows();
                tables.push(table);
                Ok(if found < wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })
        })?;
        Ok(whole(tables)?.into())
    }
}

/// Runs the tasks of a stream, and appends their rows to `tables`.
pub(super) fn tables_of(stream: Stream<'_, Deferred>, run: &Run<'_>, tables: &mut Vec<Table>) -> Result<()> {
    stream.map(Deferred::into_table).for_each(run, &mut |table| {
        tables.push(table);
        Ok(ControlFlow::Continue(()))
    })
}
