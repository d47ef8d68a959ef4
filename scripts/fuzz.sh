#!/usr/bin/env bash
# Fuzzes every fuzz target of the module, one after the other.
# Usage: scripts/fuzz.sh [TIME]    TIME per target, default 5s
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-5s}
count=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# fuzz PACKAGE TARGET fails when a failing input was found, or the run broke. Up to Go 1.26 the
# end of TIME can itself be taken for a failure (golang.org/issue/75804); then there is one
# line under FAIL, and no input was written.
fuzz() {
  if go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "$1" 2>&1 | tee "$said"; then return 0; fi
  if grep -A1 -- "^--- FAIL: $2 " "$said" | grep -qx ' *context deadline exceeded' && ! grep -qi 'failing input\|panic' "$said"; then
    echo "fuzz: $2: time was over, and taken for a failure by the go command"
    return 0
  fi
  return 1
}

while read -r package; do
  targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
  for target in $targets; do
    echo "fuzz $package $target"
    fuzz "$package" "$target"
    count=$((count + 1))
  done
done < <(grep -rlE --include='*_test.go' '^func Fuzz' . | xargs -r -n1 dirname | sort -u)
echo "fuzz: $count targets, $time each"
