#!/usr/bin/env bash
# Soaks bin/millrace: clients and upstreams of every kind, with changes of the configuration
# in between; then nothing may be left over. It fails on any violation, and prints the seed
# with which the behaviour can be drawn again.
# Usage: scripts/soak.sh [FLAG...]    ten minutes; -duration 1m is the short form, -h tells more
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x bin/millrace ]; then
  echo "soak: bin/millrace is missing: run make build" >&2
  exit 2
fi
CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/soak ./bench/soak
exec bin/soak -millrace bin/millrace "$@"
