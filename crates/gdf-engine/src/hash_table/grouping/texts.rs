//! A hash table that numbers distinct texts in the order of their first rows. A slot holds the first bytes of its text,
//! so that most comparisons read only the slot.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use crate::keys::{KeyTexts, Text, TextPrefix};
use crate::policy::NullPolicy;

/// A slot of 48 bytes for a text.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    prefix: TextPrefix,
    hash: u64,
    /// The low 32 bits of the length.
    len: u32,
    /// The number of the group, starting at 1. 0 marks an empty slot.
    id: u32,
}

const SMALLEST: usize = 64;

#[derive(Debug)]
pub(super) struct TextTable<'r> {
    slots: HostVec<'r, Slot>,
    shift: u32,
    first_rows: HostVec<'r, u64>,
    /// The number of the group of nulls, or 0 if no null has occurred.
    null: u32,
    stream: Stream,
    mr: ResourceRef<'r>,
}

impl<'r> TextTable<'r> {
    pub(super) fn new(stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        Ok(Self {
            slots: HostVec::zeroed(SMALLEST, stream, mr)?,
            shift: 64 - SMALLEST.trailing_zeros(),
            first_rows: HostVec::new(stream, mr),
            null: 0,
            stream: stream.clone(),
            mr,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.first_rows.len()
    }

    pub(super) fn into_first_rows(self) -> HostVec<'r, u64> {
        self.first_rows
    }

    /// Writes the numbers of the groups of the rows from `first` on.
    pub(super) fn number(&mut self, texts: &KeyTexts<'_>, first: usize, ids: &mut [u32]) -> Result<()> {
        texts.for_each(first, ids.len(), |at, text| {
            ids[at] = match text {
                Some(text) => self.find_or_insert(texts, text, first + at)?,
                None if texts.null_policy() == NullPolicy::Exclude => 0,
                None if self.null != 0 => self.null,
                None => {
                    self.null = self.new_group(first + at)?;
                    self.null
                }
            };
            Ok(())
        })
    }

    #[inline(always)]
    fn find_or_insert(&mut self, texts: &KeyTexts<'_>, text: Text<'_>, row: usize) -> Result<u32> {
        let ((prefix, hash), len) = (text.prefix_and_hash(), text.len() as u32);
        let slots = &self.slots[..];
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = &slots[at];
            if slot.prefix == prefix && slot.hash == hash && slot.len == len && slot.id != 0 {
                let group = slot.id as usize - 1;
                if text.is_prefix() || text.same(texts.text(self.first_rows[group] as usize)) {
                    return Ok(slot.id);
                }
            } else if slot.id == 0 {
                return self.insert(at, Slot { prefix, hash, len, id: 0 }, row);
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }

    #[cold]
    fn insert(&mut self, at: usize, slot: Slot, row: usize) -> Result<u32> {
        let id = self.new_group(row)?;
        self.slots[at] = Slot { id, ..slot };
        if self.first_rows.len() * 2 > self.slots.len() {
            let len = self.slots.len() * 4;
            let mut slots = HostVec::<Slot>::zeroed(len, &self.stream, self.mr)?;
            self.shift = 64 - len.trailing_zeros();
            for slot in self.slots.iter().filter(|slot| slot.id != 0) {
                let mut at = (slot.hash >> self.shift) as usize;
                while slots[at].id != 0 {
                    at = (at + 1) & (len - 1);
                }
                slots[at] = *slot;
            }
            self.slots = slots;
        }
        Ok(id)
    }

    fn new_group(&mut self, row: usize) -> Result<u32> {
        let id = u32::try_from(self.first_rows.len() + 1).map_err(|_| {
            Error::invalid_argument("there are more than 4294967295 groups; group fewer rows at a time")
        })?;
        self.first_rows.try_push(row as u64)?;
        Ok(id)
    }
}
