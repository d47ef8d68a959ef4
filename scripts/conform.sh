#!/usr/bin/env bash
# Runs an external conformance suite against the binary MILLRACE_BIN: the areas
# of .ci/areas and .ci/cases. CONFORM_DIR is the suite's folder; when it is not
# there, nothing is run and a line says so.
# Usage: scripts/conform.sh [AREA...]    these areas only
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${CONFORM_DIR:-../shared/conform}
if [ ! -d "$suite" ]; then
  echo "conform: skipped: no suite in $suite (set CONFORM_DIR)"
  exit 0
fi
export MILLRACE_BIN=${MILLRACE_BIN:-$PWD/bin/millrace}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -C "$suite" -o "$work/conform" ./cmd/conform

# rows FILE prints the rows of a list without comments and empty lines.
rows() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# choose AREA prints the ids of the cases to run, joined by commas.
choose() {
  local listed=no
  if rows .ci/areas | grep -qx "[[:space:]]*$1[[:space:]]*"; then listed=yes; fi
  "$work/conform" -area "$1" -list | cut -f1 >"$work/ids"
  rows .ci/cases | awk -v area="$1" '$1 == area { $1 = ""; print }' |
    awk -v listed="$listed" -v ids="$work/ids" -f scripts/choose.awk
}

if [ $# = 0 ]; then
  mapfile -t areas < <({ rows .ci/areas; rows .ci/cases; } | awk '{ print $1 }' | sort -u)
  set -- "${areas[@]}"
fi
# run AREA CASES runs them. Some judge time, and a busy machine is late: what fails beside
# others is run once more alone, which is printed, and must pass then.
run() {
  "$work/conform" -area "$1" -case "$2" | tee "$work/said" && return
  local again
  again=$(awk '$1 == "FAIL" { print $2 }' "$work/said" | paste -sd, -)
  [ -n "$again" ] || return 1
  echo "conform: $1: alone: $again"
  "$work/conform" -area "$1" -case "$again" -parallel 1
}

failed=0
for area in "$@"; do
  cases=$(choose "$area") # apart, so that an error in the lists ends the run
  echo "conform: $area"
  run "$area" "$cases" || failed=1
done
exit $failed
