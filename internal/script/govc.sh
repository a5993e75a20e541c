
# ask REFERENCE PROPERTY [DEFAULT]: prints a property of an object
ask() {
  answer=$(govc object.collect -s "$1" "$2") || return 1
  printf '%s\n' "${answer:-${3:-}}"
}
# server UUID: checks that this is the vCenter of the plan; for an ESXi host the hardware UUID is checked instead
server() { same "$(ask ServiceInstance:ServiceInstance content.about.instanceUuid "$1")" "$1" || stop "this is not the server of the plan"; }
# is REFERENCE PROPERTY UUID: checks that the object is still the one in the plan
is() { same "$(ask "$1" "$2")" "$3" || stop "$1 is not the object in the plan"; }
# off VM: succeeds if the VM is powered off
off() {
  [ "$(ask "$1" runtime.powerState)" = poweredOff ] && return 0
  say "$1 is running: skipped a change that needs it powered off"
  return 1
}
# vmx KEY: prints the value of a VMX key; the case of the key does not matter
vmx() { awk -v key="$1" 'tolower($1) == tolower(key) ":" { sub(/^[^:]*: */, ""); print }'; }
