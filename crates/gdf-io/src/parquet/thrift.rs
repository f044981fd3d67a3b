//! Checks structs in Thrift's compact protocol, before arrow-rs parses the same bytes.
//!
//! The parser of arrow-rs trusts the bytes in four ways:
//!
//! - The parser accepts an unknown list of 2³¹ booleans that takes no bytes.
//! - The parser skips any number of values beyond the end of its input.
//! - The parser allocates memory for the number of row groups that a list claims, without a check of that number.
//! - The parser identifies fields by their numbers and does not check their types.
//!
//! Bytes that pass the check have the types that arrow-rs reads, and at least one byte per list element.

/// The maximum number of levels of nested values.
const DEPTH: usize = 32;

/// The type that a field must have.
pub(super) enum Kind {
    Bool,
    Byte,
    Int,
    Double,
    Binary,
    Struct(Shape),
    List(&'static Kind),
}

/// The fields of a struct that arrow-rs reads, each with its number and its type.
pub(super) type Shape = &'static [(i16, Kind)];

/// The reason why bytes are not a struct of the expected shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Flaw {
    Short,
    Wrong(&'static str),
}

type Result<T> = std::result::Result<T, Flaw>;

/// A function that is called for each field with three numbers: the number of the field that contains the struct, the
/// number of the field, and the value of an integer field. The first is 0 for the outermost struct. The last is 0 or 1
/// for a boolean field, and 0 for fields of other types.
pub(super) type Each<'f> = &'f mut dyn FnMut(i16, i16, i64);

/// Checks the struct at the start of `bytes`, and returns its number of bytes.
pub(super) fn check(bytes: &[u8], shape: Shape, each: Each<'_>) -> Result<usize> {
    let mut compact = Compact { bytes };
    compact.structure(shape, 0, DEPTH, each)?;
    Ok(bytes.len() - compact.bytes.len())
}

/// The type codes of the compact protocol.
mod wire {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

struct Compact<'a> {
    bytes: &'a [u8],
}

impl Compact<'_> {
    fn structure(&mut self, shape: Shape, within: i16, depth: usize, each: Each<'_>) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(Flaw::Wrong("values are nested more than 32 levels deep"))?;
        let mut id = 0;
        while let Some(wire) = self.field(&mut id)? {
            let number = match shape.iter().find(|(known, _)| *known == id) {
                Some((_, kind)) => self.value(kind, wire, id, depth, each)?,
                None => self.skip(wire, depth).map(|()| 0)?,
            };
            each(within, id, number);
        }
        Ok(())
    }

    /// Checks a value that arrow-rs reads.
    fn value(&mut self, kind: &Kind, wire: u8, id: i16, depth: usize, each: Each<'_>) -> Result<i64> {
        match (kind, wire) {
            (Kind::Int, wire::I16..=wire::I64) => {
                return self.integer();
            }
            (Kind::Bool, wire::TRUE | wire::FALSE) => return Ok(i64::from(wire == wire::TRUE)),
            (Kind::Byte, wire::BYTE) | (Kind::Double, wire::DOUBLE) | (Kind::Binary, wire::BINARY) => {
                self.skip(wire, depth)?;
            }
            (Kind::Struct(shape), wire::STRUCT) => self.structure(shape, id, depth, each)?,
            (Kind::List(Kind::Bool), wire::LIST) => {
                let (wire, count) = self.list()?;
                if count > 0 && !is_bool(wire) {
                    return Err(Flaw::Wrong("the elements of a list have a wrong type"));
                }
                self.advance(count)?;
            }
            (Kind::List(element), wire::LIST) => {
                let (wire, count) = self.list()?;
                for _ in 0..count {
                    self.value(element, wire, id, depth, each)?;
                }
            }
            _ => return Err(Flaw::Wrong("a field has a wrong type")),
        }
        Ok(0)
    }

    fn skip(&mut self, wire: u8, depth: usize) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(Flaw::Wrong("values are nested more than 32 levels deep"))?;
        match wire {
            wire::TRUE | wire::FALSE => Ok(()),
            wire::BYTE => self.advance(1),
            wire::I16..=wire::I64 => self.varint().map(drop),
            wire::DOUBLE => self.advance(8),
            wire::UUID => self.advance(16),
            wire::BINARY => {
                let size = self.varint()?;
                self.advance(size)
            }
            wire::LIST | wire::SET => {
                let (wire, count) = self.list()?;
                self.elements(&[wire], count, depth)
            }
            wire::MAP => {
                let count = self.varint()?;
                let wire = if count > 0 { self.byte()? } else { 0 };
                self.elements(&[wire >> 4, wire & 0xf], count, depth)
            }
            wire::STRUCT => {
                let mut id = 0;
                while let Some(wire) = self.field(&mut id)? {
                    self.skip(wire, depth)?;
                }
                Ok(())
            }
            _ => Err(Flaw::Wrong("a value has an unknown type")),
        }
    }

    fn elements(&mut self, wires: &[u8], count: u64, depth: usize) -> Result<()> {
        // The parser of arrow-rs assumes that booleans in a collection take no bytes.
        if count > 0 && wires.iter().any(|wire| is_bool(*wire)) {
            return Err(Flaw::Wrong("an unknown field is a collection of booleans"));
        }
        for _ in 0..count {
            for wire in wires {
                self.skip(*wire, depth)?;
            }
        }
        Ok(())
    }

    fn list(&mut self) -> Result<(u8, u64)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        // Each element takes at least one byte.
        if count > self.bytes.len() as u64 { Err(Flaw::Short) } else { Ok((head & 0xf, count)) }
    }

    /// Reads the header of the next field.
    fn field(&mut self, id: &mut i16) -> Result<Option<u8>> {
        let byte = self.byte()?;
        if byte & 0xf == 0 {
            return Ok(None);
        }
        let next = match byte >> 4 {
            0 => i16::try_from(self.integer()?).ok(),
            step => id.checked_add(i16::from(step)),
        };
        *id = next.ok_or(Flaw::Wrong("the number of a field exceeds 16 bits"))?;
        Ok(Some(byte & 0xf))
    }

    fn varint(&mut self) -> Result<u64> {
        varint(&mut self.bytes)
    }

    fn integer(&mut self) -> Result<i64> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn byte(&mut self) -> Result<u8> {
        byte(&mut self.bytes)
    }

    fn advance(&mut self, count: u64) -> Result<()> {
        let rest = usize::try_from(count).ok().and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or(Flaw::Short)?;
        Ok(())
    }
}

/// Reads an unsigned LEB128 number of up to 64 bits: 7 bits per byte, least significant bits first.
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(bytes)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Flaw::Wrong("an integer has more than 64 bits"))
}

fn byte(bytes: &mut &[u8]) -> Result<u8> {
    let (byte, rest) = bytes.split_first().ok_or(Flaw::Short)?;
    *bytes = rest;
    Ok(*byte)
}

fn is_bool(wire: u8) -> bool {
    matches!(wire, wire::TRUE | wire::FALSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = &[
        (1, Kind::Int),
        (2, Kind::List(&Kind::Struct(&[(1, Kind::Binary)]))),
        (4, Kind::Bool),
        (5, Kind::List(&Kind::Bool)),
    ];

    type Found = (usize, Vec<(i16, i16, i64)>);

    fn fields(bytes: &[u8]) -> Result<Found> {
        let mut fields = Vec::new();
        let size = check(bytes, SHAPE, &mut |within, id, number| fields.push((within, id, number)))?;
        Ok((size, fields))
    }

    #[test]
    fn fields_of_structs_are_found() {
        // 1: i32 -1, 2: [{1: "x"}], 4: true, 5: [false, true], 8: {}
        let bytes = [0x15, 1, 0x19, 0x1c, 0x18, 1, b'x', 0, 0x21, 0x19, 0x22, 2, 1, 0x3c, 0, 0, 7, 7];
        let found = vec![(0, 1, -1), (2, 1, 0), (0, 2, 0), (0, 4, 1), (0, 5, 0), (0, 8, 0)];
        assert_eq!(fields(&bytes), Ok((bytes.len() - 2, found)));
        for end in 0..bytes.len() - 2 {
            assert_eq!(fields(&bytes[..end]), Err(Flaw::Short), "{end}");
        }
    }

    #[test]
    fn what_arrow_rs_would_not_leave_is_refused() {
        let many = [0xff, 0xff, 0xff, 0xff, 7];
        let flaw = |bytes: &[&[u8]]| fields(&bytes.concat()).unwrap_err();
        let is_wrong = |bytes: &[&[u8]]| matches!(flaw(bytes), Flaw::Wrong(_));
        // Field 8 first claims a list of 2³¹ − 1 booleans.
        assert_eq!(flaw(&[&[0x89, 0xf1], &many, &[0]]), Flaw::Short);
        assert!(is_wrong(&[&[0x89, 0x21, 1, 1, 0]]));
        assert!(is_wrong(&[&[0x8a, 0x22, 1, 1, 0]]));
        assert!(is_wrong(&[&[0x8b], &many, &[0x11, 0]]));
        assert!(is_wrong(&[&[0x89, 0x19, 0x12, 1, 0]]));
        // Field 8 claims more doubles, or more empty lists, than the bytes contain.
        assert_eq!(flaw(&[&[0x89, 0xf7], &many, &[0]]), Flaw::Short);
        assert_eq!(flaw(&[&[0x89, 0xf9], &many, &[0]]), Flaw::Short);
        // Field 1 is a list, but arrow-rs reads field 1 as a number.
        assert!(is_wrong(&[&[0x19, 0x13, 1, 0]]));
        assert!(is_wrong(&[&[0x29, 0x15, 1, 0]]));
        // The number of the field is 65537.
        assert!(is_wrong(&[&[0x05, 0x82, 0x80, 0x08, 0, 0]]));
        assert!(is_wrong(&[&[0x8c; 1000]]));
    }
}
