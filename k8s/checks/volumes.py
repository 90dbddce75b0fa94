"""Volumes, their mounts, and the paths of arguments in them."""

import posixpath

from manifests import flags_of

READ = {"--graph", "--input", "--servers", "--load-model", "--resume", "--policy",
        "--tls-ca", "--tls-cert", "--tls-key"}
WRITTEN = {"--checkpoint-dir", "--out", "--log", "--save-model"}


def check_all(manifests):
    for pod in manifests.pods():
        volumes = {v["name"]: v for v in pod.spec.get("volumes", [])}
        mounted = set()
        for container in pod.all_containers:
            check_mounts(manifests, pod, container, volumes)
            check_paths(manifests, pod, container, volumes)
            mounted |= {m["name"] for m in container.get("volumeMounts", [])}
        for name, volume in volumes.items():
            if name not in mounted:
                manifests.error(str(pod), f"nothing mounts the volume {name}")
            check_source(manifests, pod, volume)


def check_source(manifests, pod, volume):
    claim = volume.get("persistentVolumeClaim")
    if claim:
        check_claim(manifests, pod, claim)
    for key, kind, name in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
        if key in volume and not manifests.exists(kind, volume[key][name]):
            manifests.error(str(pod), f"{kind} {volume[key][name]} does not exist")


def check_claim(manifests, pod, claim):
    name = claim["claimName"]
    if not manifests.exists("PersistentVolumeClaim", name):
        manifests.error(str(pod), f"PersistentVolumeClaim {name} does not exist")
        return
    found = manifests.find("PersistentVolumeClaim", name)
    modes = found["spec"]["accessModes"] if found else ["ReadWriteMany"]
    many = pod.owner["kind"] == "Deployment" or (pod.job or {}).get("completions", 1) > 1
    if many and not {"ReadWriteMany", "ReadOnlyMany"} & set(modes):
        manifests.error(str(pod), f"pods on several nodes mount {name}, which is {modes}")


def check_mounts(manifests, pod, container, volumes):
    where = f"{pod}, {container['name']}"
    paths = set()
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in volumes:
            manifests.error(where, f"there is no volume {mount['name']}")
            continue
        if mount["mountPath"] in paths:
            manifests.error(where, f"two volumes are mounted at {mount['mountPath']}")
        paths.add(mount["mountPath"])
        claim = volumes[mount["name"]].get("persistentVolumeClaim", {})
        if claim.get("readOnly") and not mount.get("readOnly"):
            manifests.error(where, f"it mounts {mount['name']}, which is read-only, to write")


def mount_of(container, path):
    """The mount that `path` lies in, or None."""
    for mount in container.get("volumeMounts", []):
        if posixpath.commonpath([mount["mountPath"], path]) == mount["mountPath"]:
            return mount
    return None


def check_paths(manifests, pod, container, volumes):
    where = f"{pod}, {container['name']}"
    for flag, value in flags_of(container).items():
        path = value[len("file:"):] if value.startswith("file:") else value
        if flag not in READ | WRITTEN or not path.startswith("/"):
            continue
        mount = mount_of(container, path)
        if mount is None:
            manifests.error(where, f"{flag}={value} is in no volume")
        elif flag in WRITTEN and mount.get("readOnly"):
            manifests.error(where, f"{flag}={value} is in a volume that is read-only")
        else:
            check_key(manifests, where, path, mount, volumes[mount["name"]])


def check_key(manifests, where, path, mount, volume):
    """A file out of a ConfigMap is one of its keys."""
    if "configMap" not in volume:
        return
    config = manifests.find("ConfigMap", volume["configMap"]["name"]) or {"data": {}}
    key = posixpath.relpath(path, mount["mountPath"])
    if key not in config["data"]:
        manifests.error(where, f"ConfigMap {volume['configMap']['name']} has no key {key}")
    if "subPath" in mount:
        manifests.error(where, "a mount with subPath never sees a change of the ConfigMap")
