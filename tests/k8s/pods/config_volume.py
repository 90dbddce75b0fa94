"""A ConfigMap or a Secret as a volume, laid out and replaced as kubelet does: files are links
through `..data` to a folder that is replaced as a whole."""

import os
import shutil
import uuid


def write(folder, data, mode=0o644, group=0):
    """Makes the texts of `data`, by file name, what the volume shows. Its files
    have the group, which is a pod's fsGroup."""
    target = f"..{uuid.uuid4().hex}"
    os.makedirs(os.path.join(folder, target))
    for name, text in data.items():
        path = os.path.join(folder, target, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        os.chown(path, 0, group)
    link = os.path.join(folder, "..data")
    before = os.readlink(link) if os.path.islink(link) else None
    os.symlink(target, link + "_tmp")
    os.rename(link + "_tmp", link)
    for name in data:
        if not os.path.lexists(os.path.join(folder, name)):
            os.symlink(os.path.join("..data", name), os.path.join(folder, name))
    if before is not None:
        shutil.rmtree(os.path.join(folder, before))
