package runner.host;

import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.util.ReflectionHelpers;

/** The keys of Android's virtual keyboard (US): with ctrl, alt or meta held a letter's key writes nothing, it is a shortcut. */
@Implements(KeyCharacterMap.class)
public class Keys {
  private static final Map<Integer, char[]> KEYS = new HashMap<>();
  private static final Map<Character, int[]> CHARS = new HashMap<>();

  private static void key(int code, char plain, char shifted) {
    KEYS.put(code, new char[] {plain, shifted});
    CHARS.putIfAbsent(plain, new int[] {code, 0});
    CHARS.putIfAbsent(shifted, new int[] {code, 1});
  }

  static {
    for (int i = 0; i < 26; i++) key(KeyEvent.KEYCODE_A + i, (char) ('a' + i), (char) ('A' + i));
    String shifted = ")!@#$%^&*(";
    for (int i = 0; i < 10; i++) key(KeyEvent.KEYCODE_0 + i, (char) ('0' + i), shifted.charAt(i));
    key(KeyEvent.KEYCODE_SPACE, ' ', ' ');
    key(KeyEvent.KEYCODE_ENTER, '\n', '\n');
    key(KeyEvent.KEYCODE_TAB, '\t', '\t');
    key(KeyEvent.KEYCODE_COMMA, ',', '<');
    key(KeyEvent.KEYCODE_PERIOD, '.', '>');
    key(KeyEvent.KEYCODE_SLASH, '/', '?');
    key(KeyEvent.KEYCODE_GRAVE, '`', '~');
    key(KeyEvent.KEYCODE_MINUS, '-', '_');
    key(KeyEvent.KEYCODE_EQUALS, '=', '+');
    key(KeyEvent.KEYCODE_LEFT_BRACKET, '[', '{');
    key(KeyEvent.KEYCODE_RIGHT_BRACKET, ']', '}');
    key(KeyEvent.KEYCODE_BACKSLASH, '\\', '|');
    key(KeyEvent.KEYCODE_SEMICOLON, ';', ':');
    key(KeyEvent.KEYCODE_APOSTROPHE, '\'', '"');
    key(KeyEvent.KEYCODE_AT, '@', '@');
    key(KeyEvent.KEYCODE_STAR, '*', '*');
    key(KeyEvent.KEYCODE_POUND, '#', '#');
    key(KeyEvent.KEYCODE_PLUS, '+', '+');
    for (int i = 0; i < 10; i++) key(KeyEvent.KEYCODE_NUMPAD_0 + i, (char) ('0' + i), (char) ('0' + i));
    key(KeyEvent.KEYCODE_NUMPAD_ENTER, '\n', '\n');
    key(KeyEvent.KEYCODE_NUMPAD_DOT, '.', '.');
    key(KeyEvent.KEYCODE_NUMPAD_ADD, '+', '+');
    key(KeyEvent.KEYCODE_NUMPAD_SUBTRACT, '-', '-');
    key(KeyEvent.KEYCODE_NUMPAD_MULTIPLY, '*', '*');
    key(KeyEvent.KEYCODE_NUMPAD_DIVIDE, '/', '/');
    key(KeyEvent.KEYCODE_NUMPAD_EQUALS, '=', '=');
    key(KeyEvent.KEYCODE_NUMPAD_COMMA, ',', ',');
  }

  private static KeyCharacterMap map;

  @Implementation
  protected static KeyCharacterMap load(int device) {
    if (map == null) map = ReflectionHelpers.newInstance(KeyCharacterMap.class);
    return map;
  }

  @Implementation
  protected int get(int code, int meta) {
    meta = KeyEvent.normalizeMetaState(meta);
    if ((meta & (KeyEvent.META_CTRL_ON | KeyEvent.META_ALT_ON | KeyEvent.META_META_ON)) != 0) return 0;
    char[] key = KEYS.get(code);
    if (key == null) return 0;
    boolean shift = (meta & KeyEvent.META_SHIFT_ON) != 0;
    if ((meta & KeyEvent.META_CAPS_LOCK_ON) != 0 && code >= KeyEvent.KEYCODE_A && code <= KeyEvent.KEYCODE_Z) shift = !shift;
    return key[shift ? 1 : 0];
  }

  @Implementation
  protected char getNumber(int code) {
    if (code >= KeyEvent.KEYCODE_0 && code <= KeyEvent.KEYCODE_9) return (char) ('0' + code - KeyEvent.KEYCODE_0);
    char[] key = KEYS.get(code);
    return key == null ? 0 : key[0];
  }

  @Implementation
  protected char getMatch(int code, char[] chars) {
    return getMatch(code, chars, 0);
  }

  @Implementation
  protected char getMatch(int code, char[] chars, int meta) {
    char[] key = KEYS.get(code);
    if (key != null) for (char wanted : chars) if (wanted == key[0] || wanted == key[1]) return wanted;
    return 0;
  }

  @Implementation
  protected char getDisplayLabel(int code) {
    char[] key = KEYS.get(code);
    return key == null ? 0 : Character.toUpperCase(key[0]);
  }

  @Implementation
  protected boolean isPrintingKey(int code) {
    return KEYS.containsKey(code) && code != KeyEvent.KEYCODE_ENTER && code != KeyEvent.KEYCODE_NUMPAD_ENTER && code != KeyEvent.KEYCODE_TAB;
  }

  @Implementation
  protected int getKeyboardType() {
    return KeyCharacterMap.FULL;
  }

  @Implementation
  protected int getModifierBehavior() {
    return KeyCharacterMap.MODIFIER_BEHAVIOR_CHORDED;
  }

  @Implementation
  protected KeyCharacterMap.FallbackAction getFallbackAction(int code, int meta) {
    return null;
  }

  @Implementation
  protected static boolean[] deviceHasKeys(int[] codes) {
    boolean[] out = new boolean[codes.length];
    for (int i = 0; i < codes.length; i++) out[i] = KEYS.containsKey(codes[i]);
    return out;
  }

  /** Null as soon as one character has no key. */
  @Implementation
  protected KeyEvent[] getEvents(char[] chars) {
    List<KeyEvent> out = new ArrayList<>();
    long now = android.os.SystemClock.uptimeMillis();
    for (char c : chars) {
      int[] key = CHARS.get(c);
      if (key == null) return null;
      int meta = key[1] == 0 ? 0 : KeyEvent.META_SHIFT_ON | KeyEvent.META_SHIFT_LEFT_ON;
      if (meta != 0) out.add(event(now, KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_SHIFT_LEFT, meta));
      out.add(event(now, KeyEvent.ACTION_DOWN, key[0], meta));
      out.add(event(now, KeyEvent.ACTION_UP, key[0], meta));
      if (meta != 0) out.add(event(now, KeyEvent.ACTION_UP, KeyEvent.KEYCODE_SHIFT_LEFT, 0));
    }
    return out.toArray(new KeyEvent[0]);
  }

  private static KeyEvent event(long now, int action, int code, int meta) {
    return new KeyEvent(now, now, action, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0, android.view.InputDevice.SOURCE_KEYBOARD);
  }
}
