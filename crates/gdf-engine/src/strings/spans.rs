//! Finds any number of spans of the text of each row. The spans become lists of texts or columns of texts.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, ListsView, NullCount, Result};
use gdf_driver::Device;
use gdf_kernels::generated::common::CopySpansSource;
use gdf_kernels::generated::common::TextSpan;
use gdf_kernels::generated::strings::{CopySpans, CopySpansKernel};
use gdf_memory::Buffer;

use super::cuda::{ElementRequest, Lists, RetryState};
use super::{Builder, Estimate, Launch, RowSink, Texts, build_about, cuda, estimated_bytes, is_large};
use crate::Ctx;
use crate::cuda::{self as device, In};
use crate::elementwise::{self, Inputs, Nulls, Rows};
use crate::layout::{OutputBuffers, byte_len};
use crate::vouch;

/// The spans of each row of a text column, in scratch memory. If there are no offsets, each row has the same number of
/// spans. The first spans of all rows then come first, followed by the second spans of all rows, and so on.
#[derive(Debug)]
pub struct Spans<'a> {
    pub(super) source: ColumnView<'a>,
    pub(super) rows: usize,
    pub(super) offsets: Option<Buffer>,
    pub(super) spans: Buffer,
    bytes: Estimate,
    validity: Option<Buffer>,
    null_count: NullCount,
    /// The lists of the texts, if one launch has made them without spans. The offsets are then those of the lists.
    lists: Option<Column>,
}

/// The caller's knowledge of the order of the spans of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOrder {
    /// The spans are in the order of the text, do not overlap, and are not null. Lists of text can therefore be made
    /// directly.
    Ascending,
    Any,
}

/// The request of a caller, and the caller's knowledge of the spans.
#[derive(Clone, Copy, Debug)]
pub struct SpanRequest {
    pub operation: &'static str,
    pub order: SpanOrder,
    /// The estimated number of bytes of all spans. [`build_about`](super::build_about) describes the estimate.
    pub estimate: usize,
}

impl Builder<'_> {
    /// Makes spans for each row in the same way as [`text`](Self::text).
    pub fn spans(&self, row: impl Fn(usize, &mut RowSink<'_, TextSpan>) -> bool + Sync) -> Result<OutputBuffers> {
        self.spans_with(|| (), |(), index, sink| row(index, sink))
    }

    /// Makes spans for each row in the same way as [`spans`](Self::spans).
    pub(crate) fn spans_with<S>(
        &self,
        state: impl Fn() -> S + Sync,
        row: impl Fn(&mut S, usize, &mut RowSink<'_, TextSpan>) -> bool + Sync,
    ) -> Result<OutputBuffers> {
        self.elements(self.ctx.mr.temporary, state, row)
    }
}

impl RowSink<'_, TextSpan> {
    /// Appends the span of a part of a row's text.
    pub fn put_part(&mut self, texts: &Texts<'_>, part: &[u8]) {
        self.push(texts.span_of(part));
    }

    pub(crate) fn put_null(&mut self) {
        self.push(TextSpan { begin: 0, size: -1 });
    }
}

/// Finds the spans of each row of the inputs. `host` finds the spans on the CPU, and the kernels that `device` enqueues
/// find them on a GPU. The first input is the text column to which the spans refer. If there are no rows, the function
/// calls neither `host` nor `device`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the first input is neither `Utf8` nor `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) if there are more than 2³¹ − 1 spans.
/// * The errors of `host` and `device`; driver and memory errors.
pub fn spans<'a, const N: usize>(
    request: SpanRequest,
    inputs: Inputs<'a, N>,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl FnOnce(&Rows<'_, N>, &Builder<'_>) -> Result<OutputBuffers>,
    device: impl Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Spans<'a>> {
    let (source, rows, nullable) = (inputs.operands[0].view(), inputs.rows(), inputs.nullable(nulls));
    let SpanRequest { operation, order, estimate } = request;
    is_large(operation, source)?;
    let text = DataType::Utf8;
    let mut state = RetryState::default();
    if order == SpanOrder::Ascending && rows > 0 && ctx.stream.device() != Device::Cpu {
        state = match cuda::lists(&inputs, nulls, ctx, &device)? {
            Lists::Made(lists) => return Spans::of_lists(source, lists, ctx),
            Lists::NotMade(state) => state,
        };
    }
    let found = if rows == 0 {
        let buffers =
            [Buffer::zeroed(4, ctx.stream, ctx.mr.output)?, Buffer::uninitialized(0, ctx.stream, ctx.mr.temporary)?];
        OutputBuffers { buffers: buffers.into(), ..OutputBuffers::without_data() }
    } else if ctx.stream.device() == Device::Cpu {
        elementwise::read_rows(inputs, &text, nulls, ctx, |columns| {
            host(columns, &Builder { rows, nullable, large: false, ctx, bytes: ctx.mr.temporary, source: &[] })
        })?
    } else {
        let request = ElementRequest {
            inputs,
            data_type: &text,
            large: false,
            nullable,
            unit: size_of::<TextSpan>(),
            mr: ctx.mr.temporary,
            estimate: estimate.into(),
            state,
        };
        cuda::elements(request, ctx, &device)?
    };
    let OutputBuffers { buffers, validity, null_count, .. } = found;
    let mut buffers = buffers.into_iter();
    let (Some(offsets), Some(spans)) = (buffers.next(), buffers.next()) else {
        return Err(gdf_core::Error::internal("the spans have no buffer of offsets, or no buffer of spans"));
    };
    let bytes = Estimate::About(estimated_bytes(source.into()));
    Ok(Spans { source, rows, offsets: Some(offsets), spans, bytes, validity, null_count, lists: None })
}

/// Finds `count` spans for each row on a GPU. The result can only be passed to [`Spans::into_columns`].
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if `source` is neither `Utf8` nor `LargeUtf8`; driver and memory
///   errors.
pub fn fixed_spans<'a>(
    operation: &'static str,
    source: ColumnView<'a>,
    count: usize,
    ctx: Ctx<'_>,
    device: impl FnOnce(&Launch<'_, 1>) -> Result<()>,
) -> Result<Spans<'a>> {
    is_large(operation, source)?;
    let inputs = Inputs::new([source.into()], ctx)?;
    let rows = inputs.rows();
    let bytes = byte_len(rows.saturating_mul(count), size_of::<TextSpan>(), ctx.mr)?;
    let mut spans = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    if rows > 0 {
        cuda::fixed_spans(inputs.operands[0], rows, &mut spans, ctx, device)?;
    }
    let (bytes, null_count) = (Estimate::About(estimated_bytes(source.into())), NullCount::Known(0));
    Ok(Spans { source, rows, offsets: None, spans, bytes, validity: None, null_count, lists: None })
}

impl<'a> Spans<'a> {
    fn of_lists(source: ColumnView<'a>, lists: Column, ctx: Ctx<'_>) -> Result<Self> {
        let spans = Buffer::uninitialized(0, ctx.stream, ctx.mr.temporary)?;
        let (rows, offsets) = (lists.len(), lists.view().buffers().first().cloned());
        let ColumnParts { validity, null_count, .. } = lists.clone().into_parts();
        let bytes = Estimate::About(0);
        Ok(Self { source, rows, offsets, spans, bytes, validity, null_count, lists: Some(lists) })
    }

    /// Returns the same spans with a larger estimate of their bytes, for the case that each byte of the text belongs to
    /// about `times` spans.
    pub fn overlapping(self, times: usize) -> Self {
        Self { bytes: Estimate::Sampled(estimated_bytes(self.source.into()).saturating_mul(times)), ..self }
    }

    pub(super) fn count(&self) -> usize {
        self.spans.len() / size_of::<TextSpan>()
    }

    pub(super) fn elements(&self) -> Option<ColumnView<'_>> {
        Some(ListsView::try_from(self.lists.as_ref()?.view()).ok()?.child())
    }

    /// Returns the offsets of the lists that [`into_lists`](Self::into_lists) makes.
    ///
    /// # Errors
    /// * [`Internal`](gdf_core::Error::Internal) if each row has the same number of spans.
    pub fn offsets(&self) -> Result<&Buffer> {
        self.offsets.as_ref().ok_or_else(|| gdf_core::Error::internal("the spans have no offsets"))
    }

    /// Returns the number of spans that every row has, or 0 if there are offsets.
    pub(super) fn each(&self) -> usize {
        if self.offsets.is_some() { 0 } else { self.count().checked_div(self.rows).unwrap_or(0) }
    }

    /// Makes a column with a list of texts for each row. The function waits for the GPU.
    ///
    /// # Errors
    /// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) if the texts of overlapping spans together have more
    ///   bytes than the offset type can represent; driver and memory errors.
    pub fn into_lists(self, nulls: Nulls, ctx: Ctx<'_>) -> Result<Column> {
        if let Some(lists) = self.lists {
            return Ok(lists);
        }
        let texts = self.texts(self.count(), None, nulls, ctx)?;
        self.lists_of(texts, true)
    }

    /// Makes a column with a list for each row. `make` gets the column of all texts and returns the column of the
    /// lists' elements, which must have one element for each text. No span may be null.
    ///
    /// # Errors
    /// * The errors of `make` and [`into_lists`](Self::into_lists).
    pub fn into_lists_of(self, make: impl FnOnce(&Column) -> Result<Column>, ctx: Ctx<'_>) -> Result<Column> {
        let made = match self.elements() {
            Some(texts) => make(&texts.to_column())?,
            None => make(&self.texts(self.count(), None, Nulls::Never, ctx.scratch())?)?,
        };
        let nullable = made.has_validity();
        self.lists_of(made, nullable)
    }

    fn lists_of(self, elements: Column, nullable: bool) -> Result<Column> {
        let parts = ColumnParts::lists(self.rows, self.offsets()?.clone(), false, elements, nullable);
        vouch::result(parts.validity(self.validity, self.null_count))
    }

    /// Returns the texts of all rows, one after another, as a column. The function waits for the GPU in the same way as
    /// [`into_lists`](Self::into_lists).
    ///
    /// # Errors
    /// * The errors of [`into_lists`](Self::into_lists).
    pub fn into_texts(self, ctx: Ctx<'_>) -> Result<Column> {
        let is_apart = ctx.mr.output.resource() != ctx.mr.temporary.resource();
        match self.elements() {
            Some(texts) if is_apart => texts.to_column().deep_copy(ctx.stream, ctx.mr.output),
            Some(texts) => Ok(texts.to_column()),
            None => self.texts(self.count(), None, Nulls::Never, ctx),
        }
    }

    /// Makes a text column of `rows` rows from all spans, or from the `nth` span of each row.
    pub(super) fn texts(&self, rows: usize, nth: Option<usize>, nulls: Nulls, ctx: Ctx<'_>) -> Result<Column> {
        let inputs = Inputs::for_rows([self.source.into()], rows, ctx)?;
        let count = self.count();
        build_about(
            self.bytes,
            inputs,
            self.source.data_type(),
            nulls,
            ctx,
            |columns, builder| {
                let chars = columns.input().chars()?;
                let (offsets, spans) = (self.offsets()?.read_on(ctx.stream)?, self.spans.read_on(ctx.stream)?);
                let (offsets, spans) = (offsets.as_slice::<i32>()?, spans.as_slice::<TextSpan>()?);
                let span_of = |row: usize| {
                    let Some(nth) = nth else { return spans.get(row) };
                    let range = *offsets.get(row)? as usize..*offsets.get(row + 1)? as usize;
                    spans.get(range)?.get(nth)
                };
                builder.text(|row, sink| {
                    let span = span_of(row).filter(|span| span.size >= 0);
                    let text = span.and_then(|span| chars.get(span.begin as usize..(span.begin + span.size) as usize));
                    text.map(|text| sink.put(text)).is_some()
                })
            },
            |launch| {
                let spans = self.spans.read_on(ctx.stream)?;
                let offsets = self.offsets.as_ref().map(|offsets| offsets.read_on(ctx.stream)).transpose()?;
                let p = CopySpansSource {
                    text: launch.inputs[0],
                    offsets: offsets.as_ref().map_or(In::NULL, In::of),
                    spans: In::of(&spans),
                    count: count as i64,
                    nth: nth.map_or(-1, |nth| nth as i64),
                    rows: device::Rows::new(self.rows),
                    each: self.each() as i64,
                };
                let &Launch { out, counts, mailbox, .. } = launch;
                let kernels = [CopySpansKernel::TextSizes, CopySpansKernel::TextWrite];
                launch.run_twice(kernels, &CopySpans { out, p, counts, mailbox })
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_device::setup;

    #[test]
    fn lists_of_other_elements_keep_their_nulls() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let texts = Column::from_strs_on(&[Some("a"), Some("b"), Some("c")], &stream, mr.as_ref()).unwrap();
        let offsets = Buffer::from_host(bytemuck::cast_slice(&[0, 2, 2, 3]), &stream, mr.as_ref()).unwrap();
        let mask = Buffer::from_host(&[0b101], &stream, mr.as_ref()).unwrap();
        let lists = ColumnParts::lists(3, offsets, false, texts.clone(), true);
        let lists = vouch::result(lists.validity(Some(mask), NullCount::Known(1))).unwrap();
        let spans = Spans::of_lists(texts.view(), lists, ctx).unwrap();
        let made = spans.into_lists_of(|texts| Ok(texts.clone()), ctx).unwrap();
        assert!(made.has_validity());
        assert!(matches!(made.into_parts().null_count, NullCount::Known(1)));
    }
}
