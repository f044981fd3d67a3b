//! JSON text: `get_json_object`, which selects elements by a path, and `from_json` and `to_json`.

mod document;
mod from_json;
mod path;
mod scanner;
mod texts;
mod to_json;

use gdf_compute::filling::from_scalar;
use gdf_core::{Column, ColumnView, Result, Scalar};
use gdf_engine::cuda::In;
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::{
    GetJsonObject, GetJsonObjectKernel, JSON_MISSING_AS_NULL, JSON_SINGLE_QUOTES, JSON_STRIPS_QUOTES, JsonParameters,
    JsonStep, JsonStepKind,
};
use gdf_memory::Buffer;

pub use self::from_json::{JsonMismatch, from_json};
use self::path::Step;
use self::scanner::{Cursor, Element, Invalid, Scanner};
pub use self::to_json::{JsonWriteOptions, to_json};
use crate::Ctx;

/// The options of `get_json_object`: the accepted syntax of the text, and the form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonObjectOptions {
    /// Whether strings may be enclosed in single quotes. By default, the result is null for a row with such a string.
    pub allow_single_quotes: bool,
    /// Whether the quotes are removed from a result that is a single string. By default, they are removed.
    pub strip_quotes_from_single_strings: bool,
    /// Whether an object that has fields, but not the field of a step, gives the text `null`. By default, such an
    /// object gives no result.
    pub missing_fields_as_nulls: bool,
}

impl Default for JsonObjectOptions {
    fn default() -> Self {
        Self { allow_single_quotes: false, strip_quotes_from_single_strings: true, missing_fields_as_nulls: false }
    }
}

/// Implements `gdf_api::json::get_json_object` on the stream of `ctx`, with memory from the resources of `ctx`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the path.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn get_json_object(
    column: ColumnView<'_>,
    path: Option<&str>,
    options: JsonObjectOptions,
    ctx: Ctx<'_>,
) -> Result<Column> {
    strings::is_large("get_json_object", column)?;
    let Some(steps) = path.map(path::parse).transpose()?.flatten() else {
        let null = Scalar::null_on(column.data_type(), ctx.stream, ctx.mr.temporary)?;
        return from_scalar((&null).into(), column.len(), ctx);
    };
    strings::build(
        Inputs::new([column.into()], ctx)?,
        column.data_type(),
        Nulls::Own { nullable: true },
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.text(|row, sink| {
                let Some(text) = texts.get(row) else { return false };
                let scanner = Scanner { text, single_quotes: options.allow_single_quotes };
                let mut selection =
                    Selection { scanner, options, put: |bytes: &[u8]| sink.put(bytes), any: false, follows: false };
                selection.run(&steps).is_ok() && selection.any
            })
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let (steps, names) = program(&steps);
            let steps = Buffer::from_host(bytemuck::cast_slice(&steps), ctx.stream, ctx.mr.temporary)?;
            let names = Buffer::from_host(&names, ctx.stream, ctx.mr.temporary)?;
            let (steps, names) = (steps.read_on(ctx.stream)?, names.read_on(ctx.stream)?);
            let chosen = [
                (options.allow_single_quotes, JSON_SINGLE_QUOTES),
                (options.strip_quotes_from_single_strings, JSON_STRIPS_QUOTES),
                (options.missing_fields_as_nulls, JSON_MISSING_AS_NULL),
            ];
            let options = chosen.iter().filter(|(is_chosen, _)| *is_chosen).map(|(_, bit)| bit).sum();
            let p = JsonParameters { text, steps: In::of(&steps), names: In::of(&names), options, unused: 0 };
            launch.run(GetJsonObjectKernel::TextWrite, &GetJsonObject { out, p, counts, mailbox })
        },
    )
}

/// Returns the steps of a path and the bytes of its names, in the form that kernels take.
fn program(path: &[Step<'_>]) -> (Vec<JsonStep>, Vec<u8>) {
    let mut names = Vec::new();
    let mut steps: Vec<_> = path
        .iter()
        .map(|step| match step {
            Step::Name(name) => {
                let position = names.len() as u32;
                names.extend_from_slice(name.as_bytes());
                JsonStep { kind: JsonStepKind::Name as u32, position, size: name.len() as u32, unused: 0 }
            }
            Step::Index(position) => {
                JsonStep { kind: JsonStepKind::Index as u32, position: *position, ..JsonStep::default() }
            }
            Step::Each => JsonStep { kind: JsonStepKind::Each as u32, ..JsonStep::default() },
        })
        .collect();
    steps.push(JsonStep { kind: JsonStepKind::End as u32, ..JsonStep::default() });
    names.push(0);
    (steps, names)
}

struct Selection<'a, P> {
    scanner: Scanner<'a>,
    options: JsonObjectOptions,
    put: P,
    /// Whether a result was written.
    any: bool,
    /// Whether the list that is being written already has an element.
    follows: bool,
}

impl<'t, P: FnMut(&[u8])> Selection<'t, P> {
    fn run(&mut self, path: &[Step<'_>]) -> std::result::Result<(), Invalid> {
        let scanner = self.scanner;
        let mut outermost = scanner.begin();
        if !scanner.next(&mut outermost)? {
            return Ok(());
        }
        // `lists` is a stack with an entry for each wildcard step that is being followed: the current element, and the
        // steps of the path after the wildcard.
        let mut lists = Vec::new();
        let mut current = (outermost, path);
        loop {
            let (element, rest) = current;
            if let Some(first) = self.descend(element, rest, !lists.is_empty())? {
                lists.push(first);
                current = first;
                continue;
            }
            loop {
                let Some((element, _)) = lists.last_mut() else { return Ok(()) };
                if scanner.next(element)? {
                    break;
                }
                lists.pop();
                if lists.is_empty() {
                    (self.put)(b"]");
                }
            }
            match lists.last() {
                Some(next) => current = *next,
                None => return Ok(()),
            }
        }
    }

    /// Follows the steps of a path up to the next wildcard.
    fn descend<'p>(
        &mut self,
        mut at: Cursor<'t>,
        mut path: &'p [Step<'p>],
        listed: bool,
    ) -> std::result::Result<Option<(Cursor<'t>, &'p [Step<'p>])>, Invalid> {
        let scanner = self.scanner;
        while let Some((step, rest)) = path.split_first() {
            let fits = match step {
                Step::Name(_) => at.kind == Element::Object,
                Step::Index(_) => at.kind == Element::Array,
                Step::Each => true,
            };
            if !fits {
                return Err(Invalid);
            }
            let has_child = scanner.child(&mut at)?;
            match step {
                Step::Each => {
                    self.any = true;
                    let brackets: &[u8] = if has_child { b"[" } else { b"[]" };
                    if !listed {
                        (self.put)(brackets);
                    }
                    return Ok(has_child.then_some((at, rest)));
                }
                _ if !has_child => return Ok(None),
                Step::Name(name) => {
                    while at.name != name.as_bytes() {
                        if !scanner.next(&mut at)? {
                            if self.options.missing_fields_as_nulls {
                                self.separate(listed);
                                (self.put)(b"null");
                            }
                            return Ok(None);
                        }
                    }
                }
                Step::Index(index) => {
                    for _ in 0..*index {
                        if !scanner.next(&mut at)? {
                            return Err(Invalid);
                        }
                    }
                }
            }
            path = rest;
        }
        let text = scanner.leave(&mut at)?;
        self.separate(listed);
        let is_quoted = text.len() >= 2 && scanner.is_quote(text[0]);
        let is_string = at.kind == Element::Value && is_quoted;
        let strips = is_string && !listed && self.options.strip_quotes_from_single_strings;
        (self.put)(if strips { &text[1..text.len() - 1] } else { text });
        Ok(None)
    }

    fn separate(&mut self, listed: bool) {
        if listed && self.follows {
            (self.put)(b",");
        }
        self.any = true;
        self.follows = true;
    }
}
