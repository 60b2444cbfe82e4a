"""numba's compiler for kernels: in half the time, and the code is as fast.

numba optimises and assembles each function that it compiles, and does so again within every
function that calls it. Here both are done once, in the kernel in which all that it calls ends up.
A pipeline of one's own is what numba's documentation describes ("Customizing the Compiler"); what
becomes of LLVM's code is behind it, in private methods: pyproject.toml says of which versions.
"""

from typing import Any

from llvmlite.binding import create_new_module_pass_manager
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass


class _CalledCode(JITCodeLibrary):
    """LLVM's code of a function that only kernels call: simplified a little, and not assembled."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        passes = create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(module, self._codegen._pass_builder())

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_CalledCode":
        """Whose ``set_env`` numba calls."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: machine code would be told its Python objects, of which kernels use none."""


class _KernelCode(JITCodeLibrary):
    """LLVM's code of a kernel and of everything that it calls, at any depth."""

    def finalize(self) -> None:
        for library in self._linking_libraries:  # which grows meanwhile
            if isinstance(library, _CalledCode):
                self._linking_libraries += [
                    other
                    for other in library._linking_libraries
                    if other not in self._linking_libraries
                ]
        super().finalize()

    def _optimize_final_module(self) -> None:
        # Once, not twice as in numba, whose first passes bring reference counts together; kernels
        # have none. Their loops are written so that higher levels than 1 gain nothing.
        passes, builder = self._codegen._module_pass_manager(opt=1)
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        library = _CalledCode if state.flags.no_cpython_wrapper else _KernelCode
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        done: bool = super().run_pass(state)
        return done


_UNUSED = (
    untyped_passes.InlineClosureLikes,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
)
"""For closures, overloads that ask for it, and expressions of whole arrays: kernels have none."""


class KernelCompiler(CompilerBase):
    """numba's passes without those that kernels do not need, and libraries of code of our own."""

    def define_pipelines(self) -> list[Any]:
        """One pipeline: a kernel is compiled whole, or not at all."""
        passes = PassManager("kernel")
        for each, about in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if each not in _UNUSED:
                own = _Lowering if each is typed_passes.NativeLowering else each
                passes.add_pass(own, about)
        passes.finalize()
        return [passes]
