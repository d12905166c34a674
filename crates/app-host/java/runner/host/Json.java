package runner.host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as the protocol needs it: maps, lists, text, numbers, true, false and null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** An object whose fields that say nothing (false, empty, zero, null) are left out, as the protocol allows. */
  static final class Obj extends LinkedHashMap<String, Object> {
    Obj with(String name, Object value) {
      boolean nothing =
          value == null
              || Boolean.FALSE.equals(value)
              || value instanceof CharSequence && ((CharSequence) value).length() == 0
              || value instanceof Number && ((Number) value).doubleValue() == 0
              || value instanceof List && ((List<?>) value).isEmpty();
      if (!nothing) put(name, value);
      return this;
    }

    /** The same for a field that is always told. */
    Obj must(String name, Object value) {
      put(name, value);
      return this;
    }
  }

  static Obj obj() {
    return new Obj();
  }

  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at != text.length()) throw json.wrong("nothing more");
    return value;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(String text) {
    return (Map<String, Object>) parse(text);
  }

  private IllegalArgumentException wrong(String wanted) {
    return new IllegalArgumentException("JSON: " + wanted + " expected at " + at);
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') at++;
  }

  private char next() {
    if (at >= text.length()) throw wrong("more");
    return text.charAt(at++);
  }

  private Object value() {
    space();
    char c = next();
    switch (c) {
      case '{': {
        Map<String, Object> map = new LinkedHashMap<>();
        space();
        if (text.charAt(at) == '}') {
          at++;
          return map;
        }
        while (true) {
          space();
          if (next() != '"') throw wrong("a name");
          String name = string();
          space();
          if (next() != ':') throw wrong(":");
          map.put(name, value());
          space();
          char end = next();
          if (end == '}') return map;
          if (end != ',') throw wrong(", or }");
        }
      }
      case '[': {
        List<Object> list = new ArrayList<>();
        space();
        if (text.charAt(at) == ']') {
          at++;
          return list;
        }
        while (true) {
          list.add(value());
          space();
          char end = next();
          if (end == ']') return list;
          if (end != ',') throw wrong(", or ]");
        }
      }
      case '"':
        return string();
      case 't':
        return word("rue", true);
      case 'f':
        return word("alse", false);
      case 'n':
        return word("ull", null);
      default:
        at--;
        return number();
    }
  }

  private Object word(String rest, Object value) {
    if (!text.startsWith(rest, at)) throw wrong("a value");
    at += rest.length();
    return value;
  }

  private Object number() {
    int from = at;
    boolean whole = true;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '.' || c == 'e' || c == 'E') whole = false;
      else if (!(c >= '0' && c <= '9' || c == '-' || c == '+')) break;
      at++;
    }
    if (from == at) throw wrong("a value");
    String digits = text.substring(from, at);
    return whole ? (Object) Long.valueOf(digits) : Double.valueOf(digits);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') return out.toString();
      if (c != '\\') {
        out.append(c);
        continue;
      }
      c = next();
      switch (c) {
        case 'n': out.append('\n'); break;
        case 't': out.append('\t'); break;
        case 'r': out.append('\r'); break;
        case 'b': out.append('\b'); break;
        case 'f': out.append('\f'); break;
        case 'u':
          out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
          break;
        default: out.append(c);
      }
    }
  }

  static void write(StringBuilder out, Object value) {
    if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) out.append(value);
    else if (value instanceof Number) {
      double number = ((Number) value).doubleValue();
      // JSON has no word for them; an app's own progress bar may hold them.
      out.append(Double.isNaN(number) || Double.isInfinite(number) ? "null" : value.toString());
    } else if (value instanceof Map) {
      out.append('{');
      boolean first = true;
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        if (!first) out.append(',');
        first = false;
        quote(out, entry.getKey().toString());
        out.append(':');
        write(out, entry.getValue());
      }
      out.append('}');
    } else if (value instanceof Iterable) {
      out.append('[');
      boolean first = true;
      for (Object item : (Iterable<?>) value) {
        if (!first) out.append(',');
        first = false;
        write(out, item);
      }
      out.append(']');
    } else if (value instanceof int[]) {
      out.append('[');
      int[] numbers = (int[]) value;
      for (int i = 0; i < numbers.length; i++) out.append(i == 0 ? "" : ",").append(numbers[i]);
      out.append(']');
    } else quote(out, value.toString());
  }

  private static void quote(StringBuilder out, String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c == '\n') out.append("\\n");
      else if (c < ' ' || c == 0x2028 || c == 0x2029 || lonely(value, i)) {
        // Half of a pair cannot be written as UTF-8; it is told as it is, the reader decides.
        out.append(String.format("\\u%04x", lonely(value, i) ? 0xfffd : (int) c));
      } else out.append(c);
    }
    out.append('"');
  }

  private static boolean lonely(String value, int at) {
    char c = value.charAt(at);
    if (!Character.isSurrogate(c)) return false;
    if (Character.isHighSurrogate(c)) return at + 1 >= value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
    return at == 0 || !Character.isHighSurrogate(value.charAt(at - 1));
  }

  // ---- fields of what was read

  static String text(Map<String, Object> map, String name) {
    Object value = map.get(name);
    return value == null ? null : value.toString();
  }

  static long number(Map<String, Object> map, String name, long otherwise) {
    Object value = map.get(name);
    return value instanceof Number ? ((Number) value).longValue() : otherwise;
  }

  static double real(Map<String, Object> map, String name, double otherwise) {
    Object value = map.get(name);
    return value instanceof Number ? ((Number) value).doubleValue() : otherwise;
  }

  static boolean flag(Map<String, Object> map, String name) {
    return Boolean.TRUE.equals(map.get(name));
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Map<String, Object> map, String name) {
    return (Map<String, Object>) map.get(name);
  }

  @SuppressWarnings("unchecked")
  static <T> List<T> list(Map<String, Object> map, String name) {
    Object value = map.get(name);
    return value == null ? new ArrayList<>() : (List<T>) value;
  }
}
