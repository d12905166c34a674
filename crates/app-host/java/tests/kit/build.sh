#!/bin/bash
# build.sh OUT: kit.apk (manifest only) and kit.jar; AAPT2, FRAMEWORK_APK (android-all 14's manifest and resources), ANDROID_JAR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); out=$1; mkdir -p "$out/classes"
"${AAPT2:-/tmp/apps/tmp/pyaapt2/aapt2/bin/Linux/aapt2}" link -I "${FRAMEWORK_APK:-/tmp/apps/tmp/fw-14.apk}" --manifest "$here/AndroidManifest.xml" -o "$out/kit.apk"
jdk=$(ls -d /usr/lib/jvm/temurin-2* | tail -1)
"$jdk/bin/javac" -nowarn -proc:none --release 17 -d "$out/classes" -cp "${ANDROID_JAR:-$(ls /tmp/host-try/lib/android-all-*.jar)}" "$here"/src/com/example/kit/*.java "$here"/src/android/support/kit/*.java
"$jdk/bin/jar" --create --file "$out/kit.jar" -C "$out/classes" .
