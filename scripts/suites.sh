#!/usr/bin/env bash
# Runs external suites that drive a proxy, as .ci/suites says, against the binary MILLRACE_BIN.
# SUITES_DIR is their folder; when it is not there, or a tool that a suite needs is not
# installed, a line says so and nothing is run. Everything binds to ADDRESS (127.0.0.2, of which
# only Linux needs no preparation).
# Usage: scripts/suites.sh [SUITE...]    these only
set -euo pipefail
cd "$(dirname "$0")/.."

suites=${SUITES_DIR:-../shared/suites}
if [ ! -d "$suites" ]; then
  echo "suites: skipped: none in $suites (set SUITES_DIR)"
  exit 0
fi
export MILLRACE_BIN=${MILLRACE_BIN:-$PWD/bin/millrace}
rows=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' .ci/suites)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$suites" "$work/suites"

# The suites find a proxy by the name of a script that starts and stops it.
cat >"$work/suites/targets/current.sh" <<'TARGET'
. "$(dirname "$0")/../env.sh"
case $1 in
start)
  cat >"$RUN/millrace.yaml" <<CONFIG
workers: 1
shutdown_timeout: 1s
admin: false
trusted_proxies: [127.0.0.0/8]
timeouts: {header: 10s, idle: 15s, body_idle: 10s}
listeners: ["$P_H1"]
routes:
  - proxy:
      upstreams: [{url: "http://$U_H1", connection_timeout: 3s}]
      response_header_timeout: 10s
      response_idle_timeout: 10s
CONFIG
  "$MILLRACE_BIN" run -config "$RUN/millrace.yaml" >"$RUN/millrace.log" 2>&1 &
  echo $! >"$RUN/millrace.pid"
  wait_port "$P_H1"
  ;;
stop) stop_pid "$RUN/millrace.pid" ;;
esac
TARGET
chmod +x "$work/suites/targets/current.sh"
address=${ADDRESS:-127.0.0.2}
export TARGET=current WORK=$work P_H1=$address:18080 U_H1=$address:19080

# needs SUITE TOOL says that a suite is skipped unless the tool is there.
needs() {
  if command -v "$2" >/dev/null; then return 0; fi
  echo "suites: $1 skipped: $2 is not installed"
  return 1
}

suite_rawprobe() { "$work/suites/rawprobe.sh"; }

suite_vtc() {
  needs vtc varnishtest || return 0
  local out
  for out in $(awk '$1 == "vtc" && $2 ~ /^-/ { print substr($2, 2) }' <<<"$rows"); do
    rm "$work/suites/vtc/$out.vtc"
  done
  for out in $(awk '$1 == "vtc" && $2 !~ /^-/ { print $2 }' <<<"$rows"); do
    "$work/suites/vtc.sh" "$out"
  done
}

suite_slowhttp() {
  needs slowhttp slowhttptest || return 0
  "$work/suites/up.sh"
  local code=0
  S=10 "$work/suites/slowhttp.sh" || code=$?
  "$work/suites/down.sh"
  return $code
}

if [ $# = 0 ]; then
  mapfile -t wanted < <(awk '{ print $1 }' <<<"$rows" | uniq)
  set -- "${wanted[@]}"
fi
failed=0
for suite in "$@"; do
  echo "suites: $suite"
  "suite_$suite" || failed=1
done
exit $failed
