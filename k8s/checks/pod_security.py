"""Pod security standard `restricted`, images, and namespaces."""

import re


def check_pod(manifests, pod):
    security = pod.spec.get("securityContext", {})
    if not security.get("runAsNonRoot") or not security.get("runAsUser"):
        manifests.error(str(pod), "runAsNonRoot and runAsUser are to be set")
    if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        manifests.error(str(pod), "seccompProfile is to be RuntimeDefault")
    if pod.spec.get("automountServiceAccountToken") is not False:
        manifests.error(str(pod), "automountServiceAccountToken is to be false")
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.spec.get(key):
            manifests.error(str(pod), f"{key} is not restricted")
    for volume in pod.spec.get("volumes", []):
        if "hostPath" in volume:
            manifests.error(str(pod), f"volume {volume['name']} is a hostPath")
    if len({c["name"] for c in pod.all_containers}) != len(pod.all_containers):
        manifests.error(str(pod), "two containers have one name")


def check_container(manifests, where, container):
    security = container.get("securityContext", {})
    if security.get("allowPrivilegeEscalation") is not False:
        manifests.error(where, "allowPrivilegeEscalation is to be false")
    if security.get("capabilities", {}).get("drop") != ["ALL"]:
        manifests.error(where, "capabilities.drop is to be [ALL]")
    if not security.get("readOnlyRootFilesystem"):
        manifests.error(where, "readOnlyRootFilesystem is to be true")


# References by the grammar of the OCI's distribution specification, with a registry
# and a tag or a digest.
PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
IMAGE = re.compile(
    r"(?:localhost|(?=[^/]*[.:])[A-Za-z0-9][A-Za-z0-9.-]*)(?::\d{1,5})?"
    rf"(?:/{PART})+(?::(?!latest$)\w[\w.-]{{0,127}}(?:@sha256:[0-9a-f]{{64}})?"
    r"|@sha256:[0-9a-f]{64})", re.A)


def check_images(manifests):
    for pod in manifests.pods():
        for c in pod.all_containers:
            if not IMAGE.fullmatch(c["image"]):
                manifests.error(str(pod), f"image {c['image']} is no reference with a registry in "
                                          "lower case and a tag other than latest, or a digest")


def check_all(manifests):
    for pod in manifests.pods():
        check_pod(manifests, pod)
        for container in pod.all_containers:
            check_container(manifests, f"{pod}, {container['name']}", container)
    for r in manifests.resources:
        if r["kind"] != "Namespace" and "namespace" not in r["metadata"]:
            manifests.error(r, "it has no namespace")
