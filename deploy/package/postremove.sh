#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
# Only "apt-get purge" removes the configuration, with the password files in it. rpm never does.
if [ "$1" = purge ]; then
  rm -rf /etc/vperf
fi
