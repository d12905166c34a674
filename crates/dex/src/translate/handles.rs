//! Constants of method handles.

use crate::class_table::ClassTable;
use crate::error::{Flaw, Partial};
use crate::jvm::ConstantPool;
use crate::read::Dex;

/// Kinds of method handles of the JVM (JVMS 4.4.8), in the order of dex's kinds.
const HANDLE_KINDS: [u8; 9] = [4, 2, 3, 1, 6, 5, 8, 7, 9];

/// Adds the constant of the method handle `number` of a dex file, for a field or a method, and returns it. A known
/// owner tells if the method is an interface's; for an unknown owner the handle's kind tells it.
///
/// # Errors
/// Fails for an unknown kind or a member that does not exist.
pub(super) fn handle(
    dex: &Dex<'_>,
    class_table: &ClassTable<'_>,
    pool: &mut ConstantPool,
    number: u32,
) -> Partial<u16> {
    let handle = dex.handle(number)?;
    let kind = HANDLE_KINDS.get(usize::from(handle.kind)).copied();
    let kind = kind.ok_or(Flaw::new("a method handle is of an unknown kind"))?;
    let member = if kind < 5 {
        let field = dex.field(handle.member)?;
        pool.field(
            dex.class_name(field.class)?,
            dex.string(field.name)?,
            dex.type_name(field.kind)?,
        )
    } else {
        let method = dex.method(handle.member)?;
        let owner = dex.class_name(method.class)?;
        let interface = class_table
            .find(owner)
            .filter(|class| class_table.is_known(*class));
        let interface = interface.map_or(kind == 9, |class| class_table.is_interface(class));
        pool.method(
            interface,
            owner,
            dex.string(method.name)?,
            &dex.descriptor(method.proto)?,
        )
    };
    Ok(pool.method_handle(kind, member))
}
