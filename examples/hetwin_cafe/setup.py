"""Installs the models as entry points, so that scenarios can name them: ``type: coffee``."""

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
        (f"share/{NAME}/scenarios", [str(p) for p in Path("scenarios").glob("*.yaml")]),
        (f"share/{NAME}/worlds", [str(p) for p in Path("worlds").glob("*.sdf")]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
    maintainer="hetwin maintainers",
    maintainer_email="maintainers@hetwin.invalid",
    description="Models of a user's own for hetwin.",
    license="Apache-2.0",
    entry_points={
        "hetwin.models": [
            f"coffee = {NAME}.coffee:Coffee",
            f"glass = {NAME}.glass:Glass",
            f"battery = {NAME}.battery:Battery",
        ]
    },
)
