"""Builds winding.fmu, a zip archive of a model description and a binary, for this machine, beside its scenario.

Usage: make_fmu.py FOLDER
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent


def main(out: Path) -> None:
    """Compile the FMU, and write it into the folder `out`."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        sys.exit("there is no C compiler; on Debian and Ubuntu: apt-get install gcc")
    with TemporaryDirectory() as folder:
        program = Path(folder) / "winding.so"
        flags = ["-O2", "-shared", "-fPIC", "-o", str(program)]
        subprocess.run([compiler, *flags, str(HERE / "winding.c"), "-lm"], check=True)
        out.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(out / "winding.fmu", "w", zipfile.ZIP_DEFLATED) as unit:
            unit.write(HERE / "modelDescription.xml", "modelDescription.xml")
            unit.write(program, "binaries/linux64/winding.so")
    shutil.copy(HERE / "warm_shoulder.yaml", out)
    print(f"made {out / 'winding.fmu'} and {out / 'warm_shoulder.yaml'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
