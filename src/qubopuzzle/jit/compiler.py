"""numba's compiler for kernels: half the time, and code that is as fast.

numba optimises and assembles each function that it compiles, and does so again within every
function that calls it. Here a function that only kernels call is simplified; it is optimised and
assembled in the kernel, with all else that the kernel calls. A pipeline of one's own is what
numba's documentation describes ("Customizing the Compiler"); what becomes of LLVM's code is in
private methods behind it, which is why jit/dispatchers.py uses this for versions of numba that it
was tested with, and numba's own compiler for others.
"""

from typing import Any

from llvmlite.binding import create_new_module_pass_manager
from numba import config
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.environment import lookup_environment


class _CalledCode(JITCodeLibrary):
    """LLVM's code of a function that only kernels call: simplified a little, and not assembled."""

    def module(self) -> Any:
        """The code, to be linked into a kernel's."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        raise TypeError(f"{self.name}: only a function made by qubopuzzle.jit.kernel can call it")

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
        """0: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_CalledCode":
        """Whose ``set_env`` numba calls."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: the kernel's machine code is told all environments."""


class _KernelCode(JITCodeLibrary):
    """LLVM's code of a kernel and of everything that it calls, at any depth."""

    def finalize(self) -> None:
        libraries = list(dict.fromkeys(self._linking_libraries))
        for library in libraries:  # which grows meanwhile
            if isinstance(library, _CalledCode):
                self._final_module.link_in(library.module(), preserve=True)
                called = dict.fromkeys(library._linking_libraries)
                libraries += [each for each in called if each not in libraries]
        self._linking_libraries = [each for each in libraries if not isinstance(each, _CalledCode)]
        super().finalize()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:  # Python objects of a function, such as what it prints
                self._codegen.set_env(variable.name, environment)  # type: ignore[attr-defined]

    def _optimize_final_module(self) -> None:
        # Once, not twice as in numba, whose first passes bring reference counts together, of which
        # kernels have few. Their loops are written so that higher levels than 1 gain nothing.
        level = min(1, int(config.OPT))  # type: ignore[attr-defined]
        passes, builder = self._codegen._module_pass_manager(opt=level)
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
"""For closures, for overloads that ask for it, and to fuse expressions of whole arrays."""


class KernelCompiler(CompilerBase):
    """numba's passes without those that kernels do not need, and libraries of code of our own."""

    def define_pipelines(self) -> list[Any]:
        """One pipeline: a kernel is compiled whole, or not at all."""
        passes = PassManager("kernel")
        for each, about in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if each not in _UNUSED:
                kept = _Lowering if each is typed_passes.NativeLowering else each
                passes.add_pass(kept, about)
        passes.finalize()
        return [passes]
