"""What the validated mappings of a scenario share: strict keys, names, and ranges of numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]
Positive = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Vector3 = Annotated[list[float], Field(min_length=3, max_length=3)]
Pose7 = Annotated[list[float], Field(min_length=7, max_length=7)]


class Strict(BaseModel):
    """No key that is not in the schema."""

    model_config = ConfigDict(extra="forbid", strict=False, frozen=True, populate_by_name=True)
