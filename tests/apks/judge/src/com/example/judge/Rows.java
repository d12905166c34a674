package com.example.judge;

import android.view.View;
import android.view.ViewGroup;
import android.widget.BaseAdapter;
import android.widget.ListView;
import android.widget.TextView;

/** A list of rows that say their numbers. */
public class Rows extends Screen {
  @Override
  protected void fill() {
    ListView list = rest(new ListView(this));
    list.setId(R.id.list);
    list.setAdapter(new BaseAdapter() {
      @Override
      public int getCount() {
        return 200;
      }

      @Override
      public Object getItem(int position) {
        return position;
      }

      @Override
      public long getItemId(int position) {
        return position;
      }

      @Override
      public View getView(int position, View known, ViewGroup parent) {
        TextView row = known == null ? text(R.id.button, "") : (TextView) known;
        row.setMinHeight(dp(64));
        row.setText("Row " + position);
        return row;
      }
    });
    list.setOnItemClickListener((parent, view, position, id) -> say(String.valueOf(position)));
    root.addView(list);
  }
}
