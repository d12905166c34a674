//! Assembler for the code of a method: instructions, jumps, and their tables.

use super::frame::{self, Frame, Label};
use super::opcode::op;
use super::pool::ConstantPool;
use crate::class_table::ValueKind;
use crate::limits::{MAX_CODE_BYTES, MAX_EXCEPTIONS};

const UNBOUND: u32 = u32::MAX;

/// A jump whose distance is not known yet.
#[derive(Debug)]
struct Jump {
    /// Offset of its instruction.
    from: u32,
    /// Offset at which the distance is written.
    at: u32,
    to: Label,
    wide: bool,
}

/// The code of a method with its tables.
#[derive(Debug)]
pub(crate) struct AssembledCode {
    pub(crate) code: Vec<u8>,
    pub(crate) max_stack: u16,
    pub(crate) exceptions: Vec<[u16; 4]>,
    pub(crate) lines: Vec<(u16, u16)>,
    /// Body of the attribute `StackMapTable`. `None` if there are no frames.
    pub(crate) frames: Option<Vec<u8>>,
}

/// Writes instructions one after another.
#[derive(Debug)]
pub(crate) struct Assembler<'p> {
    pub(crate) pool: &'p mut ConstantPool,
    code: Vec<u8>,
    labels: Vec<u32>,
    jumps: Vec<Jump>,
    frames: Vec<(u32, Frame)>,
    exceptions: Vec<(u32, u32, Label, u16)>,
    lines: Vec<(u32, u16)>,
    line: Option<u16>,
    stack: i32,
    max_stack: i32,
    /// Jumps may exceed the 32 kilobytes of a short jump.
    pub(crate) far: bool,
    /// The last instruction, if it only stored a local: kind, local, and offset.
    store: Option<(ValueKind, u16, u32)>,
}

impl<'p> Assembler<'p> {
    /// Returns an assembler without code. With `far` all its jumps are long.
    pub(crate) fn new(pool: &'p mut ConstantPool, far: bool) -> Self {
        Self {
            pool,
            code: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            frames: Vec::new(),
            exceptions: Vec::new(),
            lines: Vec::new(),
            line: None,
            stack: 0,
            max_stack: 0,
            far,
            store: None,
        }
    }

    /// Returns the offset of the next instruction.
    pub(crate) fn at(&self) -> u32 {
        self.code.len() as u32
    }

    /// Returns a new label.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to the next instruction. As jumps may arrive there, a store before it can no longer be
    /// taken back.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.at();
        self.store = None;
    }

    /// Sets the frame (the verifier's types of locals and stack) at the next instruction. A second frame of
    /// the same place replaces the first, since it is more general. A store before it can no longer be taken
    /// back.
    pub(crate) fn frame(&mut self, frame: Frame) {
        let at = self.at();
        self.store = None;
        if self.frames.last().is_some_and(|(last, _)| *last == at) {
            self.frames.pop();
        }
        self.frames.push((at, frame));
    }

    /// Sets the source line of the next instruction.
    pub(crate) fn line(&mut self, line: u16) {
        self.line = Some(line);
    }

    /// Sets the number of values on the stack, for a place that no instruction falls into.
    pub(crate) fn set_stack(&mut self, stack: i32) {
        self.stack = stack;
        self.max_stack = self.max_stack.max(stack);
    }

    fn change(&mut self, by: i32) {
        self.set_stack(self.stack + by);
    }

    /// Removes the last instruction if it stored exactly this local, which would only be read again now, so
    /// that the value stays on the stack. Returns true if it did.
    pub(crate) fn take_back(&mut self, kind: ValueKind, local: u16) -> bool {
        match self.store {
            Some((stored, to, at)) if (stored, to) == (kind, local) => {
                self.code.truncate(at as usize);
                self.store = None;
                self.change(i32::from(kind.width()));
                true
            }
            _ => false,
        }
    }

    /// Writes an opcode without its operands. `stack` is its effect on the height of the stack, in words. If a
    /// source line is pending, it begins here, unless the line before it has the same number.
    pub(crate) fn op(&mut self, opcode: u8, stack: i32) {
        if let Some(line) = self.line.take() {
            let at = self.at();
            if self.lines.last().is_none_or(|(_, last)| *last != line) {
                self.lines.push((at, line));
            }
        }
        self.store = None;
        self.code.push(opcode);
        self.change(stack);
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.code.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.code.extend(value.to_be_bytes());
    }

    /// Writes an instruction with a constant of the pool.
    pub(crate) fn op_u16(&mut self, opcode: u8, constant: u16, stack: i32) {
        self.op(opcode, stack);
        self.u16(constant);
    }

    /// Writes the shortest instruction that loads or stores a local: of the family `short` up to local 3, else of
    /// `general`, with the prefix `wide` above 255. `stack` is its effect on the stack.
    fn local(&mut self, general: u8, short: u8, kind: ValueKind, local: u16, stack: i32) {
        let order = order(kind);
        if local < 4 {
            self.op(short + order * 4 + local as u8, stack);
        } else if let Ok(local) = u8::try_from(local) {
            self.op(general + order, stack);
            self.u8(local);
        } else {
            self.op(op::WIDE, 0);
            self.u8(general + order);
            self.u16(local);
            self.change(stack);
        }
    }

    pub(crate) fn load(&mut self, kind: ValueKind, local: u16) {
        self.local(op::ILOAD, op::ILOAD_0, kind, local, i32::from(kind.width()));
    }

    /// Stores the value on the stack in a local. [`Self::take_back`] may undo it as long as nothing follows.
    pub(crate) fn store(&mut self, kind: ValueKind, local: u16) {
        let at = self.at();
        self.local(
            op::ISTORE,
            op::ISTORE_0,
            kind,
            local,
            -i32::from(kind.width()),
        );
        self.store = Some((kind, local, at));
    }

    /// Adds `by` to a local int, in the wide form for a local above 255 or a number beyond 8 bits.
    pub(crate) fn increment(&mut self, local: u16, by: i16) {
        if let (Ok(local), Ok(by)) = (u8::try_from(local), i8::try_from(by)) {
            self.op(op::IINC, 0);
            self.u8(local);
            self.u8(by as u8);
        } else {
            self.op(op::WIDE, 0);
            self.u8(op::IINC);
            self.u16(local);
            self.u16(by as u16);
        }
    }

    /// Pushes a constant of the pool that fills one stack slot.
    fn load_constant(&mut self, constant: u16) {
        if let Ok(constant) = u8::try_from(constant) {
            self.op(op::LDC, 1);
            self.u8(constant);
        } else {
            self.op_u16(op::LDC_W, constant, 1);
        }
    }

    /// Pushes an int with the shortest instruction. One beyond 16 bits becomes a constant of the pool.
    pub(crate) fn push_int(&mut self, value: i32) {
        if (-1..=5).contains(&value) {
            self.op((i32::from(op::ICONST_0) + value) as u8, 1);
        } else if let Ok(value) = i8::try_from(value) {
            self.op(op::BIPUSH, 1);
            self.u8(value as u8);
        } else if let Ok(value) = i16::try_from(value) {
            self.op_u16(op::SIPUSH, value as u16, 1);
        } else {
            let constant = self.pool.integer(value);
            self.load_constant(constant);
        }
    }

    /// Pushes a float by its bits. All but 0, 1 and 2 become constants of the pool, negative zero too.
    pub(crate) fn push_float(&mut self, bits: u32) {
        let small = [0.0_f32, 1.0, 2.0]
            .iter()
            .position(|value| value.to_bits() == bits);
        if let Some(small) = small {
            self.op(op::FCONST_0 + small as u8, 1);
        } else {
            let constant = self.pool.float(bits);
            self.load_constant(constant);
        }
    }

    /// Pushes a long. One beyond 8 bits becomes a constant of the pool.
    pub(crate) fn push_long(&mut self, value: i64) {
        match value {
            0 | 1 => self.op(op::LCONST_0 + value as u8, 2),
            -128..=127 => {
                self.push_int(value as i32);
                self.op(op::I2L, 1);
            }
            _ => {
                let constant = self.pool.long(value);
                self.op_u16(op::LDC2_W, constant, 2);
            }
        }
    }

    /// Pushes a double by its bits. All but 0 and 1 become constants of the pool, negative zero too.
    pub(crate) fn push_double(&mut self, bits: u64) {
        let small = [0.0_f64, 1.0]
            .iter()
            .position(|value| value.to_bits() == bits);
        if let Some(small) = small {
            self.op(op::DCONST_0 + small as u8, 2);
        } else {
            let constant = self.pool.double(bits);
            self.op_u16(op::LDC2_W, constant, 2);
        }
    }

    /// Pushes a constant of the pool: a string, a class, a method handle or a method type.
    pub(crate) fn push_constant(&mut self, constant: u16) {
        self.load_constant(constant);
    }

    /// Writes a jump, with or without a condition; `stack` is its effect on the height of the stack. If the
    /// assembler is set to long jumps, a condition becomes the opposite jump over a long `goto`. The distance
    /// is filled in by [`Self::finish`].
    pub(crate) fn jump(&mut self, opcode: u8, to: Label, stack: i32) {
        let from = self.at();
        if self.far {
            if opcode == op::GOTO {
                self.op(op::GOTO_W, stack);
            } else {
                // Past the long jump on the opposite: three bytes of this and five of that.
                self.op(opposite(opcode), stack);
                self.u16(8);
                self.op(op::GOTO_W, 0);
            }
        } else {
            self.op(opcode, stack);
        }
        let from = if self.far { self.at() - 1 } else { from };
        self.distance(from, to, self.far);
    }

    /// Leaves room for the distance from the offset `from` to a label, four bytes if `wide`, else two. [`Self::finish`]
    /// fills it in.
    fn distance(&mut self, from: u32, to: Label, wide: bool) {
        let at = self.at();
        self.jumps.push(Jump { from, at, to, wide });
        self.code
            .extend([0; 4].iter().take(if wide { 4 } else { 2 }));
    }

    /// Writes a jump by the number on the stack to the label of its case, else to `default`. Cases must be in
    /// ascending order. Becomes a table if at least half of the numbers from the first to the last have a
    /// case, else a lookup.
    pub(crate) fn switch(&mut self, cases: &[(i32, Label)], default: Label) {
        let from = self.at();
        let span = match (cases.first(), cases.last()) {
            (Some((low, _)), Some((high, _))) => i64::from(*high) - i64::from(*low) + 1,
            _ => 0,
        };
        // Each case of a table is four bytes, each of a lookup eight.
        let table = span > 0 && span <= cases.len() as i64 * 2;
        self.op(
            if table {
                op::TABLESWITCH
            } else {
                op::LOOKUPSWITCH
            },
            -1,
        );
        while !self.code.len().is_multiple_of(4) {
            self.code.push(0);
        }
        self.distance(from, default, true);
        if table {
            let (low, high) = (cases[0].0, cases[cases.len() - 1].0);
            self.code.extend(low.to_be_bytes());
            self.code.extend(high.to_be_bytes());
            let mut next = cases.iter().peekable();
            for key in i64::from(low)..=i64::from(high) {
                let case = next.next_if(|(case, _)| i64::from(*case) == key);
                self.distance(from, case.map_or(default, |(_, label)| *label), true);
            }
        } else {
            self.code.extend((cases.len() as u32).to_be_bytes());
            for (key, label) in cases {
                self.code.extend(key.to_be_bytes());
                self.distance(from, *label, true);
            }
        }
    }

    /// Handles exceptions of a class (all, if it is zero) from `start` to before `end`. An empty range is
    /// left out; with too many ranges [`Self::finish`] returns `None`.
    pub(crate) fn handle(&mut self, start: u32, end: u32, handler: Label, class: u16) {
        if start < end && self.exceptions.len() <= MAX_EXCEPTIONS {
            self.exceptions.push((start, end, handler, class));
        }
    }

    fn offset(&self, label: Label) -> u32 {
        self.labels[label.0 as usize]
    }

    /// Returns the finished code with all jumps filled in. `None` if it is empty or too long, has too many
    /// exception ranges or too high a stack, or a jump is too long and `far` was not set. Frames behind the end of
    /// the code are left out. Each label that is jumped to must be bound; `first` is the frame at the method's
    /// start.
    pub(crate) fn finish(mut self, first: &Frame) -> Option<AssembledCode> {
        if self.code.len() > MAX_CODE_BYTES
            || self.exceptions.len() > MAX_EXCEPTIONS
            || self.code.is_empty()
        {
            return None;
        }
        for jump in &self.jumps {
            let distance = i64::from(self.offset(jump.to)) - i64::from(jump.from);
            let at = jump.at as usize;
            if jump.wide {
                self.code[at..at + 4].copy_from_slice(&(distance as i32).to_be_bytes());
            } else {
                let distance = i16::try_from(distance).ok()?;
                self.code[at..at + 2].copy_from_slice(&distance.to_be_bytes());
            }
        }
        // What was taken back may have left a place behind the end of its code.
        let end = self.at();
        let frames: Vec<_> = std::mem::take(&mut self.frames)
            .into_iter()
            .filter(|(at, _)| *at < end)
            .map(|(at, frame)| (at as u16, frame))
            .collect();
        let written = frame::write(first, &frames, |label| self.offset(label) as u16);
        let exceptions = self.exceptions.iter().map(|(start, end, handler, class)| {
            [
                *start as u16,
                *end as u16,
                self.offset(*handler) as u16,
                *class,
            ]
        });
        Some(AssembledCode {
            exceptions: exceptions.collect(),
            max_stack: u16::try_from(self.max_stack).ok()?,
            lines: self
                .lines
                .iter()
                .map(|(at, line)| (*at as u16, *line))
                .collect(),
            frames: (!frames.is_empty()).then_some(written),
            code: self.code,
        })
    }
}

/// Returns the index of a kind in the JVM's families of opcodes: int, long, float, double, object from 0 on.
pub(crate) const fn order(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Int => 0,
        ValueKind::Long => 1,
        ValueKind::Float => 2,
        ValueKind::Double => 3,
        ValueKind::Object => 4,
    }
}

/// Returns the conditional jump on the opposite condition. Must not be called for other opcodes, as it
/// returns a wrong one.
fn opposite(opcode: u8) -> u8 {
    match opcode {
        op::IFNULL => op::IFNONNULL,
        op::IFNONNULL => op::IFNULL,
        _ => ((opcode + 1) ^ 1) - 1,
    }
}
