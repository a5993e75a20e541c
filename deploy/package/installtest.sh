#!/usr/bin/env bash
# Installs a package, uses it as a new user does, and removes it again: installtest.sh vperf.deb
# It runs as root on Debian. A machine that already has vperf or /etc/vperf is refused, because the test purges both.
set -euo pipefail
deb=$(realpath "$1")
PATH=/usr/sbin:/usr/bin:/sbin:/bin # the package's vperf, not one that somebody has built
if command -v vperf >/dev/null || [ -e /etc/vperf ]; then
  echo "installtest: this machine has vperf or /etc/vperf already: nothing is done" >&2
  exit 1
fi

# files lists what is where packages put files. Logs and databases of dpkg and man-db are not vperf's.
files() { find /etc /usr /var -xdev \( -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o -name '*vperf*' -print | sort; }
before=$(files)
home=$(mktemp -d)
trap 'dpkg --purge vperf >/dev/null 2>&1; rm -rf "$home"' EXIT
as_user() { env -i HOME="$home" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"; }

# Where dpkg is told to leave documentation out, as in images of containers, this installation keeps it.
dpkg --path-include='/usr/share/man/*' --path-include='/usr/share/doc/*' --install "$deb"
as_user vperf version
as_user vperf audit --demo >"$home/audit"
grep -q numa-io "$home/audit"
as_user env MANWIDTH=80 man --pager=cat vperf >"$home/man"
grep -q '^VPERF(1)' "$home/man"
as_user man --where vperf-history-list >/dev/null
systemd-analyze verify /usr/lib/systemd/system/vperf-exporter.service
[ "$(stat -c %a /etc/vperf)" = 755 ]
as_user bash -c '
  source /usr/share/bash-completion/bash_completion
  source /usr/share/bash-completion/completions/vperf
  compopt() { :; } # bash allows the real one only while somebody types
  COMP_WORDS=(vperf explain numa-i) COMP_CWORD=2 COMP_LINE="vperf explain numa-i" COMP_POINT=20
  __start_vperf
  printf "%s\n" "${COMPREPLY[@]}"' | grep -x 'numa-io *' >/dev/null

touch /etc/vperf/config.yaml
dpkg --remove vperf
[ -e /etc/vperf/config.yaml ] || { echo "installtest: removing the package removed the configuration" >&2; exit 1; }
dpkg --purge vperf
after=$(files)
if [ "$before" != "$after" ]; then
  diff <(echo "$before") <(echo "$after") || true
  echo "installtest: these files remain after purge" >&2
  exit 1
fi
echo "installtest: $(basename "$deb") installs, runs and uninstalls"
