"""Our own files as a pull request would leave them: what its check run says about them.

Pure: bytes in, words out. It says, and never blocks.
"""

from __future__ import annotations

from bot.settings.file import problems
from bot.texts import FilesReport, settings_removed, settings_report


def settings_section(file: str, proposed: bytes | None) -> FilesReport:
    """About the settings file at a head; `proposed` is None where it was deleted."""
    if proposed is None:
        return settings_removed(file)
    return settings_report(file, problems(proposed))
