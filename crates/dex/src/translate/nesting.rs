//! Nesting of classes, which dex stores as system annotations.

use std::collections::HashMap;

use crate::class_table::{ClassId, ClassTable};
use crate::read::{Annotation, ClassAnnotations, Dex, EncodedValue, Name, Visibility};

/// Place of a class inside another one. `outer` and `enclosing` are both set only if the annotations name an enclosing
/// class and an enclosing method.
#[derive(Debug, Clone)]
pub(crate) struct ClassNesting<'a> {
    /// The enclosing class, if the class has a name and the APK defines that enclosing class.
    pub(super) outer: Option<ClassId>,
    /// The class of the enclosing method; without such a method, the enclosing class of one that is no member.
    pub(super) enclosing: Option<ClassId>,
    /// The enclosing method: name and descriptor.
    pub(super) method: Option<(Name<'a>, Vec<u8>)>,
    pub(super) name: Option<Name<'a>>,
    pub(super) flags: i32,
}

#[derive(Debug, Default)]
pub(crate) struct Nesting<'a> {
    inner: HashMap<ClassId, ClassNesting<'a>>,
    /// Classes nested in each class, also in its methods.
    members: HashMap<ClassId, Vec<ClassId>>,
}

impl<'a> Nesting<'a> {
    /// Collects the nesting from the system annotations of all classes. Of a class that is defined several times the
    /// first definition counts. One whose annotations cannot be read, that has no `InnerClass`, or that names itself as
    /// its enclosing class, counts as not nested. Longer cycles are kept.
    pub(crate) fn new(dexes: &[Dex<'a>], class_table: &ClassTable<'a>) -> Self {
        let mut nesting = Self::default();
        for (number, dex) in dexes.iter().enumerate() {
            for (place, class) in dex.classes.iter().enumerate() {
                let id = class_table.type_of(number as u32, class.class).base;
                if class_table.defined(id) != Some((number as u32, place as u32)) {
                    continue;
                }
                let Ok(annotations) = ClassAnnotations::read_class(dex, class.annotations) else {
                    continue;
                };
                if let Some(inner) = inner(dex, class_table, number as u32, &annotations)
                    && inner.outer != Some(id)
                {
                    // The JVM requires an enclosing class to list a class inside it, even if that is no member.
                    if let Some(outer) = inner.outer.or(inner.enclosing) {
                        nesting.members.entry(outer).or_default().push(id);
                    }
                    nesting.inner.insert(id, inner);
                }
            }
        }
        nesting
    }

    pub(super) fn inner(&self, class: ClassId) -> Option<&ClassNesting<'a>> {
        self.inner.get(&class)
    }

    /// Returns the classes for the attribute `InnerClasses` of a class: those around it (outermost first),
    /// itself and its members. At most 64 around it are listed. Classes that are not nested are left out, so
    /// the list may be empty.
    pub(super) fn listed(&self, class: ClassId) -> Vec<ClassId> {
        let mut listed = Vec::new();
        let mut at = Some(class);
        while let Some(class) = at.filter(|class| !listed.contains(class) && listed.len() < 64) {
            let inner = self.inner.get(&class);
            if inner.is_some() {
                listed.push(class);
            }
            at = inner.and_then(|inner| inner.outer);
        }
        listed.reverse();
        for member in self.members.get(&class).into_iter().flatten() {
            if !listed.contains(member) {
                listed.push(*member);
            }
        }
        listed
    }
}

/// Reads the nesting from a class's annotations. `None` without the system annotation `InnerClass`. It is a member of
/// the enclosing class only if it has a name and the APK defines that class.
fn inner<'a>(
    dex: &Dex<'a>,
    class_table: &ClassTable<'a>,
    number: u32,
    annotations: &[(Visibility, Annotation)],
) -> Option<ClassNesting<'a>> {
    let value =
        |name: &[u8], element: &[u8]| system(dex, annotations, name)?.get(dex, element).cloned();
    let class = match value(b"Ldalvik/annotation/EnclosingClass;", b"value") {
        Some(EncodedValue::Type(kind)) => Some(class_table.type_of(number, kind).base),
        _ => None,
    };
    let method = match value(b"Ldalvik/annotation/EnclosingMethod;", b"value") {
        Some(EncodedValue::Method(method)) => dex.method(method).ok(),
        _ => None,
    };
    let annotation = system(dex, annotations, b"Ldalvik/annotation/InnerClass;")?;
    let name = match annotation.get(dex, b"name") {
        Some(EncodedValue::String(name)) => dex.string(*name).ok(),
        _ => None,
    };
    let flags = annotation
        .get(dex, b"accessFlags")
        .and_then(super::values::integer)
        .unwrap_or(0);
    let member = class.filter(|class| name.is_some() && class_table.defined(*class).is_some());
    Some(ClassNesting {
        outer: member,
        enclosing: match (&method, member) {
            (Some(method), _) => Some(class_table.type_of(number, method.class).base),
            (None, None) => class,
            _ => None,
        },
        method: method.and_then(|method| {
            Some((
                dex.string(method.name).ok()?,
                dex.descriptor(method.proto).ok()?,
            ))
        }),
        name,
        flags,
    })
}

/// Returns the first system annotation of the type `name`, a descriptor such as `Ldalvik/annotation/Throws;`.
/// Annotations of other visibility do not count.
pub(super) fn system<'n>(
    dex: &Dex<'_>,
    annotations: &'n [(Visibility, Annotation)],
    name: &[u8],
) -> Option<&'n Annotation> {
    let mut all = annotations
        .iter()
        .filter(|(visibility, _)| *visibility == Visibility::System);
    let found = all.find(|(_, annotation)| dex.type_name(annotation.kind) == Ok(name));
    found.map(|(_, annotation)| annotation)
}

impl Annotation {
    /// Returns the value of the first element with this name.
    pub(super) fn get(&self, dex: &Dex<'_>, element: &[u8]) -> Option<&EncodedValue> {
        let found = self
            .elements
            .iter()
            .find(|(name, _)| dex.string(*name) == Ok(element));
        found.map(|(_, value)| value)
    }
}
