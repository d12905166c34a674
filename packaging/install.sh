#!/bin/sh
# Installs the program `runner` from the files of a release, into a prefix such as ~/.local.
#
#   sh install.sh --from FOLDER_OR_ADDRESS [--prefix DIR]
#
# It reads SHA256SUMS of the release, and installs only an archive that has the sum which is written there. The program that
# was there stays until the new one has started once. It never calls sudo.
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

usage() {
  echo 'usage: install.sh --from FOLDER_OR_ADDRESS [--prefix DIR]'
  echo '  --from    where the files of a release are: a folder, or an address that begins with https://'
  echo '  --prefix  where to install: DIR/bin and DIR/share; else the variable PREFIX, else ~/.local'
}

# The platform, as the release names it.
target() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
  esac
  case $system in
    Linux) echo "$machine-unknown-linux-gnu" ;;
    Darwin) echo "$machine-apple-darwin" ;;
    MINGW* | MSYS* | CYGWIN*) echo "$machine-pc-windows-msvc" ;;
    *) fail "there is no program for $system; build it from its sources" ;;
  esac
}

# Gets one file of the release: fetch NAME TO
fetch() {
  case $from in
    https://* | http://127.0.0.1:* | http://localhost:*)
      if have curl; then
        curl --fail --silent --show-error --location --retry 2 --output "$2" "$from/$1"
      elif have wget; then
        wget -q -O "$2" "$from/$1"
      else
        fail 'curl or wget is needed; or download the files and name their folder with --from'
      fi || fail "$from/$1 cannot be fetched"
      ;;
    *://*) fail "$from: only https:// is taken" ;;
    *) cp "$from/$1" "$2" || fail "$from has no file $1" ;;
  esac
}

# Checks sums that are read as sha256sum writes them.
check() {
  if have sha256sum; then
    sha256sum -c - >/dev/null 2>&1
  elif have shasum; then
    shasum -a 256 -c - >/dev/null 2>&1
  else
    fail 'sha256sum or shasum is needed to check the archive'
  fi
}

# Puts a file in place in one piece: place FROM TO
place() {
  mkdir -p "$(dirname "$2")"
  cp "$1" "$2.$$.new"
  mv -f "$2.$$.new" "$2"
}

main() {
  from=
  prefix=${PREFIX:-}
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h)
        usage
        exit 0
        ;;
      --from | --prefix)
        [ $# -ge 2 ] || fail "$1 needs a value"
        if [ "$1" = --from ]; then from=${2%/}; else prefix=$2; fi
        shift 2
        ;;
      *)
        usage >&2
        exit 2
        ;;
    esac
  done
  [ -n "$from" ] || fail 'say with --from where the files of the release are'
  [ -n "$prefix" ] || prefix=${HOME:?say with --prefix where to install}/.local

  target=$(target)
  mkdir -p "$prefix" 2>/dev/null || fail "$prefix cannot be made; choose another --prefix"
  [ -w "$prefix" ] || fail "$prefix cannot be written to; choose another --prefix"
  # Beside its place, so that a full disk is noticed before anything changes.
  folder=$(mktemp -d "$prefix/.runner-install.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  fetch SHA256SUMS "$folder/sums"
  grep -E "^[0-9a-f]{64}  [A-Za-z0-9._-]+-$target\.tar\.gz\$" "$folder/sums" >"$folder/sum" ||
    fail "this release has no program for $target; build it from its sources"
  [ "$(wc -l <"$folder/sum")" -eq 1 ] || fail "SHA256SUMS names several archives for $target"
  archive=$(cut -c 67- "$folder/sum")
  fetch "$archive" "$folder/$archive"
  (cd "$folder" && check <sum) || fail "$archive does not have the sum of SHA256SUMS: it is damaged or not the release's"

  # From within: GNU tar takes the D: of a path on Windows for a machine.
  (cd "$folder" && tar -xzf "$archive")
  top=$folder/${archive%.tar.gz}
  program=runner
  [ -f "$top/bin/$program" ] || program=runner.exe
  version=$("$top/bin/$program" --version) ||
    fail "the program of $archive does not start here, for the reason above; nothing was changed"

  (cd "$top" && find share -type f) | while IFS= read -r file; do
    place "$top/$file" "$prefix/$file"
  done
  chmod 755 "$top/bin/$program"
  place "$top/bin/$program" "$prefix/bin/$program"

  echo "installed $version: $prefix/bin/$program"
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) echo "next: add $prefix/bin to PATH" ;;
  esac
}

# Last, so that half of a script that was cut off does nothing.
main "$@"
