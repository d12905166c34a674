//! Debug information: source lines of instructions. The opcodes are those of the dex format's
//! `debug_info_item`.

use super::bytes::Cursor;
use super::tables::Dex;
use crate::error::{Flaw, Partial};

const END_SEQUENCE: u8 = 0;
const ADVANCE_PC: u8 = 1;
const ADVANCE_LINE: u8 = 2;
const START_LOCAL: u8 = 3;
const START_LOCAL_EXTENDED: u8 = 4;
const END_LOCAL: u8 = 5;
const RESTART_LOCAL: u8 = 6;
const PROLOGUE_END: u8 = 7;
const EPILOGUE_BEGIN: u8 = 8;
const SET_FILE: u8 = 9;
const FIRST_SPECIAL: u8 = 10;
const LINE_BASE: i32 = -4;
const LINE_RANGE: u8 = 15;

/// Reads the places where source lines begin, as code units and lines, in ascending order of the units. Empty at
/// offset zero. A line that does not fit 16 bits is 0. Local variables are skipped.
///
/// # Errors
/// Fails if they are malformed, name a unit behind the end (`units`), or use up the file's budget ([`Dex::spend`]).
pub(crate) fn lines(dex: &Dex<'_>, at: usize, units: u32) -> Partial<Vec<(u32, u16)>> {
    if at == 0 {
        return Ok(Vec::new());
    }
    let mut cursor = Cursor::new(dex.bytes, at);
    let mut line = cursor.uleb()? as i32;
    for _ in 0..cursor.uleb()? {
        dex.spend(1)?;
        cursor.uleb()?;
    }
    let (mut pc, mut lines) = (0_u32, Vec::new());
    loop {
        dex.spend(1)?;
        match cursor.u8()? {
            END_SEQUENCE => return Ok(lines),
            ADVANCE_PC => pc = pc.saturating_add(cursor.uleb()?),
            ADVANCE_LINE => line = line.wrapping_add(cursor.sleb()?),
            code @ (START_LOCAL | START_LOCAL_EXTENDED) => {
                for _ in 0..if code == START_LOCAL { 3 } else { 4 } {
                    cursor.uleb()?;
                }
            }
            END_LOCAL | RESTART_LOCAL | SET_FILE => {
                cursor.uleb()?;
            }
            PROLOGUE_END | EPILOGUE_BEGIN => {}
            special => {
                let code = special - FIRST_SPECIAL;
                line = line.wrapping_add(LINE_BASE + i32::from(code % LINE_RANGE));
                pc = pc.saturating_add(u32::from(code / LINE_RANGE));
                if pc >= units || lines.len() > units as usize {
                    return Err(Flaw::new("lines are told of code that is not there"));
                }
                lines.push((pc, u16::try_from(line).unwrap_or(0)));
            }
        }
    }
}
