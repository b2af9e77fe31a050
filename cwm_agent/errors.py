"""Which errors are the user's to mend: commands print these as one line and exit with status 2."""

from cwm_agent.agent.running import FolderInUse
from cwm_agent.oracles.protocol import OracleError
from envs.execution.sandbox import SandboxError
from envs.execution.values import ExecutionError
from tasks.errors import TaskError

USER_ERRORS = (OracleError, ExecutionError, TaskError, SandboxError, FolderInUse, ValueError, OSError)
