"""Build hook: the wheel carries the compiled ROS interfaces, the pages' script and the shared data."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "cmake"))

from bundle_page import BUNDLE, NODE_FROM_PIP, BundleFailed, bundle_page, has_system_node
from python_packages import EDITABLE_HOOK, ROOT, remove_old_links
from stage import BuildFailed, stage


class InterfacesHook(BuildHookInterface[Any]):
    """Generates and compiles msg/, srv/ and action/ into each wheel, and bundles what the pages draw."""

    def dependencies(self) -> list[str]:
        """What bundling needs beside the system."""
        return [] if has_system_node() else [NODE_FROM_PIP]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build into a staging folder and tell hatchling to pack it."""
        remove_old_links()
        self._staging = Path(tempfile.mkdtemp(prefix="hetwin-stage-"))
        prefix = self._staging / "prefix"
        try:
            # An editable installation reads them from the repository; copies would grow old unnoticed.
            bundle_page()
            packages = stage(prefix, resources=version != "editable")
        except (BuildFailed, BundleFailed) as error:
            self._clean()
            sys.exit(f"hetwin: {error}")
        generated = self._staging / "generated"
        generated.mkdir()
        for package in ("hetwin", "tf2_msgs"):
            if (packages / package).is_dir():
                shutil.move(packages / package, generated / package)
        shutil.rmtree(packages)
        build_data["artifacts"].append(f"/{BUNDLE.relative_to(ROOT).as_posix()}")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"] = {str(p): p.name for p in generated.iterdir()}
        if version == "editable":
            build_data["force_include"][str(EDITABLE_HOOK)] = EDITABLE_HOOK.name
        build_data["shared_data"] = {str(path): path.name for path in prefix.iterdir()}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the staging folder."""
        self._clean()

    def _clean(self) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)
