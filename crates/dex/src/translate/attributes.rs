//! Attributes of class files that dex stores as system annotations.

use super::annotations::element;
use super::flags;
use super::nesting::{Nesting, system};
use crate::class_table::{ClassId, ClassTable};
use crate::jvm::{Attribute, ConstantPool};
use crate::limits::MAX_UTF8_BYTES;
use crate::read::{Annotation, Dex, EncodedValue, Visibility};

type Annotations = [(Visibility, Annotation)];

/// Returns the list `key` of the system annotation `name`. `None` without that annotation, and if the value is no list.
fn array<'n>(
    dex: &Dex<'_>,
    annotations: &'n Annotations,
    name: &[u8],
    key: &[u8],
) -> Option<&'n [EncodedValue]> {
    match system(dex, annotations, name)?.get(dex, key)? {
        EncodedValue::Array(values) => Some(values),
        _ => None,
    }
}

/// Adds the generic signature of a class, field or method, joined from the texts of the system annotation `Signature`.
/// Adds nothing without that annotation, or if the signature is too long for one constant.
pub(super) fn add_signature(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &Annotations,
    attributes: &mut Vec<Attribute>,
) {
    let Some(parts) = array(dex, annotations, b"Ldalvik/annotation/Signature;", b"value") else {
        return;
    };
    let signature = joined(dex, parts);
    if signature.len() <= MAX_UTF8_BYTES {
        let signature = pool.utf8(&signature);
        attributes.push(Attribute::constants(pool, "Signature", &[signature]));
    }
}

/// Joins the texts among the values, in order. Values of other kinds are skipped.
fn joined(dex: &Dex<'_>, parts: &[EncodedValue]) -> Vec<u8> {
    let mut text = Vec::new();
    for part in parts {
        if let EncodedValue::String(part) = part {
            text.extend_from_slice(dex.string(*part).unwrap_or_default());
        }
    }
    text
}

/// Returns the constants of the classes among the values, in order. Arrays, primitives and other values are skipped.
fn classes(dex: &Dex<'_>, pool: &mut ConstantPool, values: &[EncodedValue]) -> Vec<u16> {
    let names = values.iter().filter_map(|value| match value {
        EncodedValue::Type(kind) => dex.class_name(*kind).ok(),
        _ => None,
    });
    names.map(|name| pool.class(name)).collect()
}

/// Adds a method's exceptions, parameter names, and annotation default, each if it is there. At most 255 parameters are
/// listed; an unnamed one gets the name 0. Of the parameters' flags only final, synthetic and mandated are kept. A
/// default that class files cannot hold is left out.
pub(super) fn add_method(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &Annotations,
    default: Option<&EncodedValue>,
    attributes: &mut Vec<Attribute>,
) {
    if let Some(thrown) = array(dex, annotations, b"Ldalvik/annotation/Throws;", b"value") {
        let thrown = classes(dex, pool, thrown);
        attributes.push(Attribute::list(pool, "Exceptions", &thrown));
    }
    let parameters = b"Ldalvik/annotation/MethodParameters;";
    if let Some(names) = array(dex, annotations, parameters, b"names") {
        let flags = array(dex, annotations, parameters, b"accessFlags").unwrap_or_default();
        let mut body = vec![names.len().min(255) as u8];
        for (index, name) in names.iter().take(255).enumerate() {
            let name = match name {
                EncodedValue::String(name) => dex.string(*name).map_or(0, |name| pool.utf8(name)),
                _ => 0,
            };
            let flags = flags
                .get(index)
                .and_then(super::values::integer)
                .unwrap_or(0);
            body.extend(name.to_be_bytes());
            body.extend((flags as u16 & 0x9010).to_be_bytes());
        }
        attributes.push(Attribute::new(pool, "MethodParameters", body));
    }
    if let Some(written) = default.and_then(|default| element(dex, pool, default)) {
        attributes.push(Attribute::new(pool, "AnnotationDefault", written));
    }
}

/// Returns the defaults of an annotation's elements: numbers of their names, and values. `None` if the class has no
/// system annotation `AnnotationDefault`.
pub(super) fn defaults<'n>(
    dex: &Dex<'_>,
    annotations: &'n Annotations,
) -> Option<&'n [(u32, EncodedValue)]> {
    let annotation = system(dex, annotations, b"Ldalvik/annotation/AnnotationDefault;")?;
    match annotation.get(dex, b"value")? {
        EncodedValue::Annotation(annotation) => Some(&annotation.elements),
        _ => None,
    }
}

/// Adds the attributes of a class: debug extension, permitted subclasses, nest members and host, record. Each is added
/// only if its system annotation is there. Returns the lowest class file version that has all of them; 0 if any version
/// does.
pub(super) fn add_class(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &Annotations,
    attributes: &mut Vec<Attribute>,
) -> u16 {
    let mut version = 0;
    if let Some(annotation) = system(
        dex,
        annotations,
        b"Ldalvik/annotation/SourceDebugExtension;",
    ) && let Some(EncodedValue::String(text)) = annotation.get(dex, b"value")
    {
        let text = dex.string(*text).unwrap_or_default().to_vec();
        attributes.push(Attribute::new(pool, "SourceDebugExtension", text));
    }
    for (annotation, name, since) in [
        (
            &b"Ldalvik/annotation/PermittedSubclasses;"[..],
            "PermittedSubclasses",
            61,
        ),
        (b"Ldalvik/annotation/NestMembers;", "NestMembers", 55),
    ] {
        if let Some(values) = array(dex, annotations, annotation, b"value") {
            let listed = classes(dex, pool, values);
            attributes.push(Attribute::list(pool, name, &listed));
            version = version.max(since);
        }
    }
    if let Some(annotation) = system(dex, annotations, b"Ldalvik/annotation/NestHost;")
        && let Some(EncodedValue::Type(host)) = annotation.get(dex, b"value")
        && let Ok(host) = dex.class_name(*host)
    {
        let host = pool.class(host);
        attributes.push(Attribute::constants(pool, "NestHost", &[host]));
        version = version.max(55);
    }
    if add_record(dex, pool, annotations, attributes).is_some() {
        version = 61;
    }
    version
}

/// Adds the components of a record, each with its name, type and signature. `None`, and no attribute, if the
/// class is no record or a component is malformed. Surplus names or types are ignored.
fn add_record(
    dex: &Dex<'_>,
    pool: &mut ConstantPool,
    annotations: &Annotations,
    attributes: &mut Vec<Attribute>,
) -> Option<()> {
    let record = b"Ldalvik/annotation/Record;";
    let names = array(dex, annotations, record, b"componentNames")?;
    let types = array(dex, annotations, record, b"componentTypes")?;
    let signatures = array(dex, annotations, record, b"componentSignatures").unwrap_or_default();
    let mut body = (names.len().min(types.len()) as u16).to_be_bytes().to_vec();
    for (index, (name, kind)) in names.iter().zip(types).enumerate() {
        let (EncodedValue::String(name), EncodedValue::Type(kind)) = (name, kind) else {
            return None;
        };
        body.extend(pool.utf8(dex.string(*name).ok()?).to_be_bytes());
        body.extend(pool.utf8(dex.type_name(*kind).ok()?).to_be_bytes());
        let mut inside = Vec::new();
        let signature = match signatures.get(index) {
            Some(EncodedValue::Annotation(annotation)) => annotation.get(dex, b"value"),
            other => other,
        };
        if let Some(EncodedValue::Array(parts)) = signature {
            let signature = pool.utf8(&joined(dex, parts));
            inside.push(Attribute::constants(pool, "Signature", &[signature]));
        }
        Attribute::write_all(&inside, &mut body);
    }
    attributes.push(Attribute::new(pool, "Record", body));
    Some(())
}

/// Adds the attributes about nesting: `InnerClasses` with the classes around a class, itself and its members, and
/// `EnclosingMethod` for a class inside another's code. Each is left out if it would be empty. A class inside a class
/// initializer gets no method's name.
pub(super) fn add_nesting(
    class_table: &ClassTable<'_>,
    nesting: &Nesting<'_>,
    pool: &mut ConstantPool,
    class: ClassId,
    attributes: &mut Vec<Attribute>,
) {
    let listed = nesting.listed(class);
    let entries = listed
        .iter()
        .filter_map(|class| Some((*class, nesting.inner(*class)?)));
    let mut numbers = Vec::new();
    for (class, inner) in entries {
        numbers.push(pool.class(class_table.name(class)));
        numbers.push(
            inner
                .outer
                .map_or(0, |outer| pool.class(class_table.name(outer))),
        );
        numbers.push(inner.name.map_or(0, |name| pool.utf8(name)));
        numbers.push(flags::inner(inner.flags));
    }
    if !numbers.is_empty() {
        let mut body = ((numbers.len() / 4) as u16).to_be_bytes().to_vec();
        body.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        attributes.push(Attribute::new(pool, "InnerClasses", body));
    }
    if let Some(inner) = nesting.inner(class)
        && let Some(around) = inner.enclosing
    {
        let around = pool.class(class_table.name(around));
        let method = inner.method.as_ref();
        // Initializers are no methods that reflection finds.
        let method = method.filter(|(name, _)| name != b"<clinit>");
        let method = method.map_or(0, |(name, descriptor)| pool.name_and_type(name, descriptor));
        attributes.push(Attribute::constants(
            pool,
            "EnclosingMethod",
            &[around, method],
        ));
    }
}
