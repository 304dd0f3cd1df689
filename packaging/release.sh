#!/usr/bin/env bash
# Builds a release from the commit that is checked out: programs without dependencies for
# Linux, macOS and Windows, in archives; Debian packages; a bill of materials; checksums.
# The same commit gives the same bytes.
#
#   packaging/release.sh VERSION DIRECTORY
set -euo pipefail
version=${1:?usage: packaging/release.sh VERSION DIRECTORY} # such as 0.1.0
mkdir -p "${2:?usage: packaging/release.sh VERSION DIRECTORY}"
out=$(cd "$2" && pwd)
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
case $version in *[!0-9A-Za-z.~+-]*) echo "\"$version\" is not a version (example: 0.1.0)" >&2; exit 2 ;; esac
if [ -n "$(ls -A "$out")" ]; then
	echo "$out is not empty" >&2
	exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
git clone --quiet --no-hardlinks "$repository" "$work/source" # files that are not committed have no place in a release
cd "$work/source"
git checkout --quiet "$(git -C "$repository" rev-parse HEAD)"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=true" LC_ALL=C TZ=UTC
umask 022

# date gives all files of a folder the time of the commit.
date_all() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# The manual page and the completions are the same on each system.
shared=$work/shared
mkdir -p "$shared"
go build -o "$work/here" ./cmd/dropyard
if "$work/here" man >"$shared/dropyard.1" 2>/dev/null; then
	mkdir -p "$shared/completions"
	for shell in bash zsh fish; do
		"$work/here" completion $shell >"$shared/completions/dropyard.$shell"
	done
else
	rm -f "$shared/dropyard.1"
fi
cp LICENSE THIRD_PARTY_NOTICES.md README.md CHANGELOG.md "$shared"

# debian DIRECTORY ARCHITECTURE makes a package of the program in a directory.
debian() {
	local root=$work/debian-$2
	install -D -m 0755 "$1/dropyard" "$root/usr/bin/dropyard"
	install -D -m 0644 packaging/systemd/dropyard.service "$root/lib/systemd/system/dropyard.service"
	install -D -m 0644 packaging/systemd/privileged-ports.conf "$root/usr/share/doc/dropyard/privileged-ports.conf"
	install -D -m 0640 packaging/debian/dropyard.env "$root/etc/dropyard/dropyard.env"
	install -m 0644 LICENSE "$root/usr/share/doc/dropyard/copyright"
	install -m 0644 THIRD_PARTY_NOTICES.md docs/settings.md docs/operating.md docs/installing.md "$root/usr/share/doc/dropyard"
	gzip -9n <CHANGELOG.md >"$root/usr/share/doc/dropyard/changelog.gz"
	if [ -f "$shared/dropyard.1" ]; then
		mkdir -p "$root/usr/share/man/man1"
		gzip -9n <"$shared/dropyard.1" >"$root/usr/share/man/man1/dropyard.1.gz"
		install -D -m 0644 "$shared/completions/dropyard.bash" "$root/usr/share/bash-completion/completions/dropyard"
		install -D -m 0644 "$shared/completions/dropyard.zsh" "$root/usr/share/zsh/vendor-completions/_dropyard"
		install -D -m 0644 "$shared/completions/dropyard.fish" "$root/usr/share/fish/vendor_completions.d/dropyard.fish"
	fi
	mkdir -p "$root/DEBIAN"
	install -m 0755 packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm "$root/DEBIAN"
	echo /etc/dropyard/dropyard.env >"$root/DEBIAN/conffiles"
	cat >"$root/DEBIAN/control" <<-CONTROL
		Package: dropyard
		Version: $version
		Architecture: $2
		Maintainer: Dropyard <dropyard@users.noreply.github.com>
		Installed-Size: $(du -k --apparent-size -s "$root/usr" | cut -f1)
		Depends: adduser
		Recommends: ca-certificates
		Section: net
		Priority: optional
		Homepage: https://github.com/dropyard/dropyard
		Description: partner delivery service in one binary
		 Merchants register, ask for quotes, place delivery orders over a signed
		 interface, and give recipients a tracking page; you accept, assign and
		 deliver. SQLite is inside; PostgreSQL can be used instead.
	CONTROL
	(cd "$root" && find usr lib -type f -exec md5sum {} + | sort -k2) >"$root/DEBIAN/md5sums"
	date_all "$root"
	dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$out/dropyard_${version}_$2.deb" >/dev/null
}

for target in $targets; do
	os=${target%/*} arch=${target#*/} suffix=
	name=dropyard_${version}_${os}_${arch}
	folder=$work/$name
	[ "$os" = windows ] && suffix=.exe
	mkdir -p "$folder"
	GOOS=$os GOARCH=$arch go build -ldflags "-s -w -X main.version=$version" -o "$folder/dropyard$suffix" ./cmd/dropyard
	cp -R "$shared/." "$folder"
	date_all "$folder"
	if [ "$os" = windows ]; then
		(cd "$work" && find "$name" -type f | sort | zip -q -X -@ "$out/$name.zip")
	else
		tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	fi
	if [ "$os" = linux ]; then
		debian "$folder" "$arch"
	fi
done

# What the programs are made of.
go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 app -json -licenses -noserial -main cmd/dropyard -output "$out/dropyard_$version.cdx.json" . 2>/dev/null

(cd "$out" && sha256sum -- *) >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$out/SHA256SUMS"
