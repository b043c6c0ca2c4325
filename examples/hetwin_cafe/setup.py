"""Registers the package's models and commands by entry points, so that a scenario can say ``type: coffee``."""

from pathlib import Path

from setuptools import setup

NAME = "hetwin_cafe"

setup(
    name=NAME,
    version="0.1.0",
    packages=[NAME],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", [str(p) for p in Path("launch").glob("*.launch.py")]),
    ],
    package_data={NAME: ["scenarios/*.yaml", "worlds/*.sdf"]},
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="hetwin maintainers",
    maintainer_email="maintainers@hetwin.invalid",
    description="Models of a user's own for hetwin.",
    license="Apache-2.0",
    entry_points={
        "hetwin.models": [
            f"coffee = {NAME}.coffee:Coffee",
            f"glass = {NAME}.glass:Glass",
            f"battery = {NAME}.battery:Battery",
        ],
        "hetwin.commands": [f"bill = {NAME}.commands:bill"],
        "hetwin.episode_kinds": [f"record.waves = {NAME}.commands:waves"],
        "hetwin.sources": [f"wave = {NAME}.waving:wave"],
        "hetwin.page_sections": [f"warmth = {NAME}.page:warmth"],
        "hetwin.resources": [f"cafe = {NAME}"],
    },
)
