//! A scanner that moves through the elements of JSON text without building a tree.
//! `kernels/include/gdf/json_scanner.cuh` contains the same scanner for CUDA.

pub(super) use gdf_kernels::generated::common::JsonElement as Element;

#[derive(Debug)]
pub(super) struct Invalid;

/// The result of a move: whether the element to which the cursor should move exists.
pub(super) type Moved = Result<bool, Invalid>;

/// A cursor in JSON text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    /// The position of the first byte that has not been read.
    at: usize,
    /// The position of the first byte of the element.
    start: Option<usize>,
    /// The name of the element.
    pub(super) name: &'a [u8],
    /// The kind of the element.
    pub(super) kind: Element,
    parent: Element,
}

/// A scanner of a text.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    pub(super) text: &'a [u8],
    pub(super) single_quotes: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn begin(self) -> Cursor<'a> {
        Cursor { at: 0, start: None, name: &[], kind: Element::None, parent: Element::None }
    }

    /// Moves the cursor to the first child of its element.
    pub(super) fn child(self, c: &mut Cursor<'a>) -> Moved {
        let parent = c.kind;
        if !matches!(parent, Element::Object | Element::Array) {
            return Ok(false);
        }
        let has_child = self.enter(c, parent != Element::Array)?;
        if has_child {
            c.parent = parent;
        }
        Ok(has_child)
    }

    /// Moves the cursor to the next sibling of its element.
    pub(super) fn next(self, c: &mut Cursor<'a>) -> Moved {
        self.leave(c)?;
        c.start = None;
        self.enter(c, c.parent != Element::Array)
    }

    /// Moves the cursor past the end of its element and past the comma after it. The function returns the text of the
    /// element.
    pub(super) fn leave(self, c: &mut Cursor<'a>) -> Result<&'a [u8], Invalid> {
        let Some(start) = c.start else { return Ok(&[]) };
        let end = match c.kind {
            Element::Value => self.value_end(start)?,
            _ => self.brackets_end(start)?,
        };
        c.at = end;
        if self.skip_space(&mut c.at) == Some(b',') {
            c.at += 1;
        }
        Ok(&self.text[start..end])
    }

    fn value_end(self, start: usize) -> Result<usize, Invalid> {
        if self.is_quote(self.text[start]) {
            return self.string_end(start)?.ok_or(Invalid);
        }
        let end = self.text[start..].iter().position(|byte| matches!(byte, 0..=b' ' | b',' | b'}' | b']'));
        let end = end.map_or(self.text.len(), |end| start + end);
        let is_invalid = |byte: &u8| matches!(byte, b'[' | b'{' | b':') || self.is_quote(*byte);
        if self.text[start..end].iter().any(is_invalid) { Err(Invalid) } else { Ok(end) }
    }

    fn brackets_end(self, start: usize) -> Result<usize, Invalid> {
        let (mut objects, mut arrays, mut at) = (0_isize, 0_isize, start);
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'{' => objects += 1,
                b'}' => objects -= 1,
                b'[' => arrays += 1,
                b']' => arrays -= 1,
                _ => {}
            }
            at = if self.is_quote(byte) { self.string_end(at)?.ok_or(Invalid)? } else { at + 1 };
            if objects == 0 && arrays == 0 {
                break;
            }
        }
        if objects > 0 || arrays > 0 { Err(Invalid) } else { Ok(at) }
    }

    /// Moves the cursor from the position after a bracket or a comma to the element that begins there.
    fn enter(self, c: &mut Cursor<'a>, named: bool) -> Moved {
        let Some(first) = self.skip_space(&mut c.at) else { return Ok(false) };
        if matches!(first, b']' | b'}') {
            return Ok(false);
        }
        if named {
            c.name = &[];
            if self.is_quote(first) {
                let begin = c.at + 1;
                match self.string_end(c.at)? {
                    Some(end) => {
                        c.name = &self.text[begin..end - 1];
                        c.at = end;
                    }
                    None => c.at = self.text.len(),
                }
                if !c.name.is_empty() && self.skip_space(&mut c.at).ok_or(Invalid)? == b':' {
                    c.at += 1;
                }
            }
        }
        let Some(opens) = self.skip_space(&mut c.at) else { return Ok(false) };
        c.kind = match opens {
            b'[' => Element::Array,
            b'{' => Element::Object,
            b',' | b':' | b']' | b'}' => return Err(Invalid),
            b'\'' if !self.single_quotes => return Err(Invalid),
            _ => Element::Value,
        };
        c.start = Some(c.at);
        c.at += 1;
        Ok(true)
    }

    /// Returns the end of a string, whose opening quote is at `start`, or `None` if there is no closing quote.
    fn string_end(self, start: usize) -> Result<Option<usize>, Invalid> {
        let (quote, mut at) = (self.text[start], start + 1);
        while let Some(offset) = memchr::memchr2(quote, b'\\', &self.text[at..]) {
            at += offset;
            if self.text[at] == quote {
                return Ok(Some(at + 1));
            }
            at += match &self.text[at + 1..] {
                [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [b'u', digits @ ..] if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) => 6,
                _ => return Err(Invalid),
            };
        }
        Ok(None)
    }

    pub(super) fn is_quote(self, byte: u8) -> bool {
        byte == b'"' || self.single_quotes && byte == b'\''
    }

    /// Skips white space.
    fn skip_space(self, at: &mut usize) -> Option<u8> {
        *at += self.text[*at..].iter().take_while(|byte| **byte <= b' ').count();
        self.text.get(*at).copied()
    }
}
