//! The constant pool of a class file (JVMS 4.4).

use std::collections::HashMap;

use crate::limits::MAX_UTF8_BYTES;

/// Tags of constants (JVMS 4.4, table 4.4-A).
const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const STRING: u8 = 8;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;
const METHOD_HANDLE: u8 = 15;
const METHOD_TYPE: u8 = 16;
const INVOKE_DYNAMIC: u8 = 18;

/// Constants without duplicates. If one does not fit, `overflows` is true and the class cannot be written.
#[derive(Debug, Default)]
pub(crate) struct ConstantPool {
    known: HashMap<Vec<u8>, u16>,
    bytes: Vec<u8>,
    count: usize,
    scratch: Vec<u8>,
    /// Bootstrap methods of `invokedynamic` with their arguments, for the attribute `BootstrapMethods`.
    pub(super) bootstraps: Vec<Vec<u8>>,
    too_long: bool,
}

impl ConstantPool {
    /// Returns true if there are more constants than a class file can hold, or a too long one.
    pub(crate) fn overflows(&self) -> bool {
        self.too_long || self.count + 1 > usize::from(u16::MAX)
    }

    /// Adds a constant and returns its number, that of an equal one if there is any. Returns 0 if the pool is full.
    fn add(&mut self, tag: u8, parts: &[&[u8]]) -> u16 {
        self.scratch.clear();
        self.scratch.push(tag);
        for part in parts {
            self.scratch.extend_from_slice(part);
        }
        if let Some(index) = self.known.get(&self.scratch) {
            return *index;
        }
        self.bytes.extend_from_slice(&self.scratch);
        let index = self.count + 1;
        self.count += if matches!(tag, LONG | DOUBLE) { 2 } else { 1 };
        let index = u16::try_from(index).unwrap_or(0);
        self.known.insert(self.scratch.clone(), index);
        index
    }

    pub(crate) fn utf8(&mut self, text: &[u8]) -> u16 {
        self.too_long |= text.len() > MAX_UTF8_BYTES;
        self.add(UTF8, &[&(text.len() as u16).to_be_bytes(), text])
    }

    fn named(&mut self, tag: u8, text: &[u8]) -> u16 {
        let text = self.utf8(text);
        self.add(tag, &[&text.to_be_bytes()])
    }

    /// Adds a class by its internal name, or an array by its descriptor.
    pub(crate) fn class(&mut self, name: &[u8]) -> u16 {
        self.named(CLASS, name)
    }

    pub(crate) fn string(&mut self, text: &[u8]) -> u16 {
        self.named(STRING, text)
    }

    pub(crate) fn method_type(&mut self, descriptor: &[u8]) -> u16 {
        self.named(METHOD_TYPE, descriptor)
    }

    pub(crate) fn integer(&mut self, value: i32) -> u16 {
        self.add(INTEGER, &[&value.to_be_bytes()])
    }

    pub(crate) fn float(&mut self, bits: u32) -> u16 {
        self.add(FLOAT, &[&bits.to_be_bytes()])
    }

    pub(crate) fn long(&mut self, value: i64) -> u16 {
        self.add(LONG, &[&value.to_be_bytes()])
    }

    pub(crate) fn double(&mut self, bits: u64) -> u16 {
        self.add(DOUBLE, &[&bits.to_be_bytes()])
    }

    /// Adds a member's name and descriptor.
    pub(crate) fn name_and_type(&mut self, name: &[u8], descriptor: &[u8]) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.add(
            NAME_AND_TYPE,
            &[&name.to_be_bytes(), &descriptor.to_be_bytes()],
        )
    }

    fn member(&mut self, tag: u8, owner: &[u8], name: &[u8], descriptor: &[u8]) -> u16 {
        let owner = self.class(owner);
        let member = self.name_and_type(name, descriptor);
        self.add(tag, &[&owner.to_be_bytes(), &member.to_be_bytes()])
    }

    pub(crate) fn field(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> u16 {
        self.member(FIELD, owner, name, descriptor)
    }

    /// Adds a method of a class or of an interface.
    pub(crate) fn method(
        &mut self,
        interface: bool,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> u16 {
        let tag = if interface { INTERFACE_METHOD } else { METHOD };
        self.member(tag, owner, name, descriptor)
    }

    /// Adds a method handle of a kind (JVMS 4.4.8) for a member.
    pub(crate) fn method_handle(&mut self, kind: u8, member: u16) -> u16 {
        self.add(METHOD_HANDLE, &[&[kind], &member.to_be_bytes()])
    }

    /// Adds a dynamic call, whose method is chosen by a bootstrap handle and its arguments, and returns its
    /// constant. Equal calls share one constant, and equal bootstraps one entry.
    pub(crate) fn invoke_dynamic(
        &mut self,
        bootstrap: u16,
        arguments: &[u16],
        name: &[u8],
        descriptor: &[u8],
    ) -> u16 {
        let mut entry = bootstrap.to_be_bytes().to_vec();
        entry.extend((arguments.len() as u16).to_be_bytes());
        entry.extend(arguments.iter().flat_map(|argument| argument.to_be_bytes()));
        let place = self.bootstraps.iter().position(|known| *known == entry);
        let place = place.unwrap_or_else(|| {
            self.bootstraps.push(entry);
            self.bootstraps.len() - 1
        });
        let member = self.name_and_type(name, descriptor);
        self.add(
            INVOKE_DYNAMIC,
            &[&(place as u16).to_be_bytes(), &member.to_be_bytes()],
        )
    }

    /// Writes the number of constants, then the constants.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(((self.count + 1) as u16).to_be_bytes());
        out.extend_from_slice(&self.bytes);
    }
}
