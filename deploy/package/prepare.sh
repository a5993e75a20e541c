#!/bin/sh
# Writes what packages and archives contain besides the program: man pages, completions, the systemd unit.
#   deploy/package/prepare.sh VERSION COMMIT DATE      (run in the root of the repository; DATE is RFC 3339)
set -eu
out=bin/package
rm -rf "$out"
mkdir -p "$out/man" "$out/completions"
cli=github.com/vperf/vperf/internal/cli
GOOS='' GOARCH='' CGO_ENABLED=0 go build -trimpath -buildvcs=false -gcflags=all=-l -gcflags=std= -gcflags=net/...=-l -gcflags=crypto/...=-l \
  -ldflags "-s -w -funcalign=4 -X $cli.Version=$1 -X $cli.Commit=$2 -X $cli.Date=$3" -o "$out/vperf" ./cmd/vperf

env -u SOURCE_DATE_EPOCH "$out/vperf" man "$out/man"
gzip -9n "$out"/man/*.1
"$out/vperf" completion bash >"$out/completions/vperf.bash"
"$out/vperf" completion zsh >"$out/completions/_vperf"
"$out/vperf" completion fish >"$out/completions/vperf.fish"
"$out/vperf" completion powershell >"$out/completions/vperf.ps1"
rm "$out/vperf"

# Packages own /usr; /usr/local is for the administrator. The steps at the top of the unit are for a manual installation.
sed -e 's#/usr/local/bin/#/usr/bin/#' -e '/^#   /d' deploy/systemd/vperf-exporter.service >"$out/vperf-exporter.service"
