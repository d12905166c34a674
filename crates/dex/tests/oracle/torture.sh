#!/bin/bash
# torture.sh D8.jar ANDROID_ALL.jar JDK TRANSLATE: Torture.java, through dex and back, prints what it printed before.
# TRANSLATE is target/release/examples/translate. Four ways of dexing are tried.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); d8=$1; android=$2; jdk=$3; translate=$4; work=$(mktemp -d); trap 'rm -r "$work"' EXIT
# Release 8 has no private access between classes, which dex without desugaring has not either.
"$jdk/bin/javac" -nowarn --release 8 -g -d "$work/classes" "$here/Torture.java" 2> "$work/log" || { cat "$work/log"; exit 1; }
"$jdk/bin/java" -cp "$work/classes" Torture > "$work/before"
for way in "--debug --min-api 26" "--release --min-api 26" "--debug --min-api 34 --no-desugaring" "--release --min-api 34 --no-desugaring"; do
  rm -rf "$work/dex"; mkdir "$work/dex"
  "$jdk/bin/java" -cp "$d8" com.android.tools.r8.D8 --lib "$android" --lib "${D8_LIB:-$jdk}" $way --output "$work/dex" "$work"/classes/*.class > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$translate" "$work/dex/classes.dex" "$work/out.jar" "$jdk" "$android" > "$work/log"
  "$jdk/bin/java" -Xverify:all -cp "$work/out.jar" Torture > "$work/after" 2> "$work/errors" || cat "$work/errors"
  if cmp -s "$work/before" "$work/after"; then echo "same, $(wc -l < "$work/after") lines: $way"; else echo "DIFFERS: $way"; tail -n +2 "$work/log"; diff -a "$work/before" "$work/after" | head -20 || true; fi
done
