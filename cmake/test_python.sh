#!/usr/bin/env bash
# Runs all tests with another Python, in an environment of its own. Usage: test_python.sh PYTHON
set -eu
python=${1:-}

if [ -z "$python" ]; then
  echo "which Python? make test-python PYTHON=python3.12" >&2
  exit 1
fi
if ! version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
  echo "skipped: there is no $python here"
  exit 0
fi
case $version in
  3.11 | 3.12 | 3.13 | 3.14) ;;
  *)
    echo "$python is Python $version; hetwin needs 3.11 to 3.14" >&2
    exit 1
    ;;
esac
echo "testing with Python $version in build/python$version"
mkdir -p build
exec make --no-print-directory test VENV="build/python$version" PYTHON="$python"
