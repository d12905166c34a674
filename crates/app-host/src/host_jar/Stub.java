package runner.host;

import java.io.*;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.*;

/** A host without Android, for tests: `echo` answers, `hang` never does, `die` ends the JVM, `where` tells of the process. */
public class Main {
    static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\\s*(\"([^\"]*)\"|-?[0-9]+)").matcher(json);
        return !found.find() ? "" : found.group(2) != null ? found.group(2) : found.group(1);
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String boot = in.readLine();
        if (field(boot, "package").equals("org.example.broken")) {
            System.err.println("it does not start today");
            System.exit(3);
        }
        Thread ends = new Thread(() -> {
            try {
                while (in.readLine() != null) { }
            } catch (IOException closed) { }
            Runtime.getRuntime().halt(0);
        });
        ends.setDaemon(true);
        ends.start();
        if (field(boot, "package").equals("org.example.silent")) {
            System.out.println("it thinks about it");
            Thread.sleep(600_000);
        }
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(field(boot, "port")));
        DataInputStream requests = new DataInputStream(socket.getInputStream());
        DataOutputStream answers = new DataOutputStream(socket.getOutputStream());
        send(answers, "{\"op\": \"hello\", \"token\": \"" + field(boot, "token") + "\", \"pid\": " + ProcessHandle.current().pid()
            + ", \"sdk\": 35, \"robolectric\": \"none\", \"java\": \"" + System.getProperty("java.version") + "\"}");
        while (true) {
            byte[] header = new byte[requests.readInt()];
            requests.readInt();
            requests.readFully(header);
            String request = new String(header, StandardCharsets.UTF_8);
            String op = field(request, "op");
            if (op.equals("hang")) continue;
            if (op.equals("die")) {
                System.err.println("OutOfMemoryError, says the stub");
                Runtime.getRuntime().halt(9);
            }
            if (op.equals("child")) {
                new ProcessBuilder("/bin/sleep", "600").start();
            }
            String ok = "{}";
            if (op.equals("where")) {
                ok = "{\"home\": \"" + System.getProperty("user.home") + "\", \"tmp\": \"" + System.getProperty("java.io.tmpdir")
                    + "\", \"dir\": \"" + System.getProperty("user.dir") + "\", \"variables\": \"" + String.join(",", System.getenv().keySet())
                    + "\", \"boot\": \"" + field(boot, "data_dir") + "\"}";
            }
            send(answers, "{\"id\": " + field(request, "id") + ", \"ok\": " + ok + ", \"state\": {\"now\": 1}}");
        }
    }

    static void send(DataOutputStream out, String header) throws IOException {
        byte[] bytes = header.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.writeInt(0);
        out.write(bytes);
        out.flush();
    }
}
