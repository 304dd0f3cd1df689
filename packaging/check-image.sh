#!/usr/bin/env bash
# Assembles the file system of the image as the Dockerfile does, starts the service in it
# without other files and as the image's user, asks for its health, and prints the size.
# It needs root, and no Docker.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/service.sh
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
port=$(free_port)
enter=(chroot --userspec=65532:65532 "$root" /usr/bin/dropyard)
chmod 0755 "$work" "$root"
# serve starts the service with arguments, waits until it is ready, and ends it.
serve() {
	DROPYARD_LISTEN=127.0.0.1:$port DROPYARD_DATA=/data "${enter[@]}" serve "$@" >"$work/log" 2>&1 &
	started=$!
	await "$started" "$work/log" "${enter[@]}" health --ready --url "http://127.0.0.1:$port"
	kill -TERM "$started"
	wait "$started"
	started=
}
serve
serve --demo --data /data/demo
du -sh --apparent-size "$root" | cut -f1
