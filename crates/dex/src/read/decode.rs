//! Code units become instructions.

use super::code::CodeItem;
use super::instruction::{
    Args, ArrayKind, Binary, Compare, Condition, Insn, Instruction as I, InvokeKind, Unary,
};
use crate::error::{Flaw, Partial};

/// A method's instructions in order, without data between them.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) insns: Vec<Insn>,
    pub(crate) switches: Vec<Switch>,
    /// How many code units there are.
    pub(crate) units: u32,
    /// For each code unit the instruction that begins there.
    starts: Vec<u32>,
}

/// The cases of a switch with their code units, in the order of the file.
#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) cases: Vec<(i32, u32)>,
}

const NO_INSN: u32 = u32::MAX;
const SHORT: Flaw = Flaw::new("an instruction leads past its end");

impl Code {
    /// The number of the instruction that begins at a code unit.
    pub(crate) fn at(&self, pc: u32) -> Partial<usize> {
        match self.starts.get(pc as usize) {
            Some(start) if *start != NO_INSN => Ok(*start as usize),
            _ => Err(Flaw::new("a jump leads into the middle of an instruction")),
        }
    }
}

/// Reads all instructions of a method.
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

    /// A register that is there.
    fn reg(&self, number: u16) -> Partial<u16> {
        if number < self.registers {
            Ok(number)
        } else {
            Err(Flaw::new("it uses a register that it does not have"))
        }
    }

    /// A register with the one after it.
    fn pair(&self, number: u16) -> Partial<u16> {
        self.reg(number.saturating_add(1))?;
        Ok(number)
    }

    /// A target relative to the current instruction.
    fn target(&self, distance: i32) -> Partial<u32> {
        let target = self.at as i64 + i64::from(distance);
        u32::try_from(target)
            .ok()
            .filter(|target| *target < self.code.units)
            .ok_or(Flaw::new("a jump leads out of it"))
    }

    /// Reads one instruction, or skips the data that stand in its place.
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

    fn instruction(&mut self, first: u16) -> Partial<(usize, I)> {
        let (opcode, high) = (first as u8, first >> 8);
        let (a, b) = (high & 0xf, high >> 4);
        let at = self.at;
        Ok(match opcode {
            0x00 | 0x73 => (1, I::Nop),
            0x01 | 0x07 => (
                1,
                I::Move {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                },
            ),
            0x02 | 0x08 => (
                2,
                I::Move {
                    dst: self.reg(high)?,
                    src: self.reg(self.unit(at + 1)?)?,
                },
            ),
            0x03 | 0x09 => (
                3,
                I::Move {
                    dst: self.reg(self.unit(at + 1)?)?,
                    src: self.reg(self.unit(at + 2)?)?,
                },
            ),
            0x04 => (
                1,
                I::MoveWide {
                    dst: self.pair(a)?,
                    src: self.pair(b)?,
                },
            ),
            0x05 => (
                2,
                I::MoveWide {
                    dst: self.pair(high)?,
                    src: self.pair(self.unit(at + 1)?)?,
                },
            ),
            0x06 => (
                3,
                I::MoveWide {
                    dst: self.pair(self.unit(at + 1)?)?,
                    src: self.pair(self.unit(at + 2)?)?,
                },
            ),
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
            0x1d | 0x1e => (
                1,
                I::Monitor {
                    enter: opcode == 0x1d,
                    src: self.reg(high)?,
                },
            ),
            0x1f => (
                2,
                I::CheckCast {
                    reg: self.reg(high)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x20 => (
                2,
                I::InstanceOf {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x21 => (
                1,
                I::ArrayLength {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                },
            ),
            0x22 => (
                2,
                I::NewInstance {
                    dst: self.reg(high)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x23 => (
                2,
                I::NewArray {
                    dst: self.reg(a)?,
                    length: self.reg(b)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x24 | 0x25 => {
                let (args, class) = (self.args(opcode == 0x25, high)?, self.unit(at + 1)?.into());
                let (size, dst) = self.result(3)?;
                (size, I::FilledNewArray { dst, class, args })
            }
            0x26 => (
                3,
                I::FillArrayData {
                    array: self.reg(high)?,
                    data: self.target(self.int(at + 1)?)?,
                },
            ),
            0x27 => (
                1,
                I::Throw {
                    src: self.reg(high)?,
                },
            ),
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
                return Err(Flaw::of(format!(
                    "the instruction {opcode:#04x} is unknown"
                )));
            }
        })
    }

    fn constant(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let (at, dst) = (self.at, high);
        let short = || Ok(self.unit(at + 1)? as i16);
        Ok(match opcode {
            0x13 => (
                2,
                I::Const {
                    dst: self.reg(dst)?,
                    value: short()?.into(),
                },
            ),
            0x14 => (
                3,
                I::Const {
                    dst: self.reg(dst)?,
                    value: self.int(at + 1)?,
                },
            ),
            0x15 => (
                2,
                I::Const {
                    dst: self.reg(dst)?,
                    value: i32::from(short()?) << 16,
                },
            ),
            0x16 => (
                2,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: short()?.into(),
                },
            ),
            0x17 => (
                3,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: self.int(at + 1)?.into(),
                },
            ),
            0x18 => {
                let low = i64::from(self.int(at + 1)? as u32);
                let value = low | i64::from(self.int(at + 3)?) << 32;
                (
                    5,
                    I::ConstWide {
                        dst: self.pair(dst)?,
                        value,
                    },
                )
            }
            0x19 => (
                2,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: i64::from(short()?) << 48,
                },
            ),
            0x1a => (
                2,
                I::ConstString {
                    dst: self.reg(dst)?,
                    string: self.unit(at + 1)?.into(),
                },
            ),
            0x1b => (
                3,
                I::ConstString {
                    dst: self.reg(dst)?,
                    string: self.int(at + 1)? as u32,
                },
            ),
            _ => (
                2,
                I::ConstClass {
                    dst: self.reg(dst)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
        })
    }

    fn compare(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let second = self.unit(self.at + 1)?;
        let (a, b) = (second & 0xff, second >> 8);
        let kind = match opcode {
            0x2d => Compare::LessFloat,
            0x2e => Compare::GreaterFloat,
            0x2f => Compare::LessDouble,
            0x30 => Compare::GreaterDouble,
            _ => Compare::Long,
        };
        let (a, b) = if matches!(kind, Compare::LessFloat | Compare::GreaterFloat) {
            (self.reg(a)?, self.reg(b)?)
        } else {
            (self.pair(a)?, self.pair(b)?)
        };
        Ok((
            2,
            I::Compare {
                kind,
                dst: self.reg(high)?,
                a,
                b,
            },
        ))
    }

    fn condition(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        const CONDITIONS: [Condition; 6] = [
            Condition::Eq,
            Condition::Ne,
            Condition::Lt,
            Condition::Ge,
            Condition::Gt,
            Condition::Le,
        ];
        let target = self.target(i32::from(self.unit(self.at + 1)? as i16))?;
        let condition = CONDITIONS[usize::from(opcode - 0x32) % 6];
        let (a, b) = if opcode < 0x38 {
            (self.reg(high & 0xf)?, Some(self.reg(high >> 4)?))
        } else {
            (self.reg(high)?, None)
        };
        Ok((
            2,
            I::If {
                condition,
                a,
                b,
                target,
            },
        ))
    }

    /// Reads of and writes to arrays and fields.
    fn memory(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        const KINDS: [ArrayKind; 7] = [
            ArrayKind::Single,
            ArrayKind::Wide,
            ArrayKind::Object,
            ArrayKind::Boolean,
            ArrayKind::Byte,
            ArrayKind::Char,
            ArrayKind::Short,
        ];
        let second = self.unit(self.at + 1)?;
        let kind = KINDS[usize::from(opcode - 0x44) % 7];
        let value = |number| {
            if kind == ArrayKind::Wide {
                self.pair(number)
            } else {
                self.reg(number)
            }
        };
        let field = u32::from(second);
        let op = match opcode {
            0x44..=0x51 => {
                let (value, array, index) = (
                    value(high)?,
                    self.reg(second & 0xff)?,
                    self.reg(second >> 8)?,
                );
                if opcode < 0x4b {
                    I::ArrayGet {
                        kind,
                        dst: value,
                        array,
                        index,
                    }
                } else {
                    I::ArrayPut {
                        kind,
                        src: value,
                        array,
                        index,
                    }
                }
            }
            0x52..=0x58 => I::InstanceGet {
                dst: value(high & 0xf)?,
                object: self.reg(high >> 4)?,
                field,
            },
            0x59..=0x5f => I::InstancePut {
                src: value(high & 0xf)?,
                object: self.reg(high >> 4)?,
                field,
            },
            0x60..=0x66 => I::StaticGet {
                dst: value(high)?,
                field,
            },
            _ => I::StaticPut {
                src: value(high)?,
                field,
            },
        };
        Ok((2, op))
    }

    fn args(&self, range: bool, high: u16) -> Partial<Args> {
        let third = self.unit(self.at + 2)?;
        if range {
            if high > 0 {
                self.reg(third.saturating_add(high - 1))?;
            }
            return Ok(Args::Range(third, high as u8));
        }
        let count = high >> 4;
        if count > 5 {
            return Err(Flaw::new("a call has more arguments than fit into it"));
        }
        let list = [
            third & 0xf,
            third >> 4 & 0xf,
            third >> 8 & 0xf,
            third >> 12,
            high & 0xf,
        ];
        for register in &list[..usize::from(count)] {
            self.reg(*register)?;
        }
        Ok(Args::List(list, count as u8))
    }

    /// The register that takes the result of an instruction of some size, and the size of both.
    fn result(&self, size: usize) -> Partial<(usize, Option<u16>)> {
        let Ok(next) = self.unit(self.at + size) else {
            return Ok((size, None));
        };
        Ok(match next as u8 {
            0x0a | 0x0c => (size + 1, Some(self.reg(next >> 8)?)),
            0x0b => (size + 1, Some(self.pair(next >> 8)?)),
            _ => (size, None),
        })
    }

    fn invoke(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let range = matches!(opcode, 0x74..=0x78 | 0xfb | 0xfd);
        let (args, member) = (self.args(range, high)?, u32::from(self.unit(self.at + 1)?));
        let kind = match opcode {
            0x6e | 0x74 => InvokeKind::Virtual,
            0x6f | 0x75 => InvokeKind::Super,
            0x70 | 0x76 => InvokeKind::Direct,
            0x71 | 0x77 => InvokeKind::Static,
            0x72 | 0x78 => InvokeKind::Interface,
            0xfa | 0xfb => {
                let proto = self.unit(self.at + 3)?.into();
                let (size, dst) = self.result(4)?;
                return Ok((
                    size,
                    I::InvokePolymorphic {
                        method: member,
                        proto,
                        args,
                        dst,
                    },
                ));
            }
            _ => {
                let (size, dst) = self.result(3)?;
                return Ok((
                    size,
                    I::InvokeCustom {
                        call_site: member,
                        args,
                        dst,
                    },
                ));
            }
        };
        let (size, dst) = self.result(3)?;
        Ok((
            size,
            I::Invoke {
                kind,
                method: member,
                args,
                dst,
            },
        ))
    }

    fn unary(&self, opcode: u8, a: u16, b: u16) -> Partial<(usize, I)> {
        let op = UNARY[usize::from(opcode - 0x7b)];
        let (from, to) = op.kinds();
        let wide = |kind| matches!(kind, b'J' | b'D');
        let dst = if wide(to) {
            self.pair(a)?
        } else {
            self.reg(a)?
        };
        let src = if wide(from) {
            self.pair(b)?
        } else {
            self.reg(b)?
        };
        Ok((1, I::Unary { op, dst, src }))
    }

    fn binary(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        if opcode >= 0xd0 {
            return self.binary_number(opcode, high);
        }
        let two = opcode >= 0xb0;
        let (op, of) = match (opcode - 0x90) % 0x20 {
            index @ 0..11 => (BINARY[usize::from(index)], b'I'),
            index @ 11..22 => (BINARY[usize::from(index - 11)], b'J'),
            index @ 22..27 => (BINARY[usize::from(index - 22)], b'F'),
            index => (BINARY[usize::from(index - 27)], b'D'),
        };
        let (dst, a, b) = if two {
            (high & 0xf, high & 0xf, high >> 4)
        } else {
            let second = self.unit(self.at + 1)?;
            (high, second & 0xff, second >> 8)
        };
        let shift = matches!(op, Binary::Shl | Binary::Shr | Binary::Ushr);
        let wide = matches!(of, b'J' | b'D');
        let value = |number| {
            if wide {
                self.pair(number)
            } else {
                self.reg(number)
            }
        };
        let (dst, a) = (value(dst)?, value(a)?);
        let b = if shift { self.reg(b)? } else { value(b)? };
        Ok((if two { 1 } else { 2 }, I::Binary { op, of, dst, a, b }))
    }

    fn binary_number(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let second = self.unit(self.at + 1)?;
        let small = opcode >= 0xd8;
        let index = usize::from(if small { opcode - 0xd8 } else { opcode - 0xd0 });
        let (dst, a, number) = if small {
            (high, second & 0xff, i16::from((second >> 8) as i8))
        } else {
            (high & 0xf, high >> 4, second as i16)
        };
        let reverse = index == 1;
        let op = BINARY[index];
        Ok((
            2,
            I::BinaryNumber {
                op,
                dst: self.reg(dst)?,
                a: self.reg(a)?,
                number,
                reverse,
            },
        ))
    }

    /// Reads the cases of the switch at the current instruction.
    fn switch(&mut self, packed: bool) -> Partial<u32> {
        let table = self.target(self.int(self.at + 1)?)? as usize;
        let kind = if packed { 0x0100 } else { 0x0200 };
        if self.unit(table)? != kind {
            return Err(Flaw::new("a switch has no cases"));
        }
        let count = usize::from(self.unit(table + 1)?);
        let mut cases = Vec::new();
        for index in 0..count {
            let (key, target) = if packed {
                let key = self.int(table + 2)?.wrapping_add(index as i32);
                (key, self.int(table + 4 + index * 2)?)
            } else {
                (
                    self.int(table + 2 + index * 2)?,
                    self.int(table + 2 + (count + index) * 2)?,
                )
            };
            cases.push((key, self.target(target)?));
        }
        if !cases.is_sorted_by(|one, two| one.0 < two.0) {
            return Err(Flaw::new("the cases of a switch do not rise"));
        }
        self.code.switches.push(Switch { cases });
        // Switches may share a table: what they hold together is bounded.
        let all: usize = self
            .code
            .switches
            .iter()
            .map(|switch| switch.cases.len())
            .sum();
        if all > self.units.len() * 4 {
            return Err(Flaw::new("its switches share too many cases"));
        }
        Ok(self.code.switches.len() as u32 - 1)
    }
}

/// The values of a `fill-array-data` with the bytes of each.
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

const UNARY: [Unary; 21] = [
    Unary::NegInt,
    Unary::NotInt,
    Unary::NegLong,
    Unary::NotLong,
    Unary::NegFloat,
    Unary::NegDouble,
    Unary::IntToLong,
    Unary::IntToFloat,
    Unary::IntToDouble,
    Unary::LongToInt,
    Unary::LongToFloat,
    Unary::LongToDouble,
    Unary::FloatToInt,
    Unary::FloatToLong,
    Unary::FloatToDouble,
    Unary::DoubleToInt,
    Unary::DoubleToLong,
    Unary::DoubleToFloat,
    Unary::IntToByte,
    Unary::IntToChar,
    Unary::IntToShort,
];

const BINARY: [Binary; 11] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::Ushr,
];

impl Unary {
    /// The kinds of what it takes and of what it gives, as the letters of the JVM.
    pub(crate) fn kinds(self) -> (u8, u8) {
        match self {
            Self::NegInt | Self::NotInt | Self::IntToByte | Self::IntToChar | Self::IntToShort => {
                (b'I', b'I')
            }
            Self::NegLong | Self::NotLong => (b'J', b'J'),
            Self::NegFloat => (b'F', b'F'),
            Self::NegDouble => (b'D', b'D'),
            Self::IntToLong => (b'I', b'J'),
            Self::IntToFloat => (b'I', b'F'),
            Self::IntToDouble => (b'I', b'D'),
            Self::LongToInt => (b'J', b'I'),
            Self::LongToFloat => (b'J', b'F'),
            Self::LongToDouble => (b'J', b'D'),
            Self::FloatToInt => (b'F', b'I'),
            Self::FloatToLong => (b'F', b'J'),
            Self::FloatToDouble => (b'F', b'D'),
            Self::DoubleToInt => (b'D', b'I'),
            Self::DoubleToLong => (b'D', b'J'),
            Self::DoubleToFloat => (b'D', b'F'),
        }
    }
}
