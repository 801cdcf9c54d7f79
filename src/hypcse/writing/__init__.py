"""Files and folders that are written whole or not at all.

Everything is first written under a hidden name beside its place, and is on the disk before it is renamed. A file at
the place is replaced. A folder at the place is replaced only where that is asked for, and only if all in it is ours.
"""

from hypcse.writing.drafts import remove_leftovers
from hypcse.writing.holding import hold_folder
from hypcse.writing.places import check_file, check_folder
from hypcse.writing.whole import check_place, write_file, write_folder

__all__ = [
    "check_file",
    "check_folder",
    "check_place",
    "hold_folder",
    "remove_leftovers",
    "write_file",
    "write_folder",
]
