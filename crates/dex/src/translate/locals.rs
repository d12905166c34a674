//! Gives the variables of a method their places among the JVM's locals.

use crate::analyse::{Context, Inferred, Operand, operands, variable, written};
use crate::error::{Flaw, Partial};
use crate::world::Kind;

const NO_LOCAL: u16 = u16::MAX;

/// For each variable the local that holds it.
#[derive(Debug)]
pub(super) struct Locals {
    places: Vec<u16>,
    /// How many locals there are.
    pub(super) count: u16,
    /// The local that keeps `this` in a constructor that writes something else over it.
    pub(super) this: Option<u16>,
}

impl Locals {
    /// Arguments stay where they arrive. Of the others those that are used most have the shortest instructions.
    pub(super) fn new(context: &Context<'_, '_>, inferred: &Inferred) -> Partial<Self> {
        let registers = context.item.registers;
        let mut uses = vec![0_u32; usize::from(registers) * Kind::ALL.len()];
        let mut scratch: Vec<Operand> = Vec::new();
        for (insn, fact) in context.code.insns.iter().zip(&inferred.facts) {
            operands(context, &insn.op, fact, &mut scratch)?;
            for operand in &scratch {
                uses[variable(operand.register, operand.kind)] += 1;
            }
            if let Some(register) = written(&insn.op) {
                for kind in Kind::ALL
                    .into_iter()
                    .filter(|kind| fact.live & kind.bit() != 0)
                {
                    uses[variable(register, kind)] += 1;
                }
            }
        }
        let mut places = vec![NO_LOCAL; uses.len()];
        let (mut register, mut count) = (registers - context.item.ins, 0_u16);
        for argument in context.arguments {
            let kind = argument.kind().unwrap_or(Kind::Int);
            places[variable(register, kind)] = count;
            count += kind.width();
            register += kind.width();
        }
        let mut others: Vec<usize> = (0..uses.len())
            .filter(|variable| uses[*variable] > 0 && places[*variable] == NO_LOCAL)
            .collect();
        others.sort_by_key(|variable| (std::cmp::Reverse(uses[*variable]), *variable));
        for variable in others {
            places[variable] = count;
            count = count
                .checked_add(kind_at(variable).width())
                .filter(|count| *count < NO_LOCAL - 1)
                .ok_or(Flaw::new("it has more variables than a method of the JVM"))?;
        }
        let this = overwrites_this(context).then_some(count);
        count += u16::from(this.is_some());
        Ok(Self {
            places,
            count,
            this,
        })
    }

    /// The local of a variable; none where nothing uses the variable.
    pub(super) fn get(&self, variable: usize) -> Option<u16> {
        self.places
            .get(variable)
            .copied()
            .filter(|place| *place != NO_LOCAL)
    }
}

/// Whether a constructor writes to the register that `this` arrives in, or to the first half of a wide value that has it.
fn overwrites_this(context: &Context<'_, '_>) -> bool {
    let this = context.item.registers - context.item.ins;
    let mut ops = context.code.insns.iter().map(|insn| &insn.op);
    context.constructor
        && ops.any(|op| written(op).is_some_and(|dst| dst == this || dst + 1 == this))
}

/// The kind of a variable.
pub(super) fn kind_at(variable: usize) -> Kind {
    Kind::ALL[variable % Kind::ALL.len()]
}
