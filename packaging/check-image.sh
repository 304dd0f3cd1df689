#!/usr/bin/env bash
# Assembles the file system of the image as the Dockerfile does, starts the service in it
# without other files and as the image's user, asks for its health, and prints the size.
# It needs root, and no Docker.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
started=
trap '[ -z "$started" ] || kill "$started" 2>/dev/null || true; rm -rf "$work"' EXIT
root=$work/root-of-image
# The commands of the build stage, with another folder for the root of the image.
sed -n '/^RUN CGO_ENABLED/,/^$/p' Dockerfile | sed 's/^RUN //' >"$work/commands"
if ! grep -q chown "$work/commands"; then
	echo "the Dockerfile has no commands that this script knows" >&2
	exit 1
fi
mkdir -p "$root"
TARGETOS=$(go env GOHOSTOS) TARGETARCH=$(go env GOHOSTARCH) VERSION=dev bash -euo pipefail -c "$(sed "s|/root-of-image|$root|g" "$work/commands")"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
enter() { chroot --userspec=65532:65532 "$root" "$@"; }
chmod 0755 "$work" "$root"
DROPYARD_LISTEN=127.0.0.1:$port DROPYARD_DATA=/data chroot --userspec=65532:65532 "$root" /usr/bin/dropyard serve 2>"$work/log" &
started=$!
for _ in $(seq 100); do
	if enter /usr/bin/dropyard health --ready --url "http://127.0.0.1:$port" 2>/dev/null; then
		kill -TERM "$started"
		wait "$started"
		started=
		du -sh --apparent-size "$root" | cut -f1
		exit 0
	fi
	kill -0 "$started" 2>/dev/null || break
	sleep 0.2
done
cat "$work/log" >&2
exit 1
