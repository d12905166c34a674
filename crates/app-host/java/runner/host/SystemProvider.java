package runner.host;

import android.content.ContentProvider;
import android.content.ContentUris;
import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;
import org.robolectric.Robolectric;

/**
 * A provider of the system's that has no rows: the contacts of a new phone. Where nobody answers a query the app gets
 * null, which it does not expect of a provider that every phone has. That of media is Robolectric's.
 */
public final class SystemProvider extends ContentProvider {
  private static final String[] AUTHORITIES = {
    "com.android.contacts", "contacts", "call_log", "com.android.voicemail", "com.android.calendar", "sms", "mms", "mms-sms", "user_dictionary", "downloads", "com.android.blockednumber",
  };

  private long rows;

  static void register() {
    for (String authority : AUTHORITIES) Robolectric.buildContentProvider(SystemProvider.class).create(authority);
  }

  @Override
  public boolean onCreate() {
    return true;
  }

  @Override
  public Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order) {
    return new MatrixCursor(projection == null ? new String[] {"_id"} : projection);
  }

  @Override
  public String getType(Uri uri) {
    return null;
  }

  /** Takes it and keeps nothing. */
  @Override
  public synchronized Uri insert(Uri uri, ContentValues values) {
    return ContentUris.withAppendedId(uri, ++rows);
  }

  @Override
  public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
    return 0;
  }

  @Override
  public int delete(Uri uri, String selection, String[] arguments) {
    return 0;
  }
}
