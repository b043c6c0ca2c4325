"""Installs packages into the environment of this Python: with uv, where pip can get it, else with pip.

Usage: install_packages.py REQUIREMENT... (as for `pip install`)

uv finds versions in seconds and builds packages side by side, where pip makes an environment for each, one after
another. What pip's configuration says of indexes, certificates and constraints holds for uv as well. A setting without
a counterpart, or a failure of uv, means pip. HETWIN_INSTALLER=pip leaves uv out.
It needs nothing but Python and pip, for it runs before anything is installed.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
COUNTERPARTS = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "constraint": ("UV_CONSTRAINT", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "client-cert": ("SSL_CLIENT_CERT", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "proxy": ("ALL_PROXY", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", " "),
}
"""Setting of pip -> uv's environment variable, and what separates several values in it."""
WITHOUT_EFFECT = {
    *("cache-dir", "disable-pip-version-check", "no-compile", "no-input", "progress-bar", "quiet"),
    *("retries", "root-user-action", "verbose"),
}
"""Settings of pip that decide neither what is installed nor where it comes from."""
SECTIONS = ("global", "install", ":env:")
"""Sections of pip's configuration that hold for an installation; a later one wins."""


class NoCounterpart(Exception):
    """A setting of pip that uv does not have."""


def uv_environment(configuration: str) -> dict[str, str]:
    """Return the environment variables that give uv the settings of pip.

    Args:
        configuration: output of `pip config list`, lines of the form section.name='value'.

    Raises:
        NoCounterpart: naming the setting.
    """
    rows = [line.partition("=") for line in configuration.splitlines() if "=" in line]
    settings = {}
    for wanted in SECTIONS:
        for key, _, value in rows:
            section, _, name = key.rpartition(".")
            if section == wanted and name not in WITHOUT_EFFECT:
                settings[name] = str(ast.literal_eval(value))
    if unknown := sorted(settings.keys() - COUNTERPARTS.keys()):
        raise NoCounterpart(f"pip's setting {unknown[0]} has no counterpart in uv")
    # As pip does: of all indexes the newest release, not that of the first index which has the package.
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, value in settings.items():
        variable, separator = COUNTERPARTS[name]
        variables[variable] = separator.join(value.split())
    return variables


def install_with_uv(requirements: list[str]) -> str | None:
    """Install the requirements with uv; return why this was not possible, None if it was."""
    configuration = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True)
    if configuration.returncode:
        return "pip's configuration cannot be read"
    try:
        variables = uv_environment(configuration.stdout)
    except NoCounterpart as error:
        return str(error)
    getting = [*PIP, "install", "--quiet", "--no-compile", "--only-binary", "uv", "uv>=0.5"]
    if subprocess.run(getting, capture_output=True).returncode:
        return "pip cannot install uv here"
    command = [sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable]
    code = subprocess.run([*command, *requirements], env={**variables, **os.environ}).returncode
    return f"uv ended with code {code}" if code else None


def main(requirements: list[str]) -> int:
    """Install the requirements; return the exit code of the installation."""
    if os.environ.get("HETWIN_INSTALLER") != "pip":
        problem = install_with_uv(requirements)
        if problem is None:
            return 0
        print(f"{problem}: installing with pip", flush=True)
    command = [*PIP, "install", "--no-compile", "--progress-bar", "off", *requirements]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
