#!/usr/bin/env bash
# Builds the packages of the commit that is checked out for this machine's system, checks
# the bill of materials, installs the clients, and starts the demo from the archive and in
# the file system of the image.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
	echo "SKIPPED: packaging/check.sh: a release is built from a commit, and this is no checkout of one" >&2
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TARGETS="linux/$(go env GOHOSTARCH)" packaging/release.sh 0.0.0 "$work/release"
(cd "$work/release" && sha256sum --quiet --check SHA256SUMS)
packaging/check-clients.sh "$work/release/clients"
dpkg-deb --info "$work"/release/*.deb >/dev/null
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.12.0'
"$work/venv/bin/python" packaging/check-sbom.py "$work"/release/*.cdx.json
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo env "PATH=$PATH" "GOCACHE=$(go env GOCACHE)" "GOMODCACHE=$(go env GOMODCACHE)")
if "${as_root[@]}" chroot / true 2>/dev/null; then
	"${as_root[@]}" packaging/check-archive.sh "$work"/release/dropyard_*_linux_*.tar.gz
	"${as_root[@]}" packaging/check-image.sh
	if command -v debootstrap >/dev/null && command -v lintian >/dev/null; then
		"${as_root[@]}" packaging/check-debian.sh "$work"/release/*.deb
	else
		echo "SKIPPED: packaging/check-debian.sh: no debootstrap, no lintian" >&2
	fi
else
	echo "SKIPPED: packaging/check-archive.sh, packaging/check-image.sh: no right to chroot" >&2
fi
