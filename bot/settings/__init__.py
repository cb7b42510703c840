"""The settings of a repository as values; `bot.settings.file` reads and prints the file."""

from bot.settings.model import (
    BlockSettings,
    Caps,
    Carried,
    Claude,
    CommitStyle,
    Evidence,
    Notes,
    Refresh,
    Reviewer,
    Rolling,
    Settings,
    Standing,
    Store,
    Strength,
    Telegram,
    Weak,
)

__all__ = [
    "BlockSettings",
    "Caps",
    "Carried",
    "Claude",
    "CommitStyle",
    "Evidence",
    "Notes",
    "Refresh",
    "Reviewer",
    "Rolling",
    "Settings",
    "Standing",
    "Store",
    "Strength",
    "Telegram",
    "Weak",
]
