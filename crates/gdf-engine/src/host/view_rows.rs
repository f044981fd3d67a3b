//! The rows of a column of views: texts of at most twelve bytes in the view, and longer texts in other buffers.

pub struct ViewRows<'a> {
    pub(super) views: &'a [[u8; 16]],
    pub(super) buffers: Vec<&'a [u8]>,
}

impl<'a> ViewRows<'a> {
    pub fn get(&self, row: usize) -> &'a [u8] {
        self.views.get(row).and_then(|view| self.bytes(view)).unwrap_or_default()
    }

    fn bytes(&self, view: &'a [u8; 16]) -> Option<&'a [u8]> {
        let word = |at| Some(u32::from_le_bytes(*view.get(at..)?.first_chunk()?) as usize);
        let size = word(0)?;
        match view.get(4..)?.get(..size) {
            Some(inlined) => Some(inlined),
            None => self.buffers.get(word(8)?)?.get(word(12)?..)?.get(..size),
        }
    }
}
