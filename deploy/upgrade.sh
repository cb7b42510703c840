#!/usr/bin/env bash
# Takes a version, asks the canary, and goes back by itself when the canary does not sing.
#
#   deploy/upgrade.sh VERSION [arguments of `canary`]
#
# Run it in a clone of the program, beside the data, with the variables of the service. RESTART is
# the command that restarts it (default: systemctl restart lessonkeeper), HEALTH its address.
set -euo pipefail

version=${1:?say which version: a tag or a commit}
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
restart=${RESTART:-systemctl restart lessonkeeper}
health=${HEALTH:-http://127.0.0.1:8080/healthz}
before=$(git rev-parse HEAD)

say() { printf 'upgrade: %s\n' "$*" >&2; }

take() {
  git checkout --quiet --detach "$1" && make --silent venv && $restart
}

is_healthy() {
  for _ in $(seq 30); do
    if .venv/bin/python -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=5)' \
      "$health" 2>/dev/null; then
      return 0
    fi
    sleep 2
  done
  say "$health does not answer well"
  return 1
}

if ! git diff --quiet HEAD; then
  say "the clone has changes of its own: commit them or take them back"
  exit 2
fi
if take "$version" && is_healthy && .venv/bin/python app.py canary "$@"; then
  say "$version runs"
  exit 0
fi
say "$version does not do: back to $before"
take "$before" && is_healthy
say "$before runs again"
exit 1
