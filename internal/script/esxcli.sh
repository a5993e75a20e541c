
# field NAME: prints the value of that line of esxcli's output
field() { awk -v name="$1: " '{ sub(/^ */, "") } index($0 " ", name) == 1 { print substr($0, length(name) + 1) }'; }
# configured: prints the column Configured of esxcli's CSV output
configured() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Configured") c = i } NR == 2 && c { print $c }'; }
# options MODULE: prints all options of a driver
options() { found=$(esxcfg-module -g "$1") && printf '%s\n' "$found" | sed -n "s/.*options = '\(.*\)'.*/\1/p"; }
# option MODULE NAME: prints one option of a driver
option() { all=$(options "$1") || return 1; for o in $all; do case "$o" in "$2="*) printf '%s\n' "${o#*=}" ;; esac; done; }
# merged MODULE NAME VALUE: prints all options with one changed; an empty value removes it
merged() {
  now=$(options "$1") || return 1
  all=''
  for o in $now; do case "$o" in "$2="*) ;; *) all="$all $o" ;; esac; done
  [ -z "$3" ] || all="$all $2=$3"
  printf '%s\n' "${all# }"
}
# here UUID: succeeds on the host with this hardware UUID
here() { case "$host" in *"uuid = \"$1\""*) return 0 ;; esac; return 1; }
