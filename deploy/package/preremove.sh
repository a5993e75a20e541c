#!/bin/sh
# An upgrade keeps the exporter running: dpkg says "upgrade", rpm says 1.
set -e
case "$1" in upgrade | 1) exit 0 ;; esac
if [ -d /run/systemd/system ]; then
  systemctl disable --now vperf-exporter.service || true
fi
