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
  private static Boolean blueFirst;

  /** Android's bitmaps are RGBA; on a computer they have the order that Skia likes best there. */
  private static boolean isBlueFirst() {
    if (blueFirst == null) {
      Bitmap red = Bitmap.createBitmap(1, 1, Bitmap.Config.ARGB_8888);
      red.eraseColor(0xffff0000);
      ByteBuffer bytes = ByteBuffer.allocate(4);
      red.copyPixelsToBuffer(bytes);
      blueFirst = bytes.get(0) == 0;
    }
    return blueFirst;
  }

  private static void swap(byte[] pixels) {
    for (int i = 0; i < pixels.length; i += 4) {
      byte first = pixels[i];
      pixels[i] = pixels[i + 2];
      pixels[i + 2] = first;
    }
  }

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
      if (isBlueFirst()) swap(bytes.array());
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
