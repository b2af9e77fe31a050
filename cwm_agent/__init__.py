"""Plan inside a Code World Model: search imagined executions, act for real, verify step by step."""

from cwm_agent import import_path

if import_path.is_own_command():  # `python -m cwm_agent.solve`; importing the package as a library changes no path
    import_path.leave_working_folder()

__version__ = "0.1.0"
