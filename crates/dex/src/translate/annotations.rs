//! Annotations as attributes of class files (JVMS 4.7.16).

use crate::jvm::{Attribute, ConstantPool};
use crate::limits::MAX_UTF8_BYTES;
use crate::read::{Annotation, Dex, EncodedValue, Visibility};

/// Adds the annotations that are visible at run time or at build time, as one attribute each; none if it would be
/// empty. System annotations are left out. Values that class files cannot hold are left out of their annotation, which
/// stays.
pub(super) fn add(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &[(Visibility, Annotation)],
    attributes: &mut Vec<Attribute>,
) {
    for (visibility, name) in [
        (Visibility::Runtime, "RuntimeVisibleAnnotations"),
        (Visibility::Build, "RuntimeInvisibleAnnotations"),
    ] {
        let mut body = Vec::new();
        if several(dex, pool, annotations, visibility, &mut body) > 0 {
            attributes.push(Attribute::new(pool, name, body));
        }
    }
}

/// Adds the annotations of parameters, visible at run time or at build time, as one attribute each. An attribute has an
/// entry for every element of `parameters`, and is left out if all entries are empty.
pub(super) fn add_parameters(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    parameters: &[Vec<(Visibility, Annotation)>],
    attributes: &mut Vec<Attribute>,
) {
    for (visibility, name) in [
        (Visibility::Runtime, "RuntimeVisibleParameterAnnotations"),
        (Visibility::Build, "RuntimeInvisibleParameterAnnotations"),
    ] {
        let mut body = vec![parameters.len() as u8];
        let counts = parameters
            .iter()
            .map(|parameter| several(dex, pool, parameter, visibility, &mut body));
        if counts.sum::<u16>() > 0 {
            attributes.push(Attribute::new(pool, name, body));
        }
    }
}

/// Appends the annotations of one visibility, with their count in front. Returns the count; with zero the count alone
/// is there.
fn several(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &[(Visibility, Annotation)],
    wanted: Visibility,
    out: &mut Vec<u8>,
) -> u16 {
    let start = out.len();
    out.extend([0, 0]);
    let mut count = 0_u16;
    for (_, annotation) in annotations
        .iter()
        .filter(|(visibility, _)| *visibility == wanted)
    {
        if write(dex, pool, annotation, out).is_some() {
            count += 1;
        }
    }
    out[start..start + 2].copy_from_slice(&count.to_be_bytes());
    count
}

/// Appends an annotation. Values that class files cannot hold are left out. `None` if its type or the name of a value
/// does not exist; then a part of it may stay in `out`.
fn write(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotation: &Annotation,
    out: &mut Vec<u8>,
) -> Option<()> {
    let kind = dex.type_name(annotation.kind).ok()?;
    out.extend(pool.utf8(kind).to_be_bytes());
    let at = out.len();
    out.extend([0, 0]);
    let mut count = 0_u16;
    for (name, value) in &annotation.elements {
        let Some(written) = element(dex, pool, value) else {
            continue;
        };
        out.extend(pool.utf8(dex.string(*name).ok()?).to_be_bytes());
        out.extend(written);
        count += 1;
    }
    out[at..at + 2].copy_from_slice(&count.to_be_bytes());
    Some(())
}

/// Returns a value of an annotation in the form of a class file, or `None` if class files have no such value
/// (handles, method types, fields, null) or a text is too long. Such values inside an array are left out.
pub(super) fn element(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    value: &EncodedValue,
) -> Option<Vec<u8>> {
    let (tag, constant) = match value {
        EncodedValue::Byte(value) => (b'B', pool.integer((*value).into())),
        EncodedValue::Short(value) => (b'S', pool.integer((*value).into())),
        EncodedValue::Char(value) => (b'C', pool.integer((*value).into())),
        EncodedValue::Int(value) => (b'I', pool.integer(*value)),
        EncodedValue::Boolean(value) => (b'Z', pool.integer((*value).into())),
        EncodedValue::Long(value) => (b'J', pool.long(*value)),
        EncodedValue::Float(bits) => (b'F', pool.float(*bits)),
        EncodedValue::Double(bits) => (b'D', pool.double(*bits)),
        EncodedValue::String(text) => {
            let text = dex
                .string(*text)
                .ok()
                .filter(|text| text.len() <= MAX_UTF8_BYTES)?;
            (b's', pool.utf8(text))
        }
        EncodedValue::Type(kind) => (b'c', pool.utf8(dex.type_name(*kind).ok()?)),
        EncodedValue::Enum(field) => {
            let field = dex.field(*field).ok()?;
            let mut out = vec![b'e'];
            out.extend(pool.utf8(dex.type_name(field.kind).ok()?).to_be_bytes());
            out.extend(pool.utf8(dex.string(field.name).ok()?).to_be_bytes());
            return Some(out);
        }
        EncodedValue::Annotation(annotation) => {
            let mut out = vec![b'@'];
            write(dex, pool, annotation, &mut out)?;
            return Some(out);
        }
        EncodedValue::Array(values) => {
            let written: Vec<_> = values
                .iter()
                .filter_map(|value| element(dex, pool, value))
                .collect();
            let mut out = vec![b'['];
            out.extend((written.len() as u16).to_be_bytes());
            out.extend(written.concat());
            return Some(out);
        }
        EncodedValue::MethodType(_)
        | EncodedValue::MethodHandle(_)
        | EncodedValue::Field
        | EncodedValue::Method(_)
        | EncodedValue::Null => return None,
    };
    let mut out = vec![tag];
    out.extend(constant.to_be_bytes());
    Some(out)
}
