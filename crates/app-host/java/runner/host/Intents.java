package runner.host;

import android.content.ComponentName;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import java.util.List;
import java.util.Map;

/** Intents as the protocol writes them. */
final class Intents {
  private Intents() {}

  @SuppressWarnings("unchecked")
  static Intent of(Map<String, Object> map) {
    Intent intent = new Intent(Json.text(map, "action"));
    String data = Json.text(map, "data"), type = Json.text(map, "type");
    if (data != null && type != null) intent.setDataAndType(Uri.parse(data), type);
    else if (data != null) intent.setData(Uri.parse(data));
    else if (type != null) intent.setType(type);
    intent.setPackage(Json.text(map, "package"));
    String component = Json.text(map, "component");
    if (component != null) intent.setComponent(ComponentName.unflattenFromString(component.contains("/") ? component : Device.packageName + "/" + component));
    for (Object category : Json.list(map, "categories")) intent.addCategory(category.toString());
    intent.setFlags((int) Json.number(map, "flags", 0));
    Map<String, Object> extras = Json.map(map, "extras");
    if (extras != null) for (Map.Entry<String, Object> each : extras.entrySet()) extra(intent, each.getKey(), (Map<String, Object>) each.getValue());
    return intent;
  }

  private static void extra(Intent intent, String key, Map<String, Object> typed) {
    Object value = typed.get("value");
    String type = Json.text(typed, "type");
    switch (type == null ? "string" : type) {
      case "string": intent.putExtra(key, value == null ? null : value.toString()); break;
      case "int": intent.putExtra(key, (int) number(value)); break;
      case "long": intent.putExtra(key, (long) number(value)); break;
      case "float": intent.putExtra(key, (float) number(value)); break;
      case "double": intent.putExtra(key, number(value)); break;
      case "boolean": intent.putExtra(key, Boolean.parseBoolean(String.valueOf(value))); break;
      case "uri": intent.putExtra(key, Uri.parse(String.valueOf(value))); break;
      case "component": intent.putExtra(key, ComponentName.unflattenFromString(String.valueOf(value))); break;
      case "string_array": intent.putExtra(key, ((List<?>) value).stream().map(String::valueOf).toArray(String[]::new)); break;
      case "string_array_list": intent.putExtra(key, new java.util.ArrayList<>(((List<?>) value).stream().map(String::valueOf).collect(java.util.stream.Collectors.toList()))); break;
      case "int_array": intent.putExtra(key, ((List<?>) value).stream().mapToInt(v -> (int) number(v)).toArray()); break;
      case "long_array": intent.putExtra(key, ((List<?>) value).stream().mapToLong(v -> (long) number(v)).toArray()); break;
      case "float_array": {
        List<?> values = (List<?>) value;
        float[] out = new float[values.size()];
        for (int i = 0; i < out.length; i++) out[i] = (float) number(values.get(i));
        intent.putExtra(key, out);
        break;
      }
      default: throw new IllegalArgumentException("an extra of type " + type);
    }
  }

  private static double number(Object value) {
    return value instanceof Number ? ((Number) value).doubleValue() : Double.parseDouble(String.valueOf(value));
  }

  /** The event of an intent that another app would get. */
  static Json.Obj event(Intent intent) {
    Json.Obj out = Events.of("intent").with("action", intent.getAction()).with("data", intent.getDataString()).with("package", intent.getPackage());
    if (intent.getComponent() != null) out.must("component", intent.getComponent().flattenToShortString());
    out.with("type", intent.getType());
    Json.Obj extras = Json.obj();
    Bundle bundle = intent.getExtras();
    if (bundle != null)
      for (String key : bundle.keySet()) {
        Json.Obj extra = typed(bundle.get(key));
        if (extra != null) extras.must(key, extra);
      }
    if (!extras.isEmpty()) out.must("extras", extras);
    return out;
  }

  private static Json.Obj typed(Object value) {
    if (value instanceof CharSequence) return Json.obj().must("type", "string").must("value", value.toString());
    if (value instanceof Integer) return Json.obj().must("type", "int").must("value", value);
    if (value instanceof Long) return Json.obj().must("type", "long").must("value", value);
    if (value instanceof Float) return Json.obj().must("type", "float").must("value", value);
    if (value instanceof Double) return Json.obj().must("type", "double").must("value", value);
    if (value instanceof Boolean) return Json.obj().must("type", "boolean").must("value", value);
    if (value instanceof String[]) return Json.obj().must("type", "string_array").must("value", java.util.Arrays.asList((String[]) value));
    if (value instanceof int[]) return Json.obj().must("type", "int_array").must("value", value);
    if (value instanceof Uri) return Json.obj().must("type", "uri").must("value", value.toString());
    if (value instanceof Intent) return Json.obj().must("type", "intent").must("value", event((Intent) value));
    return value == null ? null : Json.obj().must("type", "other").must("value", value.toString());
  }
}
