package runner.host;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads classes straight from the jars of the class path. The JVM's own way asks each of its modules first, checks
 * signatures and builds addresses: a fifth of the time that a start takes.
 */
final class Jars {
  private final List<Object> entries = new ArrayList<>();

  Jars(Iterable<File> path) {
    for (File file : path)
      try {
        if (file.isDirectory()) entries.add(file);
        else if (file.isFile()) entries.add(new ZipFile(file));
      } catch (IOException broken) {
        throw new UncheckedIOException("on the class path: " + file, broken);
      }
  }

  static Jars ofClassPath() {
    List<File> files = new ArrayList<>();
    // The APK is there for its resources only, and may be what Android reads and Java does not.
    for (String name : System.getProperty("java.class.path").split(File.pathSeparator)) if (!name.isEmpty() && !name.endsWith(".apk")) files.add(new File(name));
    return new Jars(files);
  }

  /** The app's own. */
  static Jars ofApp() {
    List<File> files = new ArrayList<>();
    for (Object name : Json.list(Json.object(System.getProperty(Main.BOOT)), "classes")) if (!name.toString().endsWith(".apk")) files.add(new File(name.toString()));
    return new Jars(files);
  }

  boolean has(String name) {
    for (Object each : entries) if (each instanceof File ? new File((File) each, name).isFile() : ((ZipFile) each).getEntry(name) != null) return true;
    return false;
  }

  byte[] read(String name) throws IOException {
    for (Object each : entries) {
      if (each instanceof File) {
        File file = new File((File) each, name);
        if (file.isFile()) return Files.readAllBytes(file.toPath());
        continue;
      }
      ZipFile jar = (ZipFile) each;
      ZipEntry entry = jar.getEntry(name);
      if (entry == null) continue;
      try (InputStream in = jar.getInputStream(entry)) {
        return in.readNBytes((int) entry.getSize());
      }
    }
    return null;
  }

  /** The fonts of Robolectric's native runtime, unpacked once for all processes instead of 200 MB for each. */
  static void fonts(File cache) throws IOException {
    File folder = new File(cache, "fonts");
    if (!folder.isDirectory()) {
      File part = Files.createTempDirectory(cache.toPath(), "fonts-part").toFile();
      for (String name : System.getProperty("java.class.path").split(File.pathSeparator)) {
        if (!name.endsWith(".jar") || !new File(name).isFile()) continue;
        try (ZipFile jar = new ZipFile(name)) {
          if (jar.getEntry("fonts/fonts.xml") == null) continue;
          for (java.util.Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
            ZipEntry entry = all.nextElement();
            String file = entry.getName();
            if (!file.startsWith("fonts/") || entry.isDirectory() || file.indexOf('/', 6) >= 0) continue;
            try (InputStream in = jar.getInputStream(entry)) {
              Files.copy(in, new File(part, file.substring(6)).toPath());
            }
          }
        }
      }
      // Another process may have been quicker: its fonts are the same.
      if (!part.renameTo(folder) && !folder.isDirectory()) throw new IOException("the fonts cannot be kept in " + folder);
    }
    if (new File(folder, "fonts.xml").isFile()) System.setProperty("robolectric.nativeruntime.fontdir", folder.getAbsolutePath() + File.separator);
  }
}
