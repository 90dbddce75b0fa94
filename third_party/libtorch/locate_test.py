"""pip is told of every platform for which a pinned wheel was built."""

import pathlib
import sys
import unittest

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


class LocateTest(unittest.TestCase):
    def test_each_pin_has_a_platform(self):
        packages = {"torch", *locate.WHEEL_OF.values()}
        self.assertEqual(len(packages), len(WHEELS))
        for package in packages:
            pin = locate.requirement(package).split()[0]
            begin = pin.replace("-", "_").replace("==", "-") + "-"
            [wheel] = [name for name in WHEELS if name.startswith(begin)]
            platforms = wheel.removesuffix(".whl").rsplit("-", 1)[1].split(".")
            self.assertTrue(set(platforms) & set(locate.PLATFORMS), wheel)


if __name__ == "__main__":
    unittest.main()
