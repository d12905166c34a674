//! The types in the registers, found by following the code until nothing changes.

use super::context::{Context, Fact};
use super::flow::Flow;
use super::operands::{Operand, callee, decide, element_type, int, kind_of, operands};
use super::state::{Object, Register, State};
use crate::error::{Flaw, Partial};
use crate::limits::MAX_ANALYSIS_CELLS;
use crate::read::{Instruction, InvokeKind};
use crate::world::{Kind, Type};

/// What was found of a method.
#[derive(Debug)]
pub(crate) struct Inferred {
    /// What the registers hold where a block begins; none for blocks that nothing reaches.
    pub(crate) entries: Vec<Option<State>>,
    /// What was found of each instruction.
    pub(crate) facts: Vec<Fact>,
}

/// Follows the code of a method.
pub(crate) fn infer(context: &Context<'_, '_>, flow: &Flow) -> Partial<Inferred> {
    let registers = usize::from(context.item.registers);
    if flow.blocks.len().saturating_mul(registers) > MAX_ANALYSIS_CELLS {
        return Err(Flaw::new("it has too many registers and jumps"));
    }
    let mut found = Inferred {
        entries: vec![None; flow.blocks.len()],
        facts: vec![Fact::default(); context.code.insns.len()],
    };
    found.entries[0] = Some(first(context)?);
    let mut waiting = Waiting::new(flow.blocks.len());
    waiting.push(0);
    let mut scratch = Vec::new();
    while let Some(number) = waiting.pop() {
        let block = &flow.blocks[number];
        let Some(mut state) = found.entries[number].clone() else {
            continue;
        };
        context.fuel.burn(block.end - block.start + registers)?;
        let mut told = false;
        let mut fails = false;
        for index in block.start..block.end {
            let op = &context.code.insns[index].op;
            if op.throws()
                && !told
                && let Some(tried) = block.tried
            {
                context.fuel.burn(registers * flow.handlers[tried].len())?;
                for (_, handler) in &flow.handlers[tried] {
                    found.join(context, *handler, &state, &mut waiting);
                }
                told = true;
            }
            let fact = decide(context, op, &state)?;
            found.facts[index] = fact;
            if fact.fails {
                fails = true;
                break;
            }
            told &= !step(
                context,
                index,
                &fact,
                block.catches,
                &mut state,
                &mut scratch,
            )?;
        }
        if !fails {
            if block.falls && number + 1 == flow.blocks.len() {
                return Err(Flaw::new("it runs past its end"));
            }
            context.fuel.burn(registers * block.next.len())?;
            for next in &block.next {
                found.join(context, *next, &state, &mut waiting);
            }
        }
    }
    Ok(found)
}

impl Inferred {
    fn join(&mut self, context: &Context<'_, '_>, to: usize, state: &State, waiting: &mut Waiting) {
        let changed = match &mut self.entries[to] {
            Some(entry) => entry.merge(state, context.world),
            none => {
                *none = Some(state.clone());
                true
            }
        };
        if changed {
            waiting.push(to);
        }
    }
}

/// Blocks that are to be followed, the first in the code first: most ways lead forward.
#[derive(Debug)]
struct Waiting {
    heap: std::collections::BinaryHeap<std::cmp::Reverse<usize>>,
    there: Vec<bool>,
}

impl Waiting {
    fn new(blocks: usize) -> Self {
        Self {
            heap: std::collections::BinaryHeap::new(),
            there: vec![false; blocks],
        }
    }

    fn push(&mut self, block: usize) {
        if !std::mem::replace(&mut self.there[block], true) {
            self.heap.push(std::cmp::Reverse(block));
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let std::cmp::Reverse(block) = self.heap.pop()?;
        self.there[block] = false;
        Some(block)
    }
}

/// What the registers hold at the beginning: the arguments in the last ones, and `this` of a constructor behind them.
fn first(context: &Context<'_, '_>) -> Partial<State> {
    let registers = context.item.registers;
    let mut state = State(vec![Register::EMPTY; usize::from(registers) + 1]);
    let mut at = registers - context.item.ins;
    for (index, argument) in context.arguments.iter().enumerate() {
        let width = argument.kind().map_or(0, Kind::width);
        if at + width > registers {
            return Err(Flaw::new("its arguments have no registers"));
        }
        let value = if index == 0 && context.constructor {
            Register::object(Object::UninitializedThis)
        } else {
            Register::of(*argument)
        };
        state.set(at, value);
        at += width;
    }
    if at != registers {
        return Err(Flaw::new("it has registers for other arguments"));
    }
    if context.constructor {
        state.set(registers, Register::object(Object::UninitializedThis));
    }
    Ok(state)
}

/// Does to the registers what an instruction does. Says whether it wrote any.
pub(crate) fn step(
    context: &Context<'_, '_>,
    index: usize,
    fact: &Fact,
    catches: Option<Type>,
    state: &mut State,
    scratch: &mut Vec<Operand>,
) -> Partial<bool> {
    use Instruction as I;
    let insn = &context.code.insns[index];
    let op = &insn.op;
    operands(context, op, fact, scratch)?;
    let missing = scratch
        .iter()
        .find(|operand| !state.get(operand.register).has(operand.kind));
    if let Some(operand) = missing.filter(|_| !matches!(op, I::Move { .. } | I::MoveWide { .. })) {
        let (register, kind) = (operand.register, operand.kind);
        return Err(Flaw::of(format!(
            "the register v{register} is read as {kind:?} at {:#06x} and holds something else",
            insn.pc
        )));
    }
    let class = |name: &[u8]| {
        let found = context.world.find(name);
        Register::of(Type::class(found.unwrap_or(crate::world::OBJECT)))
    };
    let (dst, value) = match op {
        I::Move { dst, src } | I::MoveWide { dst, src } => (*dst, state.get(*src)),
        I::MoveException { dst } => {
            let caught = catches.ok_or(Flaw::new("it takes an exception where none is"))?;
            (*dst, Register::of(caught))
        }
        I::Const { dst, value } => (*dst, constant(*value)),
        I::ConstWide { dst, .. } => (
            *dst,
            Register::number(Kind::Long.bit() | Kind::Double.bit()),
        ),
        I::ConstString { dst, .. } => (*dst, class(b"java/lang/String")),
        I::ConstClass { dst, .. } => (*dst, class(b"java/lang/Class")),
        I::ConstMethodHandle { dst, .. } => (*dst, class(b"java/lang/invoke/MethodHandle")),
        I::ConstMethodType { dst, .. } => (*dst, class(b"java/lang/invoke/MethodType")),
        I::CheckCast { reg, class } => (*reg, Register::of(context.object_kind(*class)?)),
        I::InstanceOf { dst, .. } | I::ArrayLength { dst, .. } | I::Compare { dst, .. } => {
            (*dst, Register::of(int()))
        }
        I::NewInstance { dst, .. } => {
            // What an earlier round of a loop made and never initialized is lost.
            let new = Object::Uninitialized(index as u32);
            for register in state.0.iter_mut().filter(|register| register.object == new) {
                register.object = Object::None;
            }
            (*dst, Register::object(new))
        }
        I::NewArray { dst, class, .. } => (*dst, Register::of(context.object_kind(*class)?)),
        I::ArrayGet { dst, array, .. } => {
            let of = element_type(op, state.get(*array).object);
            (*dst, of.map_or(Register::EMPTY, Register::of))
        }
        I::InstanceGet { dst, field, .. } | I::StaticGet { dst, field } => {
            (*dst, Register::of(context.field(*field)?.1))
        }
        I::Invoke { dst, .. }
        | I::InvokePolymorphic { dst, .. }
        | I::InvokeCustom { dst, .. }
        | I::FilledNewArray { dst, .. } => return call(context, op, *dst, state),
        I::Unary { op, dst, .. } => (*dst, Register::number(kind_of(op.kinds().1).bit())),
        I::Binary { of, dst, .. } => (*dst, Register::number(kind_of(*of).bit())),
        I::BinaryNumber { dst, .. } => (*dst, Register::of(int())),
        _ => return Ok(false),
    };
    state.set(dst, value);
    Ok(true)
}

fn constant(value: i32) -> Register {
    Register {
        numbers: Kind::Int.bit() | Kind::Float.bit(),
        object: if value == 0 {
            Object::Null
        } else {
            Object::None
        },
    }
}

fn call(
    context: &Context<'_, '_>,
    op: &Instruction,
    dst: Option<u16>,
    state: &mut State,
) -> Partial<bool> {
    let mut wrote = false;
    if let Instruction::Invoke {
        kind: InvokeKind::Direct,
        method,
        args,
        ..
    } = op
        && context.callee(*method)?.name == b"<init>"
    {
        let made = state.get(args.get(0).unwrap_or(0)).object;
        let kind = made_kind(context, made)?;
        state.initialize(made, kind);
        wrote = true;
    }
    if let Some(dst) = dst {
        let kind = callee(context, op)?.filter(|kind| kind.kind().is_some());
        let kind = kind.ok_or(Flaw::new("it takes the result of a call that has none"))?;
        state.set(dst, Register::of(kind));
        wrote = true;
    }
    Ok(wrote)
}

/// The class of an object whose constructor is called.
pub(crate) fn made_kind(context: &Context<'_, '_>, made: Object) -> Partial<Type> {
    match made {
        Object::UninitializedThis => Ok(Type::class(context.class)),
        Object::Uninitialized(index) => match &context.code.insns[index as usize].op {
            Instruction::NewInstance { class, .. } => context.object_kind(*class),
            _ => Err(Flaw::new("a constructor is called on no new object")),
        },
        _ => Err(Flaw::new("a constructor is called on no new object")),
    }
}
