#!/usr/bin/env bash
# Unpacks the archive of a release for this system into an empty file system, starts the demo there as a user who has no
# name and no home, asks for its health, and reads its first page. It needs root.
#
#   packaging/check-archive.sh ARCHIVE
set -euo pipefail
archive=$(realpath "${1:?usage: packaging/check-archive.sh ARCHIVE}")
cd "$(dirname "$0")/.."
. packaging/service.sh
work=$(mktemp -d)
started=
trap '[ -z "$started" ] || { kill "$started" && wait "$started"; } 2>/dev/null || true; rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/tmp"
chmod 0755 "$work" "$root"
chmod 1777 "$root/tmp"
tar -C "$root" --strip-components=1 -xzf "$archive"
[ -s "$root/dropyard.1" ] && [ -s "$root/completions/dropyard.bash" ]
port=$(free_port)
enter=(chroot --userspec=65532:65532 "$root" /dropyard)
env -i PATH="$PATH" DROPYARD_LISTEN="127.0.0.1:$port" DROPYARD_DATA=/tmp/data "${enter[@]}" serve --demo >"$work/log" 2>&1 &
started=$!
await "$started" "$work/log" "${enter[@]}" health --ready --url "http://127.0.0.1:$port"
grep -q "ready at http://127.0.0.1:$port/" "$work/log"
curl --fail --silent --output /dev/null "http://127.0.0.1:$port/"
kill -TERM "$started"
wait "$started"
started=
