//! A hash table that numbers distinct keys in the order of their first rows. The table uses open addressing with
//! linear probing, and at most half of the slots are occupied.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::texts::TextTable;
use crate::keys::EXCLUDED;

/// A key and the number of its group. Equal keys have equal words and equal flags. If different keys may have equal
/// words, the rows of the keys are compared.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    word: u64,
    /// The number of the group, starting at 1. 0 marks an empty slot.
    id: u32,
    flag: u32,
}

const SMALLEST: usize = 64;

/// A hash table that maps keys to the numbers of their groups. The numbers start at 1.
#[derive(Debug)]
pub struct GroupTable<'r> {
    slots: HostVec<'r, Slot>,
    shift: u32,
    first_rows: HostVec<'r, u64>,
    stream: Stream,
    mr: ResourceRef<'r>,
}

impl<'r> GroupTable<'r> {
    pub fn new(stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        Ok(Self {
            slots: HostVec::zeroed(SMALLEST, stream, mr)?,
            shift: 64 - SMALLEST.trailing_zeros(),
            first_rows: HostVec::new(stream, mr),
            stream: stream.clone(),
            mr,
        })
    }

    pub fn len(&self) -> usize {
        self.first_rows.len()
    }

    #[cfg(test)]
    fn first_rows(&self) -> &[u64] {
        &self.first_rows
    }

    pub(super) fn into_first_rows(self) -> HostVec<'r, u64> {
        self.first_rows
    }

    /// Returns the number of a key's group.
    pub fn find_or_insert(&mut self, word: u64, flag: u32, row: usize, same: impl Fn(usize) -> bool) -> Result<u32> {
        let mask = self.slots.len() - 1;
        let mut at = position(word, self.shift);
        loop {
            let slot = self.slots[at];
            if slot.id == 0 {
                break;
            }
            if slot.word == word && slot.flag == flag && same(self.first_rows[slot.id as usize - 1] as usize) {
                return Ok(slot.id);
            }
            at = (at + 1) & mask;
        }
        let id = u32::try_from(self.first_rows.len() + 1).map_err(|_| {
            Error::invalid_argument("there are more than 4294967295 groups; group fewer rows at a time")
        })?;
        self.first_rows.try_push(row as u64)?;
        self.slots[at] = Slot { word, id, flag };
        if self.first_rows.len() * 2 > self.slots.len() {
            self.grow()?;
        }
        Ok(id)
    }

    /// Writes the numbers of the groups of the rows from `first` on. The number of a row that is excluded from grouping
    /// is 0.
    pub(super) fn number(
        &mut self,
        words: &[u64],
        flags: &[u32],
        first: usize,
        ids: &mut [u32],
        same: impl Fn(usize, usize) -> bool,
    ) -> Result<()> {
        for (((row, word), flag), id) in (first..).zip(words).zip(flags).zip(ids) {
            *id = match *flag {
                EXCLUDED => 0,
                flag => self.find_or_insert(*word, flag, row, |other| same(row, other))?,
            };
        }
        Ok(())
    }

    fn grow(&mut self) -> Result<()> {
        let len = self.slots.len() * 4;
        let mut slots = HostVec::<Slot>::zeroed(len, &self.stream, self.mr)?;
        let shift = 64 - len.trailing_zeros();
        for slot in self.slots.iter().filter(|slot| slot.id != 0) {
            let mut at = position(slot.word, shift);
            while slots[at].id != 0 {
                at = (at + 1) & (len - 1);
            }
            slots[at] = *slot;
        }
        self.slots = slots;
        self.shift = shift;
        Ok(())
    }
}

/// A table that maps keys to the numbers of their groups. The keys are small integers, by which an array is indexed.
#[derive(Debug)]
pub(super) struct DirectTable<'r> {
    ids: HostVec<'r, u32>,
    first_rows: HostVec<'r, u64>,
}

impl<'r> DirectTable<'r> {
    pub(super) fn new(bits: u32, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        Ok(Self { ids: HostVec::zeroed(1 << bits, stream, mr)?, first_rows: HostVec::new(stream, mr) })
    }

    /// Writes the numbers of the groups of the rows from `first` on.
    pub(super) fn number(&mut self, words: &[u64], first: usize, ids: &mut [u32]) -> Result<()> {
        let Self { ids: slots, first_rows } = self;
        let slots = &mut slots[..];
        for ((row, word), id) in (first..).zip(words).zip(ids) {
            *id = number_of(slots, first_rows, *word, row)?;
        }
        Ok(())
    }

    /// Writes the numbers of the groups of the rows from `first` on in the same way as [`number`](Self::number).
    pub(super) fn number_some(&mut self, words: &[u64], flags: &[u32], first: usize, ids: &mut [u32]) -> Result<()> {
        let Self { ids: slots, first_rows } = self;
        let slots = &mut slots[..];
        for (((row, word), flag), id) in (first..).zip(words).zip(flags).zip(ids) {
            *id = if *flag == EXCLUDED { 0 } else { number_of(slots, first_rows, *word, row)? };
        }
        Ok(())
    }
}

/// Returns the number in the slot of a key, which is the next number if the key is new.
#[inline]
fn number_of(slots: &mut [u32], first_rows: &mut HostVec<'_, u64>, word: u64, row: usize) -> Result<u32> {
    let slot = &mut slots[word as usize];
    if *slot == 0 {
        *slot = next_number(first_rows, row)?;
    }
    Ok(*slot)
}

#[cold]
#[inline(never)]
fn next_number(first_rows: &mut HostVec<'_, u64>, row: usize) -> Result<u32> {
    first_rows.try_push(row as u64)?;
    Ok(first_rows.len() as u32)
}

/// The table that numbers the groups.
#[derive(Debug)]
pub(super) enum Table<'r> {
    Direct(DirectTable<'r>),
    Texts(TextTable<'r>),
    Hashed(GroupTable<'r>),
}

impl<'r> Table<'r> {
    pub(super) fn len(&self) -> usize {
        match self {
            Table::Direct(table) => table.first_rows.len(),
            Table::Texts(table) => table.len(),
            Table::Hashed(table) => table.len(),
        }
    }

    pub(super) fn into_first_rows(self) -> HostVec<'r, u64> {
        match self {
            Table::Direct(table) => table.first_rows,
            Table::Texts(table) => table.into_first_rows(),
            Table::Hashed(table) => table.first_rows,
        }
    }
}

fn position(word: u64, shift: u32) -> usize {
    ((word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use gdf_memory::{HostResource, Resource};

    use super::*;

    #[test]
    fn numbers_follow_first_insertion() {
        let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
        let mut table = GroupTable::new(&stream, resource.as_ref()).unwrap();
        for round in 0..2 {
            for key in 0..5000_u64 {
                let word = key.wrapping_mul(1 << 33);
                let id = table.find_or_insert(word, 0, key as usize, |_| true).unwrap();
                assert_eq!(id as u64, key + 1, "round {round}");
            }
        }
        assert_eq!(table.find_or_insert(0, 1, 9, |_| true).unwrap(), 5001);
        assert_eq!(table.find_or_insert(0, 0, 10, |row| row == 10).unwrap(), 5002);
        assert_eq!(table.len(), 5002);
        assert_eq!(table.first_rows()[5000..], [9, 10]);
    }
}
