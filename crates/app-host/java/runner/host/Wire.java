package runner.host;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The connection to the virtual device: frames of a JSON header and bytes. A thread of its own reads, so that
 * {@code threads} and {@code quit} are answered while the main thread is at work.
 */
final class Wire {
  /** No header is longer than this: a peer that says so is not the device. */
  private static final int MOST = 64 << 20;

  private final DataInputStream in;
  private final DataOutputStream out;
  final LinkedBlockingQueue<Map<String, Object>> requests = new LinkedBlockingQueue<>();
  private final Thread main;

  Wire(int port, Thread main) throws IOException {
    Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    this.main = main;
  }

  void listen() {
    Thread thread = new Thread(this::read, "host-wire");
    thread.setDaemon(true);
    thread.start();
  }

  private void read() {
    try {
      while (true) {
        int length = in.readInt(), payload = in.readInt();
        if (length < 0 || length > MOST || payload < 0 || payload > MOST) throw new IOException("a frame of " + length + " bytes");
        byte[] header = new byte[length];
        in.readFully(header);
        in.skipNBytes(payload);
        Map<String, Object> request = Json.object(new String(header, StandardCharsets.UTF_8));
        String op = Json.text(request, "op");
        if ("threads".equals(op)) threads(request);
        else if ("quit".equals(op)) quit(request);
        else requests.add(request);
      }
    } catch (IOException gone) {
      // The device is gone, and nobody else may ask.
      Runtime.getRuntime().halt(0);
    } catch (Throwable fault) {
      fault.printStackTrace(Events.ERR);
      Runtime.getRuntime().halt(70);
    }
  }

  private void quit(Map<String, Object> request) throws IOException {
    // First: who hears the answer ends the process.
    Profile.save();
    send(Json.obj().must("id", request.get("id")).must("ok", Json.obj()), null);
    Runtime.getRuntime().halt(0);
  }

  private void threads(Map<String, Object> request) throws IOException {
    StringBuilder all = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
      all.append('"').append(entry.getKey().getName()).append("\" ").append(entry.getKey().getState()).append('\n');
      stack(all, entry.getValue());
    }
    StringBuilder mine = new StringBuilder();
    stack(mine, main.getStackTrace());
    send(Json.obj().must("id", request.get("id")).must("ok", Json.obj().must("main", mine.toString()).must("all", all.toString())), null);
  }

  private static void stack(StringBuilder out, StackTraceElement[] stack) {
    for (StackTraceElement element : stack) out.append("  at ").append(element).append('\n');
  }

  synchronized void send(Map<String, Object> header, byte[] payload) throws IOException {
    StringBuilder text = new StringBuilder(4096);
    Json.write(text, header);
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.writeInt(payload == null ? 0 : payload.length);
    out.write(bytes);
    if (payload != null) out.write(payload);
    out.flush();
  }
}
