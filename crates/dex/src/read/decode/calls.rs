//! Calls and switches.

use super::{Decoder, Switch};
use crate::error::{Flaw, Partial};
use crate::read::instruction::{Args, Instruction as I, InvokeKind};

impl Decoder<'_> {
    /// Reads the registers of a call: with `range` a first one and their number `high`, else a list of at most five.
    /// Fails for a register that the method does not have.
    pub(super) fn args(&self, range: bool, high: u16) -> Partial<Args> {
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

    /// Returns the size, in code units, of the current instruction (`size`) together with the `move-result` behind
    /// it, and that one's register. Without a `move-result` they are `size` and `None`. Fails for a register that
    /// the method does not have.
    pub(super) fn result(&self, size: usize) -> Partial<(usize, Option<u16>)> {
        let Ok(next) = self.unit(self.at + size) else {
            return Ok((size, None));
        };
        Ok(match next as u8 {
            0x0a | 0x0c => (size + 1, Some(self.reg(next >> 8)?)),
            0x0b => (size + 1, Some(self.pair(next >> 8)?)),
            _ => (size, None),
        })
    }

    /// Decodes a call, together with the `move-result` behind it, into the size of both in code units and the
    /// instruction. The method is not looked up. Fails for a register that the method does not have.
    pub(super) fn invoke(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
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

    /// Reads the cases of the switch at the current instruction, adds them to the code, and returns their index there.
    /// `packed`: the numbers rise by one from a first one.
    ///
    /// # Errors
    /// Fails if there is no such table, the numbers do not rise, a case leads out of the method, or all switches
    /// together have more than four cases a code unit.
    pub(super) fn switch(&mut self, packed: bool) -> Partial<u32> {
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
        // Switches may share a table, so the total of their cases is limited.
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
