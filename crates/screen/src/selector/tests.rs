//! Tests of selectors with tables of cases on one small screen.

mod assertions;
mod choices;
mod conditions;
mod name_lookup;
mod near_misses;
mod notation;

use serde_json::{Value, json};

use super::*;
use crate::DisplayContext;

/// Settings page: a title, two rows of label and switch, a form, and a dialog's window.
const SCREEN: &str = r#"<displays><display id="0"><window id="1" title="Settings" type="TYPE_APPLICATION" focused="true" layer="0"><hierarchy rotation="0">
<node text="" resource-id="" class="android.widget.FrameLayout" package="com.app" content-desc="" bounds="[0,0][100,200]">
 <node text="Settings" resource-id="com.app:id/title" class="android.widget.TextView" bounds="[0,0][100,10]" enabled="true"/>
 <node text="" resource-id="com.app:id/row" class="android.widget.LinearLayout" clickable="true" bounds="[0,10][100,30]">
  <node text="Wi-Fi" resource-id="com.app:id/label" class="android.widget.TextView" bounds="[0,10][50,30]"/>
  <node text="" resource-id="com.app:id/switch" class="android.widget.Switch" checked="true" clickable="true" bounds="[80,10][100,30]"/>
 </node>
 <node text="" resource-id="com.app:id/row" class="android.widget.LinearLayout" clickable="true" bounds="[0,30][100,50]">
  <node text="Bluetooth" resource-id="com.app:id/label" class="android.widget.TextView" bounds="[0,30][50,50]"/>
  <node text="" resource-id="com.app:id/switch" class="android.widget.Switch" clickable="true" bounds="[80,30][100,50]"/>
 </node>
 <node text="Welcome,   Ada&#10;Lovelace " resource-id="" class="android.widget.TextView" bounds="[0,60][100,70]"/>
 <node text="" content-desc="Save" hint="" resource-id="com.app:id/save_button" class="android.widget.ImageButton" bounds="[0,80][20,90]"/>
 <node text="" hint="User name" resource-id="com.app:id/user" class="android.widget.EditText" enabled="true" focused="true" bounds="[30,80][100,90]"/>
 <node text="2 * 3" resource-id="" class="android.widget.TextView" bounds="[0,100][100,110]"/>
 <node text="2 and 3" resource-id="" class="android.widget.TextView" bounds="[0,110][100,120]"/>
</node></hierarchy></window>
<window id="2" title="Dialog" type="TYPE_SYSTEM" focused="false" layer="1"><hierarchy rotation="0">
 <node text="Settings" resource-id="android:id/alertTitle" class="android.widget.TextView" package="android" bounds="[10,10][90,20]"/>
</hierarchy></window></display></displays>"#;

fn screen() -> Screen {
    Screen::parse(SCREEN.as_bytes(), &DisplayContext::default()).unwrap()
}

fn selector(value: &Value) -> Selector {
    Selector::from_value(value).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Returns the indexes of the matches: 0 root, 1 title, 2 row (3 label, 4 switch), 5 row (6, 7), 8 welcome, 9
/// save, 10 user, 11 and 12 texts, 13 the dialog's title.
fn found(value: &Value) -> Vec<u32> {
    let found = selector(value).find(&screen());
    found.into_iter().map(|node| node.0).collect()
}

/// Panel below the display. One of its rows lies on the display and one below it, so tree and bounds
/// disagree.
const ODD: &str = r#"<hierarchy rotation="0"><node class="Root" bounds="[0,0][100,200]">
 <node resource-id="a:id/panel" bounds="[0,300][100,400]">
  <node text="Row" resource-id="a:id/in" bounds="[0,10][100,20]"/>
  <node text="Row" resource-id="a:id/out" bounds="[0,310][100,320]"/>
 </node>
 <node text="Row" resource-id="a:id/last" bounds="[0,30][100,40]"/>
 <node text="Gone" content-desc="" bounds="[0,0][0,0]"/>
 <node content-desc="Gone" resource-id="a:id/told" bounds="[0,50][100,60]"/>
</node></hierarchy>"#;

fn odd() -> Screen {
    Screen::parse(ODD.as_bytes(), &DisplayContext::default()).unwrap()
}

fn parse_nodes(nodes: &str) -> Screen {
    let dump = format!("<hierarchy>{nodes}</hierarchy>");
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

fn written(selector: &Selector, screen: &Screen, purpose: Purpose) -> Vec<String> {
    let misses = selector.near_misses(screen, 3, purpose).into_iter();
    misses.map(|miss| miss.selector.to_string()).collect()
}
