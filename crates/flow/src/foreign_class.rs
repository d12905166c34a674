//! Recognizes classes of other systems, with the class that Android tells.

use super::foreign_text::ForeignText;

/// Warns of a class that Android has otherwise, such as `button`, `image` and `android.widget.TextField`, with the
/// class that it means, and of any text with `*`. Returns `None` for a right class, for words that mean no known
/// class, and for classes in other packages than those of Android's widgets.
pub(crate) fn class(text: &str) -> Option<ForeignText> {
    const CLASSES: [&str; 14] = [
        "Button",
        "CheckBox",
        "EditText",
        "ImageButton",
        "ImageView",
        "ListView",
        "ProgressBar",
        "RadioButton",
        "RecyclerView",
        "SeekBar",
        "Spinner",
        "Switch",
        "TextView",
        "WebView",
    ];
    // Widgets of the libraries tell accessibility the class of Android that they stand for.
    const MEANT: [(&str, &str); 10] = [
        (
            "EditText",
            "textfield textinput textinputedittext input inputfield textbox textarea uitextfield xcuielementtypetextfield xcuielementtypesecuretextfield securetextfield appcompatedittext edit editfield outlinedtextfield basictextfield",
        ),
        (
            "Button",
            "uibutton xcuielementtypebutton btn materialbutton appcompatbutton textbutton outlinedbutton elevatedbutton",
        ),
        (
            "TextView",
            "text label uilabel statictext xcuielementtypestatictext appcompattextview materialtextview heading paragraph span",
        ),
        (
            "ImageView",
            "image img icon picture uiimageview xcuielementtypeimage appcompatimageview",
        ),
        ("SeekBar", "slider uislider xcuielementtypeslider"),
        (
            "Switch",
            "toggle uiswitch xcuielementtypeswitch switchcompat switchmaterial materialswitch",
        ),
        ("Spinner", "dropdown select combobox appcompatspinner"),
        ("CheckBox", "appcompatcheckbox materialcheckbox"),
        ("RadioButton", "radio appcompatradiobutton"),
        (
            "ProgressBar",
            "progress progressindicator spinnerview loader",
        ),
    ];
    const PACKAGES: [&str; 4] = [
        "android.widget.",
        "android.view.",
        "androidx.appcompat.widget.",
        "com.google.android.material.",
    ];
    if text.contains('*') {
        return Some(ForeignText {
            message: "a `class` is not a pattern: its `*` stands for itself".to_owned(),
            help: "write the whole class, such as `Button`, or leave it out".to_owned(),
        });
    }
    let last = text.rsplit('.').next().unwrap_or_default();
    let is_android = last == text || PACKAGES.iter().any(|begin| text.starts_with(begin));
    if !is_android || CLASSES.contains(&last) {
        return None;
    }
    let word = last.replace(['_', '-'], "").to_lowercase();
    let mut meant = MEANT.iter();
    let meant = meant.find(|(_, words)| words.split(' ').any(|it| it == word));
    let mut classes = CLASSES.into_iter();
    let class = meant
        .map(|(class, _)| *class)
        .or_else(|| classes.find(|it| it.eq_ignore_ascii_case(&word)))?;
    Some(ForeignText {
        message: "elements of Android tell another class".to_owned(),
        help: format!("write `class: {class}`"),
    })
}
