#!/usr/bin/env bash
# Runs, with the race detector, the tests of the packages whose values cross
# goroutines. The others are used by one goroutine at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

packages="./bench/load ./bench/soak ./cmd/millrace ./engine ./engine/admin ./engine/beacon ./engine/discovery ./engine/health ./engine/stats ./lb ./netpoll ./pool"
if ! command -v "${CC:-cc}" >/dev/null; then
  echo "race: skipped: the race detector needs a C compiler" >&2
  exit 0
fi
# shellcheck disable=SC2086 # one word a package
CGO_ENABLED=1 exec go test -race -shuffle=on -timeout 10m $packages
