import java.lang.annotation.Annotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Uses what dex has: what it prints before and after a translation must be the same. */
public final class Torture {
    static final StringBuilder OUT = new StringBuilder();
    static final int[] TABLE = {1, -2, 3, 1 << 30, Integer.MIN_VALUE, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
    static final long[] LONGS = {1L, Long.MIN_VALUE, 0x0123456789abcdefL, -1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
    static final byte[] BYTES = {0, 1, 127, -128, -1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
    static final char[] CHARS = {'a', '\u20ac', '\uffff', 0, 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'};
    static final short[] SHORTS = {1, -1, Short.MIN_VALUE, Short.MAX_VALUE, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
    static final double[] DOUBLES = {0.0, -0.0, Double.NaN, Double.MIN_VALUE, Math.PI, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    static final float[] FLOATS = {0f, -0f, Float.NaN, Float.MAX_VALUE, 3.5f};
    static final boolean[] BOOLEANS = {true, false, true, true, false, true, false, true, true, false, true, false, true, true, false, true, false, true, true, false, true, false, true, true, false};
    static final String UNICODE = "caf\u00e9 \u0000 \ud83d\ude00 \u20ac \ud800 end";
    static final Class<?> CLASS = String[].class;
    static final float HALF = 0.5f;
    static final double TINY = 1e-300;
    static final long BIG = 1L << 40;
    static volatile int sink;
    int field;
    long wide;
    private String text = "text";

    static void say(Object... values) {
        for (Object value : values) {
            // JDKs write floating-point numbers in more ways than one.
            if (value instanceof Float) value = "f" + Float.floatToIntBits((Float) value);
            if (value instanceof Double) value = "d" + Double.doubleToLongBits((Double) value);
            OUT.append(value).append(' ');
        }
        OUT.append('\n');
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER})
    @interface Note {
        int number() default 42;
        String[] names() default {"a", "b"};
        Class<?> type() default int[].class;
        Color color() default Color.GREEN;
        double real() default 0.25;
        char letter() default '\u20ac';
        Inner inner() default @Inner(9);
        long big() default Long.MIN_VALUE;
        boolean flag() default true;
        byte[] bytes() default {1, -1};
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Inner {
        int value();
    }

    enum Color {
        RED, GREEN {
            @Override int weight() { return 20; }
        }, BLUE;
        int weight() { return ordinal(); }
    }

    interface Shape {
        double area();
        default String describe() { return "shape of " + area(); }
        static Shape square(double side) { return () -> side * side; }
    }

    static class Circle implements Shape {
        public double area() { return 3; }
        @Override public String describe() { return "round " + Shape.super.describe(); }
    }

    static class Generic<T extends Comparable<T>> {
        final List<T> list = new ArrayList<>();
        T most() {
            T best = null;
            for (T one : list) {
                if (best == null || one.compareTo(best) > 0) best = one;
            }
            return best;
        }
    }

    static int packed(int value) {
        switch (value) {
            case -1: return 10;
            case 0: return 20;
            case 1: return 30;
            case 2: case 3: return 40;
            default: return -1;
        }
    }

    static String sparse(int value) {
        switch (value) {
            case Integer.MIN_VALUE: return "min";
            case -1000: return "minus";
            case 7: return "seven";
            case 1_000_000: return "million";
            case Integer.MAX_VALUE: return "max";
            default: return "other";
        }
    }

    static int named(String value) {
        switch (value) {
            case "Aa": return 1;
            case "BB": return 2;
            case "x": return 3;
            default: return 0;
        }
    }

    static void numbers() {
        int[] ints = {0, 1, -1, 7, Integer.MIN_VALUE, Integer.MAX_VALUE};
        for (int a : ints) {
            for (int b : ints) {
                say(a + b, a - b, a * b, a & b, a | b, a ^ b, a << b, a >> b, a >>> b, a < b, a >= b, a == b, 100 - a, a + 1, a * 1000, a / 3, a % 5, a & 15, a << 3, ~a, -a);
                try { say(a / b, a % b); } catch (ArithmeticException e) { say(e.getMessage()); }
                long c = (long) a << 31 | b, d = b;
                say(c + d, c - d, c * d, c & d, c | d, c ^ d, c << b, c >> b, c >>> b, c < d, c == d, ~c, -c);
                try { say(c / d, c % d); } catch (ArithmeticException e) { say(e.getMessage()); }
            }
            say((byte) a, (char) a, (short) a, (long) a, (float) a, (double) a);
        }
        float[] floats = {0f, -0f, 1.5f, Float.NaN, Float.POSITIVE_INFINITY, -1e20f};
        for (float a : floats) {
            for (float b : floats) {
                say(a + b, a - b, a * b, a / b, a % b, a < b, a > b, a <= b, a >= b, a == b, a != b, -a);
                double c = a, d = b;
                say(c + d, c - d, c * d, c / d, c % d, c < d, c > d, c <= d, c >= d, c == d, c != d, -c);
            }
            say((int) a, (long) a, (double) a, (int) (double) a, (long) (double) a, (float) (double) a);
        }
    }

    static int tries(int way) {
        int state = way;
        try {
            state += 10;
            try {
                if (way == 1) throw new IllegalStateException("one");
                if (way == 2) throw new IllegalArgumentException("two");
                if (way == 3) return state;
                if (way == 4) { Object o = "s"; Integer i = (Integer) o; state += i; }
                if (way == 5) { int[] none = null; state += none[0]; }
                if (way == 6) { state += new int[1][2].length / 0; }
                state += 100;
            } catch (IllegalStateException e) {
                state += 1000;
                if (e.getMessage().length() > 100) throw e;
            } finally {
                say("inner", state);
                state++;
            }
            state += 5;
        } catch (IllegalArgumentException | ClassCastException e) {
            state = -state;
            say(e instanceof ClassCastException);
        } catch (RuntimeException e) {
            say(e.getClass().getName());
            for (int i = 0; i < 3; i++) {
                try {
                    if (i == 1) continue;
                    if (i == 2) break;
                    state += i;
                } finally {
                    state *= 2;
                }
            }
        } finally {
            say("outer", state);
            state *= 3;
        }
        return state;
    }

    synchronized int locked(int by) {
        synchronized (text) {
            field += by;
            if (by < 0) throw new IllegalStateException("negative " + Thread.holdsLock(text) + Thread.holdsLock(this));
            return field;
        }
    }

    static void arrays() {
        say(Arrays.toString(TABLE), Arrays.toString(LONGS), Arrays.toString(BYTES), Arrays.toString(CHARS).length());
        say(Arrays.toString(SHORTS), Arrays.toString(DOUBLES), Arrays.toString(FLOATS), Arrays.toString(BOOLEANS));
        int[][][] cube = new int[2][3][];
        cube[1][2] = new int[] {4, 5};
        cube[1][2][1] += 7;
        cube[1][2][0]++;
        Object[] objects = {1, "two", 3.0, 'c', null, new int[0], cube};
        say(cube[1][2][1], cube[1][2][0], objects.length, objects[4], cube.getClass().getName());
        byte[] b = new byte[3]; b[0] = (byte) 200; b[1] += 5; boolean[] z = new boolean[2]; z[1] = b[0] < 0;
        char[] c = {'x'}; c[0]++; short[] s = {1}; s[0] -= 3; float[] f = {1}; f[0] /= 3; double[] d = {1}; d[0] %= 0.3; long[] l = {9}; l[0] <<= 60;
        say(b[0], b[1], z[0], z[1], c[0], s[0], f[0], d[0], l[0], b.clone().length, cube.clone()[1][2][1]);
        try { Object[] strings = new String[1]; strings[0] = 1; } catch (ArrayStoreException e) { say(e.getMessage()); }
        try { sink = new int[-1].length; } catch (NegativeArraySizeException e) { say(e.getMessage()); }
        try { TABLE[TABLE.length] = 1; } catch (ArrayIndexOutOfBoundsException e) { say("bounds"); }
        String[] words = null;
        for (int i = 0; i < 3; i++) {
            if (words != null && i == 2) say(words[0].length());
            words = new String[] {"word" + i};
        }
        float mixed = 0; int same = 0; Object none = null;
        for (int i = 0; i < 2; i++) { mixed += same; same += 2; none = none == null ? "x" : none; }
        say(mixed, same, none);
    }

    static void calls() throws Throwable {
        IntBinaryOperator add = (x, y) -> x + y;
        Function<Object, String> show = Object::toString;
        Supplier<List<String>> make = ArrayList::new;
        int captured = 5; long alsoWide = 1L << 33; double third = 0.5;
        Supplier<String> closure = () -> captured + ":" + alsoWide + ":" + third;
        say(add.applyAsInt(3, 4), show.apply(12), make.get().size(), closure.get());
        say(new Circle().describe(), Shape.square(2).describe(), Shape.square(3).area());
        Runnable local = new Runnable() { int count; public void run() { count++; say("ran", count, captured, getClass().getEnclosingMethod() != null); } };
        local.run(); local.run();
        Generic<String> generic = new Generic<>(); generic.list.addAll(Arrays.asList("b", "z", "a"));
        say(generic.most(), Color.valueOf("GREEN").weight(), Color.BLUE.weight(), Arrays.toString(Color.values()));
        Map<String, Integer> map = new TreeMap<>(); for (String w : "b a c a b a".split(" ")) map.merge(w, 1, Integer::sum);
        say(map, named("Aa"), named("BB"), named("x"), named("y"));
        MethodHandle handle = MethodHandles.lookup().findStatic(Torture.class, "packed", MethodType.methodType(int.class, int.class));
        say((int) handle.invokeExact(2), (Object) handle.invoke((short) 0));
        say(many(1, 2L, 3f, 4.0, "5", (byte) 6, '7', true, 9L, 10.0));
        Torture torture = new Torture(); torture.field = 3; torture.wide = torture.field++ * 2L; torture.wide++;
        say(torture.field, torture.wide, torture.locked(4), torture.text += "!" + torture.field);
        try { torture.locked(-1); } catch (IllegalStateException e) { say(e.getMessage(), Thread.holdsLock(torture)); }
    }

    static String many(int a, long b, float c, double d, String e, byte f, char g, boolean h, long i, double j) {
        return a + "," + b + "," + c + "," + d + "," + e + "," + f + "," + g + "," + h + "," + i + "," + j;
    }

    @Note(number = 7, color = Color.BLUE, inner = @Inner(3))
    static <T extends Number & Comparable<T>> List<? super T> annotated(@Note Map<String, T[]> map) throws java.io.IOException, IllegalStateException { return null; }

    static void reflection() throws Exception {
        for (Method method : Torture.class.getDeclaredMethods()) {
            if (method.getName().equals("annotated")) {
                Note note = method.getAnnotation(Note.class);
                say(note.number(), Arrays.toString(note.names()), note.type(), note.color(), note.real(), note.letter(), note.inner().value(), note.big(), note.flag(), Arrays.toString(note.bytes()));
                say(method.toGenericString(), ((Note) method.getParameterAnnotations()[0][0]).number());
            }
        }
        for (Class<?> type : new Class<?>[] {Circle.class, Color.class, Note.class, Shape.class, Generic.class, Color.GREEN.getClass()}) {
            say(type.getName(), type.getSimpleName(), type.getDeclaringClass(), type.getEnclosingClass(), Modifier.toString(type.getModifiers()), type.isAnonymousClass(), type.isMemberClass(), Arrays.toString(type.getTypeParameters()));
        }
        Class<?>[] members = Torture.class.getDeclaredClasses();
        Arrays.sort(members, (a, b) -> a.getName().compareTo(b.getName()));
        say(Arrays.toString(members), CLASS, HALF, TINY, BIG);
        say(UNICODE.length(), UNICODE, UNICODE.hashCode());
        try { deep(3); } catch (RuntimeException e) {
            StackTraceElement[] trace = e.getStackTrace();
            say(trace[0], trace[1], trace[4]);
        }
    }

    static int deep(int depth) {
        if (depth == 0) {
            throw new RuntimeException("deep");
        }
        return deep(depth - 1) + 1;
    }

    static long big(long seed) {
        long[] memory = new long[64];
        for (int round = 0; round < 1000; round++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            int at = (int) (seed >>> 58);
            memory[at] ^= seed;
            if ((seed & 1) == 0) memory[63 - at] += at; else memory[(at + round) & 63]--;
            double x = memory[at] / 3.0; float y = (float) x;
            memory[at] += Double.doubleToLongBits(x) ^ Float.floatToIntBits(y);
        }
        long sum = 0;
        for (long one : memory) sum = sum * 31 + one;
        return sum;
    }

    public static void main(String[] args) throws Throwable {
        numbers();
        for (int i = -2; i < 5; i++) say(packed(i), sparse(i));
        say(sparse(Integer.MIN_VALUE), sparse(-1000), sparse(7), sparse(1_000_000), sparse(Integer.MAX_VALUE));
        for (int i = 0; i < 8; i++) say("tries", tries(i));
        arrays();
        calls();
        reflection();
        say(big(42));
        System.out.print(OUT);
    }
}
