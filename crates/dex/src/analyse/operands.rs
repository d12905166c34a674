//! Operands of instructions, in the order of the JVM's stack.

use super::context::{Context, Fact};
use super::state::{Object, State};
use crate::class_table::{ClassId, OBJECT, THROWABLE, Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::read::{Args, ArrayKind, Binary, Compare, Instruction, InvokeKind};

/// A register that is read as a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) register: u16,
    pub(crate) kind: ValueKind,
    /// Type that the verifier requires, if any.
    pub(crate) wanted: Option<Type>,
}

const INT: Type = Type::class(ClassId(4));

impl Operand {
    /// Returns an operand whose type the verifier does not check.
    const fn new(register: u16, kind: ValueKind) -> Self {
        Self {
            register,
            kind,
            wanted: None,
        }
    }

    /// Returns an operand of a type that the verifier requires. Fails for `void`.
    fn typed(register: u16, wanted: Type) -> Partial<Self> {
        Ok(Self {
            register,
            kind: wanted.kind().ok_or(Flaw::new("a value is void"))?,
            wanted: Some(wanted),
        })
    }
}

/// Returns the kind of a JVM type letter of a number. Every letter but `J`, `F` and `D` is an int, also those
/// of objects.
pub(crate) fn kind_of(letter: u8) -> ValueKind {
    match letter {
        b'J' => ValueKind::Long,
        b'F' => ValueKind::Float,
        b'D' => ValueKind::Double,
        _ => ValueKind::Int,
    }
}

/// Replaces `out` by the operands that an instruction reads, in the order in which the JVM takes them. A move has one
/// for each kind of its value that is read later. One that always fails has none. A kind that neither instruction nor
/// `fact` says is an int.
///
/// # Errors
/// Fails if a type, field or method that it names does not exist, or the number of arguments is wrong.
pub(crate) fn operands(
    context: &Context<'_, '_>,
    op: &Instruction,
    fact: &Fact,
    out: &mut Vec<Operand>,
) -> Partial<()> {
    use Instruction as I;
    out.clear();
    let number = |register| Operand::new(register, fact.kind.unwrap_or(ValueKind::Int));
    let object = |register| Operand::new(register, ValueKind::Object);
    let int = |register| Operand::new(register, ValueKind::Int);
    match op {
        _ if fact.fails => {}
        I::Move { src, .. } | I::MoveWide { src, .. } => {
            let kinds = ValueKind::ALL
                .into_iter()
                .filter(|kind| fact.live & kind.bit() != 0);
            out.extend(kinds.map(|kind| Operand::new(*src, kind)));
        }
        I::Return { src } => out.push(Operand::typed(*src, context.returns)?),
        I::Monitor { src, .. } | I::CheckCast { reg: src, .. } | I::InstanceOf { src, .. } => {
            out.push(object(*src));
        }
        I::ArrayLength { src, .. } => out.push(object(*src)),
        I::NewArray { length, .. } => out.push(int(*length)),
        I::FilledNewArray { class, args, .. } => {
            let of = context.kind(*class)?.component().ok_or(NO_ARRAY)?;
            for index in 0..args.len() {
                out.push(Operand::typed(args.get(index).unwrap_or(0), of)?);
            }
        }
        I::FillArrayData { array, .. } => out.push(object(*array)),
        I::Throw { src } => out.push(Operand::typed(*src, Type::class(THROWABLE))?),
        I::Switch { src, .. } => out.push(int(*src)),
        I::Compare { kind, a, b, .. } => {
            let kind = match kind {
                Compare::LessFloat | Compare::GreaterFloat => ValueKind::Float,
                Compare::LessDouble | Compare::GreaterDouble => ValueKind::Double,
                Compare::Long => ValueKind::Long,
            };
            out.extend([Operand::new(*a, kind), Operand::new(*b, kind)]);
        }
        I::If { a, b, .. } => {
            out.push(number(*a));
            out.extend(b.map(number));
        }
        I::ArrayGet {
            kind, array, index, ..
        } => out.extend([array_operand(*kind, *array), int(*index)]),
        I::ArrayPut {
            kind,
            src,
            array,
            index,
        } => {
            out.extend([array_operand(*kind, *array), int(*index), number(*src)]);
        }
        I::InstanceGet { .. } | I::InstancePut { .. } | I::StaticPut { .. } => {
            field_operands(context, op, out)?;
        }
        I::Invoke { .. } | I::InvokePolymorphic { .. } | I::InvokeCustom { .. } => {
            call_operands(context, op, out)?;
        }
        I::Unary { op, src, .. } => out.push(Operand::new(*src, kind_of(op.kinds().0))),
        I::Binary { op, of, a, b, .. } => {
            let shift = matches!(op, Binary::Shl | Binary::Shr | Binary::Ushr);
            out.push(Operand::new(*a, kind_of(*of)));
            out.push(Operand::new(
                *b,
                if shift { ValueKind::Int } else { kind_of(*of) },
            ));
        }
        I::BinaryNumber { a, .. } => out.push(int(*a)),
        I::Nop
        | I::MoveException { .. }
        | I::ReturnVoid
        | I::Const { .. }
        | I::ConstWide { .. }
        | I::ConstString { .. }
        | I::ConstClass { .. }
        | I::ConstMethodHandle { .. }
        | I::ConstMethodType { .. }
        | I::NewInstance { .. }
        | I::Goto { .. }
        | I::StaticGet { .. } => {}
    }
    Ok(())
}

/// Adds the operands of reading or writing a field, the object first. A static read, and any other instruction, has
/// none. Fails for a field that does not exist.
fn field_operands(
    context: &Context<'_, '_>,
    op: &Instruction,
    out: &mut Vec<Operand>,
) -> Partial<()> {
    use Instruction as I;
    match op {
        I::InstanceGet { object, field, .. } => {
            out.push(Operand::typed(
                *object,
                context.kind(context.field(*field)?.0.class)?,
            )?);
        }
        I::InstancePut { src, object, field } => {
            let (field, kind) = context.field(*field)?;
            out.push(Operand::typed(*object, context.kind(field.class)?)?);
            out.push(Operand::typed(*src, kind)?);
        }
        I::StaticPut { src, field } => out.push(Operand::typed(*src, context.field(*field)?.1)?),
        _ => {}
    }
    Ok(())
}

/// Adds the operands of a call, the receiver first. For a call of a super method the receiver has the type of the
/// calling class. Adds nothing for other instructions. Fails for a method that does not exist, and for a wrong
/// number of arguments.
fn call_operands(
    context: &Context<'_, '_>,
    op: &Instruction,
    out: &mut Vec<Operand>,
) -> Partial<()> {
    use Instruction as I;
    match op {
        I::Invoke {
            kind, method, args, ..
        } => {
            let callee = context.callee(*method)?;
            let receiver = match kind {
                InvokeKind::Static => None,
                InvokeKind::Super => Some(Type::class(context.class)),
                _ => Some(callee.owner),
            };
            arguments(context, receiver, callee.proto, args, out)?;
        }
        I::InvokePolymorphic {
            method,
            proto,
            args,
            ..
        } => {
            arguments(
                context,
                Some(context.callee(*method)?.owner),
                *proto,
                args,
                out,
            )?;
        }
        I::InvokeCustom {
            call_site, args, ..
        } => {
            arguments(
                context,
                None,
                call_site_proto(context, *call_site)?,
                args,
                out,
            )?;
        }
        _ => {}
    }
    Ok(())
}

const NO_ARRAY: Flaw = Flaw::new("what is no array is used as one");

/// Returns an array operand. Only arrays of objects have a type that the verifier must check; for other kinds
/// it is known.
fn array_operand(kind: ArrayKind, register: u16) -> Operand {
    Operand {
        register,
        kind: ValueKind::Object,
        wanted: (kind == ArrayKind::Object).then_some(Type {
            dimensions: 1,
            base: OBJECT,
        }),
    }
}

/// Adds the arguments of a call, the receiver first if there is one. A wide one fills two registers.
///
/// # Errors
/// Fails if the registers are more or fewer than the prototype has.
fn arguments(
    context: &Context<'_, '_>,
    receiver: Option<Type>,
    proto: u32,
    args: &Args,
    out: &mut Vec<Operand>,
) -> Partial<()> {
    let mut place = 0;
    let parameters = context.dex.proto(proto)?.parameters.iter();
    let parameters = parameters.map(|parameter| context.kind(*parameter));
    for kind in receiver.map(Ok).into_iter().chain(parameters) {
        let register = args.get(place).ok_or(FEW)?;
        let operand = Operand::typed(register, kind?)?;
        place += usize::from(operand.kind.width());
        out.push(operand);
    }
    if place == args.len() {
        Ok(())
    } else {
        Err(FEW)
    }
}

const FEW: Flaw = Flaw::new("a call has another number of arguments than its method");

/// Returns the prototype of a call site: its third value. Fails if that is no method type.
pub(crate) fn call_site_proto(context: &Context<'_, '_>, call_site: u32) -> Partial<u32> {
    let values =
        crate::read::EncodedValue::array_at(context.dex, context.dex.call_site(call_site)?)?;
    match values.get(2) {
        Some(crate::read::EncodedValue::MethodType(proto)) => Ok(*proto),
        _ => Err(Flaw::new("a call site does not tell its type")),
    }
}

/// Returns the type of a call's result, `void` included, or the type of a filled array; `None` for other instructions.
pub(crate) fn callee(context: &Context<'_, '_>, op: &Instruction) -> Partial<Option<Type>> {
    let proto = match op {
        Instruction::Invoke { method, .. } => context.callee(*method)?.proto,
        Instruction::InvokePolymorphic { proto, .. } => *proto,
        Instruction::InvokeCustom { call_site, .. } => call_site_proto(context, *call_site)?,
        Instruction::FilledNewArray { class, .. } => return context.kind(*class).map(Some),
        _ => return Ok(None),
    };
    context.kind(context.dex.proto(proto)?.returns).map(Some)
}

/// Decides the properties of an instruction that depend on types: the kind of its values, and whether it
/// always throws, as an access to an array that is surely null.
///
/// # Errors
/// Fails if something else stands for an array, the elements do not fit the instruction, or a number is
/// compared with a reference.
pub(super) fn decide(context: &Context<'_, '_>, op: &Instruction, state: &State) -> Partial<Fact> {
    let mut fact = Fact::default();
    match op {
        Instruction::If { a, b, .. } => fact.kind = Some(condition_kind(state, *a, *b)?),
        Instruction::ArrayGet { kind, array, .. } | Instruction::ArrayPut { kind, array, .. } => {
            match state.get(*array).object {
                Object::Null => fact.fails = true,
                Object::Instance(array) => fact.kind = Some(element(context, *kind, array)?),
                _ => return Err(NO_ARRAY),
            }
        }
        Instruction::FillArrayData { array, .. } => match state.get(*array).object {
            Object::Null => fact.fails = true,
            Object::Instance(array) => {
                let of = array
                    .component()
                    .filter(|of| of.is_primitive())
                    .ok_or(NO_ARRAY)?;
                fact.kind = of.kind();
            }
            _ => return Err(NO_ARRAY),
        },
        Instruction::ArrayLength { src, .. } => {
            if matches!(state.get(*src).object, Object::Instance(array) if array.dimensions == 0) {
                return Err(NO_ARRAY);
            }
        }
        _ => {}
    }
    Ok(fact)
}

/// Returns the kind of an array's elements. An array that is read as one of objects may have lost its type,
/// so any is accepted then; arrays of other kinds must have one that fits the instruction.
///
/// # Errors
/// Fails if it is no array or holds something else.
fn element(context: &Context<'_, '_>, kind: ArrayKind, array: Type) -> Partial<ValueKind> {
    if kind == ArrayKind::Object {
        return Ok(ValueKind::Object);
    }
    let of = array.component().ok_or(NO_ARRAY)?;
    let letter = context.class_table.name(of.base);
    let fits = of.dimensions == 0
        && match kind {
            ArrayKind::Single => matches!(letter, b"I" | b"F"),
            ArrayKind::Wide => matches!(letter, b"J" | b"D"),
            ArrayKind::Boolean | ArrayKind::Byte => matches!(letter, b"Z" | b"B"),
            ArrayKind::Char => letter == b"C",
            ArrayKind::Short => letter == b"S",
            ArrayKind::Object => false,
        };
    of.kind()
        .filter(|_| fits)
        .ok_or(Flaw::new("an array holds something else"))
}

/// Returns the kind that a comparison compares: references or ints. Zero may be both, and is an int unless
/// the other is a reference. Without `b` the comparison is with zero.
///
/// # Errors
/// Fails if a number is compared with a reference.
fn condition_kind(state: &State, a: u16, b: Option<u16>) -> Partial<ValueKind> {
    let both = [Some(a), b];
    let registers = || both.iter().flatten().map(|register| state.get(*register));
    let reference =
        registers().any(|register| !matches!(register.object, Object::None | Object::Null));
    let has = |kind| registers().all(|register| register.has(kind));
    if has(ValueKind::Int) && !reference {
        Ok(ValueKind::Int)
    } else if has(ValueKind::Object) {
        Ok(ValueKind::Object)
    } else {
        Err(Flaw::new("a number is compared with a reference"))
    }
}

/// Returns the type of an element that is read from an array; `Object` if the array of objects has lost its
/// type. `None` for other instructions, and for an array that is null.
pub(super) fn element_type(op: &Instruction, array: Object) -> Option<Type> {
    match (op, array) {
        (
            Instruction::ArrayGet {
                kind: ArrayKind::Object,
                ..
            },
            Object::Instance(array),
        ) => {
            let of = array.component().filter(|of| !of.is_primitive());
            Some(of.unwrap_or(Type::class(OBJECT)))
        }
        (Instruction::ArrayGet { .. }, Object::Instance(array)) => array.component(),
        _ => None,
    }
}

pub(super) const fn int() -> Type {
    INT
}
