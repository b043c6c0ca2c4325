"""The archive of an FMU: its description, its files, and checks whether it can run on this machine."""

from __future__ import annotations

import platform
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_fmu.library import fmpy
from hetwin_fmu.units import UnitTable
from hetwin_fmu.variables import Variable, read_variables
from hetwin_suite.model import BadInput, check_files

DESCRIPTION = "modelDescription.xml"
WHERE = "file"
_DAMAGES = (
    *(OSError, EOFError, RuntimeError, ValueError, struct.error),
    *(zipfile.BadZipFile, zlib.error),
)
"""Exceptions raised for a damaged archive; an unknown encryption or compression is a RuntimeError."""
_SHOWN = 3
"""Maximum number of listed problems of a description."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An FMU that can run on this machine.

    Attributes:
        path: file of the FMU.
        version: version of FMI, 2 or 3.
        name: name of the FMU's model.
        description: model description as read by FMPy.
        variables: name -> variable.
        units: physical units that the FMU defines.
        can_save: whether its state can be saved and restored.
        step_varies: whether the communication step size may change.
        own_step: fixed internal step size [s]; None if it declares none.
        needs_tool: whether it needs the tool from which it was exported.
        warnings: flaws of its description that did not prevent reading it.
    """

    path: Path
    version: int
    name: str
    description: Any
    variables: Mapping[str, Variable]
    units: UnitTable
    can_save: bool
    step_varies: bool
    own_step: float | None
    needs_tool: bool
    warnings: tuple[str, ...] = ()

    def extract(self, folder: str) -> None:
        """Extract the files into a folder.

        Raises:
            BadInput: if a file is damaged, or would be written outside of the folder.
        """
        try:
            fmpy().extract(str(self.path), folder)
        except Exception as error:  # FMPy raises plain exceptions
            raise _broken(self.path, error) from error


def read_archive(path: Path) -> Archive:
    """Read and check the archive of an FMU.

    Raises:
        BadInput: if it is damaged, of an unsupported version of FMI, not for co-simulation, or for other platforms.
    """
    names = _names(path)
    description, warnings = _described(path)
    version = _version(path, description)
    simulation = description.coSimulation
    if simulation is None:
        kinds = {"modelExchange": "model exchange", "scheduledExecution": "scheduled execution"}
        found = [words for key, words in kinds.items() if getattr(description, key) is not None]
        raise BadInput(
            "this unit cannot be stepped from outside",
            where=WHERE,
            found=f"{path.name}, for {' and '.join(found) or 'nothing'}",
            expected="a unit for co-simulation; tools that export for model exchange offer it too",
        )
    _check_platform(path, names, version, simulation.modelIdentifier)
    try:
        return _archive(path, version, description, warnings)
    except (TypeError, ValueError) as error:  # an invalid number in the description
        raise _unreadable(path, error) from error


def _archive(path: Path, version: int, description: Any, warnings: tuple[str, ...]) -> Archive:
    simulation = description.coSimulation
    step = simulation.fixedInternalStepSize
    return Archive(
        path,
        version,
        description.modelName or path.stem,
        description,
        read_variables(description, version),
        UnitTable.of(description),
        bool(simulation.canGetAndSetFMUstate),
        bool(simulation.canHandleVariableCommunicationStepSize),
        None if step is None else float(step),
        bool(simulation.needsExecutionTool),
        warnings,
    )


def _names(path: Path) -> list[str]:
    """Return the names of the files in an archive.

    Raises:
        BadInput: if the file is not a valid archive, or contains no description.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if DESCRIPTION not in names:
                raise BadInput(
                    f"this archive has no {DESCRIPTION}",
                    where=WHERE,
                    found=str(path),
                    expected="a Functional Mock-up Unit (.fmu)",
                )
            check_files(path, {file.filename: file.file_size for file in archive.infolist()})
            damaged = archive.testzip()
    except _DAMAGES as error:
        raise _broken(path, error) from error
    if damaged is not None:
        raise _broken(path, f"{damaged} is damaged")
    return names


def _broken(path: Path, error: object) -> BadInput:
    return BadInput(
        f"this unit cannot be read: {error}",
        where=WHERE,
        found=str(path),
        expected="a whole Functional Mock-up Unit (.fmu), which is a zip archive",
    )


def _described(path: Path) -> tuple[Any, tuple[str, ...]]:
    """Return the model description of an FMU, and warnings about violations of the schema.

    Many exported FMUs violate rules of the schema that do not matter here.

    Raises:
        BadInput: if the description cannot be read.
    """
    reading = fmpy("model_description")
    try:
        return reading.read_model_description(str(path)), ()
    except reading.ValidationError as error:
        more = len(error.problems) - _SHOWN
        listed = "; ".join(str(p) for p in error.problems[:_SHOWN])
        warning = f"{path.name}: {DESCRIPTION} breaks rules of FMI: {listed}" + (
            f" and {more} more" if more > 0 else ""
        )
        checked = error
    except Exception as error:
        raise _unreadable(path, error) from error
    try:
        return reading.read_model_description(str(path), validate=False), (warning,)
    except Exception:
        raise _unreadable(path, warning) from checked


def _unreadable(path: Path, error: object) -> BadInput:
    return BadInput(
        f"{DESCRIPTION} of this unit cannot be read: {error}",
        where=WHERE,
        found=str(path),
        expected="the description of a unit of FMI 2 or 3",
    )


def _version(path: Path, description: Any) -> int:
    version = str(description.fmiVersion or "")
    if version.startswith("2."):
        return 2
    if version.startswith("3."):
        return 3
    raise BadInput(
        "this version of FMI is not supported",
        where=WHERE,
        found=f"{path.name}, of FMI {version or 'without version'}",
        expected="a unit of FMI 2 or 3",
    )


def _check_platform(path: Path, names: Sequence[str], version: int, identifier: str) -> None:
    """Check that the archive has a binary for this platform.

    Raises:
        BadInput: if it has none; the error names the platforms that it supports.
    """
    library = fmpy()
    folder = library.platform_tuple if version == 3 else library.platform
    program = f"binaries/{folder}/{identifier}{library.sharedLibraryExtension}"
    if program in names:
        return
    others = sorted({n.split("/")[1] for n in names if n.startswith("binaries/") and n[9:]})
    has = ", ".join(others) or "no machine"
    advice = f"the unit exported for {platform.system()} on {platform.machine()} ({folder})"
    if any(n.startswith("sources/") and n.endswith(".c") for n in names):
        advice += f", or compiled here from its own sources: fmpy compile {path.name}"
    raise BadInput(
        "this unit has no program for this machine",
        where=WHERE,
        found=f"{path.name}, for {has}",
        expected=advice,
    )
