#!/usr/bin/env bash
# Builds a release from the commit that is checked out: programs without dependencies for
# Linux, macOS and Windows, in archives; Debian packages; the clients; a bill of materials; checksums.
# The same commit gives the same bytes.
#
#   packaging/release.sh VERSION DIRECTORY
#
# TARGETS limits the systems, as in TARGETS="linux/amd64".
set -euo pipefail
version=${1:?usage: packaging/release.sh VERSION DIRECTORY} # such as 0.1.0
mkdir -p "${2:?usage: packaging/release.sh VERSION DIRECTORY}"
out=$(cd "$2" && pwd)
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
case $version in [0-9]*) ;; *) echo "\"$version\" is not a version (example: 0.1.0)" >&2; exit 2 ;; esac
case $version in *[!0-9A-Za-z.~+-]*) echo "\"$version\" is not a version (example: 0.1.0)" >&2; exit 2 ;; esac
if [ -n "$(ls -A "$out")" ]; then
	echo "$out is not empty" >&2
	exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
commit=$(git -C "$repository" rev-parse HEAD)
git clone --quiet "$repository" "$work/source" # files that are not committed have no place in a release
cd "$work/source"
git checkout --quiet "$commit"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=true" LC_ALL=C TZ=UTC
umask 022

# build OUTPUT builds the program for GOOS and GOARCH.
build() { go build -ldflags "-s -w -X main.version=$version" -o "$1" ./cmd/dropyard; }

# date_all gives all files of a folder the time of the commit.
date_all() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# debian FOLDER ARCHITECTURE makes a package of what an archive holds.
debian() {
	local root=$work/debian-$2 documents
	documents=$root/usr/share/doc/dropyard
	install -D -m 0755 "$1/dropyard" "$root/usr/bin/dropyard"
	install -D -m 0644 packaging/systemd/dropyard.service "$root/lib/systemd/system/dropyard.service"
	install -D -m 0644 packaging/systemd/privileged-ports.conf "$documents/examples/privileged-ports.conf"
	install -D -m 0640 packaging/debian/dropyard.env "$root/etc/dropyard/dropyard.env"
	install -D -m 0644 packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/dropyard"
	install -m 0644 packaging/debian/copyright "$documents/copyright"
	install -m 0644 docs/settings.md docs/operating.md docs/backup.md docs/installing.md "$documents"
	gzip -9n <THIRD_PARTY_NOTICES.md >"$documents/THIRD_PARTY_NOTICES.md.gz"
	gzip -9n <CHANGELOG.md >"$documents/NEWS.md.gz"
	printf 'dropyard (%s) stable; urgency=medium\n\n  * See NEWS.md.gz.\n\n -- %s  %s\n' "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" |
		gzip -9n >"$documents/changelog.gz"
	mkdir -p "$root/usr/share/man/man1"
	gzip -9n <"$1/dropyard.1" >"$root/usr/share/man/man1/dropyard.1.gz"
	install -D -m 0644 "$1/completions/dropyard.bash" "$root/usr/share/bash-completion/completions/dropyard"
	install -D -m 0644 "$1/completions/dropyard.zsh" "$root/usr/share/zsh/vendor-completions/_dropyard"
	install -D -m 0644 "$1/completions/dropyard.fish" "$root/usr/share/fish/vendor_completions.d/dropyard.fish"
	mkdir -p "$root/DEBIAN"
	install -m 0755 packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm "$root/DEBIAN"
	echo /etc/dropyard/dropyard.env >"$root/DEBIAN/conffiles"
	sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$2/" -e "s/@MAINTAINER@/$maintainer/" \
		-e "s/@SIZE@/$(du -k --apparent-size -s "$root/usr" | cut -f1)/" packaging/debian/control >"$root/DEBIAN/control"
	(cd "$root" && find usr lib -type f -exec md5sum {} + | sort -k2) >"$root/DEBIAN/md5sums"
	date_all "$root"
	dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$out/dropyard_${version}_$2.deb" >/dev/null
}
maintainer="Dropyard <dropyard@users.noreply.github.com>"

# The manual page, the completions and the documents are the same on each system.
shared=$work/shared
mkdir -p "$shared/completions"
build "$work/here"
"$work/here" man >"$shared/dropyard.1"
for shell in bash zsh fish; do
	"$work/here" completion $shell >"$shared/completions/dropyard.$shell"
done
cp LICENSE THIRD_PARTY_NOTICES.md README.md CHANGELOG.md "$shared"

programs=()
for target in $targets; do
	os=${target%/*} arch=${target#*/} suffix=
	name=dropyard_${version}_${os}_${arch}
	folder=$work/$name
	[ "$os" != windows ] || suffix=.exe
	mkdir -p "$folder"
	GOOS=$os GOARCH=$arch build "$folder/dropyard$suffix"
	programs+=("$folder/dropyard$suffix")
	cp -R "$shared/." "$folder"
	date_all "$folder"
	if [ "$os" = windows ]; then
		(cd "$work" && find "$name" -type f | sort | zip -q -X -@ "$out/$name.zip")
	else
		tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	fi
	if [ "$os" = linux ]; then
		debian "$folder" "$arch"
	fi
done

# The licences of the modules are in THIRD_PARTY_NOTICES.md.
go run ./packaging/sbom "${programs[@]}" >"$out/dropyard_$version.cdx.json"
mkdir "$out/clients"
go run ./packaging/clients "$version" "$out/clients"
(cd "$out" && find . -type f -printf '%P\n' | sort | xargs -d '\n' sha256sum -- >"$work/SHA256SUMS")
install -m 0644 "$work/SHA256SUMS" "$out/SHA256SUMS"
