//! Writes calls.

use super::constructors::skip_descriptor;
use super::emit::Emitter;
use super::handles::handle;
use super::values::loadable;
use crate::analyse::{Object, Operand, callee, constructed_class};
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::op;
use crate::read::{EncodedValue, Instruction as I, InvokeKind};

impl Emitter<'_, '_, '_, '_> {
    /// Writes a call whose arguments are on the stack, and takes them from it. Returns the kind of the result that the
    /// call leaves there; `None` for `void`. Instructions that are no call write nothing.
    pub(super) fn call(&mut self, op: &I, read: &[Operand]) -> Partial<Option<ValueKind>> {
        let result = callee(self.context, op)?.and_then(Type::kind);
        let taken: i32 = read
            .iter()
            .map(|operand| i32::from(operand.kind.width()))
            .sum();
        let stack = result.map_or(0, |kind| i32::from(kind.width())) - taken;
        match op {
            I::Invoke { kind, method, .. } => self.invoke(*kind, *method, read, taken, stack)?,
            I::InvokePolymorphic { method, proto, .. } => {
                let called = self.context.callee(*method)?;
                let owner = self.context.class_table.class_constant(called.owner);
                let descriptor = self.context.dex.descriptor(*proto)?;
                let method = self
                    .asm
                    .pool
                    .method(false, &owner, called.name, &descriptor);
                self.asm.op_u16(op::INVOKEVIRTUAL, method, stack);
            }
            I::InvokeCustom { call_site, .. } => {
                let constant = self.call_site(*call_site)?;
                self.asm.op_u16(op::INVOKEDYNAMIC, constant, stack);
                self.asm.u16(0);
            }
            _ => {}
        }
        Ok(result)
    }

    /// Writes a call of a method by its number. For a known owner its class decides whether the call is one of an
    /// interface, else the instruction. A super call of another interface's method adds that interface to those that
    /// the class must name. A direct call of `<init>` goes to [`Self::construct`].
    fn invoke(
        &mut self,
        kind: InvokeKind,
        method: u32,
        read: &[Operand],
        taken: i32,
        stack: i32,
    ) -> Partial<()> {
        let called = self.context.callee(method)?;
        let class_table = self.context.class_table;
        let owner = called.owner;
        let class = owner.dimensions == 0;
        // What a class is counts for more than how dex calls its methods.
        let interface = match kind {
            _ if class && class_table.is_known(owner.base) => class_table.is_interface(owner.base),
            _ => kind == InvokeKind::Interface,
        };
        let descriptor = self.context.dex.descriptor(called.proto)?;
        // Long names are copied for each call.
        self.context.fuel.burn(descriptor.len() / 16)?;
        if kind == InvokeKind::Direct && called.name == b"<init>" {
            return self.construct(owner, descriptor, read, stack);
        }
        if kind == InvokeKind::Super && interface && owner.base != self.context.class {
            let needed = self
                .constructors
                .interfaces
                .entry(self.context.class)
                .or_default();
            needed.insert(owner.base);
        }
        let name = class_table.class_constant(owner);
        let method = self
            .asm
            .pool
            .method(interface, &name, called.name, &descriptor);
        let opcode = match kind {
            InvokeKind::Static => op::INVOKESTATIC,
            InvokeKind::Super | InvokeKind::Direct => op::INVOKESPECIAL,
            _ if interface => op::INVOKEINTERFACE,
            _ => op::INVOKEVIRTUAL,
        };
        self.asm.op_u16(opcode, method, stack);
        if opcode == op::INVOKEINTERFACE {
            self.asm.u8(taken as u8);
            self.asm.u8(0);
        }
        Ok(())
    }

    /// Writes a constructor call whose arguments are on the stack. If `owner` is an ancestor of the object's
    /// class (of its super class for `this`), the JVM forbids that call; then a constructor is requested that
    /// leads there through all classes between, and called with one more argument, null.
    ///
    /// # Errors
    /// Fails if `owner` is no ancestor, or a class between is not the APK's own.
    fn construct(
        &mut self,
        owner: Type,
        mut descriptor: Vec<u8>,
        read: &[Operand],
        mut stack: i32,
    ) -> Partial<()> {
        let class_table = self.context.class_table;
        let object = read
            .first()
            .map_or(Object::None, |first| self.state.get(first.register).object);
        let made = constructed_class(self.context, object)?;
        let this = object == Object::UninitializedThis;
        let parent = class_table.super_class(self.context.class);
        let mut target = made.base;
        if owner == made || this && Some(owner.base) == parent {
            target = owner.base;
        } else {
            if this {
                target = parent.ok_or(Flaw::new("`Object` has no super class"))?;
            }
            if !self
                .constructors
                .skip(class_table, target, owner.base, &descriptor)
            {
                return Err(Flaw::new(
                    "a constructor is called that is not one of the object's class",
                ));
            }
            descriptor = skip_descriptor(class_table, owner.base, &descriptor);
            self.asm.op(op::ACONST_NULL, 1);
            stack -= 1;
        }
        let method = self
            .asm
            .pool
            .method(false, class_table.name(target), b"<init>", &descriptor);
        self.asm.op_u16(op::INVOKESPECIAL, method, stack);
        Ok(())
    }

    /// Adds the constant of a dynamic call and returns it. Fails unless the call site begins with handle, name and
    /// type, and for a further value that the JVM does not take.
    fn call_site(&mut self, number: u32) -> Partial<u16> {
        let dex = self.context.dex;
        let values = EncodedValue::array_at(dex, dex.call_site(number)?)?;
        let [
            EncodedValue::MethodHandle(handle),
            EncodedValue::String(name),
            EncodedValue::MethodType(proto),
            arguments @ ..,
        ] = &values[..]
        else {
            return Err(Flaw::new(
                "a call site does not begin with its handle, name and type",
            ));
        };
        let bootstrap = self.handle(*handle)?;
        let arguments: Partial<Vec<u16>> = arguments
            .iter()
            .map(|value| loadable(dex, self.context.class_table, self.asm.pool, value))
            .collect();
        let descriptor = dex.descriptor(*proto)?;
        Ok(self
            .asm
            .pool
            .invoke_dynamic(bootstrap, &arguments?, dex.string(*name)?, &descriptor))
    }

    /// Returns the constant of a method handle.
    pub(super) fn handle(&mut self, number: u32) -> Partial<u16> {
        handle(
            self.context.dex,
            self.context.class_table,
            self.asm.pool,
            number,
        )
    }
}
