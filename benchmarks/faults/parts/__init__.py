"""The parts of the campaign. A new one needs a module with a `PART`, and a line here."""

from benchmarks.faults.attempt import Part
from benchmarks.faults.parts import environments, files, kills, library, models, options, page

PARTS: dict[str, Part] = {
    module.PART.name: module.PART for module in (files, options, library, kills, page, models, environments)
}
"""By name, in the order of the table."""
