//! The code of a method before its instructions are decoded.

use super::bytes::Cursor;
use super::tables::Dex;
use crate::error::{Flaw, Partial};
use crate::limits::MAX_METHOD_UNITS;

#[derive(Debug)]
pub(crate) struct CodeItem<'a> {
    pub(crate) registers: u16,
    /// Number of registers for arguments: the last ones.
    pub(crate) ins: u16,
    pub(crate) debug_info: usize,
    /// The instructions, two bytes for each code unit.
    pub(crate) units: &'a [u8],
    pub(crate) tries: Vec<TryItem>,
}

/// A try block: instructions with the same handlers.
#[derive(Debug)]
pub(crate) struct TryItem {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Handlers in the order in which they are tried.
    pub(crate) handlers: Vec<Handler>,
}

/// Handler of exceptions of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handler {
    /// Type of the exceptions. `None` means all.
    pub(crate) kind: Option<u32>,
    pub(crate) target: u32,
}

impl<'a> CodeItem<'a> {
    /// Reads the code at an offset, without decoding the instructions. Fails if it has more arguments than registers,
    /// is too long, or its try blocks are malformed.
    pub(crate) fn read(dex: &Dex<'a>, at: usize) -> Partial<Self> {
        let mut cursor = Cursor::new(dex.bytes, at);
        let (registers, ins) = (cursor.u16()?, cursor.u16()?);
        cursor.u16()?;
        let tries = cursor.u16()?;
        let debug_info = cursor.size()?;
        let count = cursor.size()?;
        if ins > registers {
            return Err(Flaw::new("it has more arguments than registers"));
        }
        if count > MAX_METHOD_UNITS {
            return Err(Flaw::new("it is too long for a method of the JVM"));
        }
        let units = cursor.take(count * 2)?;
        if tries > 0 && count % 2 == 1 {
            cursor.u16()?;
        }
        Ok(Self {
            registers,
            ins,
            debug_info,
            units,
            tries: read_tries(dex, cursor, tries)?,
        })
    }
}

/// Reads `count` try blocks with their handlers. Fails if they do not ascend or overlap.
fn read_tries(dex: &Dex<'_>, mut cursor: Cursor<'_>, count: u16) -> Partial<Vec<TryItem>> {
    let lists = cursor.at() + usize::from(count) * 8;
    let mut tries: Vec<TryItem> = Vec::new();
    for _ in 0..count {
        let (start, length) = (cursor.u32()?, u32::from(cursor.u16()?));
        let handlers = usize::from(cursor.u16()?);
        let end = start.saturating_add(length);
        if tries.last().is_some_and(|last| last.end > start) {
            return Err(Flaw::new("its try blocks overlap"));
        }
        tries.push(TryItem {
            start,
            end,
            handlers: read_handlers(dex, Cursor::new(dex.bytes, lists + handlers))?,
        });
    }
    Ok(tries)
}

/// Reads the handlers of a try block in their order; one for all exceptions comes last. Fails for more than 1,000,
/// for a type that is no class, and if the file's budget ([`Dex::spend`]) is used up.
fn read_handlers(dex: &Dex<'_>, mut cursor: Cursor<'_>) -> Partial<Vec<Handler>> {
    let size = cursor.sleb()?;
    let count = size.unsigned_abs();
    if count > 1_000 {
        return Err(Flaw::new("a try block has too many handlers"));
    }
    dex.spend(count as usize + 1)?;
    let mut handlers = Vec::new();
    for _ in 0..count {
        let kind = cursor.uleb()?;
        dex.class_name(kind)?;
        handlers.push(Handler {
            kind: Some(kind),
            target: cursor.uleb()?,
        });
    }
    if size <= 0 {
        handlers.push(Handler {
            kind: None,
            target: cursor.uleb()?,
        });
    }
    Ok(handlers)
}
