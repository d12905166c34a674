package runner.host;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The names of the classes that the app's last run used, in a file that the starter names: a warm spare loads them
 * before anybody waits for it.
 */
final class Profile {
  private static final String FILE = System.getProperty("runner.host.profile");
  private static ClassLoader loader;

  private Profile() {}

  static void warm(ClassLoader sandbox) {
    loader = sandbox;
    if (FILE == null || !new File(FILE).isFile()) return;
    // On a thread of its own: where nobody keeps a spare, the start goes on meanwhile.
    Thread thread = new Thread(() -> load(sandbox), "host-profile");
    thread.setDaemon(true);
    thread.start();
  }

  private static void load(ClassLoader sandbox) {
    try {
      for (String name : Files.readAllLines(Path.of(FILE), StandardCharsets.UTF_8))
        try {
          Class.forName(name, false, sandbox);
        } catch (ClassNotFoundException | LinkageError gone) {
          // The app was built anew since: what is gone from it needs no warming.
        }
    } catch (IOException unread) {
      Events.ERR.println("the profile cannot be read, the app starts slower: " + unread);
    }
  }

  /** Writes the file anew where there is none: one run of an app is like the other. */
  static void save() {
    if (FILE == null || loader == null || new File(FILE).exists()) return;
    try {
      // The loader belongs to the JVM's own class loader, this class to Robolectric's: they know each other by name only.
      List<?> names = (List<?>) loader.getClass().getMethod("names").invoke(loader);
      Path part = Path.of(FILE + "." + ProcessHandle.current().pid());
      Files.write(part, names.stream().map(Object::toString).collect(java.util.stream.Collectors.toList()), StandardCharsets.UTF_8);
      Files.move(part, Path.of(FILE), java.nio.file.StandardCopyOption.REPLACE_EXISTING, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | ReflectiveOperationException unwritten) {
      Events.ERR.println("the profile cannot be written, the next start is slower: " + unwritten);
    }
  }
}
