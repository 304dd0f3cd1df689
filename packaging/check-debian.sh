#!/usr/bin/env bash
# Installs a Debian package in a bare system, starts its service there as the unit says, asks
# for its health, and removes the package. It needs root, debootstrap and lintian; no
# systemd runs in that system.
#
#   packaging/check-debian.sh PACKAGE
set -euo pipefail
package=$(realpath "${1:?usage: packaging/check-debian.sh PACKAGE}")
lintian --fail-on error,warning --tag-display-limit 0 "$package" 2>&1 | { grep -v 'root privileges' || true; }
. "$(dirname "$0")/service.sh"
work=$(mktemp -d)
started=
trap '[ -z "$started" ] || kill "$started" 2>/dev/null || true; umount "$work/root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
chmod 0755 "$work"
root=$work/root
debootstrap --variant=minbase --include=adduser stable "$root" >"$work/log" || { tail "$work/log" >&2; exit 1; }
mountpoint --quiet "$root/proc" || mount -t proc proc "$root/proc"
cp "$package" "$root/root/dropyard.deb"
inside() { chroot "$root" "$@"; }
inside dpkg --install /root/dropyard.deb >/dev/null

unit=$root/lib/systemd/system/dropyard.service
port=$(free_port)
echo "DROPYARD_LISTEN=127.0.0.1:$port" >>"$root/etc/dropyard/dropyard.env"
[ "$(stat -c '%a %U' "$root/etc/dropyard/dropyard.env")" = "640 root" ]
[ "$(inside stat -c '%a %U' /var/lib/dropyard)" = "700 dropyard" ]
[ -L "$root/etc/systemd/system/multi-user.target.wants/dropyard.service" ] # starts with the system
mapfile -t environment < <(sed -n 's/^Environment=//p' "$unit"; grep -v '^#' "$root/etc/dropyard/dropyard.env")
read -ra command < <(sed -n 's/^ExecStart=//p' "$unit")
env -i PATH="$PATH" "${environment[@]}" chroot --userspec=dropyard:dropyard "$root" "${command[@]}" 2>"$work/log" &
started=$!
await "$started" "$work/log" inside dropyard health --ready --url "http://127.0.0.1:$port"
inside runuser -u dropyard -- dropyard backup --data /var/lib/dropyard /var/lib/dropyard/backup.db >/dev/null
kill -TERM "$started"
wait "$started"
env -i PATH="$PATH" DROPYARD_LISTEN="127.0.0.1:$port" DROPYARD_DATA=/var/lib/dropyard/demo \
	chroot --userspec=dropyard:dropyard "$root" dropyard serve --demo >"$work/log" 2>&1 &
started=$!
await "$started" "$work/log" inside dropyard health --ready --url "http://127.0.0.1:$port"
kill -TERM "$started"
wait "$started"
started=
inside dropyard version
inside dpkg --purge dropyard >/dev/null 2>&1
[ -f "$root/var/lib/dropyard/dropyard.db" ] # the data stay
[ ! -e "$root/usr/bin/dropyard" ]
