"""For tools that call setup.py: name, version and dependencies stand in pyproject.toml.

``python setup.py bdist_wheel`` makes the same wheel as pip, with compiled interfaces; what pyproject.toml lists
under build-system.requires must be installed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "cmake"))

from bundle_page import BundleFailed, bundle_page  # noqa: E402
from python_packages import DATA, all_packages, remove_old_links, top_packages  # noqa: E402
from stage import BuildFailed, stage  # noqa: E402


class PlatformDistribution(Distribution):
    """The interfaces are compiled, though setuptools does not see their sources."""

    def has_ext_modules(self) -> bool:
        """Make the wheel one for this platform."""
        return True


class BuildWithInterfaces(build_py):
    """Adds the compiled interfaces and the pages' script to the Python code."""

    def run(self) -> None:
        """Build all three."""
        try:
            bundle_page()
        except BundleFailed as error:
            sys.exit(f"hetwin: {error}")
        super().run()
        shutil.copy(ROOT / "cmake" / "hetwin_embedded.pth", self.build_lib)
        prefix = Path(tempfile.mkdtemp(prefix="hetwin-stage-"))
        try:
            packages = stage(prefix, resources=True)
            shutil.copytree(packages / "hetwin", Path(self.build_lib, "hetwin"), dirs_exist_ok=True)
            shutil.rmtree(packages)
            shared = Path(self.get_finalized_command("build").build_base) / "shared"
            shutil.rmtree(shared, ignore_errors=True)
            shutil.copytree(prefix, shared)
        except BuildFailed as error:
            sys.exit(f"hetwin: {error}")
        finally:
            shutil.rmtree(prefix, ignore_errors=True)
        self.distribution.data_files = [
            (str(folder.relative_to(shared)), [str(f) for f in folder.iterdir() if f.is_file()])
            for folder in (shared, *shared.rglob("*"))
            if folder.is_dir()
        ]


remove_old_links()
setup(
    packages=all_packages(),
    package_data={name: list(DATA) for name in top_packages()},
    include_package_data=False,
    # Replaced by the staged files; without an entry the step that installs them would be skipped.
    data_files=[("share/hetwin", ["package.xml"])],
    distclass=PlatformDistribution,
    cmdclass={"build_py": BuildWithInterfaces},
)
