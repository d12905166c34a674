//! Cursor over bytes.

use crate::error::{Flaw, Partial};

/// A string of a dex file, in modified UTF-8. Class files use the same encoding, so it is never decoded.
pub(crate) type Name<'a> = &'a [u8];

/// Reads little-endian values one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

const SHORT: Flaw = Flaw::new("an offset or a size leads past its end");

impl<'a> Cursor<'a> {
    /// Returns a cursor at an offset. Past the end, the first read fails.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the offset of the next value.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next `count` bytes. Fails if fewer are left, and moves on by none then.
    pub(crate) fn take(&mut self, count: usize) -> Partial<&'a [u8]> {
        let end = self.at.checked_add(count).ok_or(SHORT)?;
        let taken = self.bytes.get(self.at..end).ok_or(SHORT)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Partial<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| SHORT)
    }

    pub(crate) fn u8(&mut self) -> Partial<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Partial<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Partial<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads an offset or a count.
    pub(crate) fn size(&mut self) -> Partial<usize> {
        Ok(self.u32()? as usize)
    }

    /// Reads an unsigned LEB128 number (seven bits a byte, lowest first) of one to five bytes. Bits above the
    /// 32nd are dropped. Fails if it is longer or the bytes end.
    pub(crate) fn uleb(&mut self) -> Partial<u32> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u32::from(byte & 0x7f).wrapping_shl(shift);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Flaw::new("a LEB128 number is longer than five bytes"))
    }

    /// Reads a signed LEB128 number (seven bits a byte, lowest first) of one to five bytes. Fails if it is
    /// longer or the bytes end.
    pub(crate) fn sleb(&mut self) -> Partial<i32> {
        let mut value = 0_i64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let unused = 64 - (shift + 7);
                return Ok(((value << unused) >> unused) as i32);
            }
        }
        Err(Flaw::new("a LEB128 number is longer than five bytes"))
    }
}
