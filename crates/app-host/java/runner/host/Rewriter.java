package runner.host;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Leads a few calls of the JVM to the host while a class is loaded: the clock (the app's time is the device's), the
 * process's end, native libraries, and the address by which an emulator's app finds its computer. Robolectric does the
 * same for the framework's classes only. Nothing else of a class changes; its frames stay valid, since each call is
 * exchanged for one that takes and leaves the same.
 */
final class Rewriter {
  private static final String CLOCK = "runner/host/AppClock", EXIT = "runner/host/AppExit", NET = "runner/host/AppNet";

  /** "owner.name descriptor" to "owner.name" of a static method; of an instance's method the receiver comes first. */
  private static final Map<String, String> CALLS = new HashMap<>();
  /** Those that the framework's classes need too: its own clock calls Robolectric has led away already. */
  private static final Map<String, String> FRAMEWORK = new HashMap<>();
  private static final Set<String> OWNERS = new HashSet<>();

  private static void call(String from, String to) {
    CALLS.put(from, to);
    OWNERS.add(from.substring(0, from.indexOf('.')));
  }

  private static void both(String from, String to) {
    call(from, to);
    FRAMEWORK.put(from, to);
  }

  static {
    call("java/lang/System.currentTimeMillis()J", CLOCK + ".currentTimeMillis");
    call("java/lang/System.nanoTime()J", CLOCK + ".nanoTime");
    call("java/lang/Thread.sleep(J)V", CLOCK + ".sleep");
    call("java/util/concurrent/TimeUnit.sleep(J)V", CLOCK + ".sleep");
    call("java/util/concurrent/locks/LockSupport.parkNanos(J)V", CLOCK + ".parkNanos");
    call("java/util/concurrent/locks/LockSupport.parkNanos(Ljava/lang/Object;J)V", CLOCK + ".parkNanos");
    String calendar = "java/util/Calendar.getInstance(", made = ")Ljava/util/Calendar;";
    both(calendar + made, CLOCK + ".calendar");
    both(calendar + "Ljava/util/TimeZone;" + made, CLOCK + ".calendar");
    both(calendar + "Ljava/util/Locale;" + made, CLOCK + ".calendar");
    both(calendar + "Ljava/util/TimeZone;Ljava/util/Locale;" + made, CLOCK + ".calendar");
    for (String type : new String[] {"LocalDate", "LocalDateTime", "LocalTime", "ZonedDateTime", "OffsetDateTime", "OffsetTime", "Year", "YearMonth", "MonthDay"}) {
      String owner = "java/time/" + type, name = Character.toLowerCase(type.charAt(0)) + type.substring(1);
      both(owner + ".now()L" + owner + ";", CLOCK + "." + name);
      both(owner + ".now(Ljava/time/ZoneId;)L" + owner + ";", CLOCK + "." + name);
    }
    both("java/time/Instant.now()Ljava/time/Instant;", CLOCK + ".instantNow");
    both("java/time/Clock.systemUTC()Ljava/time/Clock;", CLOCK + ".systemUTC");
    both("java/time/Clock.systemDefaultZone()Ljava/time/Clock;", CLOCK + ".systemDefaultZone");
    both("java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;", CLOCK + ".system");
    both("java/util/Date.<init>()V", "");
    String pool = "Ljava/util/concurrent/ScheduledExecutorService;", factory = "Ljava/util/concurrent/ThreadFactory;", timers = "runner/host/AppTimers";
    call("java/util/concurrent/Executors.newScheduledThreadPool(I)" + pool, timers + ".newScheduledThreadPool");
    call("java/util/concurrent/Executors.newScheduledThreadPool(I" + factory + ")" + pool, timers + ".newScheduledThreadPool");
    call("java/util/concurrent/Executors.newSingleThreadScheduledExecutor()" + pool, timers + ".newSingleThreadScheduledExecutor");
    call("java/util/concurrent/Executors.newSingleThreadScheduledExecutor(" + factory + ")" + pool, timers + ".newSingleThreadScheduledExecutor");
    OWNERS.add("java/util/Timer");
    OWNERS.add("java/util/concurrent/ScheduledThreadPoolExecutor");
    call("java/lang/System.exit(I)V", EXIT + ".exit");
    call("java/lang/Runtime.exit(I)V", EXIT + ".exit");
    call("java/lang/Runtime.halt(I)V", EXIT + ".exit");
    call("android/os/Process.killProcess(I)V", EXIT + ".kill");
    call("java/lang/System.loadLibrary(Ljava/lang/String;)V", EXIT + ".loadLibrary");
    call("java/lang/System.load(Ljava/lang/String;)V", EXIT + ".load");
    call("java/lang/Runtime.loadLibrary(Ljava/lang/String;)V", EXIT + ".loadLibrary");
    call("java/lang/Runtime.load(Ljava/lang/String;)V", EXIT + ".load");
    call("java/lang/System.getenv(Ljava/lang/String;)Ljava/lang/String;", "runner/host/AppVariables.getenv");
    call("java/lang/System.getenv()Ljava/util/Map;", "runner/host/AppVariables.getenv");
    call("java/net/InetAddress.getByName(Ljava/lang/String;)Ljava/net/InetAddress;", NET + ".getByName");
    call("java/net/InetAddress.getAllByName(Ljava/lang/String;)[Ljava/net/InetAddress;", NET + ".getAllByName");
    call("java/net/URL.openConnection()Ljava/net/URLConnection;", NET + ".openConnection");
    call("java/net/URL.openStream()Ljava/io/InputStream;", NET + ".openStream");
    call("java/net/InetSocketAddress.<init>(Ljava/lang/String;I)V", "");
  }

  /** Classes of the JVM that the app has other ones for: made anew and extended by these names. */
  private static final Map<String, String> TYPES = Map.of("java/util/Timer", "runner/host/AppTimers$AppTimer", "java/util/concurrent/ScheduledThreadPoolExecutor", "runner/host/AppTimers$AppScheduled");

  private Rewriter() {}

  static byte[] rewrite(String resource, byte[] bytes, boolean framework) {
    if (resource.equals("org/robolectric/shadows/ShadowSystem.class")) {
      // Robolectric's wall clock begins in 1970: the framework's shall be the device's.
      return replace(bytes, Map.of("android/os/SystemClock.uptimeMillis()J", CLOCK + ".currentTimeMillis"));
    }
    if (resource.equals("org/robolectric/shadows/ShadowView.class")) {
      // What is visible of a window ends at the keyboard: apps find the keyboard by it. Robolectric says: the display.
      return without(bytes, Set.of("getWindowVisibleDisplayFrame", "getWindowDisplayFrame"));
    }
    if (resource.startsWith("runner/host/") || resource.startsWith("org/robolectric/") || resource.startsWith("org/junit/") || !mentions(bytes)) return bytes;
    return replace(bytes, framework ? FRAMEWORK : CALLS);
  }

  /** Does the class name one of the owners at all? Most do not, and parsing takes its time. */
  private static boolean mentions(byte[] bytes) {
    int count = (bytes[8] & 255) << 8 | bytes[9] & 255;
    int at = 10;
    for (int i = 1; i < count; i++) {
      switch (bytes[at]) {
        case 1: {
          int length = (bytes[at + 1] & 255) << 8 | bytes[at + 2] & 255;
          // java/… and android/os/Process; a descriptor that contains the name does not count.
          if (length >= 12 && length <= 48 && (bytes[at + 3] == 'j' || bytes[at + 3] == 'a')
              && OWNERS.contains(new String(bytes, at + 3, length, java.nio.charset.StandardCharsets.ISO_8859_1))) return true;
          at += 3 + length;
          break;
        }
        case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18:
          at += 5;
          break;
        case 5: case 6:
          at += 9;
          i++;
          break;
        case 15:
          at += 4;
          break;
        default:
          at += 3;
      }
    }
    return false;
  }

  private static byte[] replace(byte[] bytes, Map<String, String> calls) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
            super.visit(version, access, name, signature, calls == CALLS ? TYPES.getOrDefault(superName, superName) : superName, interfaces);
          }

          @Override
          public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            return new Calls(super.visitMethod(access, name, descriptor, signature, exceptions), calls);
          }
        },
        0);
    return writer.toByteArray();
  }

  /** A shadow's class without some of its methods: a subclass of it would not do, since other shadows extend it. */
  private static byte[] without(byte[] bytes, Set<String> methods) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            return methods.contains(name) ? null : super.visitMethod(access, name, descriptor, signature, exceptions);
          }
        },
        0);
    return writer.toByteArray();
  }

  private static final class Calls extends MethodVisitor {
    private final Map<String, String> calls;

    Calls(MethodVisitor next, Map<String, String> calls) {
      super(Opcodes.ASM9, next);
      this.calls = calls;
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, opcode == Opcodes.NEW && calls == CALLS ? TYPES.getOrDefault(type, type) : type);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") && calls == CALLS && TYPES.containsKey(owner)) {
        super.visitMethodInsn(opcode, TYPES.get(owner), name, descriptor, false);
        return;
      }
      String to = owner.startsWith("java/") || owner.startsWith("android/os/") ? calls.get(owner + "." + name + descriptor) : null;
      if (to == null || opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>")) super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      else if (owner.equals("java/util/Date")) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, CLOCK, "currentTimeMillis", "()J", false);
        super.visitMethodInsn(opcode, owner, name, "(J)V", false);
      } else if (owner.equals("java/net/InetSocketAddress")) {
        super.visitInsn(Opcodes.SWAP);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, NET, "host", "(Ljava/lang/String;)Ljava/lang/String;", false);
        super.visitInsn(Opcodes.SWAP);
        super.visitMethodInsn(opcode, owner, name, descriptor, false);
      } else {
        String takes = opcode == Opcodes.INVOKESTATIC ? descriptor : "(L" + owner + ";" + descriptor.substring(1);
        int dot = to.indexOf('.');
        super.visitMethodInsn(Opcodes.INVOKESTATIC, to.substring(0, dot), to.substring(dot + 1), takes, false);
      }
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
      Object[] changed = arguments.clone();
      for (int i = 0; i < changed.length; i++)
        if (changed[i] instanceof Handle) {
          Handle handle = (Handle) changed[i];
          String to = handle.getTag() == Opcodes.H_INVOKESTATIC ? calls.get(handle.getOwner() + "." + handle.getName() + handle.getDesc()) : null;
          if (to != null && !to.isEmpty()) {
            int dot = to.indexOf('.');
            changed[i] = new Handle(Opcodes.H_INVOKESTATIC, to.substring(0, dot), to.substring(dot + 1), handle.getDesc(), false);
          }
        }
      super.visitInvokeDynamicInsn(name, descriptor, bootstrap, changed);
    }
  }
}
