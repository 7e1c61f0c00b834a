# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)
"""floe for Spack: `spack repo add` a repository with this folder in its packages/, then `spack install floe`."""

from spack.package import CMakePackage, CudaPackage, conflicts, depends_on, license, variant, version


class Floe(CMakePackage, CudaPackage):
    """Lossless compression of arrays and tables of numbers."""

    # Say here where your copy of the source lies.
    homepage = "https://floe.example.org"
    git = "https://floe.example.org/floe.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("program", default=True, description="Build the program floe")
    variant("hdf5", default=False, description="Build the filter plugin for HDF5")
    variant("mpi", default=False, description="Build the library for files of MPI programs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cli11@2.1:", when="+program", type="build")
    depends_on("rapidjson@1.1:", when="+program", type="build")
    depends_on("fmt@9:", when="+program")
    depends_on("xxhash@0.8:", when="+program")
    depends_on("zlib-api", when="+program")
    depends_on("pkgconfig", when="+program", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:11", msg="floe is written in C++20")
    conflicts("cuda_arch=none", when="+cuda", msg="Say for which GPUs: cuda_arch=90")

    def cmake_args(self):
        args = [
            self.define("FLOE_TESTS", False),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("FLOE_PROGRAM", "program"),
            self.define_from_variant("FLOE_HDF5", "hdf5"),
            self.define_from_variant("FLOE_MPI", "mpi"),
            self.define_from_variant("FLOE_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+hdf5"):
            env.prepend_path("HDF5_PLUGIN_PATH", self.prefix.lib.hdf5.plugins)
