//! Control flow graph of a method: its basic blocks and the edges between them.

use super::context::Context;
use crate::class_table::{THROWABLE, Type};
use crate::error::{Flaw, Partial};
use crate::read::Instruction;

/// A basic block: instructions that always run one after another.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Blocks that may follow, except through exceptions.
    pub(crate) next: Vec<usize>,
    /// The next block in the code follows without a jump.
    pub(crate) falls_through: bool,
    /// Number of the try block around it.
    pub(crate) try_block: Option<usize>,
    /// Type of the exceptions that it handles, if it is a handler.
    pub(crate) catches: Option<Type>,
    /// Target of a jump.
    pub(crate) jumped: bool,
}

/// The blocks of a method in the order of its code.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<Block>,
    /// Handlers of each try block: a type (`None` for all) and a block.
    pub(crate) handlers: Vec<Vec<(Option<Type>, usize)>>,
    /// Cases of each switch: value and block.
    pub(crate) switches: Vec<Vec<(i32, usize)>>,
    /// Block that begins at each instruction.
    starts: Vec<usize>,
}

const NO_BLOCK: usize = usize::MAX;

impl Flow {
    /// Builds the graph of blocks, with the cases of switches and the exception handlers. Blocks are in the order of
    /// the code, the first one at the method's start; those that are never reached are there too. With a library,
    /// handlers of classes that neither the APK nor the library defines are left out.
    ///
    /// # Errors
    /// Fails if there are no instructions, or a jump or a handler leads to no instruction. Code that runs past its end
    /// is no error here.
    pub(crate) fn new(context: &Context<'_, '_>) -> Partial<Self> {
        let code = context.code;
        let count = code.insns.len();
        if count == 0 {
            return Err(Flaw::new("it has no instructions"));
        }
        let (leaders, tried) = leaders(context)?;
        let mut starts = vec![NO_BLOCK; count];
        let mut blocks: Vec<Block> = Vec::new();
        for start in (0..count).filter(|index| leaders[*index]) {
            if let Some(last) = blocks.last_mut() {
                last.end = start;
            }
            starts[start] = blocks.len();
            blocks.push(Block {
                start,
                end: count,
                next: Vec::new(),
                falls_through: false,
                try_block: tried[start],
                catches: None,
                jumped: false,
            });
        }
        let mut flow = Self {
            blocks,
            handlers: Vec::new(),
            switches: Vec::new(),
            starts,
        };
        for switch in &code.switches {
            let cases = switch.cases.iter();
            let cases: Partial<_> = cases
                .map(|(key, target)| Ok((*key, flow.block_at(context, *target)?)))
                .collect();
            flow.switches.push(cases?);
        }
        flow.add_handlers(context)?;
        flow.connect(context)?;
        Ok(flow)
    }

    /// Returns the block that begins at a code unit. Fails if no instruction begins there. The unit must be a
    /// target in the method's code, as no block begins at other instructions.
    pub(crate) fn block_at(&self, context: &Context<'_, '_>, pc: u32) -> Partial<usize> {
        Ok(self.starts[context.code.at(pc)?])
    }

    /// Adds the handlers of each try block in their order, and tells their blocks the type that they catch: the common
    /// super type if there are several. Handlers of unknown classes are left out if there is a library.
    fn add_handlers(&mut self, context: &Context<'_, '_>) -> Partial<()> {
        for item in &context.item.tries {
            let mut handlers = Vec::new();
            for handler in &item.handlers {
                let kind = handler.kind.map(|kind| context.kind(kind)).transpose()?;
                // Nothing can throw a missing class, and the verifier would refuse this class for naming it.
                let class_table = context.class_table;
                if kind.is_some_and(|kind| {
                    class_table.has_library() && !class_table.is_known(kind.base)
                }) {
                    continue;
                }
                let block = self.block_at(context, handler.target)?;
                handlers.push((kind, block));
                let caught = kind.unwrap_or(Type::class(THROWABLE));
                let known = &mut self.blocks[block].catches;
                *known = Some(known.map_or(caught, |known| throwable(context, known, caught)));
            }
            self.handlers.push(handlers);
        }
        Ok(())
    }

    /// Fills in the successors of each block, except through exceptions, and marks the targets of jumps. Those of a
    /// switch are sorted, each once. A last block that runs past its end gets none. Fails if a jump leads to no
    /// instruction.
    fn connect(&mut self, context: &Context<'_, '_>) -> Partial<()> {
        for number in 0..self.blocks.len() {
            let last = &context.code.insns[self.blocks[number].end - 1].op;
            let mut next = Vec::new();
            match last {
                Instruction::Goto { target } | Instruction::If { target, .. } => {
                    next.push(self.block_at(context, *target)?);
                }
                Instruction::Switch { table, .. } => {
                    next.extend(
                        self.switches[*table as usize]
                            .iter()
                            .map(|(_, block)| *block),
                    );
                    next.sort_unstable();
                    next.dedup();
                }
                _ => {}
            }
            for target in &next {
                self.blocks[*target].jumped = true;
            }
            let falls = !last.ends();
            // Running past the end is an error only in reachable code: data are often aligned by a `nop`.
            if falls && number + 1 < self.blocks.len() {
                next.push(number + 1);
                self.blocks[number + 1].jumped |= matches!(last, Instruction::Switch { .. });
            }
            let block = &mut self.blocks[number];
            (block.next, block.falls_through) = (next, falls);
        }
        Ok(())
    }
}

/// Returns the common super type of two exception types. If they differ and it is not known to be one that
/// can be thrown, it is `Throwable`, since the verifier wants that of a handler.
fn throwable(context: &Context<'_, '_>, one: Type, two: Type) -> Type {
    let common = context.class_table.common(one, two);
    if context.class_table.descends(common.base, THROWABLE) || one == two {
        common
    } else {
        Type::class(THROWABLE)
    }
}

/// Returns, for each instruction, true if it begins a block, and the number of the try block around it. A block begins
/// at the start, at each target, behind jumps and ends, and where a try block begins and ends. Of overlapping try
/// blocks the last one counts. There must be an instruction.
///
/// # Errors
/// Fails if a jump or a handler leads to no instruction.
fn leaders(context: &Context<'_, '_>) -> Partial<(Vec<bool>, Vec<Option<usize>>)> {
    let code = context.code;
    let count = code.insns.len();
    let mut leaders = vec![false; count];
    let mut tried = vec![None; count];
    leaders[0] = true;
    for (index, insn) in code.insns.iter().enumerate() {
        match &insn.op {
            Instruction::Goto { target } | Instruction::If { target, .. } => {
                leaders[code.at(*target)?] = true;
            }
            Instruction::Switch { table, .. } => {
                for (_, target) in &code.switches[*table as usize].cases {
                    // The targets are relative to the switch; the decoder made them absolute.
                    leaders[code.at(*target)?] = true;
                }
            }
            op if !op.ends() => continue,
            _ => {}
        }
        if let Some(next) = leaders.get_mut(index + 1) {
            *next = true;
        }
    }
    for (number, item) in context.item.tries.iter().enumerate() {
        let start = code.insns.partition_point(|insn| insn.pc < item.start);
        let end = code.insns.partition_point(|insn| insn.pc < item.end);
        tried[start..end.max(start)].fill(Some(number));
        for edge in [start, end] {
            if let Some(leader) = leaders.get_mut(edge) {
                *leader = true;
            }
        }
        for handler in &item.handlers {
            leaders[code.at(handler.target)?] = true;
        }
    }
    Ok((leaders, tried))
}
