"""The errors that the user can repair: commands print their message as one line and exit with status 2.

Any other exception is a fault of this package and ends in a traceback; a plain ValueError is such a fault. The tree, by
the package that raises:

    tasks        TaskError          a file, folder or row that is no task
    envs         BadEnvOption       an option of an environment, or a part of its problem
                 MissingExtra       an option whose package is not installed
                 BadTest            a test that cannot be judged
                 ExecutionError     a program that cannot be run, or a value that cannot be written down
                 SandboxError       isolation that is missing, a worker that was lost
                 DecomposeError     a program that cannot be decomposed
                 BadEdit            an edit that does not fit its program
    planners     BadOption          an option of a planner
                 BadPlanner         a planner of the user's own that breaks its protocol
                 BadModel           a model of the user's own that breaks its protocol
                 BadGame            a game of the user's own that breaks its protocol
                 NoParticles        an observation that nothing explains
                 BadSnapshot        a saved search that cannot be read
    cwm_agent    UsageError         options of a command
                 OracleError        an oracle that does not exist, cannot be reached, or has spent its budget
                 BadGuide           a guide that does not exist, or that does not fit
                 NothingToVerify    a file without anything to verify
                 BadCall            a text that is no call
                 DebugError         a call or command of the debugger
                 BadBudget          a budget with which nothing can be solved
                 PluginError        a plug-in, `module:callable`, that cannot be loaded
                 UnknownPlanner     a planner that does not exist, or an object that is no planner
                 UnknownDomain      a domain that does not exist
                 UnknownSource      a source of candidates that does not exist
                 DomainError        a domain of the user's own that breaks its protocol
                 CannotLearn        episodes without what learning needs, a learnt model that cannot be read
                 BadEpisodes        a results folder that cannot be used
                 FolderInUse        a results folder that another process writes
                 NoRun              a path that holds nothing to report
                 BadRecords         a file of rows that cannot be read, written or locked
                 BadRolloutRun, BadRollouts, UnknownPolicy, NotImaginable, NotPlannable    the rollout command
                 JobError           a cluster that cannot be used, workers that cannot be started
                 BadTrajectories    trajectories of a game that cannot be read, or contradict each other
                 UnknownStudy, BadLedger, CannotMeasure                                    the study command
    Python       OSError            a file that cannot be opened; WriteError of tasks, a file that was not written
                 UnicodeDecodeError, JSONDecodeError    a file that is no text, or no JSON
"""

from json import JSONDecodeError

from cwm_agent.agent.budget import BadBudget
from cwm_agent.agent.domain import DomainError
from cwm_agent.agent.domain_registry import UnknownDomain
from cwm_agent.agent.episodes.episode import BadEpisodes
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.planner_registry import UnknownPlanner
from cwm_agent.agent.runner import FolderInUse
from cwm_agent.agent.settings import UnknownSource
from cwm_agent.commands.usage import UsageError
from cwm_agent.debugger.step_position import DebugError
from cwm_agent.imagination.call_text import BadCall
from cwm_agent.imagination.guides import BadGuide
from cwm_agent.jobs.errors import JobError
from cwm_agent.oracles.protocol import OracleError
from cwm_agent.plugins import PluginError
from cwm_agent.records.jsonl_file import BadRecords
from cwm_agent.reports.run_folder import NoRun
from cwm_agent.rollouts.errors import BadRolloutRun, BadRollouts, NotImaginable, NotPlannable, UnknownPolicy
from cwm_agent.studies.errors import BadLedger, CannotMeasure, UnknownStudy
from cwm_agent.synthesis.trajectories import BadTrajectories
from cwm_agent.verification.task_files import NothingToVerify
from envs.editing.edit import BadEdit
from envs.errors import BadEnvOption, MissingExtra
from envs.execution.decompose.decomposition import DecomposeError
from envs.execution.sandbox.program_tests import BadTest
from envs.execution.sandbox.sandbox import SandboxError
from envs.execution.state.value_grammar import ExecutionError
from planners.errors import BadGame, BadModel, BadOption, BadPlanner, BadSnapshot, NoParticles
from tasks.errors import TaskError

USER_ERRORS: tuple[type[Exception], ...] = (
    *(TaskError, BadEnvOption, MissingExtra, BadTest, ExecutionError, SandboxError, DecomposeError, BadEdit),
    *(BadOption, BadPlanner, BadModel, BadGame, NoParticles, BadSnapshot),
    *(UsageError, OracleError, BadGuide, NothingToVerify, BadCall, DebugError, BadBudget, PluginError, UnknownPlanner),
    *(UnknownDomain, UnknownSource, DomainError, CannotLearn, BadEpisodes, FolderInUse, BadRecords, NoRun),
    *(BadRolloutRun, BadRollouts, UnknownPolicy, NotImaginable, NotPlannable),
    *(BadTrajectories, UnknownStudy, BadLedger, CannotMeasure, JobError),
    *(OSError, UnicodeDecodeError, JSONDecodeError),
)
