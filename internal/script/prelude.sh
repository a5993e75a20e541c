set -uf

say() { printf '%s\n' "$*" >&2; }
stop() { say "$0: $*"; exit 1; }
lower() { printf '%s' "$1" | tr '[:upper:]' '[:lower:]'; }

# same A B: compares as the servers do: TRUE equals true
same() { [ "$(lower "$1")" = "$(lower "$2")" ]; }

# change NAME FROM TO READ WRITE: makes one change; READ and WRITE are functions
change() {
  changes=$((changes + 1))
  now=$("$4") || { moved "$1: it cannot be read"; return 0; }
  if same "$now" "$3"; then say "$1: already '$3'"; return 0; fi
  same "$now" "$2" || { moved "$1: it is '$now', neither '$2' nor '$3': somebody changed it"; return 0; }
  "$5" || stop "$1: it cannot be written"
  now=$("$4") || stop "$1: it cannot be read again"
  same "$now" "$3" || stop "$1: it is '$now' after it was set to '$3'"
  say "$1: '$2' -> '$3'"
}
changes=0
left=0
