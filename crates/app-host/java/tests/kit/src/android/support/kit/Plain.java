package android.support.kit;

/** A class of the app whose name begins as the framework's do. */
public class Plain {
  private final int number;

  public Plain(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
