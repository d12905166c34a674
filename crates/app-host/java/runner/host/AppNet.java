package runner.host;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URL;
import java.net.URLConnection;
import java.net.UnknownHostException;

/** The app's network: 10.0.2.2 is this computer, as on an emulator; in airplane mode there is none. Used by the app only. */
public final class AppNet {
  static volatile boolean airplane;

  private AppNet() {}

  public static String host(String host) {
    return "10.0.2.2".equals(host) ? "127.0.0.1" : host;
  }

  private static void reachable(String host) throws UnknownHostException {
    if (airplane && !"localhost".equals(host) && !"127.0.0.1".equals(host))
      throw new UnknownHostException("Unable to resolve host \"" + host + "\": No address associated with hostname");
  }

  public static InetAddress getByName(String host) throws UnknownHostException {
    reachable(host);
    return InetAddress.getByName(host(host));
  }

  public static InetAddress[] getAllByName(String host) throws UnknownHostException {
    reachable(host);
    return InetAddress.getAllByName(host(host));
  }

  public static URLConnection openConnection(URL url) throws IOException {
    // HttpURLConnection connects later: a host that is nowhere makes it fail as a phone without a network does.
    if (airplane && url.getHost() != null && !url.getHost().isEmpty()) url = new URL(url.getProtocol(), "airplane.invalid", url.getPort(), url.getFile());
    if ("10.0.2.2".equals(url.getHost())) url = new URL(url.getProtocol(), host(url.getHost()), url.getPort(), url.getFile());
    return url.openConnection();
  }

  public static InputStream openStream(URL url) throws IOException {
    return openConnection(url).getInputStream();
  }
}
