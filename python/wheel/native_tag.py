"""Hatchling's hook: the wheel has native files, and needs no extension module of
Python, so that one wheel serves all versions."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeTag(BuildHookInterface):
    """Tags the wheel for Linux; auditwheel then names the oldest system."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-linux_x86_64"
