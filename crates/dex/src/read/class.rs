//! Definitions of classes, and their members.

use super::bytes::Cursor;
use super::rows::ClassDef;
use super::tables::Dex;
use crate::error::{Flaw, Partial};

/// A field of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedField {
    pub(crate) field: u32,
    pub(crate) flags: u32,
}

/// A method of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedMethod {
    pub(crate) method: u32,
    pub(crate) flags: u32,
    /// Offset of its code; zero if it has none.
    pub(crate) code: usize,
}

#[derive(Debug, Default)]
pub(crate) struct ClassData {
    pub(crate) static_fields: Vec<EncodedField>,
    pub(crate) instance_fields: Vec<EncodedField>,
    pub(crate) methods: Vec<EncodedMethod>,
}

impl ClassDef {
    /// Reads the fields and methods, direct methods before virtual ones. A class without data has none.
    ///
    /// # Errors
    /// Fails if they are malformed, do not ascend, or belong to another class.
    pub(crate) fn data(&self, dex: &Dex<'_>) -> Partial<ClassData> {
        if self.data == 0 {
            return Ok(ClassData::default());
        }
        let mut cursor = Cursor::new(dex.bytes, self.data);
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = cursor.uleb()?;
        }
        Ok(ClassData {
            static_fields: self.fields(dex, &mut cursor, counts[0])?,
            instance_fields: self.fields(dex, &mut cursor, counts[1])?,
            methods: {
                let mut methods = self.methods(dex, &mut cursor, counts[2])?;
                methods.extend(self.methods(dex, &mut cursor, counts[3])?);
                methods
            },
        })
    }

    /// Reads `count` fields. Their numbers must ascend, so a file cannot list more than its table has, and
    /// they must belong to this class.
    fn fields(
        &self,
        dex: &Dex<'_>,
        cursor: &mut Cursor<'_>,
        count: u32,
    ) -> Partial<Vec<EncodedField>> {
        let mut fields: Vec<EncodedField> = Vec::new();
        for _ in 0..count {
            let last = fields.last().map(|last| last.field);
            let field = next(last, cursor.uleb()?)?;
            if dex.field(field)?.class != self.class {
                return Err(Flaw::new("a class holds a field of another class"));
            }
            let flags = cursor.uleb()?;
            fields.push(EncodedField { field, flags });
        }
        Ok(fields)
    }

    /// Reads `count` methods. As for fields, their numbers must ascend and they must belong to this class. The code
    /// itself is not read.
    fn methods(
        &self,
        dex: &Dex<'_>,
        cursor: &mut Cursor<'_>,
        count: u32,
    ) -> Partial<Vec<EncodedMethod>> {
        let mut methods: Vec<EncodedMethod> = Vec::new();
        for _ in 0..count {
            let last = methods.last().map(|last| last.method);
            let method = next(last, cursor.uleb()?)?;
            if dex.method(method)?.class != self.class {
                return Err(Flaw::new("a class holds a method of another class"));
            }
            let (flags, code) = (cursor.uleb()?, cursor.uleb()? as usize);
            methods.push(EncodedMethod {
                method,
                flags,
                code,
            });
        }
        Ok(methods)
    }
}

/// Returns the number of a member, which is stored as the distance from the last one; the first is stored as
/// it is. Fails for a distance of zero, as a member may not be listed twice.
fn next(last: Option<u32>, distance: u32) -> Partial<u32> {
    match last {
        None => Ok(distance),
        Some(_) if distance == 0 => Err(Flaw::new("a class holds a member twice")),
        Some(last) => last
            .checked_add(distance)
            .ok_or(Flaw::new("a number leads past the end of its table")),
    }
}
