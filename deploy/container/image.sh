#!/usr/bin/env bash
# Puts a program that is built already into an image, from no base image and without a network. buildah and the certificates of public
# authorities must be installed.
#   deploy/container/image.sh dist/linux_amd64_v1/vperf vperf.tar
#   podman load -i vperf.tar
set -euo pipefail
program=$1 archive=$2
setting() { go version -m "$program" | sed -n "s/^\tbuild\t$1=//p"; }
arch=$(setting GOARCH)
[ "$(setting CGO_ENABLED) $(setting GOOS)" = "0 linux" ] || { echo "image: $program is no static program for Linux: build it with CGO_ENABLED=0" >&2; exit 1; }
authorities=/etc/ssl/certs/ca-certificates.crt
[ -e "$authorities" ] || { echo "image: $authorities is missing; Debian's package ca-certificates has it" >&2; exit 1; }

image=$(buildah from --arch "$arch" scratch)
files=$(mktemp -d)
trap 'buildah rm "$image" >/dev/null; rm -rf "$files"' EXIT
mkdir -m 1777 "$files/tmp" # for --demo
buildah copy --quiet "$image" "$files" / >/dev/null
buildah copy --quiet --chmod 755 "$image" "$program" /vperf >/dev/null
buildah copy --quiet --chmod 644 "$image" "$authorities" "$authorities" >/dev/null
# The same as in Containerfile.
buildah config --os linux --arch "$arch" --env VPERF_CONFIG=/etc/vperf/config.yaml --user 65532:65532 --port 10048 \
  --entrypoint '["/vperf"]' --cmd exporter "$image"
rm -f "$archive"
buildah commit --quiet --disable-compression=false "$image" "oci-archive:$archive:vperf:latest" >/dev/null
echo "$archive: $(stat -c %s "$archive") bytes"
