//! Emitter of a method's instructions.

use std::collections::HashMap;

use super::constructors::Constructors;
use super::frames::Frames;
use super::locals::Locals;
use crate::analyse::{
    Context, Fact, Flow, Inference, Liveness, Object, Operand, State, Variables, operands, step,
    variable, written,
};
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::{AssembledCode, Assembler, ConstantPool, Label, op};
use crate::read::{Binary, Instruction as I};

/// Facts about a method that the emitter reads and never changes.
pub(super) struct Source<'c, 'w, 'a> {
    pub(super) context: &'c Context<'w, 'a>,
    pub(super) flow: &'c Flow,
    pub(super) inferred: &'c Inference,
    pub(super) liveness: &'c Liveness,
    pub(super) locals: &'c Locals,
    pub(super) lines: &'c [(u32, u16)],
}

/// A range of written instructions with the same handlers.
pub(super) struct Range {
    try_block: usize,
    block: usize,
    start: u32,
    end: u32,
    /// A variable that a handler reads was written since the range began.
    pub(super) broken: bool,
}

pub(super) struct Emitter<'c, 'w, 'a, 'p> {
    pub(super) context: &'c Context<'w, 'a>,
    pub(super) source: &'c Source<'c, 'w, 'a>,
    pub(super) asm: Assembler<'p>,
    pub(super) frames: Frames<'c, 'w, 'a>,
    pub(super) labels: Vec<Label>,
    /// Places that drop an exception, for blocks that handle one without taking it.
    drop_labels: Vec<(Label, usize)>,
    pub(super) state: State,
    pub(super) constructors: &'c mut Constructors,
    pub(super) range: Option<Range>,
    scratch: Vec<Operand>,
    pub(super) block: usize,
}

/// Writes the code of a method, after that of `prologue`. Returns `None` if it is too long, or a jump is too long and
/// `far` is not set. With `far` all jumps are long. Needs of other classes are added to `constructors`, also if the
/// code is too long.
pub(super) fn emit(
    source: &Source<'_, '_, '_>,
    pool: &mut ConstantPool,
    constructors: &mut Constructors,
    prologue: impl FnOnce(&mut Assembler<'_>),
    far: bool,
) -> Partial<Option<AssembledCode>> {
    let mut asm = Assembler::new(pool, far);
    let labels = source.flow.blocks.iter().map(|_| asm.label()).collect();
    let mut made = HashMap::new();
    for (index, insn) in source.context.code.insns.iter().enumerate() {
        if matches!(insn.op, I::NewInstance { .. }) {
            made.insert(index as u32, asm.label());
        }
    }
    let mut emitter = Emitter {
        context: source.context,
        source,
        frames: Frames {
            context: source.context,
            locals: source.locals,
            allocations: made,
        },
        labels,
        drop_labels: Vec::new(),
        state: State(Vec::new()),
        constructors,
        range: None,
        scratch: Vec::new(),
        block: 0,
        asm,
    };
    prologue(&mut emitter.asm);
    if let Some(this) = source.locals.this {
        emitter.asm.load(ValueKind::Object, 0);
        emitter.asm.store(ValueKind::Object, this);
    }
    let first = emitter.frames.first(emitter.asm.pool);
    // No frame may be at offset 0.
    if (source.flow.blocks[0].jumped || far) && emitter.asm.at() == 0 {
        emitter.asm.op(0, 0);
    }
    emitter.blocks()?;
    emitter.emit_drop_code();
    Ok(emitter.asm.finish(&first))
}

impl<'c> Emitter<'c, '_, '_, '_> {
    /// Writes all blocks that are reached, in the order of the code, each up to the first instruction that always
    /// fails. Fails if a block that takes an exception can be entered without one.
    fn blocks(&mut self) -> Partial<()> {
        let source = self.source;
        let mut lines = source.lines.iter().peekable();
        for (number, block) in source.flow.blocks.iter().enumerate() {
            let Some(entry) = &source.inferred.entries[number] else {
                continue;
            };
            self.block = number;
            self.state = entry.clone();
            let takes = matches!(
                self.context.code.insns[block.start].op,
                I::MoveException { .. }
            );
            let caught = block.catches.filter(|_| takes);
            if takes && (block.jumped || self.fallen_into(number)) {
                return Err(Flaw::new("an exception is taken where none may be"));
            }
            self.asm.bind(self.labels[number]);
            if block.jumped || caught.is_some() || self.asm.far || self.is_handler(number) {
                let live = &source.liveness.entries[number];
                let frame = self.frames.block(entry, live, caught, self.asm.pool);
                self.asm.frame(frame);
            }
            self.asm.set_stack(i32::from(caught.is_some()));
            for index in block.start..block.end {
                let pc = self.context.code.insns[index].pc;
                while let Some((_, line)) = lines.next_if(|(at, _)| *at <= pc) {
                    self.asm.line(*line);
                }
                self.instruction(index, caught)?;
                if source.inferred.facts[index].fails {
                    break;
                }
            }
        }
        self.close_range();
        Ok(())
    }

    /// Returns true if the block before falls through into a block and is ever reached.
    fn fallen_into(&self, number: usize) -> bool {
        number > 0
            && self.source.flow.blocks[number - 1].falls_through
            && self.source.inferred.entries[number - 1].is_some()
    }

    /// Returns true if a block handles exceptions.
    fn is_handler(&self, number: usize) -> bool {
        self.source.flow.blocks[number].catches.is_some()
    }

    /// Writes an instruction and applies it to the state. Nothing is written for one that cannot throw and whose result
    /// nothing reads, nor for a cast to the type that the register has.
    fn instruction(&mut self, index: usize, caught: Option<Type>) -> Partial<()> {
        let op = &self.context.code.insns[index].op;
        let fact = self.source.inferred.facts[index];
        let unused = !op.throws() && written(op).is_some() && fact.live == 0;
        if !(unused && !matches!(op, I::MoveException { .. }) || self.is_cast_to_itself(op)) {
            self.write(index, op, &fact)?;
        }
        if !fact.fails {
            let mut scratch = std::mem::take(&mut self.scratch);
            step(
                self.context,
                index,
                &fact,
                caught,
                &mut self.state,
                &mut scratch,
            )?;
            self.scratch = scratch;
        }
        Ok(())
    }

    /// Returns true for a cast of a register to exactly the type that it has. A cast to a super class is none.
    fn is_cast_to_itself(&self, op: &I) -> bool {
        let I::CheckCast { reg, class } = op else {
            return false;
        };
        let kind = self.context.kind(*class).ok();
        kind.is_some_and(|kind| self.state.get(*reg).object == Object::Instance(kind))
    }

    /// Writes an instruction: loads and casts its operands, writes the operation, covers it by the try block's handlers
    /// if it can throw, and stores the result. A first operand that was stored just before and is not read again stays
    /// on the stack.
    fn write(&mut self, index: usize, op: &'c I, fact: &Fact) -> Partial<()> {
        let mut read = std::mem::take(&mut self.scratch);
        operands(self.context, op, fact, &mut read)?;
        let taken = match read.first() {
            Some(first) if fact.first_dies && loads_first(op, fact) => {
                let local = self.local(first.register, first.kind)?;
                self.asm.take_back(first.kind, local)
            }
            _ => false,
        };
        let start = self.asm.at();
        if loads_first(op, fact) {
            for (place, operand) in read.iter().enumerate() {
                if place > 0 || !taken {
                    self.load(*operand)?;
                }
                self.cast(*operand);
            }
        }
        let result = self.operation(index, op, fact, &read);
        self.scratch = read;
        let result = result?;
        if op.throws() || fact.fails {
            self.cover(start);
        }
        if let Some(kind) = result {
            self.keep(op, fact, kind)?;
        }
        Ok(())
    }

    pub(super) fn local(&self, register: u16, kind: ValueKind) -> Partial<u16> {
        let local = self.source.locals.get(variable(register, kind));
        local.ok_or(Flaw::new("a variable has no place"))
    }

    pub(super) fn load(&mut self, operand: Operand) -> Partial<()> {
        let local = self.local(operand.register, operand.kind)?;
        self.asm.load(operand.kind, local);
        Ok(())
    }

    /// Casts the value on the stack if the verifier would not accept its type for the operand, and counts the
    /// cast. Does nothing for an operand without a wanted type and for null.
    pub(super) fn cast(&mut self, operand: Operand) {
        let (Some(wanted), Object::Instance(kind)) =
            (operand.wanted, self.state.get(operand.register).object)
        else {
            return;
        };
        if operand.kind == ValueKind::Object && !self.context.class_table.assignable(kind, wanted) {
            self.constructors.casts += 1;
            let class = self.class(wanted);
            self.asm.op_u16(op::CHECKCAST, class, 0);
        }
    }

    /// Returns the constant of a class.
    pub(super) fn class(&mut self, kind: Type) -> u16 {
        let name = self.context.class_table.class_constant(kind);
        self.asm.pool.class(&name)
    }

    /// Stores the value on the stack in a variable's local. Notes if a handler of the open range reads it. Fails if the
    /// variable has no local.
    pub(super) fn store(&mut self, register: u16, kind: ValueKind) -> Partial<()> {
        let local = self.local(register, kind)?;
        self.asm.store(kind, local);
        let read = |entry: &Variables| entry.has(variable(register, kind));
        if let Some(range) = &mut self.range {
            let handlers = &self.source.flow.handlers[range.try_block];
            let entries = &self.source.liveness.entries;
            range.broken |= handlers.iter().any(|(_, handler)| read(&entries[*handler]));
        }
        Ok(())
    }

    /// Stores an instruction's result from the stack, or drops it if the instruction names no register or
    /// nothing reads it later.
    fn keep(&mut self, op: &I, fact: &Fact, kind: ValueKind) -> Partial<()> {
        match written(op) {
            Some(register) if fact.live & kind.bit() != 0 => self.store(register, kind),
            _ => {
                let drop = if kind.width() == 2 { op::POP2 } else { op::POP };
                self.asm.op(drop, -i32::from(kind.width()));
                Ok(())
            }
        }
    }

    /// Covers the instructions since `start` by the block's exception handlers. A range of the same try block
    /// that ends there, or that this block began without a break, is extended; else it is closed and a new
    /// one begins. Outside a try block the open range is closed.
    fn cover(&mut self, start: u32) {
        let end = self.asm.at();
        let Some(try_block) = self.source.flow.blocks[self.block].try_block else {
            return self.close_range();
        };
        if let Some(range) = &mut self.range
            && range.try_block == try_block
            && (range.end == start || range.block == self.block && !range.broken)
        {
            (range.end, range.block, range.broken) = (end, self.block, false);
            return;
        }
        self.close_range();
        self.range = Some(Range {
            try_block,
            block: self.block,
            start,
            end,
            broken: false,
        });
    }

    /// Ends the open range, if any, and lists its handlers in their order. A handler that does not take the exception
    /// is entered by code that drops it.
    fn close_range(&mut self) {
        let Some(range) = self.range.take() else {
            return;
        };
        for (kind, block) in &self.source.flow.handlers[range.try_block] {
            let class = kind.map_or(0, |kind| self.class(kind));
            let start = self.source.flow.blocks[*block].start;
            let label = if matches!(self.context.code.insns[start].op, I::MoveException { .. }) {
                self.labels[*block]
            } else {
                self.drop_label(*block)
            };
            self.asm.handle(range.start, range.end, label, class);
        }
    }

    /// Returns the label of the code that drops an exception before a block; the same one each time.
    fn drop_label(&mut self, block: usize) -> Label {
        if let Some((label, _)) = self.drop_labels.iter().find(|(_, known)| *known == block) {
            return *label;
        }
        let label = self.asm.label();
        self.drop_labels.push((label, block));
        label
    }

    /// Writes the code for all labels of [`Self::drop_label`]: drops the exception and jumps to the block.
    fn emit_drop_code(&mut self) {
        for (label, number) in std::mem::take(&mut self.drop_labels) {
            let block = &self.source.flow.blocks[number];
            let Some(entry) = &self.source.inferred.entries[number] else {
                continue;
            };
            let live = &self.source.liveness.entries[number];
            self.asm.bind(label);
            let frame = self.frames.block(entry, live, block.catches, self.asm.pool);
            self.asm.frame(frame);
            self.asm.set_stack(1);
            self.asm.op(op::POP, -1);
            self.asm.jump(op::GOTO, self.labels[number], 0);
        }
    }
}

/// Returns true if an instruction's operands are loaded before it. Filled arrays, reversed operations,
/// increments and instructions that always fail load theirs in between, or none.
fn loads_first(op: &I, fact: &Fact) -> bool {
    !fact.fails
        && match op {
            I::FilledNewArray { .. } | I::FillArrayData { .. } => false,
            I::BinaryNumber { reverse, .. } => !reverse && !increments(op),
            _ => true,
        }
}

/// Returns true if an instruction adds a number to a variable.
pub(super) fn increments(op: &I) -> bool {
    matches!(op, I::BinaryNumber { op: Binary::Add, dst, a, .. } if dst == a)
}
