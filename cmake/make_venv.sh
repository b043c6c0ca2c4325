#!/usr/bin/env bash
# Makes a virtual environment with a Python that hetwin runs on. Usage: make_venv.sh FOLDER
set -eu
folder=$1

suits() {
  "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

if [ -x "$folder/bin/python" ] && suits "$folder/bin/python" && "$folder/bin/python" -m pip --version >/dev/null 2>&1; then
  exit 0
fi

for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
  if command -v "$python" >/dev/null && suits "$python"; then
    rm -rf "$folder"
    if "$python" "$(dirname "$0")/show_progress.py" "making $folder with $("$python" --version)" "$python" -m venv "$folder"; then
      exit 0
    fi
    rm -rf "$folder"
    echo "$python cannot make virtual environments; on Debian and Ubuntu: apt install $python-venv" >&2
    exit 1
  fi
done

echo "hetwin needs Python 3.11 to 3.14; found: $(python3 --version 2>/dev/null || echo 'no python3')." >&2
echo "Install one of them, or name one: make install PYTHON=/path/to/python3.12" >&2
exit 1
