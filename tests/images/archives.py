"""Where the images are, and what they consist of."""

IMAGES = ["sampler", "trainer", "tools"]
PROGRAMS = {
    "sampler": ["tributary"],
    "trainer": ["tributary", "tributary-train"],
    "tools": ["tributary", "tributary-fetch", "tributary-parquet"],
}
ENTRYPOINTS = {
    "sampler": "/app/tributary",
    "trainer": "/app/tributary-train",
    "tools": "/app/tributary",
}


def path_of(image):
    return f"k8s/images/{image}.tar"
