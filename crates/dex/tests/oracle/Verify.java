import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;

/**
 * Links every class of a jar, which has the JVM verify it, and runs none of its initializers:
 * {@code Verify JAR LIBRARY.jar...}. Reflection links a class before it lists its constructors.
 * Prints what is refused, by cause.
 */
public final class Verify {
    public static void main(String[] args) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String arg : args) {
            urls.add(new File(arg).toURI().toURL());
        }
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        int good = 0;
        Map<String, List<String>> bad = new TreeMap<>();
        try (JarFile jar = new JarFile(args[0])) {
            for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
                if (!entry.getName().endsWith(".class")) {
                    continue;
                }
                String name = entry.getName().substring(0, entry.getName().length() - 6).replace('/', '.');
                try {
                    Class<?> found = Class.forName(name, false, loader);
                    found.getDeclaredConstructors();
                    found.getDeclaredMethods();
                    good++;
                } catch (Throwable problem) {
                    String text = String.valueOf(problem.getMessage());
                    String first = text.split("\n")[0];
                    boolean missing = problem instanceof NoClassDefFoundError || problem instanceof TypeNotPresentException;
                    String cause = problem.getClass().getSimpleName() + ": " + (missing ? "" : first.replaceAll("[\\w$/.]*[/$][\\w$/.]*", "X"));
                    bad.computeIfAbsent(cause, key -> new ArrayList<>()).add(name + ": " + text);
                }
            }
        }
        int refused = bad.values().stream().mapToInt(List::size).sum();
        System.out.println(good + " classes verified, " + refused + " refused");
        bad.entrySet().stream()
            .sorted(Comparator.comparing(entry -> -entry.getValue().size()))
            .forEach(entry -> {
                System.out.println(entry.getValue().size() + " x " + entry.getKey());
                System.out.println("    " + entry.getValue().get(0).replace("\n", "\n    "));
            });
        System.exit(bad.keySet().stream().anyMatch(cause -> !cause.startsWith("NoClassDef")) ? 1 : 0);
    }
}
