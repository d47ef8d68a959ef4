#!/usr/bin/env bash
# Fuzzes every fuzz target of the module, one after the other.
# Usage: scripts/fuzz.sh [TIME]    TIME per target, default 5s
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-5s}
count=0
while read -r package; do
  targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
  for target in $targets; do
    echo "fuzz $package $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
    count=$((count + 1))
  done
done < <(grep -rlE --include='*_test.go' '^func Fuzz' . | xargs -r -n1 dirname | sort -u)
echo "fuzz: $count targets, $time each"
