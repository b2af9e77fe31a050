"""Which errors are the user's to mend: commands print these as one line and exit with status 2."""

from cwm_agent.agent.runner import FolderInUse
from cwm_agent.oracles.protocol import OracleError
from cwm_agent.plugins import PluginError
from envs.execution.sandbox.sandbox import SandboxError
from envs.execution.state.value_grammar import ExecutionError
from tasks.errors import TaskError

USER_ERRORS = (OracleError, ExecutionError, TaskError, SandboxError, FolderInUse, PluginError, ValueError, OSError)
