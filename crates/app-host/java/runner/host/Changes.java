package runner.host;

import android.view.View;
import android.view.ViewGroup;
import android.view.ViewRootImpl;
import android.view.animation.Animation;
import android.widget.CompoundButton;
import android.widget.TextView;

/**
 * A fingerprint of what stands where on the screen: two that are equal mean that nothing moved, whatever was drawn. A
 * walk through the views' fields, a hundred times quicker than the accessibility tree. Compose tells its own moves by
 * accessibility events, which are counted in.
 */
final class Changes {
  private static long events;

  private Changes() {}

  static long print() {
    events += HiddenDoors.accessibilityEvents();
    long hash = events;
    for (ViewRootImpl root : HiddenDoors.roots()) {
      View view = root.getView();
      if (view != null && view.getVisibility() == View.VISIBLE) hash = view(hash * 31 + System.identityHashCode(view), view);
    }
    return hash;
  }

  private static long view(long hash, View view) {
    hash = hash * 31 + view.getLeft();
    hash = hash * 31 + view.getTop();
    hash = hash * 31 + view.getRight();
    hash = hash * 31 + view.getBottom();
    hash = hash * 31 + view.getScrollX();
    hash = hash * 31 + view.getScrollY();
    if (!view.hasIdentityMatrix()) {
      hash = hash * 31 + Float.floatToIntBits(view.getTranslationX());
      hash = hash * 31 + Float.floatToIntBits(view.getTranslationY());
      hash = hash * 31 + Float.floatToIntBits(view.getScaleX());
      hash = hash * 31 + Float.floatToIntBits(view.getScaleY());
    }
    hash = hash * 31 + Float.floatToIntBits(view.getAlpha());
    // It changes what is drawn, and no field.
    Animation animation = view.getAnimation();
    if (animation != null && !animation.hasEnded() && animation.getRepeatCount() != Animation.INFINITE) hash = hash * 31 + Time.now();
    if (view instanceof TextView) {
      hash = hash * 31 + System.identityHashCode(((TextView) view).getText()) + ((TextView) view).length();
      if (view instanceof CompoundButton && ((CompoundButton) view).isChecked()) hash++;
    }
    if (view instanceof ViewGroup) {
      ViewGroup group = (ViewGroup) view;
      for (int i = 0; i < group.getChildCount(); i++) {
        View child = group.getChildAt(i);
        hash = hash * 31 + child.getVisibility();
        if (child.getVisibility() == View.VISIBLE) hash = view(hash, child);
      }
    }
    return hash;
  }
}
