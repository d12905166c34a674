package runner.host;

import java.util.Map;

/** Views that are there and show nothing, because what stands behind them on a phone is not here: told once each. */
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

  static void seen(String type) {
    String what = type == null ? null : NAMES.get(type);
    if (what != null) Events.unsupported(what);
  }
}
