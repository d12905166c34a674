//! A class file and its parts (JVMS 4.1).

use super::pool::ConstantPool;

const MAGIC: u32 = 0xcafe_babe;

/// An attribute: its name in the pool, and its bytes.
#[derive(Debug)]
pub(crate) struct Attribute {
    name: u16,
    body: Vec<u8>,
}

impl Attribute {
    /// Creates an attribute. Its name is added to the pool.
    pub(crate) fn new(pool: &mut ConstantPool, name: &str, body: Vec<u8>) -> Self {
        Self {
            name: pool.utf8(name.as_bytes()),
            body,
        }
    }

    /// Makes an attribute of constants' indexes.
    pub(crate) fn constants(pool: &mut ConstantPool, name: &str, constants: &[u16]) -> Self {
        let body = constants.iter().flat_map(|constant| constant.to_be_bytes());
        Self::new(pool, name, body.collect())
    }

    /// Makes an attribute of a counted list of constants' indexes.
    pub(crate) fn list(pool: &mut ConstantPool, name: &str, constants: &[u16]) -> Self {
        let mut body = (constants.len() as u16).to_be_bytes().to_vec();
        body.extend(constants.iter().flat_map(|constant| constant.to_be_bytes()));
        Self::new(pool, name, body)
    }

    /// Appends a list of attributes to `out`, with their count in front.
    pub(crate) fn write_all(attributes: &[Self], out: &mut Vec<u8>) {
        out.extend((attributes.len() as u16).to_be_bytes());
        for attribute in attributes {
            out.extend(attribute.name.to_be_bytes());
            out.extend((attribute.body.len() as u32).to_be_bytes());
            out.extend_from_slice(&attribute.body);
        }
    }
}

/// A field or a method.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) flags: u16,
    pub(crate) name: u16,
    pub(crate) descriptor: u16,
    pub(crate) attributes: Vec<Attribute>,
}

#[derive(Debug, Default)]
pub(crate) struct ClassFile {
    pub(crate) version: u16,
    pub(crate) flags: u16,
    pub(crate) class: u16,
    pub(crate) super_class: u16,
    pub(crate) interfaces: Vec<u16>,
    pub(crate) fields: Vec<Member>,
    pub(crate) methods: Vec<Member>,
    pub(crate) attributes: Vec<Attribute>,
}

impl ClassFile {
    /// Returns the bytes of the file, or `None` if there are too many constants, fields or methods for a class file, or
    /// one constant is too long. Bootstraps of dynamic calls become an attribute of the class.
    pub(crate) fn write(mut self, mut pool: ConstantPool) -> Option<Vec<u8>> {
        if !pool.bootstraps.is_empty() {
            let mut body = (pool.bootstraps.len() as u16).to_be_bytes().to_vec();
            body.extend(pool.bootstraps.concat());
            let attribute = Attribute::new(&mut pool, "BootstrapMethods", body);
            self.attributes.push(attribute);
        }
        let most = usize::from(u16::MAX);
        if pool.overflows() || self.methods.len() > most || self.fields.len() > most {
            return None;
        }
        let mut out = MAGIC.to_be_bytes().to_vec();
        out.extend(u32::from(self.version).to_be_bytes());
        pool.write(&mut out);
        for number in [self.flags, self.class, self.super_class] {
            out.extend(number.to_be_bytes());
        }
        out.extend((self.interfaces.len() as u16).to_be_bytes());
        out.extend(
            self.interfaces
                .iter()
                .flat_map(|interface| interface.to_be_bytes()),
        );
        for members in [&self.fields, &self.methods] {
            out.extend((members.len() as u16).to_be_bytes());
            for member in members {
                for number in [member.flags, member.name, member.descriptor] {
                    out.extend(number.to_be_bytes());
                }
                Attribute::write_all(&member.attributes, &mut out);
            }
        }
        Attribute::write_all(&self.attributes, &mut out);
        Some(out)
    }
}
