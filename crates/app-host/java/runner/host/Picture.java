package runner.host;

import android.graphics.Bitmap;
import android.view.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pictures of single windows, drawn by Android's renderer: RGBA, premultiplied, transparent where the window is. */
final class Picture {
  private Picture() {}

  static byte[] payload;

  static Json.Obj draw(Map<String, Object> request) throws Faults.Refused {
    List<Object> windows = new ArrayList<>();
    List<ByteBuffer> pixels = new ArrayList<>();
    int offset = 0;
    for (Object each : Json.list(request, "windows")) {
      Windows.Window window = Windows.byId(((Number) each).intValue());
      View view = window.view();
      int width = view.getWidth(), height = view.getHeight();
      Bitmap bitmap = Bitmap.createBitmap(width, height, Bitmap.Config.ARGB_8888);
      try {
        HiddenDoors.picture(view, bitmap);
      } catch (Throwable thrown) {
        // The app's onDraw runs now.
        Faults.thrown(thrown);
        break;
      }
      ByteBuffer bytes = ByteBuffer.allocate(width * height * 4);
      bitmap.copyPixelsToBuffer(bytes);
      bitmap.recycle();
      bytes.flip();
      pixels.add(bytes);
      windows.add(Json.obj().must("id", window.id).must("width", width).must("height", height).must("offset", offset));
      offset += width * height * 4;
    }
    payload = new byte[offset];
    int at = 0;
    for (ByteBuffer bytes : pixels) {
      int length = bytes.remaining();
      bytes.get(payload, at, length);
      at += length;
    }
    return Json.obj().must("windows", windows);
  }
}
