"""Files and folders that are written completely or not at all.

Everything is first written under a hidden name beside its place, and is on the disk before it is renamed. An existing
file is replaced. An existing folder is replaced only if asked for, and only if hypcse wrote everything in it.
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
