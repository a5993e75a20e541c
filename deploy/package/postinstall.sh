#!/bin/sh
# The exporter is neither enabled nor started: it needs a configuration first.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  systemctl try-restart vperf-exporter.service || true
fi
