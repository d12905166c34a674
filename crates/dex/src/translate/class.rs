//! Translates a class.

use std::collections::BTreeSet;

use super::constructors::{Constructors, SkipConstructor, write};
use super::nesting::Nesting;
use super::values::{InitialValue, constant, initialize};
use super::{annotations, attributes, flags, method};
use crate::analyse::{Context, Fuel};
use crate::class_table::{ClassId, ClassTable, Type};
use crate::error::{Flaw, Partial};
use crate::jvm::{Attribute, ClassFile, ConstantPool, Member};
use crate::read::{
    Annotation, ClassAnnotations, ClassData, ClassDef, Code, CodeItem, Dex, EncodedField,
    EncodedMethod, EncodedValue, Visibility, decode,
};

/// Class file version of Java 8: the first with frames, lambdas and default methods.
const VERSION: u16 = 52;

#[derive(Clone, Copy)]
pub(crate) struct Class<'w, 'a> {
    pub(crate) class_table: &'w ClassTable<'a>,
    pub(crate) nesting: &'w Nesting<'a>,
    pub(crate) dex: &'w Dex<'a>,
    pub(crate) number: u32,
    pub(crate) def: &'w ClassDef,
    pub(crate) id: ClassId,
    pub(crate) fuel: &'w Fuel,
    /// Constructors that other classes need in this one.
    pub(crate) skipping: Option<&'w BTreeSet<SkipConstructor>>,
    /// Interfaces that the class must name in addition to its own.
    pub(crate) interfaces: Option<&'w BTreeSet<ClassId>>,
}

#[derive(Debug, Default)]
pub(crate) struct ClassTranslation {
    pub(crate) bytes: Vec<u8>,
    pub(crate) methods: usize,
    /// Methods that only throw: class and name as `a/b/C.name`, and the reason.
    pub(crate) failed: Vec<(String, String)>,
    pub(crate) needs: Constructors,
}

/// State of the class file that is being written.
struct ClassWriter<'c, 'w, 'a> {
    class: &'c Class<'w, 'a>,
    pool: ConstantPool,
    annotations: ClassAnnotations,
    interface: bool,
    initial: Vec<InitialValue>,
    /// No method is translated, since their code needs more constants than a class file holds.
    only_throwing: bool,
    done: ClassTranslation,
}

/// Translates a class. If it does not fit into a class file, all its methods throw.
///
/// # Errors
/// Fails if the class cannot be read, or does not fit even so. A method that cannot be translated is no
/// error; it throws the reason.
pub(crate) fn translate_class(class: &Class<'_, '_>) -> Partial<ClassTranslation> {
    for only_throwing in [false, true] {
        let mut making = ClassWriter {
            class,
            pool: ConstantPool::default(),
            annotations: ClassAnnotations::read(class.dex, class.def.annotations)?,
            interface: flags::class(class.def.flags) & flags::INTERFACE != 0,
            initial: Vec::new(),
            only_throwing,
            done: ClassTranslation::default(),
        };
        let file = making.make()?;
        if let Some(bytes) = file.write(making.pool) {
            return Ok(ClassTranslation {
                bytes,
                ..making.done
            });
        }
    }
    Err(Flaw::new("it holds more than a class file can"))
}

impl ClassWriter<'_, '_, '_> {
    /// Builds the class file with all members. The super class is `Object` for an interface, and where the dex file
    /// names none.
    fn make(&mut self) -> Partial<ClassFile> {
        let Class {
            dex,
            def,
            class_table,
            ..
        } = *self.class;
        let data = def.data(dex)?;
        let mut file = ClassFile {
            flags: flags::class(def.flags),
            class: self.pool.class(dex.class_name(def.class)?),
            ..ClassFile::default()
        };
        file.super_class = match def.super_class {
            Some(parent) => self.pool.class(dex.class_name(parent)?),
            None => self.pool.class(b"java/lang/Object"),
        };
        if self.interface {
            file.super_class = self.pool.class(b"java/lang/Object");
        }
        let mut named = BTreeSet::new();
        for interface in &def.interfaces {
            named.insert(class_table.type_of(self.class.number, *interface).base);
            file.interfaces
                .push(self.pool.class(dex.class_name(*interface)?));
        }
        for interface in self.class.interfaces.into_iter().flatten() {
            if named.insert(*interface) {
                file.interfaces
                    .push(self.pool.class(class_table.name(*interface)));
            }
        }
        file.fields = self.fields(&data)?;
        file.methods = self.methods(&data)?;
        file.version = self.attributes(&mut file.attributes)?;
        Ok(file)
    }

    /// Writes the static fields with their initial values, then the instance fields. Values belong to the fields in
    /// order; surplus values are ignored, and fields beyond them have none.
    fn fields(&mut self, data: &ClassData) -> Partial<Vec<Member>> {
        let values = EncodedValue::array_at(self.class.dex, self.class.def.static_values)?;
        let mut values = values.into_iter();
        let mut fields = Vec::new();
        for field in &data.static_fields {
            fields.push(self.field(*field, values.next())?);
        }
        for field in &data.instance_fields {
            fields.push(self.field(*field, None)?);
        }
        Ok(fields)
    }

    /// Writes a field. An initial value that is no constant of class files goes into `initial`, for code to set it.
    fn field(&mut self, field: EncodedField, value: Option<EncodedValue>) -> Partial<Member> {
        let Class {
            dex,
            class_table,
            number,
            ..
        } = *self.class;
        let id = dex.field(field.field)?;
        let mut attributes = Vec::new();
        if let Some(value) = value {
            let of = class_table.type_of(number, id.kind);
            match constant(dex, &mut self.pool, of, &value) {
                Some(constant) => {
                    attributes.push(Attribute::constants(
                        &mut self.pool,
                        "ConstantValue",
                        &[constant],
                    ));
                }
                None => self.initial.push(InitialValue {
                    field: field.field,
                    value,
                }),
            }
        }
        let annotations = find(&self.annotations.fields, field.field);
        attributes::add_signature(dex, &mut self.pool, annotations, &mut attributes);
        annotations::add(dex, &mut self.pool, annotations, &mut attributes);
        Ok(Member {
            flags: flags::field(field.flags, self.interface),
            name: self.pool.utf8(dex.string(id.name)?),
            descriptor: self.pool.utf8(dex.type_name(id.kind)?),
            attributes,
        })
    }

    /// Writes the methods. Adds a class initializer if values are to be set and there is none, and the constructors
    /// that other classes need. An added one that cannot be written is silently left out.
    fn methods(&mut self, data: &ClassData) -> Partial<Vec<Member>> {
        let mut methods = Vec::new();
        let mut has_initializer = false;
        for method in &data.methods {
            has_initializer |= self
                .class
                .dex
                .method(method.method)
                .is_ok_and(|id| self.class.dex.string(id.name) == Ok(b"<clinit>"));
            methods.push(self.method(*method)?);
        }
        let writes = self
            .initial
            .iter()
            .any(|initial| !matches!(initial.value, EncodedValue::Null));
        if writes && !has_initializer {
            methods.extend(self.initializer());
        }
        let parent = self.class.class_table.super_class(self.class.id);
        for wanted in self.class.skipping.into_iter().flatten() {
            let written = parent
                .and_then(|parent| write(self.class.class_table, &mut self.pool, parent, wanted));
            methods.extend(written);
        }
        Ok(methods)
    }

    /// Writes a class initializer that only sets static fields, for a class without one of its own. `None` if
    /// it is too long.
    fn initializer(&mut self) -> Option<Member> {
        let Class {
            dex,
            class_table,
            number,
            ..
        } = *self.class;
        let initial = &self.initial;
        let code = method::initializer_code(&mut self.pool, |asm| {
            // What cannot be written was refused when the values were read.
            let _ = initialize(dex, class_table, number, initial, asm);
        })?;
        Some(Member {
            flags: flags::STATIC,
            name: self.pool.utf8(b"<clinit>"),
            descriptor: self.pool.utf8(b"()V"),
            attributes: vec![code],
        })
    }

    /// Writes a method with its attributes, and code unless its JVM flags say abstract or native. A method of an
    /// annotation gets its default from the annotations of the class.
    fn method(&mut self, method: EncodedMethod) -> Partial<Member> {
        let dex = self.class.dex;
        let id = dex.method(method.method)?;
        let name = dex.string(id.name)?;
        let descriptor = dex.descriptor(id.proto)?;
        let flags = flags::method(method.flags, self.interface, name);
        let mut attributes = Vec::new();
        if flags & (flags::ABSTRACT | flags::NATIVE) == 0 {
            let code = self.code(method, flags)?;
            attributes.push(code);
        }
        let annotations = find(&self.annotations.methods, method.method);
        let defaults = attributes::defaults(dex, &self.annotations.class).unwrap_or_default();
        let default = defaults
            .iter()
            .find(|(element, _)| dex.string(*element) == Ok(name));
        let default = default.map(|(_, value)| value);
        attributes::add_signature(dex, &mut self.pool, annotations, &mut attributes);
        attributes::add_method(dex, &mut self.pool, annotations, default, &mut attributes);
        annotations::add(dex, &mut self.pool, annotations, &mut attributes);
        let parameters = &self.annotations.parameters;
        if let Ok(place) = parameters.binary_search_by_key(&method.method, |(of, _)| *of) {
            annotations::add_parameters(dex, &mut self.pool, &parameters[place].1, &mut attributes);
        }
        self.done.methods += 1;
        Ok(Member {
            flags,
            name: self.pool.utf8(name),
            descriptor: self.pool.utf8(&descriptor),
            attributes,
        })
    }

    /// Translates the code of a method. If that fails, returns code that throws the reason, and lists the method in
    /// `failed`. Fails only if not even that code can be written.
    fn code(&mut self, method: EncodedMethod, flags: u16) -> Partial<Attribute> {
        let Class {
            dex,
            class_table,
            number,
            id,
            ..
        } = *self.class;
        let MethodParts {
            name,
            arguments,
            returns,
        } = parts(self.class, method.method, flags)?;
        let translated = if self.only_throwing {
            Err(Flaw::new("its class holds more than a class file can"))
        } else {
            read_code(self.class, method).and_then(|(item, code)| {
                let context = Context {
                    class_table,
                    dex,
                    number,
                    class: id,
                    item: &item,
                    code: &code,
                    arguments: &arguments,
                    returns,
                    constructor: name == b"<init>",
                    fuel: self.class.fuel,
                };
                let initial = if name == b"<clinit>" {
                    &self.initial[..]
                } else {
                    &[]
                };
                method::translate(&context, &mut self.pool, &mut self.done.needs, |asm| {
                    // What cannot be written was refused when the values were read.
                    let _ = initialize(dex, class_table, number, initial, asm);
                })
            })
        };
        translated.or_else(|Flaw(reason)| {
            let full = [class_table.name(id), b".", name].concat();
            let full = String::from_utf8_lossy(&full).into_owned();
            let text = format!("{full} could not be translated from dex: {reason}");
            self.done.failed.push((full, reason.into_owned()));
            method::throwing_code(&mut self.pool, &arguments, &text)
                .ok_or(Flaw::new("a method cannot be written"))
        })
    }

    /// Adds the attributes of the class: source file, signature, annotations, nesting, and those of newer
    /// class files. Returns the class file version that they need, at least [`VERSION`].
    fn attributes(&mut self, out: &mut Vec<Attribute>) -> Partial<u16> {
        let Class {
            dex,
            def,
            class_table,
            nesting,
            id,
            ..
        } = *self.class;
        if let Some(source) = def.source_file {
            let source = self.pool.utf8(dex.string(source)?);
            out.push(Attribute::constants(
                &mut self.pool,
                "SourceFile",
                &[source],
            ));
        }
        let annotations = &self.annotations.class;
        attributes::add_signature(dex, &mut self.pool, annotations, out);
        annotations::add(dex, &mut self.pool, annotations, out);
        attributes::add_nesting(class_table, nesting, &mut self.pool, id, out);
        let version = attributes::add_class(dex, &mut self.pool, annotations, out);
        Ok(version.max(VERSION))
    }
}

/// Name, argument types and result type of a method.
struct MethodParts<'a> {
    name: &'a [u8],
    arguments: Vec<Type>,
    returns: Type,
}

/// Returns a method's parts. `this` is the first argument unless the flags say static.
fn parts<'a>(class: &Class<'_, 'a>, method: u32, flags: u16) -> Partial<MethodParts<'a>> {
    let id = class.dex.method(method)?;
    let proto = class.dex.proto(id.proto)?;
    let kind = |kind: &u32| class.class_table.type_of(class.number, *kind);
    let this = (flags & flags::STATIC == 0).then_some(Type::class(class.id));
    Ok(MethodParts {
        name: class.dex.string(id.name)?,
        arguments: this
            .into_iter()
            .chain(proto.parameters.iter().map(kind))
            .collect(),
        returns: kind(&proto.returns),
    })
}

/// Reads and decodes a method's code. Fails if it has none.
fn read_code<'a>(class: &Class<'_, 'a>, method: EncodedMethod) -> Partial<(CodeItem<'a>, Code)> {
    if method.code == 0 {
        return Err(Flaw::new("it has no code"));
    }
    let item = CodeItem::read(class.dex, method.code)?;
    class.fuel.burn(item.units.len())?;
    let code = decode(&item)?;
    Ok((item, code))
}

fn find(
    members: &[(u32, Vec<(Visibility, Annotation)>)],
    member: u32,
) -> &[(Visibility, Annotation)] {
    // They rise, so that a class with many of them takes no time without end.
    let found = members.binary_search_by_key(&member, |(of, _)| *of);
    found.map_or(&[], |place| &members[place].1)
}
