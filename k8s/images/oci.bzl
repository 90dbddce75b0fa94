"""Rules that make container images: OCI archives, with nothing but Python.

    oci_layer -> LAYER.tar.gz, LAYER.json     an action each, so that a layer that
    oci_image -> IMAGE.tar                    has not changed is not built again

The bytes depend on the inputs alone: programs and files of this build, pinned
wheels, and the system's Debian packages. The latter are not inputs that Bazel
knows; `packages` of the workspace's status (tools/workspace_status.sh) stands
for them, so that a layer is built again when a package has another version.

What a layer holds of the system is found, not listed: the libraries that the
loader itself would load (libraries.py), which must belong to packages, whose
copyright files come with them (debian.py).
"""

OciLayerInfo = provider(
    doc = "A layer of an image.",
    fields = {
        "blob": "File: the layer, a gzip'd tar archive.",
        "libraries": "depset of File: its libraries that are no Debian package.",
        "meta": "File: JSON with its digests, and a fingerprint of each path.",
    },
)

_PYTHON = "/usr/bin/python3"

def _run(ctx, script, spec, inputs, outputs, execution_requirements = {}):
    """Runs a script of this folder with a JSON file of what it is to do."""
    spec_file = ctx.actions.declare_file(ctx.label.name + ".spec.json")
    ctx.actions.write(spec_file, json.encode(spec))
    ctx.actions.run(
        executable = _PYTHON,
        arguments = ["-B", script.path, spec_file.path] + [out.path for out in outputs],
        inputs = depset([spec_file] + ctx.files._builder + inputs),
        outputs = outputs,
        mnemonic = "Oci",
        progress_message = "Packing %s" % ctx.label,
        execution_requirements = execution_requirements,
    )
    return spec_file

def _programs(targets):
    return [target[DefaultInfo].files_to_run.executable for target in targets]

def _paths(files):
    return [file.path for file in files]

def _files(ctx, files):
    return DefaultInfo(
        files = depset(files),
        runfiles = ctx.runfiles(files = files),
    )

def _oci_layer_impl(ctx):
    blob = ctx.actions.declare_file(ctx.label.name + ".tar.gz")
    meta = ctx.actions.declare_file(ctx.label.name + ".json")
    programs = _programs(ctx.attr.programs)
    libraries_of = _programs(ctx.attr.libraries_of)
    below = [layer[OciLayerInfo].meta for layer in ctx.attr.below]
    # With those below, which programs of this layer may load.
    libraries = depset(
        ctx.files.libraries,
        transitive = [layer[OciLayerInfo].libraries for layer in ctx.attr.below],
    )
    files = {at: target.files.to_list()[0] for target, at in ctx.attr.files.items()}
    spec = {
        "below": _paths(below),
        "common_licenses": ctx.attr.common_licenses,
        "documents": _paths(ctx.files.documents),
        "files": {at: file.path for at, file in files.items()},
        "folders": ctx.attr.folders,
        "given_at_run_time": ctx.attr.given_at_run_time,
        "libraries": _paths(libraries.to_list()),
        "libraries_of": _paths(libraries_of),
        "links": ctx.attr.links,
        "name": str(ctx.label),
        "opened_by_name": ctx.attr.opened_by_name,
        "packages": ctx.attr.packages,
        "programs": _paths(programs),
        "system_files": ctx.attr.system_files,
    }
    spec_file = _run(
        ctx,
        ctx.file._script,
        spec,
        programs + libraries_of + below + files.values() +
        libraries.to_list() + ctx.files.documents + [ctx.file._system],
        [blob, meta],
    )
    return [
        _files(ctx, [blob, meta, spec_file]),
        OciLayerInfo(blob = blob, libraries = libraries, meta = meta),
    ]

oci_layer = rule(
    doc = "A layer: programs, the libraries they load, and other files.",
    implementation = _oci_layer_impl,
    attrs = {
        "below": attr.label_list(
            doc = "Layers under this one; what they hold is left out.",
            providers = [OciLayerInfo],
        ),
        "common_licenses": attr.bool(
            doc = "Adds /usr/share/common-licenses, which copyright files name.",
        ),
        "documents": attr.label_list(
            doc = "Licences of what is no Debian package: files whose path ends " +
                  "in licences/NAME/FILE, for /usr/share/doc.",
            allow_files = True,
        ),
        "files": attr.label_keyed_string_dict(
            doc = "Files, and their paths in the image.",
            allow_files = True,
        ),
        "folders": attr.string_dict(
            doc = "Empty folders, and their modes in octal.",
        ),
        "given_at_run_time": attr.string_list(
            doc = "Libraries that the machine brings, such as libcuda.so.1.",
        ),
        "libraries": attr.label_list(
            doc = "Libraries that are no Debian package, for /app/lib. They come " +
                  "before the system's; all go in, with what they load.",
            allow_files = True,
        ),
        "libraries_of": attr.label_list(
            doc = "Programs of a layer above, whose libraries go into this one.",
        ),
        "links": attr.string_dict(
            doc = "Symbolic links, and what they point to.",
        ),
        "opened_by_name": attr.string_list(
            doc = "Names of libraries that are opened by dlopen().",
        ),
        "packages": attr.string_list(
            doc = "Debian packages that are described beside those that files " +
                  "are taken of. ca-certificates also adds its certificates.",
        ),
        "programs": attr.label_list(
            doc = "Programs, for /app.",
        ),
        "system_files": attr.string_list(
            doc = "Paths of the system that are copied.",
        ),
        "_builder": attr.label(default = "//k8s/images:builder"),
        "_script": attr.label(
            default = "//k8s/images:build_layer.py",
            allow_single_file = True,
        ),
        "_system": attr.label(
            default = "//k8s/images:installed_packages",
            allow_single_file = True,
        ),
    },
)

def _oci_image_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".tar")
    layers = [layer[OciLayerInfo] for layer in ctx.attr.layers]
    spec = {
        "cmd": ctx.attr.cmd,
        "description": ctx.attr.description,
        "entrypoint": ctx.attr.entrypoint,
        "env": ["%s=%s" % item for item in ctx.attr.env.items()],
        "layers": [{"blob": layer.blob.path, "meta": layer.meta.path} for layer in layers],
        "licenses": ctx.attr.licenses,
        "name": ctx.attr.image,
        "ports": ctx.attr.ports,
        "tag_suffix": ctx.attr.tag_suffix,
        "revision_file": ctx.file._revision.path,
        "user": ctx.attr.user,
        "version_file": ctx.file._version.path,
    }
    inputs = [layer.blob for layer in layers] + [layer.meta for layer in layers]
    spec_file = _run(
        ctx,
        ctx.file._script,
        spec,
        inputs + [ctx.file._revision, ctx.file._version],
        [out],
        # Copied within a second; a cache would keep one for each commit.
        {"no-cache": "1"},
    )
    return [
        _files(ctx, [out]),
        # For tests, which build it again.
        OutputGroupInfo(spec = depset([spec_file])),
    ]

oci_image = rule(
    doc = "An OCI archive, NAME.tar, of one image for linux/amd64. Its tag is the " +
          "file VERSION, its revision the commit.",
    implementation = _oci_image_impl,
    attrs = {
        "cmd": attr.string_list(
            doc = "Arguments where none are given.",
        ),
        "description": attr.string(
            doc = "The label description.",
            mandatory = True,
        ),
        "entrypoint": attr.string_list(
            doc = "The program and its first arguments.",
            mandatory = True,
        ),
        "env": attr.string_dict(
            doc = "The environment.",
        ),
        "image": attr.string(
            doc = "The image's name, and its label title.",
            mandatory = True,
        ),
        "layers": attr.label_list(
            doc = "The layers, from the lowest.",
            providers = [OciLayerInfo],
            mandatory = True,
        ),
        "licenses": attr.string(
            doc = "The label licenses, an SPDX expression.",
            mandatory = True,
        ),
        "ports": attr.string_list(
            doc = "Ports that it listens on: 50051/tcp.",
        ),
        "tag_suffix": attr.string(
            doc = "What the tag has behind the version.",
        ),
        "user": attr.string(
            doc = "UID:GID.",
            mandatory = True,
        ),
        "_builder": attr.label(default = "//k8s/images:builder"),
        "_revision": attr.label(
            default = "//k8s/images:revision",
            allow_single_file = True,
        ),
        "_script": attr.label(
            default = "//k8s/images:build_image.py",
            allow_single_file = True,
        ),
        "_version": attr.label(
            default = "//:VERSION",
            allow_single_file = True,
        ),
    },
)

def _status_value_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.run_shell(
        command = "sed -n 's/^%s //p' %s > %s; [ -s %s ] || echo unknown > %s" % (
            ctx.attr.key,
            ctx.info_file.path,
            out.path,
            out.path,
            out.path,
        ),
        inputs = [ctx.info_file],
        outputs = [out],
        mnemonic = "StatusValue",
    )
    return [_files(ctx, [out])]

status_value = rule(
    doc = "NAME.txt: a value of tools/workspace_status.sh, or `unknown`. Actions " +
          "that read it run again when it changes, and only then.",
    implementation = _status_value_impl,
    attrs = {
        "key": attr.string(
            doc = "The value's key, STABLE_...",
            mandatory = True,
        ),
    },
)
