package runner.host;

import android.animation.Animator;
import android.animation.AnimatorListenerAdapter;
import android.animation.ValueAnimator;
import android.graphics.RecordingCanvas;
import android.graphics.drawable.AnimatedVectorDrawable;
import android.graphics.drawable.RippleDrawable;
import android.os.Looper;
import android.view.View;
import android.view.ViewAnimationUtils;
import java.util.Set;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowDrawable;

/**
 * The animations that a phone gives to its render thread. Here nothing is rendered until a picture is asked for: they would begin
 * with the first picture, so that a picture changed the next one, and without one their ends never came.
 */
public final class Animations {
  /** ScrollabilityCache.OFF. */
  private static final int SCROLL_BAR_OFF = 0;

  private Animations() {}

  /** A finite one is at work on the main thread: what is drawn is not at rest, even if no view moves. */
  static boolean finite() {
    for (Object each : HiddenDoors.animations())
      if (each instanceof Animator && ((Animator) each).getTotalDuration() != Animator.DURATION_INFINITE) return true;
    return false;
  }

  /**
   * Ends what else a second of rest would end: the scroll bars that fade. Says whether there were any. They are hidden at once
   * instead of waited for: a picture must not depend on how long the app's threads took before it.
   */
  static boolean hideScrollBars() {
    Set<Runnable> fading = HiddenDoors.takeCallbacks(Looper.getMainLooper(), HiddenDoors.type("android.view.View$ScrollabilityCache"));
    for (Runnable each : fading) {
      HiddenDoors.set(each.getClass(), "state", each, SCROLL_BAR_OFF);
      ((View) HiddenDoors.get(each.getClass(), "host", each)).invalidate();
    }
    return !fading.isEmpty();
  }

  /** Draws no ripples: they only answer the finger. What is focused or pressed is still drawn as such. */
  @Implements(RippleDrawable.class)
  public static class NoRipple extends ShadowDrawable {
    @Implementation
    protected void setRippleActive(boolean active) {}
  }

  /** Runs a vector's finite animation on the main thread. An endless one stays at its first frame. */
  @Implements(className = "android.graphics.drawable.AnimatedVectorDrawable$VectorDrawableAnimatorRT", isInAndroidSdk = false)
  public static class VectorOnMain {
    @RealObject private Object real;

    /** Android calls it when the vector is drawn, and begins there what was started before. */
    @Implementation
    protected void recordLastSeenTarget(RecordingCanvas canvas) {
      AnimatedVectorDrawable drawable = (AnimatedVectorDrawable) HiddenDoors.get(real.getClass(), "mDrawable", real);
      if (!(boolean) HiddenDoors.get(real.getClass(), "mIsInfinite", real)) drawable.forceAnimationOnUI();
    }
  }

  /** A circular reveal on the main thread. */
  @Implements(ViewAnimationUtils.class)
  public static class RevealOnMain {
    @Implementation
    protected static Animator createCircularReveal(View view, int x, int y, float from, float to) {
      ValueAnimator animator = ValueAnimator.ofFloat(from, to);
      animator.addUpdateListener(at -> view.setRevealClip(true, x, y, (float) at.getAnimatedValue()));
      animator.addListener(new AnimatorListenerAdapter() {
        @Override
        public void onAnimationEnd(Animator ended) {
          view.setRevealClip(false, 0, 0, 0);
        }
      });
      return animator;
    }
  }

  /** Draws the caret without blinking. */
  @Implements(className = "android.widget.Editor", isInAndroidSdk = false)
  public static class SteadyCaret {
    @RealObject private Object real;

    @Implementation
    protected boolean shouldRenderCursor() {
      return (boolean) HiddenDoors.call(HiddenDoors.type("android.widget.Editor"), "isCursorVisible", real, new Class<?>[0]);
    }
  }
}
