//! The table of all tools: each is named here once.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::{Call, Failure, FailureKind, Outcome, Tool, Writing, android, everyday};
use crate::engine::Session;

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Catalogue {
    /// The everyday steps of the flow language.
    Everyday,
    /// Catalogue A: the Android tools (`android_…` over MCP, without prefix as steps).
    Android,
}

/// The future of a call.
pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send + 'a>>;

/// One line of the table.
pub struct Entry {
    /// Name as a step.
    pub name: &'static str,
    /// Where it comes from.
    pub catalogue: Catalogue,
    /// One line of what it does.
    pub summary: &'static str,
    /// How it is written.
    pub writing: Writing,
    /// Whether it may stand as a bare word.
    pub bare: bool,
    schema: fn(&mut SchemaGenerator) -> Schema,
    check: fn(Value) -> Result<(), Failure>,
    call: for<'a> fn(&'a Session, Value, &'a Call) -> CallFuture<'a>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Entry {
    pub(crate) const fn of<T: Tool>(catalogue: Catalogue) -> Self {
        Self {
            name: T::NAME,
            catalogue,
            summary: T::SUMMARY,
            writing: T::WRITING,
            bare: T::BARE,
            schema: |generator| generator.subschema_for::<T::Args>(),
            check: |args| read_arguments::<T>(args).map(drop),
            call: |session, args, call| Box::pin(call_tool::<T>(session, args, call)),
        }
    }

    /// The JSON Schema of the arguments; definitions go into `generator`.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Checks arguments as a call would, beyond what the schema says, without calling anything.
    ///
    /// # Errors
    /// The failure that the call would begin with.
    pub fn check(&self, args: Value) -> Result<(), Failure> {
        (self.check)(args)
    }

    /// Calls the tool with arguments that the schema allows.
    pub fn call<'a>(&self, session: &'a Session, args: Value, call: &'a Call) -> CallFuture<'a> {
        (self.call)(session, args, call)
    }
}

async fn call_tool<T: Tool>(
    session: &Session,
    args: Value,
    call: &Call,
) -> Result<Outcome, Failure> {
    T::call(session, read_arguments::<T>(args)?, call).await
}

fn read_arguments<T: Tool>(args: Value) -> Result<T::Args, Failure> {
    // A bare word has no arguments at all.
    let mut args = if args.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        args
    };
    whole_numbers(&mut args);
    T::check(&args)?;
    serde_json::from_value(args)
        .map_err(|error| Failure::new(FailureKind::Usage, format!("`{}`: {error}", T::NAME)))
}

/// Writes 3.0 as 3, so that a whole number stays one however an expression came to it.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|wide| number.is_f64() && wide.fract() == 0.0 && wide.abs() < 9.0e15);
            if let Some(wide) = whole {
                *value = (wide as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(map) => map.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// All entries, in the order of the docs. A new tool is one line here.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        use Catalogue::{Android, Everyday};
        vec![
            Entry::of::<everyday::Launch>(Everyday),
            Entry::of::<everyday::Stop>(Everyday),
            Entry::of::<everyday::Clear>(Everyday),
            Entry::of::<everyday::Install>(Everyday),
            Entry::of::<everyday::Uninstall>(Everyday),
            Entry::of::<everyday::OpenLink>(Everyday),
            Entry::of::<everyday::Grant>(Everyday),
            Entry::of::<everyday::Revoke>(Everyday),
            Entry::of::<everyday::Find>(Everyday),
            Entry::of::<everyday::Click>(Everyday),
            Entry::of::<everyday::LongClick>(Everyday),
            Entry::of::<everyday::DoubleClick>(Everyday),
            Entry::of::<everyday::Type>(Everyday),
            Entry::of::<everyday::Erase>(Everyday),
            Entry::of::<everyday::Press>(Everyday),
            Entry::of::<everyday::Back>(Everyday),
            Entry::of::<everyday::Home>(Everyday),
            Entry::of::<everyday::HideKeyboard>(Everyday),
            Entry::of::<everyday::ScrollTo>(Everyday),
            Entry::of::<everyday::WaitFor>(Everyday),
            Entry::of::<everyday::AssertVisible>(Everyday),
            Entry::of::<everyday::AssertNotVisible>(Everyday),
            Entry::of::<everyday::Assert>(Everyday),
            Entry::of::<everyday::AssertLog>(Everyday),
            Entry::of::<everyday::Screenshot>(Everyday),
            Entry::of::<everyday::Record>(Everyday),
            Entry::of::<everyday::Rotate>(Everyday),
            Entry::of::<everyday::SetDevice>(Everyday),
            Entry::of::<everyday::Push>(Everyday),
            Entry::of::<everyday::Pull>(Everyday),
            Entry::of::<everyday::Shell>(Everyday),
            Entry::of::<android::GetScreenState>(Android),
            Entry::of::<android::PressBack>(Android),
            Entry::of::<android::PressHome>(Android),
            Entry::of::<android::PressRecents>(Android),
            Entry::of::<android::OpenNotifications>(Android),
            Entry::of::<android::OpenQuickSettings>(Android),
            Entry::of::<android::GetDeviceLogs>(Android),
            Entry::of::<android::Tap>(Android),
            Entry::of::<android::LongPress>(Android),
            Entry::of::<android::DoubleTap>(Android),
            Entry::of::<android::Swipe>(Android),
            Entry::of::<android::Scroll>(Android),
            Entry::of::<android::Pinch>(Android),
            Entry::of::<android::CustomGesture>(Android),
            Entry::of::<android::FindElements>(Android),
            Entry::of::<android::ClickElement>(Android),
            Entry::of::<android::LongClickElement>(Android),
            Entry::of::<android::ScrollToElement>(Android),
            Entry::of::<android::TypeAppendText>(Android),
            Entry::of::<android::TypeInsertText>(Android),
            Entry::of::<android::TypeReplaceText>(Android),
            Entry::of::<android::TypeClearText>(Android),
            Entry::of::<android::PressKey>(Android),
            Entry::of::<android::GetClipboard>(Android),
            Entry::of::<android::SetClipboard>(Android),
            Entry::of::<android::WaitForElement>(Android),
            Entry::of::<android::WaitForIdle>(Android),
            Entry::of::<android::GetElementDetails>(Android),
            Entry::of::<android::ListStorageLocations>(Android),
            Entry::of::<android::ListFiles>(Android),
            Entry::of::<android::ReadFile>(Android),
            Entry::of::<android::WriteFile>(Android),
            Entry::of::<android::AppendFile>(Android),
            Entry::of::<android::FileReplace>(Android),
            Entry::of::<android::DownloadFromUrl>(Android),
            Entry::of::<android::DeleteFile>(Android),
            Entry::of::<android::OpenApp>(Android),
            Entry::of::<android::ListApps>(Android),
            Entry::of::<android::CloseApp>(Android),
        ]
    })
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| entry.name == name)
}
