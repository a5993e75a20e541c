#!/usr/bin/env bash
# Checks what make snapshot built: programs of less than 54 MB, and downloads of less than 15 MB.
# Programs of darwin and windows for amd64, and archives for Windows, may have 56 MB and 17 MB (docs/decisions/0016-releases.md).
#   deploy/package/checkdist.sh dist
set -euo pipefail
cd "$1"
failed=0

# below COUNT LIMIT FILE...: prints the sizes, and reports a size at or above the limit, and another number of files.
below() {
  local count=$1 limit=$2
  shift 2
  for file in "$@"; do
    size=$(stat -L -c %s "$file" 2>/dev/null) || { echo "checkdist: $file is missing" >&2; failed=1; continue; }
    printf '%11d  %s\n' "$size" "$file"
    [ "$size" -lt "$limit" ] || { echo "checkdist: $file has $size bytes, the limit is $limit" >&2; failed=1; }
  done
  [ $# -eq "$count" ] || { echo "checkdist: there are $# files instead of $count: $*" >&2; failed=1; }
}

shopt -s nullglob
below 4 54000000 *linux*/vperf *_darwin_arm64*/vperf *_windows_arm64*/vperf.exe
below 2 56000000 *_darwin_amd64*/vperf *_windows_amd64*/vperf.exe
below 4 15000000 *.tar.xz
below 2 17000000 *_windows_*.zip
below 4 15000000 *.deb *.rpm
below 6 1000000 *.cdx.json
below 3 1000000 homebrew/Casks/vperf.rb scoop/vperf.json checksums.txt
below 3 1000000 winget/manifests/v/vperf/vperf/*/*.yaml
sha256sum --check --quiet checksums.txt || failed=1
exit "$failed"
