#!/usr/bin/env bash
# Deploys the thing: “naïve” 漢字.
set -euo pipefail

source ./lib/common.sh
. "$HOME/.profile"

readonly LIMIT=10
export PATH="/opt/bin:$PATH"
NAME="é"
declare -A TABLE=([a]=1)
ITEMS=(one two)

# Prints a message.
# With colour.
log() {
  local message="$1"
  count=1
  printf '%s\n' "${message}"
}

function deploy {
  inner() { echo "$NAME"; }
  log "start $(date +%s)"
  inner | grep -q x && curl -sf "https://example.com/$1"
}

function both() (
  cd /tmp
)

if [[ -n "${DEBUG:-}" ]]; then
  VERBOSE=1
  helper() { :; }
fi

for item in "${ITEMS[@]}"; do
  deploy "$item"
done

case "$1" in
  start) deploy all ;;
esac
log "limit $LIMIT"
