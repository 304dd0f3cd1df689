#!/usr/bin/env bash
# Installs the packed clients of a release as their users do, each in an empty folder: from the wheel and from the source
# distribution, from the package for npm in both kinds of modules, and from the module for Go. What is not installed is
# skipped with a line.
#
#   packaging/check-clients.sh FOLDER
set -euo pipefail
clients=$(realpath "${1:?usage: packaging/check-clients.sh FOLDER}")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"

python3 -m venv venv
pip=(venv/bin/pip install --quiet --disable-pip-version-check)
"${pip[@]}" twine==6.2.0
venv/bin/twine check --strict "$clients"/*.whl "$clients"/dropyard-[0-9]*.tar.gz
for package in "$clients"/*.whl "$clients"/dropyard-[0-9]*.tar.gz; do
	"${pip[@]}" --force-reinstall "$package"
	venv/bin/python -c 'import dropyard; print("Python", dropyard.__version__)'
done

if command -v npm >/dev/null; then
	npm install --silent --no-audit --no-fund "$clients"/dropyard-client-*.tgz
	node -e 'console.log("CommonJS", typeof require("@dropyard/client").Client)' | tee commonjs
	node --input-type=module -e 'import { Client } from "@dropyard/client"; console.log("ESM", typeof Client)' | tee esm
	grep -q function commonjs && grep -q function esm
else
	echo "SKIPPED: the package for npm: no npm" >&2
fi

mkdir module user
unzip -q -d module "$clients"/*.module.zip
cd user
cat >go.mod <<'END'
module example.test/user

go 1.26
END
module=$(dirname "$(find ../module -name go.mod)")
go mod edit -require github.com/dropyard/dropyard/client@v0.0.0 -replace "github.com/dropyard/dropyard/client=$module"
cat >main.go <<'END'
package main

import "github.com/dropyard/dropyard/client"

func main() { println("Go", client.New("http://127.0.0.1", "pk_x", "sk_x") != nil) }
END
go run -mod=mod .
