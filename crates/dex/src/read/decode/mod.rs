//! Decoder of code units to instructions.

mod calls;
mod memory;
mod numbers;

use super::code::CodeItem;
use super::instruction::{Insn, Instruction as I};
use crate::error::{Flaw, Partial};

/// A method's instructions in order, without the data between them.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) insns: Vec<Insn>,
    pub(crate) switches: Vec<Switch>,
    /// Number of code units.
    pub(crate) units: u32,
    /// Index of the instruction that begins at each code unit.
    starts: Vec<u32>,
}

/// Cases of a switch, with the code units of their targets, in the order of the file.
#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) cases: Vec<(i32, u32)>,
}

const NO_INSN: u32 = u32::MAX;
const SHORT: Flaw = Flaw::new("an instruction leads past its end");

impl Code {
    /// Returns the index of the instruction that begins at a code unit. Fails if none begins there.
    pub(crate) fn at(&self, pc: u32) -> Partial<usize> {
        match self.starts.get(pc as usize) {
            Some(start) if *start != NO_INSN => Ok(*start as usize),
            _ => Err(Flaw::new("a jump leads into the middle of an instruction")),
        }
    }
}

/// Decodes all instructions of a method, in order. The data of switches and arrays between them is skipped.
///
/// # Errors
/// Fails for an unknown instruction, one that is cut off, a register that the method does not have, and a
/// jump out of it.
pub(crate) fn decode(item: &CodeItem<'_>) -> Partial<Code> {
    let mut decoder = Decoder {
        units: item.units.as_chunks::<2>().0,
        registers: item.registers,
        at: 0,
        code: Code::default(),
    };
    decoder.code.units = decoder.units.len() as u32;
    decoder.code.starts = vec![NO_INSN; decoder.units.len()];
    while decoder.at < decoder.units.len() {
        decoder.one()?;
    }
    Ok(decoder.code)
}

struct Decoder<'a> {
    units: &'a [[u8; 2]],
    registers: u16,
    at: usize,
    code: Code,
}

impl Decoder<'_> {
    /// Returns the code unit at a place. Fails behind the end.
    fn unit(&self, at: usize) -> Partial<u16> {
        self.units
            .get(at)
            .map(|unit| u16::from_le_bytes(*unit))
            .ok_or(SHORT)
    }

    fn int(&self, at: usize) -> Partial<i32> {
        let (low, high) = (u32::from(self.unit(at)?), u32::from(self.unit(at + 1)?));
        Ok((low | high << 16) as i32)
    }

    /// Returns a register; fails if the method does not have it.
    fn reg(&self, number: u16) -> Partial<u16> {
        if number < self.registers {
            Ok(number)
        } else {
            Err(Flaw::new("it uses a register that it does not have"))
        }
    }

    /// Returns the first register of a pair after a check that both it and the next one exist.
    fn pair(&self, number: u16) -> Partial<u16> {
        self.reg(number.saturating_add(1))?;
        Ok(number)
    }

    /// Returns the code unit at a distance from the current instruction. Fails if it is not in the method; it
    /// need not be the begin of an instruction.
    fn target(&self, distance: i32) -> Partial<u32> {
        let target = self.at as i64 + i64::from(distance);
        u32::try_from(target)
            .ok()
            .filter(|target| *target < self.code.units)
            .ok_or(Flaw::new("a jump leads out of it"))
    }

    /// Decodes one instruction, or skips the data in its place, and moves on behind it. Fails if it leads
    /// past the end.
    fn one(&mut self) -> Partial<()> {
        let first = self.unit(self.at)?;
        let size = match first {
            0x0100 => 4 + usize::from(self.unit(self.at + 1)?) * 2,
            0x0200 => 2 + usize::from(self.unit(self.at + 1)?) * 4,
            0x0300 => {
                let (width, count) = (self.unit(self.at + 1)?, self.int(self.at + 2)? as u32);
                let bytes = u64::from(width) * u64::from(count);
                4 + usize::try_from(bytes.div_ceil(2)).map_err(|_| SHORT)?
            }
            _ => {
                let (size, op) = self.instruction(first)?;
                self.code.starts[self.at] = self.code.insns.len() as u32;
                self.code.insns.push(Insn {
                    pc: self.at as u32,
                    op,
                });
                size
            }
        };
        self.at = self
            .at
            .checked_add(size)
            .filter(|at| *at <= self.units.len())
            .ok_or(SHORT)?;
        Ok(())
    }

    /// Decodes the instruction that begins with the unit `first`, into its size in code units and itself. The size
    /// of a call includes the `move-result` behind it, which alone is an error. The cases of a switch are added to
    /// the code. Fails for an unknown opcode, a register that the method does not have, and a jump out of it.
    fn instruction(&mut self, first: u16) -> Partial<(usize, I)> {
        let (opcode, high) = (first as u8, first >> 8);
        let (a, b, at) = (high & 0xf, high >> 4, self.at);
        Ok(match opcode {
            0x00..=0x09 => self.moves(opcode, high)?,
            // What a call gave was taken with the call.
            0x0a..=0x0c => return Err(Flaw::new("it takes the result of no call")),
            0x0d => (
                1,
                I::MoveException {
                    dst: self.reg(high)?,
                },
            ),
            0x0e => (1, I::ReturnVoid),
            0x0f | 0x11 => (
                1,
                I::Return {
                    src: self.reg(high)?,
                },
            ),
            0x10 => (
                1,
                I::Return {
                    src: self.pair(high)?,
                },
            ),
            0x12 => {
                let value = i32::from(high as i8 >> 4);
                (
                    1,
                    I::Const {
                        dst: self.reg(a)?,
                        value,
                    },
                )
            }
            0x13..=0x1c => self.constant(opcode, high)?,
            0x1d..=0x27 => self.object(opcode, high)?,
            0x28 => (
                1,
                I::Goto {
                    target: self.target(i32::from(high as i8))?,
                },
            ),
            0x29 => (
                2,
                I::Goto {
                    target: self.target(i32::from(self.unit(at + 1)? as i16))?,
                },
            ),
            0x2a => (
                3,
                I::Goto {
                    target: self.target(self.int(at + 1)?)?,
                },
            ),
            0x2b | 0x2c => (
                3,
                I::Switch {
                    src: self.reg(high)?,
                    table: self.switch(opcode == 0x2b)?,
                },
            ),
            0x2d..=0x31 => self.compare(opcode, high)?,
            0x32..=0x3d => self.condition(opcode, high)?,
            0x44..=0x6d => self.memory(opcode, high)?,
            0x6e..=0x72 | 0x74..=0x78 | 0xfa..=0xfd => self.invoke(opcode, high)?,
            0x7b..=0x8f => self.unary(opcode, a, b)?,
            0x90..=0xe2 => self.binary(opcode, high)?,
            0xfe => (
                2,
                I::ConstMethodHandle {
                    dst: self.reg(high)?,
                    handle: self.unit(at + 1)?.into(),
                },
            ),
            0xff => (
                2,
                I::ConstMethodType {
                    dst: self.reg(high)?,
                    proto: self.unit(at + 1)?.into(),
                },
            ),
            _ => {
                return Err(Flaw::with_detail(format!(
                    "the instruction {opcode:#04x} is unknown"
                )));
            }
        })
    }
}

/// Returns the width in bytes (1, 2, 4 or 8) of the values of a `fill-array-data` at the code unit `at`, and
/// the bytes of all values. Fails if no such data is there or it is cut off.
pub(crate) fn array_data<'a>(item: &CodeItem<'a>, at: u32) -> Partial<(usize, &'a [u8])> {
    let units = item.units;
    let start = at as usize * 2;
    let header = units
        .get(start..)
        .and_then(|rest| rest.first_chunk::<8>())
        .ok_or(SHORT)?;
    let [0, 3, width, 0, count @ ..] = header else {
        return Err(Flaw::new("an array has no values to be filled with"));
    };
    let (width, count) = (usize::from(*width), u32::from_le_bytes(*count) as usize);
    if !matches!(width, 1 | 2 | 4 | 8) {
        return Err(Flaw::new("the values of an array have an odd size"));
    }
    let size = count.checked_mul(width).ok_or(SHORT)?;
    let values = units
        .get(start + 8..)
        .and_then(|rest| rest.get(..size))
        .ok_or(SHORT)?;
    Ok((width, values))
}
