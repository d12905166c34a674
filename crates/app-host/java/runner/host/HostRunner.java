package runner.host;

import java.lang.reflect.Field;
import org.junit.runners.model.InitializationError;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.AndroidSandbox.SdkSandboxClassLoader;
import org.robolectric.internal.SandboxManager;
import org.robolectric.internal.bytecode.ClassInstrumentor;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.ResourceProvider;
import org.robolectric.internal.bytecode.SandboxClassLoader;
import org.robolectric.internal.bytecode.ShadowProviders;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.util.inject.Injector;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Robolectric's runner with one change: the app's classes pass {@link Rewriter} on their way in. */
public final class HostRunner extends RobolectricTestRunner {
  public HostRunner(Class<?> type) throws InitializationError {
    super(type, injector());
  }

  /** Returns what a build by Gradle would have put on the class path: the app's files. */
  @Override
  protected Properties getBuildSystemApiProperties() {
    Map<String, Object> boot = Json.object(System.getProperty(Main.BOOT));
    if (Json.text(boot, "apk") == null) return null;
    Properties properties = new Properties();
    properties.setProperty("android_resource_apk", Json.text(boot, "apk"));
    properties.setProperty("android_merged_manifest", Json.text(boot, "manifest"));
    properties.setProperty("android_custom_package", Json.text(boot, "package"));
    return properties;
  }

  /** Robolectric's parts, with a sandbox of the host's class loader. */
  private static Injector injector() {
    Injector parts = defaultInjector().build();
    ShadowProviders shadows = parts.getInstance(ShadowProviders.class);
    ClassInstrumentor instrumentor = parts.getInstance(ClassInstrumentor.class);
    SandboxManager.SandboxBuilder sandboxes =
        (config, sdk, compileSdk, resources, sqlite) ->
            new AndroidSandbox(sdk, compileSdk, resources, new AndroidSandbox.TestEnvironmentSpec(), new Loader(config, sdk, instrumentor), shadows, sqlite);
    return defaultInjector().bind(SandboxManager.SandboxBuilder.class, sandboxes).build();
  }

  /** Loads the app as Robolectric does, its calls of the JVM's clock, exit and libraries led to the host. */
  public static final class Loader extends SdkSandboxClassLoader {
    public Loader(InstrumentationConfiguration config, Sdk sdk, ClassInstrumentor instrumentor) {
      super(asItIs(config), sdk, instrumentor);
      this.config = config;
      try {
        // Robolectric's hook below is asked for the app's classes only; android-all comes by this provider.
        Field field = SandboxClassLoader.class.getDeclaredField("resourceProvider");
        field.setAccessible(true);
        field.set(this, new Framework((ResourceProvider) field.get(this), sdk.getJarPath().toFile()));
      } catch (ReflectiveOperationException other) {
        throw new IllegalStateException("Robolectric 4.17 is expected: its class loader is another one", other);
      }
    }

    /**
     * Takes the app's classes as they are. The framework of the parts is instrumented beforehand; a class whose name
     * begins like the framework's is the app's (the old support library), and what R8 and ProGuard make of a
     * constructor does not survive being cut at its call of super.
     */
    private static InstrumentationConfiguration asItIs(InstrumentationConfiguration config) {
      InstrumentationConfiguration.Builder builder = new InstrumentationConfiguration.Builder(config);
      builder.instrumentedPackages.clear();
      return builder.build();
    }

    private final List<String> names = java.util.Collections.synchronizedList(new java.util.ArrayList<>());

    /** The classes that were loaded, in their order: see {@link Profile}. */
    public List<String> names() {
      synchronized (names) {
        return new java.util.ArrayList<>(names);
      }
    }

    @Override
    public Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean known = isClassLoaded(name);
      Class<?> type = libraryClass(name);
      if (type == null) type = super.loadClass(name, resolve);
      if (!known && type.getClassLoader() == this) names.add(name);
      return type;
    }

    private final Jars jars = Jars.ofClassPath();
    private final Jars app = Jars.ofApp();
    private final InstrumentationConfiguration config;

    /** What Robolectric shares with its own loader. */
    private static final List<String> SHARED = List.of("java.", "org.robolectric.", "org.junit.", "org.hamcrest.");

    /**
     * Returns a class of the app that Robolectric leaves to the JVM's class path, where the app's jars are not: kotlin.*, javax.inject.
     * Null for other classes.
     */
    private Class<?> libraryClass(String name) throws ClassNotFoundException {
      if (config.shouldAcquire(name)) return null;
      for (String prefix : SHARED) if (name.startsWith(prefix)) return null;
      String file = name.replace('.', '/') + ".class";
      if (!app.has(file) || ClassLoader.getPlatformClassLoader().getResource(file) != null) return null;
      synchronized (getClassLoadingLock(name)) {
        Class<?> type = findLoadedClass(name);
        if (type != null) return type;
        try {
          byte[] bytes = Rewriter.rewrite(name, app.read(file), false);
          return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException broken) {
          throw new ClassNotFoundException(name, broken);
        }
      }
    }

    @Override
    protected InputStream getClassBytesFromAlternateClassLoader(String name) {
      try {
        byte[] bytes = jars.read(name);
        return bytes == null ? null : new ByteArrayInputStream(Rewriter.rewrite(name, bytes, false));
      } catch (IOException broken) {
        throw new java.io.UncheckedIOException(name, broken);
      }
    }

    @Override
    public URL getResource(String name) {
      // Robolectric unpacks the fonts that it finds, even where they lie unpacked.
      return name.equals("fonts/") && System.getProperty("robolectric.nativeruntime.fontdir") != null ? null : super.getResource(name);
    }
  }

  private static final class Framework implements ResourceProvider {
    private final ResourceProvider jar;
    private final Jars classes;

    Framework(ResourceProvider jar, java.io.File file) {
      this.jar = jar;
      this.classes = new Jars(List.of(file));
    }

    @Override
    public URL getResource(String name) {
      return jar.getResource(name);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
      if (!name.endsWith(".class")) return jar.getResourceAsStream(name);
      try {
        byte[] bytes = classes.read(name);
        return bytes == null ? null : new ByteArrayInputStream(Rewriter.rewrite(name, bytes, true));
      } catch (IOException broken) {
        throw new java.io.UncheckedIOException(name, broken);
      }
    }

    @Override
    public void close() throws IOException {
      jar.close();
    }
  }
}
