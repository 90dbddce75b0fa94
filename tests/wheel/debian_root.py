"""A root file system with nothing but some Debian packages of this machine and what they
depend on, made without a network."""

import os
import re
import stat
import subprocess

LINKS = ("bin", "lib", "lib64", "sbin")  # of a merged /usr


def output(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True,
                          timeout=120, **options).stdout


def installed_packages():
    """{package: the alternatives of each dependency} of this machine."""
    text = output("dpkg-query", "-W", "-f",
                  "${db:Status-Status}\t${Package}\t${Pre-Depends}, ${Depends}\n")
    rows = (line.split("\t") for line in text.splitlines())
    return {package: [[re.split(r"[ :(]", name.strip())[0] for name in choice.split("|")]
                      for choice in dependencies.split(",") if choice.strip()]
            for status, package, dependencies in rows if status == "installed"}


def closure(packages):
    """The packages and all that they depend on. What is only provided by another name
    counts as there."""
    known, found, todo = installed_packages(), set(), list(packages)
    while todo:
        package = todo.pop()
        if package in found:
            continue
        found.add(package)
        for choices in known[package]:
            todo += [name for name in choices if name in known][:1]
    return found


def files_of(packages):
    """The paths of what the packages own, their documents left out."""
    paths = set()
    for package in packages:
        paths.update(output("dpkg-query", "-L", package).splitlines())
    return {path for path in paths
            if os.path.lexists(path) and path[1:] not in (*LINKS, ".")
            and not path.startswith(("/usr/share/doc/", "/usr/share/man/"))}


def copy_into(root, paths):
    """Copies files, and folders without what is in them, from this machine."""
    listed = os.path.join(root, "paths")
    with open(listed, "w", encoding="utf-8") as file:
        file.writelines(path.lstrip("/") + "\0" for path in sorted(paths))
    with subprocess.Popen(["tar", "-C", "/", "--null", "--no-recursion", "-T", listed, "-cf",
                           "-"], stdout=subprocess.PIPE) as pack:
        output("tar", "-C", root, "-xf", "-", stdin=pack.stdout)
    os.remove(listed)
    if pack.returncode != 0:
        raise AssertionError(f"tar ended with {pack.returncode}")


def make(root, packages):
    """Copies the files of `packages` and of what they depend on to the folder `root`."""
    os.makedirs(root)
    for name in LINKS:
        os.makedirs(os.path.join(root, "usr", name))
        os.symlink("usr/" + name, os.path.join(root, name))
    copy_into(root, files_of(closure(packages)))
    # Made when the packages are installed: update-alternatives, and devices.
    for name in ("blas", "lapack"):
        os.symlink(f"{name}/lib{name}.so.3",
                   os.path.join(root, f"usr/lib/x86_64-linux-gnu/lib{name}.so.3"))
    os.makedirs(os.path.join(root, "dev"), exist_ok=True)
    os.mknod(os.path.join(root, "dev/null"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    output("/usr/sbin/ldconfig", "-r", root)
