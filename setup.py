"""Clew's own C, the one part of the build that pyproject.toml cannot say for good yet.

It is optional: without a compiler Clew is installed all the same, and its Python twins do the work.
"""

from glob import glob

from setuptools import Extension, setup

KERNELS = Extension(
    "clew.native._kernels",
    sorted(glob("src/clew/native/*.c")),
    depends=["src/clew/native/kernels.h"],
    extra_compile_args=["-O3"],
    py_limited_api=True,  # one wheel a platform, for every Python from 3.11 on
    optional=True,
)

setup(ext_modules=[KERNELS], options={"bdist_wheel": {"py_limited_api": "cp311"}})
