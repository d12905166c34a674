package runner.host;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Intent;
import android.content.IntentSender;
import android.os.Bundle;
import android.view.View;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * Gives activities their own code back where Robolectric's shadow only takes notes: finishing, results, back, focus and
 * orientation go to the system as on a phone, and the system is {@link ActivityManager}.
 */
@Implements(Activity.class)
public class HostActivity extends ShadowActivity {
  private <T> T real(String method, ClassParameter<?>... arguments) {
    return Shadow.directlyOn(realActivity, Activity.class, method, arguments);
  }

  @Override
  @Implementation
  protected void onBackPressed() {
    real("onBackPressed");
  }

  @Override
  @Implementation
  protected void finish() {
    real("finish");
  }

  @Override
  @Implementation
  protected void finishAndRemoveTask() {
    real("finishAndRemoveTask");
  }

  @Override
  @Implementation
  protected void finishAffinity() {
    real("finishAffinity");
  }

  @Override
  @Implementation
  protected void setResult(int code) {
    super.setResult(code);
    real("setResult", ClassParameter.from(int.class, code));
  }

  @Override
  @Implementation
  protected void setResult(int code, Intent data) {
    super.setResult(code, data);
    real("setResult", ClassParameter.from(int.class, code), ClassParameter.from(Intent.class, data));
  }

  @Override
  @Implementation
  protected ComponentName getCallingActivity() {
    return real("getCallingActivity");
  }

  @Override
  @Implementation
  protected String getCallingPackage() {
    return real("getCallingPackage");
  }

  @Override
  @Implementation
  protected View getCurrentFocus() {
    return real("getCurrentFocus");
  }

  @Override
  @Implementation
  protected void setRequestedOrientation(int orientation) {
    super.setRequestedOrientation(orientation);
    real("setRequestedOrientation", ClassParameter.from(int.class, orientation));
  }

  @Override
  @Implementation
  protected int getRequestedOrientation() {
    return real("getRequestedOrientation");
  }

  @Override
  @Implementation
  protected boolean isTaskRoot() {
    return real("isTaskRoot");
  }

  @Override
  @Implementation
  protected int getTaskId() {
    return real("getTaskId");
  }

  @Override
  @Implementation
  protected boolean moveTaskToBack(boolean nonRoot) {
    return real("moveTaskToBack", ClassParameter.from(boolean.class, nonRoot));
  }

  @Override
  @Implementation
  protected void setDefaultKeyMode(int mode) {
    real("setDefaultKeyMode", ClassParameter.from(int.class, mode));
  }

  @Override
  @Implementation
  protected void recreate() {
    Tasks.get().relaunch(realActivity);
  }

  @Override
  @Implementation
  public void startIntentSenderForResult(IntentSender sender, int request, Intent fill, int mask, int values, int extra, Bundle options) throws IntentSender.SendIntentException {
    Intent intent = Services.intent(sender);
    if (intent == null) super.startIntentSenderForResult(sender, request, fill, mask, values, extra, options);
    else {
      Intent filled = new Intent(intent);
      if (fill != null) filled.fillIn(fill, mask);
      realActivity.startActivityForResult(filled, request, options);
    }
  }
}
