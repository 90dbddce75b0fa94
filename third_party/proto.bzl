"""Protocol buffers and gRPC by Debian's protoc and grpc_cpp_plugin."""

_PROTOS = "_proto_srcs"

# Where this workspace is when another one depends on it: "external/tributary".
_ROOT = Label("//third_party").workspace_root
_OUT = "/".join(["$(GENDIR)"] + ([_ROOT] if _ROOT else []))

def _protos_of(dep):
    return dep + _PROTOS if ":" in dep else "%s:%s%s" % (
        dep,
        dep.split("/")[-1],
        _PROTOS,
    )

def tributary_proto_library(
        name,
        srcs,
        deps = [],
        grpc = False,
        visibility = None):
    """A cc_library of the C++ code that protoc makes of `srcs`.

    Headers are included by their path from the root:
    `#include "common/proto/session.pb.h"`; .proto files import alike.

    Args:
      name: of the cc_library.
      srcs: .proto files of this package.
      deps: other tributary_proto_library targets whose files are imported.
      grpc: whether services get stubs too, in `*.grpc.pb.h`.
      visibility: as usual.
    """
    stems = [src[:-len(".proto")] for src in srcs]
    kinds = [".pb"] + ([".grpc.pb"] if grpc else [])
    headers = [stem + kind + ".h" for stem in stems for kind in kinds]
    sources = [stem + kind + ".cc" for stem in stems for kind in kinds]

    native.filegroup(
        name = name + _PROTOS,
        srcs = srcs + [_protos_of(dep) for dep in deps],
        visibility = visibility,
    )
    plugin = "--grpc_out=%s " % _OUT + \
             "--plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin) "
    native.genrule(
        name = name + "_gen",
        srcs = srcs + [_protos_of(dep) for dep in deps],
        outs = headers + sources,
        cmd = "protoc -I%s --cpp_out=%s " % (_ROOT or ".", _OUT) +
              (plugin if grpc else "") +
              " ".join(["$(location %s)" % src for src in srcs]),
        message = "Generating C++ of",
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        copts = ["-w"],  # generated code
        visibility = visibility,
        deps = deps + [
            "//third_party:grpc" if grpc else "//third_party:protobuf",
        ],
    )
