package runner.host;

import android.view.View;
import android.view.ViewGroup;
import java.util.HashMap;
import java.util.Map;

/** Views that are there and show nothing, and media players that play nothing, because what stands behind them on a phone is not here: told once each. */
final class Stubs {
  private static final Map<String, String> NAMES =
      Map.of(
          "android.webkit.WebView", "WebView shows no page: there is no browser engine",
          "android.view.SurfaceView", "SurfaceView shows nothing: camera, video and OpenGL draw outside the app's windows",
          "android.view.TextureView", "TextureView shows nothing: camera, video and OpenGL draw outside the app's windows",
          "android.opengl.GLSurfaceView", "GLSurfaceView shows nothing: there is no OpenGL",
          "android.widget.VideoView", "VideoView shows nothing: there is no player",
          "com.google.android.gms.maps.MapView", "MapView shows no map: Google's services are not here",
          "androidx.camera.view.PreviewView", "PreviewView shows nothing: there is no camera");

  private Stubs() {}

  /** What each class is a stub of, or "": asked for each view at each look. */
  private static final Map<Class<?>, String> KNOWN = new HashMap<>();

  static void look(View view) {
    String what = KNOWN.computeIfAbsent(view.getClass(), Stubs::of);
    if (!what.isEmpty()) Events.unsupported(what);
    if (view instanceof ViewGroup) for (int i = 0; i < ((ViewGroup) view).getChildCount(); i++) look(((ViewGroup) view).getChildAt(i));
  }

  /** Lets media players play: in silence, each piece for three seconds. Without it Robolectric makes none. */
  static void media() {
    org.robolectric.shadows.ShadowMediaPlayer.setMediaInfoProvider(
        source -> {
          Events.unsupported("MediaPlayer is silent, and plays each piece for three seconds");
          return new org.robolectric.shadows.ShadowMediaPlayer.MediaInfo(3000, 0);
        });
  }

  private static String of(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) if (NAMES.containsKey(each.getName())) return NAMES.get(each.getName());
    return "";
  }
}
