//! Encoded values and annotations.

use super::bytes::Cursor;
use super::tables::Dex;
use crate::error::{Flaw, Partial};
use crate::limits::{MAX_VALUE_DEPTH, MAX_VALUES};

/// A constant in annotations, static fields and call sites. Numbers of strings, types and members index the tables of
/// their dex file. `Float` and `Double` hold bits.
#[derive(Debug, Clone)]
pub(crate) enum EncodedValue {
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Boolean(bool),
    MethodType(u32),
    MethodHandle(u32),
    String(u32),
    Type(u32),
    /// A field. No attribute that is translated needs its index.
    Field,
    Method(u32),
    Enum(u32),
    Array(Vec<EncodedValue>),
    Annotation(Annotation),
    Null,
}

/// An annotation: the number of its type, and its values with the numbers of their names.
#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    pub(crate) kind: u32,
    pub(crate) elements: Vec<(u32, EncodedValue)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    Build,
    Runtime,
    /// Read by the system: attributes of class files that dex stores as annotations.
    System,
}

pub(crate) type AnnotationSet = Vec<(Visibility, Annotation)>;

/// The annotations of a class and its members, with the numbers of the members, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct ClassAnnotations {
    pub(crate) class: AnnotationSet,
    pub(crate) fields: Vec<(u32, AnnotationSet)>,
    pub(crate) methods: Vec<(u32, AnnotationSet)>,
    pub(crate) parameters: Vec<(u32, Vec<AnnotationSet>)>,
}

impl EncodedValue {
    /// Reads the values of an array at an offset; empty at zero. Fails if it is malformed, nested too deeply, names
    /// something that does not exist, or exceeds the file's budget.
    pub(crate) fn array_at(dex: &Dex<'_>, at: usize) -> Partial<Vec<Self>> {
        if at == 0 {
            return Ok(Vec::new());
        }
        Self::array(dex, &mut Cursor::new(dex.bytes, at), 0)
    }

    /// Reads a count and that many values; `depth` is the nesting so far. Fails for more than [`MAX_VALUES`].
    fn array(dex: &Dex<'_>, cursor: &mut Cursor<'_>, depth: usize) -> Partial<Vec<Self>> {
        let count = cursor.uleb()?;
        if count > MAX_VALUES {
            return Err(Flaw::new("an array of values is too long"));
        }
        (0..count).map(|_| Self::read(dex, cursor, depth)).collect()
    }

    /// Reads a value, and spends one step of the file's budget. Fails for an unknown kind, a number that its table does
    /// not have, and more than [`MAX_VALUE_DEPTH`] values inside each other.
    fn read(dex: &Dex<'_>, cursor: &mut Cursor<'_>, depth: usize) -> Partial<Self> {
        if depth > MAX_VALUE_DEPTH {
            return Err(Flaw::new("values are nested too deeply"));
        }
        dex.spend(1)?;
        let header = cursor.u8()?;
        let (kind, argument) = (header & 0x1f, usize::from(header >> 5));
        match kind {
            0x1c => return Ok(Self::Array(Self::array(dex, cursor, depth + 1)?)),
            0x1d => return Ok(Self::Annotation(Annotation::read(dex, cursor, depth + 1)?)),
            0x1e => return Ok(Self::Null),
            0x1f => return Ok(Self::Boolean(argument == 1)),
            _ => {}
        }
        let bytes = cursor.take(argument + 1)?;
        let mut little = [0; 8];
        little[..bytes.len()].copy_from_slice(bytes);
        let unsigned = u64::from_le_bytes(little);
        let unused = 64 - 8 * bytes.len() as u32;
        let signed = ((unsigned << unused) as i64) >> unused;
        // Floating-point numbers are filled up with zeros on their right.
        let filled = unsigned << unused;
        let number = unsigned as u32;
        Ok(match kind {
            0x00 => Self::Byte(signed as i8),
            0x02 => Self::Short(signed as i16),
            0x03 => Self::Char(unsigned as u16),
            0x04 => Self::Int(signed as i32),
            0x06 => Self::Long(signed),
            0x10 => Self::Float((filled >> 32) as u32),
            0x11 => Self::Double(filled),
            0x15 => dex.proto(number).map(|_| Self::MethodType(number))?,
            0x16 => dex.handle(number).map(|_| Self::MethodHandle(number))?,
            0x17 => dex.string(number).map(|_| Self::String(number))?,
            0x18 => dex.type_name(number).map(|_| Self::Type(number))?,
            0x19 => dex.field(number).map(|_| Self::Field)?,
            0x1a => dex.method(number).map(|_| Self::Method(number))?,
            0x1b => dex.field(number).map(|_| Self::Enum(number))?,
            _ => return Err(Flaw::new("a value is of an unknown kind")),
        })
    }
}

impl Annotation {
    /// Reads a type and its values, without visibility. Fails for a number that its table does not have.
    fn read(dex: &Dex<'_>, cursor: &mut Cursor<'_>, depth: usize) -> Partial<Self> {
        dex.spend(1)?;
        let kind = cursor.uleb()?;
        dex.type_name(kind)?;
        let count = cursor.uleb()?;
        if count > MAX_VALUES {
            return Err(Flaw::new("an annotation has too many values"));
        }
        let mut elements = Vec::new();
        for _ in 0..count {
            let name = cursor.uleb()?;
            dex.string(name)?;
            elements.push((name, EncodedValue::read(dex, cursor, depth)?));
        }
        Ok(Self { kind, elements })
    }
}

impl ClassAnnotations {
    /// Reads the annotations of a class without those of its members. `at` is the offset of the table of both. Empty at
    /// zero.
    pub(crate) fn read_class(dex: &Dex<'_>, at: usize) -> Partial<AnnotationSet> {
        if at == 0 {
            return Ok(Vec::new());
        }
        set(dex, Cursor::new(dex.bytes, at).size()?)
    }

    /// Reads the annotations of a class and of its fields, methods and parameters at an offset; empty at
    /// zero.
    ///
    /// # Errors
    /// Fails if they are malformed, or more than 255 parameters of a method have some.
    pub(crate) fn read(dex: &Dex<'_>, at: usize) -> Partial<Self> {
        if at == 0 {
            return Ok(Self::default());
        }
        let mut cursor = Cursor::new(dex.bytes, at);
        let class = set(dex, cursor.size()?)?;
        let (fields, methods, parameters) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        let mut found = Self {
            class,
            ..Self::default()
        };
        for _ in 0..fields {
            let (member, at) = (cursor.u32()?, cursor.size()?);
            found.fields.push((member, set(dex, at)?));
        }
        for _ in 0..methods {
            let (member, at) = (cursor.u32()?, cursor.size()?);
            found.methods.push((member, set(dex, at)?));
        }
        for _ in 0..parameters {
            let (member, at) = (cursor.u32()?, cursor.size()?);
            let mut list = Cursor::new(dex.bytes, at);
            let count = list.u32()?;
            if count > 255 {
                return Err(Flaw::new("a method has annotations of too many parameters"));
            }
            dex.spend(count as usize)?;
            let sets: Partial<Vec<_>> = (0..count).map(|_| set(dex, list.size()?)).collect();
            found.parameters.push((member, sets?));
        }
        Ok(found)
    }
}

/// Reads the annotations at an offset with their visibility; empty at zero. Fails for more than [`MAX_VALUES`], and for
/// an unknown visibility.
fn set(dex: &Dex<'_>, at: usize) -> Partial<AnnotationSet> {
    if at == 0 {
        return Ok(Vec::new());
    }
    let mut cursor = Cursor::new(dex.bytes, at);
    let count = cursor.u32()?;
    if count > MAX_VALUES {
        return Err(Flaw::new("there are too many annotations in one place"));
    }
    (0..count)
        .map(|_| {
            let mut item = Cursor::new(dex.bytes, cursor.size()?);
            let visibility = match item.u8()? {
                0 => Visibility::Build,
                1 => Visibility::Runtime,
                2 => Visibility::System,
                _ => return Err(Flaw::new("an annotation is for nobody known")),
            };
            Ok((visibility, Annotation::read(dex, &mut item, 0)?))
        })
        .collect()
}
