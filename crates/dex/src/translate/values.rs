//! Converts constants of dex to constants of the JVM.

use super::constants::{push_class, push_string};
use super::handles::handle;
use crate::class_table::{ClassTable, Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::{Assembler, ConstantPool, op};
use crate::limits::MAX_UTF8_BYTES;
use crate::read::{Dex, EncodedValue};

/// Returns the constant of a call site's value, for its bootstrap method. Booleans, bytes, shorts and chars become
/// ints.
///
/// # Errors
/// Fails for a value that the JVM does not take there, such as null, an array or an enum.
pub(super) fn loadable(
    dex: &Dex<'_>,
    class_table: &ClassTable<'_>,
    pool: &mut ConstantPool,
    value: &EncodedValue,
) -> Partial<u16> {
    Ok(match value {
        EncodedValue::Long(value) => pool.long(*value),
        EncodedValue::Float(bits) => pool.float(*bits),
        EncodedValue::Double(bits) => pool.double(*bits),
        EncodedValue::MethodType(proto) => pool.method_type(&dex.descriptor(*proto)?),
        EncodedValue::MethodHandle(number) => handle(dex, class_table, pool, *number)?,
        EncodedValue::String(text) => pool.string(dex.string(*text)?),
        EncodedValue::Type(kind) => pool.class(match dex.type_name(*kind)? {
            [b'L', name @ .., b';'] => name,
            other => other,
        }),
        other => {
            let number = integer(other).ok_or(Flaw::new(
                "a call site has a value that the JVM does not take",
            ))?;
            pool.integer(number)
        }
    })
}

/// Returns the number of a byte, short, char, int or boolean (1 and 0); `None` for all other values.
pub(super) fn integer(value: &EncodedValue) -> Option<i32> {
    match value {
        EncodedValue::Byte(value) => Some(i32::from(*value)),
        EncodedValue::Short(value) => Some(i32::from(*value)),
        EncodedValue::Char(value) => Some(i32::from(*value)),
        EncodedValue::Int(value) => Some(*value),
        EncodedValue::Boolean(value) => Some(i32::from(*value)),
        _ => None,
    }
}

/// Returns the constant of a static field's initial value (`ConstantValue`), or `None` if code must set it: a
/// value of another kind than the field `of`, a type or handle, or a string that is too long for one
/// constant.
pub(super) fn constant(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    of: Type,
    value: &EncodedValue,
) -> Option<u16> {
    match (of.kind()?, value) {
        (ValueKind::Int, value) => integer(value).map(|number| pool.integer(number)),
        (ValueKind::Long, EncodedValue::Long(value)) => Some(pool.long(*value)),
        (ValueKind::Float, EncodedValue::Float(bits)) => Some(pool.float(*bits)),
        (ValueKind::Double, EncodedValue::Double(bits)) => Some(pool.double(*bits)),
        (ValueKind::Object, EncodedValue::String(text)) => {
            let text = dex.string(*text).ok()?;
            (text.len() <= MAX_UTF8_BYTES).then(|| pool.string(text))
        }
        _ => None,
    }
}

/// A static field that code must set, with its value.
pub(super) struct InitialValue {
    pub(super) field: u32,
    pub(super) value: EncodedValue,
}

/// Writes code that sets the static fields whose values are no constants of the class file: strings, types,
/// method types and handles. Other values are passed over, as they are constants or the default.
pub(super) fn initialize(
    dex: &Dex<'_>,
    class_table: &ClassTable<'_>,
    dex_number: u32,
    fields: &[InitialValue],
    asm: &mut Assembler<'_>,
) -> Partial<()> {
    for InitialValue { field, value } in fields {
        let field = dex.field(*field)?;
        match value {
            EncodedValue::String(text) => push_string(asm, dex.string(*text)?),
            EncodedValue::Type(kind) => {
                push_class(asm, class_table, class_table.type_of(dex_number, *kind));
            }
            EncodedValue::MethodType(_) | EncodedValue::MethodHandle(_) => {
                let constant = loadable(dex, class_table, asm.pool, value)?;
                asm.push_constant(constant);
            }
            _ => continue,
        }
        let owner = dex.class_name(field.class)?;
        let constant = asm
            .pool
            .field(owner, dex.string(field.name)?, dex.type_name(field.kind)?);
        asm.op_u16(op::PUTSTATIC, constant, -1);
    }
    Ok(())
}
