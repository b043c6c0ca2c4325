#!/usr/bin/env bash
# Tests plugins and examples in an environment that has wheels of them and of hetwin only. Usage: test_wheels.sh PYTHON WORKERS
set -eu
python=$(realpath -s "$1")
workers=$2
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
beside=()
for manifest in plugins/*/pyproject.toml examples/pyproject.toml; do
  [ -f "$manifest" ] && beside+=("$(dirname "$manifest")")
done
if [ ${#beside[@]} = 0 ]; then
  echo "skipped: there are no plugins and examples here"
  exit 0
fi

# Not in the repository, whose files an installation in it would find.
place=$(mktemp -d "${TMPDIR:-/tmp}/hetwin-wheels.XXXXXX")
trap 'rm -rf "$place"' EXIT
show="$python cmake/show_progress.py"
pip="-m pip --disable-pip-version-check"
$show "building the wheels" "$python" $pip wheel --no-deps --progress-bar off -w "$place/wheels" . "${beside[@]/#/./}"
"$python" -m venv "$place/venv"
$show "installing the wheels" "$place/venv/bin/python" $pip install --no-compile --progress-bar off \
  --find-links "$place/wheels" "hetwin-suite[robots,test,view]" "$place"/wheels/*.whl

# Helpers stand beside the tests; the code comes from the wheels, so that nothing else of the repository is on the path.
helpers="$root/test $root/benchmarks"
for folder in "${beside[@]}"; do
  [ -d "$folder/test" ] && helpers="$helpers $(find "$root/$folder/test" -type d ! -name __pycache__ -printf '%p ')"
done
cd "$place"
"$place/venv/bin/pytest" -q -n "$workers" --dist loadfile -c "$root/pyproject.toml" --rootdir "$root" --import-mode=importlib \
  -o "pythonpath=$helpers" -o "cache_dir=$place/cache" -m 'not colcon and not faults and not long' "${beside[@]/#/$root/}"
