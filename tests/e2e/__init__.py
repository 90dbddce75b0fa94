"""The real binaries, driven from outside: what a user would see."""
