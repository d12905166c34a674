//! Frames of popups: dialog, drop-down, date dialog, permission dialog, toast.

use super::buttons::{button, cancel_and_ok};
use super::calendar::{Room, calendar};
use crate::apps::a2ui::{DateDialog, DatePage, DateStep, Menu};
use crate::apps::phone::{AppErrorAnswer, AppErrorKind};
use crate::apps::ui::{
    Align, Axis, Colour, Element, Justify, Length, Shrink, Theme, TouchAction, Weight,
};

/// Builds the darkened screen behind a dialog in its middle. A tap on it closes the popup without a choice.
fn scrim(children: Vec<Element>) -> Element {
    let mut element = Element::group(Axis::Vertical, children)
        .pad(28.0, 40.0)
        .align(Justify::Center, Align::Center)
        .fill(Colour::rgb(0).with_alpha(130), 0.0);
    element.on_tap = Some(TouchAction::ClosePopup(false));
    element
}

/// Builds the box of a dialog, 420 dp wide at most. Touches on it that miss its contents do nothing.
fn sheet(theme: &Theme, children: Vec<Element>) -> Element {
    let mut sheet = Element::view("android.widget.FrameLayout", Axis::Vertical, children)
        .pad(24.0, 22.0)
        .gap(16.0)
        .fill(theme.surface, 24.0);
    // Keeps touches that miss a button by a little, which would else close the dialog.
    sheet.on_tap = Some(TouchAction::Nothing);
    sheet.layout.width = Length::Fill;
    sheet.layout.max_width = Some(420.0);
    sheet
}

/// Builds a dialog around a modal's content, over a dimmed screen. A tap beside it closes it.
pub(crate) fn dialog(theme: &Theme, content: Element) -> Element {
    scrim(vec![sheet(theme, vec![content]).id("android:id/content")])
}

/// Builds a drop-down below the field that opened it, or above if there is no room. A tap chooses a row a moment
/// later, and a touch beside the list closes it. Its width is the field's, and its height at most half of the
/// screen. Sizes are in dp, except the field's bounds; `scale` is pixels in a dp, `screen` the window's height.
pub(crate) fn menu(theme: &Theme, menu: &Menu, scale: f32, screen: f32) -> Element {
    // Chosen: close to a row of a menu on phones.
    const ROW: f32 = 46.0;
    let rows: Vec<Element> = menu
        .options
        .iter()
        .map(|(label, value)| {
            let on = menu.chosen.contains(value);
            let ink = if on { theme.primary } else { theme.text };
            let mut row = Element::text(label, 16.0, Weight::Regular, ink)
                .id("android:id/text1")
                .pad(18.0, 11.0)
                .tap(TouchAction::Choose {
                    target: menu.target.clone(),
                    value: serde_json::Value::from(vec![value.clone()]),
                });
            row.node.class = "android.widget.CheckedTextView".into();
            row.node.checkable = true;
            row.node.checked = on;
            row.layout.shrink = Shrink::Never;
            row.clicks_late = true;
            // The list has the focus for its rows.
            row.node.focusable = false;
            row
        })
        .collect();
    let high = (rows.len() as f32).mul_add(ROW, 12.0).min(screen * 0.5);
    let below = menu.anchor.bottom as f32 / scale;
    let top = if below + high + 60.0 > screen {
        (menu.anchor.top as f32 / scale - high).max(30.0)
    } else {
        below
    };
    let mut list = Element::view("android.widget.ListView", Axis::Vertical, rows)
        .size(
            Length::Dp(menu.anchor.width() as f32 / scale),
            Length::Dp(high),
        )
        .pad(0.0, 6.0);
    list.key = "menu".into();
    list.node.focusable = true;
    // A list of a popup takes the focus in touch mode too (AOSP, `ListPopupWindow.buildDropDown`).
    list.node.focused = true;
    list.layout.scroll = Some(Axis::Vertical);
    list.look = crate::apps::ui::Look::Box {
        fill: Some(theme.surface),
        border: Some((theme.line, 1.0)),
        radius: 10.0,
    };
    list.layout.margin = [menu.anchor.left as f32 / scale, top, 0.0, 0.0];
    list.layout.shrink = Shrink::Never;
    let mut root = Element::group(Axis::Vertical, vec![list]);
    root.layout.align = Align::Start;
    root.on_tap = Some(TouchAction::ClosePopup(false));
    root
}

/// Builds the page of a date dialog that is shown: a calendar, or hour and minute.
pub(crate) fn date_dialog(theme: &Theme, dialog: &DateDialog, room: Room) -> Element {
    if dialog.page == DatePage::Time {
        time_dialog(theme, dialog)
    } else {
        let mut root = scrim(vec![calendar(theme, dialog, room)]);
        root.layout.padding = [0.0, room.bars[0], 0.0, room.bars[1]];
        root
    }
}

/// Builds the dialog `Select time`, with what its touches do. Hour and minute are two digits each,
/// between a button that increases and one that decreases; no other values are shown. Below are Cancel
/// and OK. A touch beside the dialog closes it as Cancel does.
fn time_dialog(theme: &Theme, dialog: &DateDialog) -> Element {
    let title = "Select time";
    let title = Element::text(title, 18.0, Weight::Bold, theme.text).id("android:id/alertTitle");
    let wheels = vec![
        wheel(theme, "hour", dialog.hour, DateStep::Hour),
        wheel(theme, "minute", dialog.minute, DateStep::Minute),
    ];
    let wheels = Element::group(Axis::Horizontal, wheels).gap(8.0);
    let buttons = Element::group(Axis::Horizontal, cancel_and_ok(theme).into());
    let buttons = buttons.align(Justify::End, Align::Center);
    scrim(vec![sheet(theme, vec![title, wheels, buttons])])
}

/// Builds a two-digit value between a button that increases it by 1 and one that decreases it.
fn wheel(theme: &Theme, name: &str, value: i32, turn: fn(i32) -> DateStep) -> Element {
    let step = |icon: &str, verb: &str, by: i32| {
        let glyph = Element::drawn_icon(icon, 22.0, theme.primary);
        Element::view("android.widget.ImageButton", Axis::Vertical, vec![glyph])
            .desc(format!("{verb} {name}"))
            .pad(10.0, 10.0)
            .align(Justify::Center, Align::Center)
            .fill(theme.chip, 12.0)
            .tap(TouchAction::Date(turn(by)))
    };
    let value = Element::text(format!("{value:02}"), 18.0, Weight::Bold, theme.text)
        .id(format!("android:id/{name}"))
        .centred()
        .lines(1);
    Element::view(
        "android.widget.NumberPicker",
        Axis::Vertical,
        vec![
            step("add", "Increase", 1),
            value,
            step("remove", "Decrease", -1),
        ],
    )
    .gap(10.0)
    .grow(1.0)
}

/// Builds the dialog that asks for a permission, with Android's words for the usual ones. Any other permission is named
/// by the last part of its name. `label` is the app's. A touch beside it does nothing.
pub(crate) fn permission(theme: &Theme, label: &str, permission: &str) -> Element {
    let id = |name: &str| format!("com.android.permissioncontroller:id/{name}");
    let request = match permission.rsplit('.').next().unwrap_or_default() {
        "CAMERA" => "take pictures and record video".to_owned(),
        "RECORD_AUDIO" => "record audio".to_owned(),
        "POST_NOTIFICATIONS" => "send you notifications".to_owned(),
        "READ_CONTACTS" => "access your contacts".to_owned(),
        "ACCESS_FINE_LOCATION" | "ACCESS_COARSE_LOCATION" => {
            "access this device’s location".to_owned()
        }
        other => format!("use {}", other.to_lowercase().replace('_', " ")),
    };
    let question = Element::text(
        format!("Allow {label} to {request}?"),
        19.0,
        Weight::Regular,
        theme.text,
    )
    .id(id("permission_message"))
    .centred();
    let answer = |name: &str, label: &str, granted: bool| {
        let text = Element::drawn_text(label, 15.0, Weight::Bold, theme.text).centred();
        let mut button = Element::view("android.widget.Button", Axis::Vertical, vec![text])
            .id(id(name))
            .pad(16.0, 13.0)
            .fill(theme.chip, 14.0)
            .tap(TouchAction::Permission(granted));
        button.node.text = label.into();
        button
    };
    let mut sheet = sheet(
        theme,
        vec![
            question,
            answer("permission_allow_button", "Allow", true),
            answer("permission_deny_button", "Don’t allow", false),
        ],
    );
    sheet.layout.gap = 8.0;
    let mut root = scrim(vec![sheet.id(id("grant_dialog"))]);
    // A touch beside it is not an answer.
    root.on_tap = None;
    root
}

/// Builds the dialog about an app that crashed repeatedly or does not answer. Only the latter has a button to
/// wait. A touch beside the dialog does nothing.
pub(crate) fn app_error(theme: &Theme, label: &str, kind: AppErrorKind) -> Element {
    let (title, second) = match kind {
        AppErrorKind::KeepsStopping => (format!("{label} keeps stopping"), None),
        AppErrorKind::NotResponding => (
            format!("{label} isn't responding"),
            Some(("android:id/aerr_wait", "Wait", AppErrorAnswer::Wait)),
        ),
    };
    let title = Element::text(title, 19.0, Weight::Regular, theme.text).id("android:id/alertTitle");
    let buttons = [("android:id/aerr_close", "Close app", AppErrorAnswer::Close)]
        .into_iter()
        .chain(second)
        .map(|(id, label, answer)| button(theme, id, label, TouchAction::AppError(answer)));
    let sheet = sheet(theme, std::iter::once(title).chain(buttons).collect());
    let mut root = scrim(vec![sheet.id("android:id/content")]);
    // A touch beside it is not an answer.
    root.on_tap = None;
    root
}

/// Builds a toast near the lower edge of its window. It has no node of its own, and no reaction to touches.
pub(crate) fn toast(theme: &Theme, text: &str) -> Element {
    let back = theme.text.mix(theme.background, 30);
    let words = Element::drawn_text(text, 14.0, Weight::Regular, theme.background).centred();
    let bubble = Element::group(Axis::Vertical, vec![words])
        .pad(20.0, 12.0)
        .fill(back, 22.0);
    let mut root = Element::group(Axis::Vertical, vec![bubble]).align(Justify::End, Align::Center);
    root.layout.padding = [24.0, 0.0, 24.0, 96.0];
    root
}
