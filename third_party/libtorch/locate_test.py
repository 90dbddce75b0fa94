"""What is fetched and kept of LibTorch's wheels."""

import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import locate  # noqa: E402

# The names on PyPI of the wheels of requirements.txt.
WHEELS = """
torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl
nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl
nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl
nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_x86_64.whl
nvidia_cufft-12.0.0.61-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cufile-1.15.1.6-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_curand-10.4.0.35-py3-none-manylinux_2_27_x86_64.whl
nvidia_cusolver-12.0.4.66-py3-none-manylinux_2_27_x86_64.whl
nvidia_cusparse-12.6.3.3-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cusparselt_cu13-0.8.0-py3-none-manylinux2014_x86_64.whl
nvidia_nccl_cu13-2.28.9-py3-none-manylinux_2_18_x86_64.whl
nvidia_nvjitlink-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl
nvidia_nvshmem_cu13-3.4.5-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
""".split()


class PinsTest(unittest.TestCase):
    def test_each_pin_has_a_platform(self):
        packages = {"torch", *locate.WHEEL_OF.values()}
        self.assertEqual(len(packages), len(WHEELS))
        for package in packages:
            pin = locate.requirement(package).split()[0]
            begin = pin.replace("-", "_").replace("==", "-") + "-"
            [wheel] = [name for name in WHEELS if name.startswith(begin)]
            platforms = wheel.removesuffix(".whl").rsplit("-", 1)[1].split(".")
            self.assertTrue(set(platforms) & set(locate.PLATFORMS), wheel)


class WantedTest(unittest.TestCase):
    def test_python_can_import_what_is_kept(self):
        for name in [
            "torch/__init__.py",
            "torch/nn/modules/linear.py",
            "torch/_C.cpython-311-x86_64-linux-gnu.so",
            "torch/lib/libtorch_python.so",
            "torch/lib/libshm.so",
            "torch/bin/torch_shm_manager",
            "torchgen/model.py",
            "functorch/__init__.py",
        ]:
            self.assertTrue(locate.WANTED.match(name), name)

    def test_what_neither_language_needs_is_left_out(self):
        for name in [
            "torch/bin/ptxas",
            "torch/bin/protoc",
            "torch/lib/libshm/core.h",
            "torch/_C/__init__.pyi",
            "torchgen/packaged/ATen/native/native_functions.yaml",
            "torch-2.11.0.dist-info/RECORD",
        ]:
            self.assertFalse(locate.WANTED.match(name), name)


class OlderCacheTest(unittest.TestCase):
    """A folder of a version that left the files for Python out."""

    def setUp(self):
        cache = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, XDG_CACHE_HOME=cache))
        self.unpack = self.enterContext(mock.patch.object(locate, "unpack"))
        self.unpack.side_effect = self.unpack_wheel
        self.enterContext(mock.patch.object(locate, "provide_cuda_runtime"))
        version = locate.requirement("torch").split()[0].split("==")[1]
        self.site = pathlib.Path(cache) / "tributary" / f"libtorch-{version}"
        self.write(self.site, "torch/lib/libtorch_cpu.so", "old")

    @staticmethod
    def write(folder, name, text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    def unpack_wheel(self, package, site):
        self.assertEqual(package, "torch")
        self.write(site, "torch/lib/libtorch_cpu.so", "new")
        self.write(site, "torch/nn/__init__.py", "x = 3\n")

    def test_is_completed_for_python_once(self):
        for _ in range(2):
            root = locate.fetched_libtorch([], python=True)
        self.assertEqual(self.unpack.call_count, 1)
        self.assertEqual(root, self.site / "torch")
        self.assertEqual((root / "nn/__init__.py").read_text(), "x = 3\n")
        self.assertTrue(any(root.glob("nn/__pycache__/*.pyc")))
        # Programs may be running from it.
        self.assertEqual((root / "lib/libtorch_cpu.so").read_text(), "old")
        self.assertEqual(
            {path.name for path in self.site.parent.iterdir()},
            {self.site.name, "libtorch.lock"},
        )

    def test_serves_cxx_as_it_is(self):
        root = locate.fetched_libtorch([])
        self.assertEqual(root, self.site / "torch")
        self.unpack.assert_not_called()


class PythonLibrariesTest(unittest.TestCase):
    def test_only_libraries_that_the_cpu_calls_must_be_real(self):
        needs = {
            "libtorch_python.so": ["libtorch.so", "libcudnn.so.9", "libc.so.6"],
            "libtorch.so": ["libtorch_cpu.so", "libtorch_cuda.so"],
            "libtorch_cpu.so": ["libcudart.so.13", "libc.so.6"],
            "libtorch_cuda.so": ["libtorch.so", "libcudart.so.13", "libnccl.so.2"],
        }
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (root / "lib").mkdir()
        for name in [*needs, "libcudart.so.13"]:
            (root / "lib" / name).touch()
        with mock.patch.object(
            locate, "needed_libraries", lambda path: needs.get(path.name, [])
        ):
            real, absent = locate.python_libraries(root)
        self.assertEqual(real, {"libcudart.so.13": str(root / "lib/libcudart.so.13")})
        self.assertEqual(absent, ["libcudnn.so.9", "libnccl.so.2"])


if __name__ == "__main__":
    unittest.main()
